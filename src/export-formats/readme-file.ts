// README.dataset.txt of an export: what it is, how much it holds, and which boxes are odd.

import { isClassification } from '../annotations/annotation.ts';
import { isoTime } from '../clock.ts';
import type { ExportFile, SurveyedDataset } from './export-dataset.ts';
import type { ExportFormat } from './export-format.ts';

export function readmeFile(format: ExportFormat, dataset: SurveyedDataset): ExportFile {
  return { path: 'README.dataset.txt', content: () => [readme(format, dataset)] };
}

function readme({ name, note }: ExportFormat, dataset: SurveyedDataset): string {
  const { info, splits, classes, counts, leftOut } = dataset;
  const what = isClassification(dataset.projectType) ? 'labels' : 'boxes';
  const all = [...splits.values()];
  const images = all.reduce((sum, split) => sum + split.images, 0);
  const things = all.reduce((sum, split) => sum + split.things, 0);
  const notes = note?.(dataset) ?? [];
  return [
    `${info.project}, version ${info.version}: ${info.versionName}`,
    `Created ${isoTime(info.created)}. Format: ${name}. Licence: ${info.license ?? 'not stated'}.`,
    '',
    `${images} images, ${things} ${what}, ${classes.length} classes`,
    ...[...splits].map(([split, own]) => `  ${split}: ${own.images} images, ${own.things} ${what}`),
    ...(leftOut === 0 ? [] : [`  left out, since they have no class: ${leftOut} images`]),
    '',
    'Classes',
    ...classes.map((label) => `  ${label}: ${counts.get(label) ?? 0} ${what}`),
    '',
    ...(notes.length === 0 ? [] : [...notes, '']),
    ...oddBoxes(dataset),
  ].join('\n');
}

function oddBoxes({ oddBoxes: { shown, count } }: SurveyedDataset): readonly string[] {
  if (count === 0) return [];
  const rest = count > shown.length ? [`  and ${count - shown.length} more`] : [];
  const lines = shown.map((line) => `  ${line}`);
  return ['Boxes without an area or beyond the image, kept as labelled', ...lines, ...rest, ''];
}
