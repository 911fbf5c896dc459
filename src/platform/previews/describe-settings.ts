// Describes version settings in one readable line.

import { normalizeSettings } from '../../contract/version-no-op-steps.ts';
import type { VersionSettings } from '../../contract/version-settings.ts';

/** For example `resize 640 × 640 Stretch to, flip horizontal, rotate 15°`; steps in their order. */
export function describeSettings(settings: VersionSettings): string {
  const { preprocessing, augmentation } = normalizeSettings(settings);
  const { image, ...changes } = augmentation;
  const steps = [...Object.entries(preprocessing), ...Object.entries(changes)];
  return steps.map(([key, setting]) => describeStep(key, setting)).join(', ') || 'no changes';
}

function describeStep(key: string, setting: unknown): string {
  if (typeof setting !== 'object' || setting === null) return key;
  const members = new Map<string, unknown>(Object.entries(setting));
  if (members.has('brighten')) return `${key} ${describeBrightness(members)}`;
  const words = pairs.flatMap(([first, second, describe]) => {
    const [a, b] = [members.get(first), members.get(second)];
    if (typeof a !== 'number' || typeof b !== 'number') return [];
    members.delete(first);
    members.delete(second);
    return [describe(a, b)];
  });
  const rest = [...members].map(([name, value]) => describeMember(name, value));
  return [key, ...words, ...rest.filter((word) => word !== '')].join(' ');
}

function describeBrightness(members: ReadonlyMap<string, unknown>): string {
  const [up, down] = [members.get('brighten') === true, members.get('darken') === true];
  const sign = up && down ? '±' : up ? '+' : '−';
  return `${sign}${String(members.get('percent'))} %`;
}

type Pair = readonly [first: string, second: string, describe: (a: number, b: number) => string];

/** Members that say one thing together. */
const pairs: readonly Pair[] = [
  ['width', 'height', (width, height) => `${width} × ${height}`],
  ['tileWidth', 'tileHeight', (width, height) => `${width} × ${height}`],
  ['rows', 'columns', (rows, columns) => `${rows} × ${columns}`],
  ['min', 'max', (least, most) => `${least}–${most} %`],
  ['x_min', 'x_max', (least, most) => `x ${least}–${most} %`],
  ['y_min', 'y_max', (least, most) => `y ${least}–${most} %`],
  ['horizontal', 'vertical', (horizontal, vertical) => `${horizontal}° ${vertical}°`],
  ['count', 'percent', (count, percent) => `${count} × ${percent} %`],
];

const units = new Map([
  ['percent', ' %'],
  ['degrees', '°'],
  ['pixels', ' px'],
]);

function describeMember(name: string, value: unknown): string {
  if (value === true) return name;
  if (value === false || value === undefined) return '';
  if (typeof value === 'string') return value;
  const unit = units.get(name);
  return unit === undefined ? `${name} ${String(value)}` : `${String(value)}${unit}`;
}
