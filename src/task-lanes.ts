// The lanes of background tasks of a platform, by the names that `fovea worker --lane` takes.

export const laneNames = [
  'versions',
  'exports',
  'changes',
  'imports',
  'models',
  'trainings',
  'search',
  'looks',
  'embeddings',
] as const;

export type LaneName = (typeof laneNames)[number];
