// Writes what follows from the code: tools/list.json, the README's tool table, manifest.json and
// docs/dataset-versions.md.
// `--check` writes nothing and fails where a file is not what it should be.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { listTools } from '../src/mcp/list-tools.ts';
import { tools } from '../tools/index.ts';
import { manifest } from './generate/manifest.ts';
import { withToolTable } from './generate/tool-table.ts';
import { versionDocs } from './generate/version-docs.ts';

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const list = listTools(tools);
const readme = existsSync('README.md') ? readFileSync('README.md', 'utf8') : '';

const files = {
  'tools/list.json': `${JSON.stringify(list, null, 1)}\n`,
  'manifest.json': manifest(list),
  'README.md': withToolTable(readme, tools),
  'docs/dataset-versions.md': versionDocs(),
};

for (const [path, content] of Object.entries(files)) {
  if (existsSync(path) && readFileSync(path, 'utf8') === content) continue;
  if (values.check) {
    process.stderr.write(`${path} is not up to date: run "npm run generate".\n`);
    process.exitCode = 1;
  } else if (content !== '') {
    writeFileSync(path, content);
    process.stderr.write(`${path} written.\n`);
  }
}
