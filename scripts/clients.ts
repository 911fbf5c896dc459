// `npm run clients`: a day's work of the vendor's Python client against `fovea platform`, by its
// methods and by its command line. Ends with 1 where a step failed, with 2 where nothing could run.
// `-- --write` puts the table into docs/python.md.

import { parseArgs } from 'node:util';
import { findClient } from './clients/find-client.ts';
import { runClientDay } from './clients/run-day.ts';
import { tableOf, writeTable } from './clients/table.ts';

const didNotRun = 2;

const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } });
const client = await findClient();
if ('missing' in client) {
  say(`DID NOT RUN: ${client.missing}.`);
  process.exitCode = didNotRun;
} else {
  try {
    const rows = await runClientDay(client);
    const failed = rows.filter(({ outcome }) => outcome === 'FAILED');
    say(tableOf(rows));
    for (const { name, kind, detail } of failed) say(`FAILED ${name} ${kind}: ${detail}`);
    if (values.write) await writeTable(rows);
    process.exitCode = failed.length === 0 ? 0 : 1;
  } finally {
    await client.remove();
  }
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
