// The trainers that come along, by the names that FOVEA_TRAINER takes.

/** The trainer that is built in. */
export const exampleTrainer = 'example';

/** Those in Python that come along; `fovea trainer install NAME` makes their environments. */
export const pythonTrainers = ['torchvision'] as const;

export type PythonTrainer = (typeof pythonTrainers)[number];
