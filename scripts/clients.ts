// `npm run clients`: a day's work of the vendor's Python client against `fovea platform`, by its
// methods and by its command line; then the same day by MCP tools, and the end states row by row.
// Ends with 1 where a step failed or a row differs without a reason, with 2 where nothing could
// run. It runs the sources, or the release whose dist/fovea.js FOVEA_TEST_ENTRY names.
// `-- --write` puts table and figures into docs/python.md, `-- --rows` prints all rows, and with
// `-- --beside-http` the client's day runs while `fovea http` works on the same data folder.

import { parseArgs } from 'node:util';
import { hasExampleTrainer, needsExampleTrainer } from '../test/fixtures/example-trainer.ts';
import { type Comparison, compareStates, describeRow, summarize } from './clients/compare.ts';
import { findClient } from './clients/find-client.ts';
import { type Row, runClientDay } from './clients/run-day.ts';
import { tableOf, writePage } from './clients/table.ts';
import { runToolDay } from './clients/tool-day.ts';

const didNotRun = 2;

const { values } = parseArgs({
  options: {
    write: { type: 'boolean', default: false },
    rows: { type: 'boolean', default: false },
    'beside-http': { type: 'boolean', default: false },
  },
});
const client = hasExampleTrainer ? await findClient() : { missing: needsExampleTrainer.trim() };
if ('missing' in client) {
  say(`DID NOT RUN: ${client.missing}.`);
  process.exitCode = didNotRun;
} else {
  try {
    say(`Fovea is ${process.env.FOVEA_TEST_ENTRY ?? 'that of the sources'}.`);
    const { rows, state } = await runClientDay(client, { besideHttp: values['beside-http'] });
    const comparison = compareStates(state, await runToolDay());
    showDay(rows);
    showComparison(comparison);
    if (values.write) await writePage(rows, comparison);
    const failed = rows.some(({ outcome }) => outcome === 'FAILED');
    const differs = comparison.faults.length + comparison.stale.length > 0;
    process.exitCode = failed || differs ? 1 : 0;
  } finally {
    await client.remove();
  }
}

function showDay(rows: readonly Row[]): void {
  say(tableOf(rows));
  for (const { name, kind, outcome, detail } of rows) {
    if (outcome === 'FAILED') say(`FAILED ${name} ${kind}: ${detail}`);
  }
}

function showComparison(comparison: Comparison): void {
  say('\nWhat the day left, by the client and by MCP tools:');
  for (const row of comparison.rows) if (values.rows || !row.isSame) say(describeRow(row));
  for (const { reason } of comparison.stale) say(`no row needs the reason: ${reason}`);
  say(summarize(comparison));
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
