// docs/dataset-versions.md: what every setting of a dataset version does, from the engine's tables.

import { augmentationSteps } from '../../src/dataset-versions/augmentation-table.ts';
import { preprocessingSteps } from '../../src/dataset-versions/preprocessing.ts';
import { resizeNotes } from '../../src/dataset-versions/resize.ts';
import { limits } from '../../src/limits.ts';
import { aligned } from './markdown-table.ts';

/** The whole page. */
export function versionDocs(): string {
  const preprocessing = Object.entries(preprocessingSteps);
  const augmentation = augmentationSteps.map(({ key, does }) => [key, does] as const);
  return [
    '# Dataset versions',
    '',
    '<!-- Written by `npm run generate` from src/dataset-versions; edit the tables there. -->',
    '',
    'A version is a frozen snapshot: its rows and pixels are copied by content, and nothing that',
    'happens to the project later changes it. The same settings on the same images give the same',
    'bytes on every machine. This is what the embedded platform does; a hosted platform may differ.',
    '',
    '## Order',
    '',
    'Filters choose the images. Then every image of every split goes through preprocessing, in the',
    'order of the first table. Then each train image (each piece of it, after `isolate` or `tile`)',
    'gives the preprocessed original and up to `image.versions` - 1 copies. A copy takes every chosen',
    'augmentation, in the order of the second table, each with a random strength of its own within',
    'its setting, all strengths equally likely. No two copies of an image are the same, so there may',
    `be fewer. \`image.versions\` above the cap of the plan (${limits.versionMultiplierMax} unless set) is refused.`,
    '',
    '## Preprocessing',
    '',
    aligned([['Key', 'What it does'], ...preprocessing.map(row)]),
    '',
    '### Formats of `resize`',
    '',
    aligned([['Format', 'What is done'], ...Object.entries(resizeNotes)]),
    '',
    '## Augmentation',
    '',
    aligned([['Key', 'What it does'], ...augmentation.map(row)]),
    '',
    '## Boxes, outlines, keypoints',
    '',
    'They move by the numbers that move the pixels, and are clipped at the edges of what is left.',
    'After every step that moves or cuts, a box stays when at least 20 % of its area is visible (in',
    'tiles: any of it); with an outline, the area of the outline counts. A box without an area stays',
    'while its centre is inside. A keypoint that left the image stays in its list as not labelled.',
    'An image of which no pixel changes keeps its bytes and its boxes as they are.',
    '',
  ].join('\n');
}

function row([key, does]: readonly [key: string, does: string]): readonly string[] {
  return [`\`${key}\``, does];
}
