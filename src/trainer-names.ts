// The trainers that come along, all in Python, by the names that FOVEA_TRAINER takes.

/** `fovea trainer install NAME` makes their environments. */
export const pythonTrainers = ['torchvision', 'ultralytics', 'rf-detr', 'example'] as const;

export type PythonTrainer = (typeof pythonTrainers)[number];

interface Licence {
  readonly name: string;
  /** What it asks, in one sentence. */
  readonly means: string;
}

/** Of the library that each trains with; what is fetched is under it. */
export const trainerLicences: Readonly<Record<PythonTrainer, Licence>> = {
  torchvision: { name: 'BSD-3-Clause', means: 'Use it for anything, and keep its notices.' },
  ultralytics: {
    name: 'AGPL-3.0',
    means:
      'Who passes on a program with it, or lets others use one over a network, must offer them all ' +
      'its source under AGPL-3.0, or buy a licence from Ultralytics, who say the same of models ' +
      'trained with it.',
  },
  'rf-detr': { name: 'Apache-2.0', means: 'Use it for anything, and keep its notices.' },
  example: { name: 'MIT', means: 'Use it for anything, and keep its notices.' },
};
