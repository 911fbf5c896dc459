// A day of an agent on the BCCD dataset, through MCP tools alone: import, search, mend, rebalance,
// version, export, trash, sharing, events. Every count is checked: npm run day [-- bccd.zip]
// `--memory` measures the installed release meanwhile and after it; `--picture FILE.svg` draws it.

import { existsSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { bccdArchive } from '../test/fixtures/bccd.ts';
import { runDay } from './day/agent-day.ts';
import { measureDayMemory } from './day/memory.ts';
import { drawMemory } from './day/memory-picture.ts';
import { releaseToTest } from './release/install.ts';

const { values, positionals } = parseArgs({
  options: {
    memory: { type: 'boolean', default: false },
    picture: { type: 'string' },
  },
  allowPositionals: true,
});
const [archive = bccdArchive] = positionals;

if (existsSync(archive)) {
  if (values.memory || values.picture !== undefined) await measureMemory(values.picture);
  else await runDay(archive, say);
  say('\nEvery count was as expected.');
} else {
  process.stderr.write(`There is no ${archive}: name the archive of BCCD.\n`);
  process.exitCode = 1;
}

async function measureMemory(picture: string | undefined): Promise<void> {
  const memory = await measureDayMemory(archive, await releaseToTest(), say);
  if (picture !== undefined) writeFileSync(picture, drawMemory(memory));
  const megabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(0)} MB`;
  say(`\nMemory at most:                     ${megabytes(memory.peakBytes)}`);
  say(`at the end of the work:             ${megabytes(memory.endBytes)}`);
  say(`a minute later:                     ${megabytes(memory.afterBytes)}`);
  say(`ten processes on one folder (PSS):  ${megabytes(memory.tenBytes)}`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
