// The agent's day on the whole BCCD dataset. Runs where its archive is: FOVEA_BCCD, or the shared
// data folder beside the repository. Elsewhere it says that it did not run.

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { runDay } from '../../scripts/day/agent-day.ts';

const archive = resolve(process.env.FOVEA_BCCD ?? '../shared/data/bccd.zip');
const isThere = existsSync(archive);
if (!isThere) process.stderr.write("DID NOT RUN: the agent's day; FOVEA_BCCD names no bccd.zip.\n");

it.skipIf(!isThere)(
  "an agent's day has the counts that it should",
  { timeout: 240_000 },
  async () => {
    const said: string[] = [];
    await runDay(archive, (line) => void said.push(line));
    expect(said.length).toBeGreaterThan(30);
  },
);
