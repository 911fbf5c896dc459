// A day of an agent on the BCCD dataset, through MCP tools alone: import, search, mend, rebalance,
// version, export, trash, sharing, events. Every count is checked: npm run day [-- bccd.zip]

import { existsSync } from 'node:fs';
import { bccdArchive } from '../test/fixtures/bccd.ts';
import { runDay } from './day/agent-day.ts';

const [, , archive = bccdArchive] = process.argv;

if (existsSync(archive)) {
  await runDay(archive, (line) => void process.stdout.write(`${line}\n`));
  process.stdout.write('\nEvery count was as expected.\n');
} else {
  process.stderr.write(`There is no ${archive}: name the archive of BCCD.\n`);
  process.exitCode = 1;
}
