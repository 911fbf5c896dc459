// Finds steps of version settings that change nothing, and normalizes settings without them.

import { directionsOf, withDefaultMembers } from './version-default-members.ts';
import { type VersionSettings, versionSettings } from './version-settings.ts';

type Preprocessing = VersionSettings['preprocessing'];
type Augmentation = VersionSettings['augmentation'];
type Key = keyof Preprocessing | keyof Augmentation;

export interface NoOpStep {
  readonly group: keyof VersionSettings;
  readonly key: Key;
  /** The member that makes it a no-op, for example `augmentation.rotate.degrees`. */
  readonly path: string;
  /** Continues a sentence that starts with the path. */
  readonly reason: string;
}

/** The requested steps that change nothing; a step that is `false` is not requested. */
export function noOpSteps(settings: VersionSettings): readonly NoOpStep[] {
  const { preprocessing, augmentation } = settings;
  return [
    ...preprocessingRules.flatMap(([key, member, isNoOp, reason]) =>
      isNoOp(preprocessing) ? [noOpStep('preprocessing', key, member, reason)] : [],
    ),
    ...strengths.flatMap(([key, members]) => noOpStrength(augmentation, key, members)),
    ...noOpDirections(augmentation),
    ...noOpColours(settings),
  ];
}

/**
 * The settings in normal form: members left out have their defaults, `image.versions` defaults to
 * 1, no-op steps are removed, and the rest is in execution order.
 */
export function normalizeSettings(settings: VersionSettings): VersionSettings {
  const noOps = noOpSteps(settings);
  const steps = (group: keyof VersionSettings) =>
    Object.entries(settings[group])
      .filter(([, setting]) => setting !== false && setting !== undefined)
      .filter(([key]) => !noOps.some((step) => step.group === group && step.key === key))
      .map(([key, setting]) => [key, withDefaultMembers(key, setting)]);
  // Parsing orders the keys as in the schema, which is the execution order.
  return versionSettings.parse({
    preprocessing: Object.fromEntries(steps('preprocessing')),
    augmentation: { image: { versions: 1 }, ...Object.fromEntries(steps('augmentation')) },
  });
}

type PreprocessingRule = readonly [
  key: keyof Preprocessing,
  member: string,
  isNoOp: (settings: Preprocessing) => boolean,
  reason: string,
];

const preprocessingRules: readonly PreprocessingRule[] = [
  [
    'filter-null',
    'percent',
    (settings) => settings['filter-null']?.percent === 0,
    'is 0: no image is left out',
  ],
  [
    'filter-tags',
    '',
    (settings) => isEmpty(settings['filter-tags']),
    'names no tag: no image is left out',
  ],
  [
    'remap',
    '',
    ({ remap }) =>
      remap !== undefined && Object.entries(remap).every(([old, name]) => old === name),
    'renames no class',
  ],
  [
    'static-crop',
    '',
    (settings) => isWhole(settings['static-crop']),
    'is 0 to 100 percent of both sides: nothing is cut off',
  ],
  [
    'tile',
    '',
    ({ tile }) => tile !== undefined && 'rows' in tile && tile.rows * tile.columns === 1,
    'has 1 row and 1 column: nothing is cut',
  ],
];

type Strengths = readonly [key: keyof Augmentation, members: readonly string[]];

/** The step is a no-op where all of these are 0. */
const strengths: readonly Strengths[] = [
  ['crop', ['max']],
  ['rotate', ['degrees']],
  ['shear', ['horizontal', 'vertical']],
  ['hue', ['degrees']],
  ['saturation', ['percent']],
  ['brightness', ['percent']],
  ['exposure', ['percent']],
  ['rgrayscale', ['percent']],
  ['blur', ['pixels']],
  ['noise', ['percent']],
  ['cutout', ['count']],
  ['cutout', ['percent']],
  ['bbcrop', ['max']],
  ['bbrotate', ['degrees']],
  ['bbshear', ['horizontal', 'vertical']],
  ['bbbrightness', ['percent']],
  ['bbexposure', ['percent']],
  ['bbblur', ['pixels']],
  ['bbnoise', ['percent']],
];

function noOpStrength(
  augmentation: Augmentation,
  key: keyof Augmentation,
  members: readonly string[],
): readonly NoOpStep[] {
  const setting = new Map(Object.entries(withDefaultMembers(key, augmentation[key]) ?? {}));
  if (!members.every((member) => setting.get(member) === 0)) return [];
  const [only = ''] = members;
  return [
    members.length === 1
      ? noOpStep('augmentation', key, only, 'is 0: this step changes nothing')
      : noOpStep('augmentation', key, '', `has ${members.join(' and ')} 0: it changes nothing`),
  ];
}

/** The document shows all members, so false may stand in each of them. */
function noOpDirections(augmentation: Augmentation): readonly NoOpStep[] {
  return versionSettings.shape.augmentation.keyof().options.flatMap((key) => {
    const names = directionsOf(key);
    const setting = new Map(Object.entries(augmentation[key] ?? {}));
    if (setting.size === 0 || names.length === 0) return [];
    if (names.some((name) => setting.get(name) === true)) return [];
    const reason = `has ${names.join(', ')} all false: it changes nothing`;
    return [noOpStep('augmentation', key, '', reason)];
  });
}

function noOpColours({ preprocessing, augmentation }: VersionSettings): readonly NoOpStep[] {
  const colours = ['hue', 'saturation', 'rgrayscale'] as const;
  if (preprocessing.grayscale) {
    return colours
      .filter((key) => augmentation[key])
      .map((key) =>
        noOpStep('augmentation', key, '', 'does nothing: preprocessing.grayscale is before it'),
      );
  }
  if (augmentation.rgrayscale?.percent !== 100) return [];
  return (['hue', 'saturation'] as const)
    .filter((key) => augmentation[key])
    .map((key) =>
      noOpStep('augmentation', key, '', 'does nothing: rgrayscale makes every copy gray after it'),
    );
}

function noOpStep(
  group: keyof VersionSettings,
  key: Key,
  member: string,
  reason: string,
): NoOpStep {
  return { group, key, path: [group, key, ...(member === '' ? [] : [member])].join('.'), reason };
}

function isEmpty(members: object | undefined): boolean {
  return members !== undefined && Object.keys(members).length === 0;
}

function isWhole(crop: Preprocessing['static-crop']): boolean {
  if (crop === undefined) return false;
  const { x_min, x_max, y_min, y_max } = crop;
  return x_min === 0 && y_min === 0 && x_max === 100 && y_max === 100;
}
