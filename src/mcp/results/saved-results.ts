// Saves results that are too large for a model as files of this machine, for a while.

import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../clock.ts';
import { limits } from '../../limits.ts';
import type { SavedFile } from '../tool.ts';

/** Undefined: it could not be kept, which fails no call. */
export type SaveResult = (tool: string, json: string) => Promise<SavedFile | undefined>;

/**
 * Saves results in a private folder, made with the first result. Results that are too old, too
 * many, or too large together are removed, the oldest first.
 */
export function saveResultsIn(folder: string, clock: Pick<Clock, 'now'>): SaveResult {
  return async (tool, json) => {
    const time = new Date(clock.now()).toISOString().replace(/\W/g, '');
    const path = join(folder, `${time}-${randomBytes(3).toString('hex')}-${tool}.json`);
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeFile(path, json, { mode: 0o600, flag: 'wx' });
      await removeOld(folder, clock.now());
      return { path, mimeType: 'application/json', description: 'The whole data, by others' };
    } catch {
      await rm(path, { force: true }).catch(() => undefined);
      return undefined;
    }
  };
}

const dayMs = 24 * 60 * 60 * 1_000;

/** Other processes remove here too: a file that is gone is no failure. */
async function removeOld(folder: string, now: number): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json')).sort();
  const oldest = now - limits.savedResultDaysMax * dayMs;
  let bytes = 0;
  for (const [rank, name] of names.reverse().entries()) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    bytes += found?.size ?? 0;
    const isOld = found !== undefined && found.mtimeMs < oldest;
    const isOver = rank >= limits.savedResultsMax || bytes > limits.savedResultBytesMax;
    // The newest stays in any case: it was just promised.
    if (rank > 0 && (isOld || isOver)) await rm(path, { force: true });
  }
}
