// The agent's day on the whole BCCD dataset. Runs where its archive is
// (test/fixtures/bccd.ts). Elsewhere it says that it did not run.

import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { runDay } from '../../scripts/day/agent-day.ts';
import { bccdArchive } from '../fixtures/bccd.ts';

const isThere = existsSync(bccdArchive);
if (!isThere) process.stderr.write("DID NOT RUN: the agent's day; FOVEA_BCCD names no bccd.zip.\n");

it.skipIf(!isThere)(
  "an agent's day has the counts that it should",
  { timeout: 240_000 },
  async () => {
    const said: string[] = [];
    await runDay(bccdArchive, (line) => void said.push(line));
    expect(said.length).toBeGreaterThan(30);
  },
);
