// Prints the sizes of a code base: `npm run measure:code -- [[LABEL=]FOLDER ...]`. Each folder is a
// column; without arguments this repository is measured. Tests, development tools, generated and
// declaration files are left out. Of one folder alone, the cycles of imports are listed too.

import { basename, join, resolve } from 'node:path';
import { formatTable } from '../bench/measure/text-table.ts';
import { importCycles } from '../test/architecture/import-graph.ts';
import { measure, rows } from './measure-code/measure.ts';
import { findSources } from './measure-code/sources.ts';

const root = join(import.meta.dirname, '..');
const folders = process.argv.slice(2);
const columns = (folders.length > 0 ? folders : [root]).map((argument) => {
  const separator = argument.indexOf('=');
  const folder = resolve(argument.slice(separator + 1));
  const label = separator > 0 ? argument.slice(0, separator) : basename(folder);
  return { label, codeBase: findSources(folder) };
});
const figures = columns.map(({ codeBase }) => measure(codeBase));
const [only, ...others] = columns;
const cycles = only && others.length === 0 ? importCycles(only.codeBase.sources) : [];

const table = formatTable([
  ['', ...columns.map(({ label }) => label)],
  ...rows.map((row) => [row, ...figures.map((column) => column[row])]),
]);
const lines = cycles.map((paths) => `\nimport each other: ${paths.join(' ')}`);
process.stdout.write(`${[table, ...lines].join('\n')}\n`);
