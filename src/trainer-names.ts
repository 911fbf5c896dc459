// The trainers that come along, all in Python, by the names that FOVEA_TRAINER takes.

/** `fovea trainer install NAME` makes their environments. */
export const pythonTrainers = ['torchvision', 'example'] as const;

export type PythonTrainer = (typeof pythonTrainers)[number];
