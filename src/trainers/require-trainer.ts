// Whether a training can be started at all, before it is queued.

import { access } from 'node:fs/promises';
import { FoveaError } from '../errors.ts';
import type { TrainerCommand } from './trainer-protocol.ts';

/** Throws `conflict` where the trainer comes along and is not installed; says how it is. */
export async function requireTrainer(trainer: TrainerCommand): Promise<void> {
  const { path, name, remedy, isElsewhere = false } = trainer;
  if (remedy === undefined || isElsewhere) return;
  await access(path).catch(() => {
    throw new FoveaError('conflict', `The trainer "${name}" is not installed: ${remedy}.`);
  });
}
