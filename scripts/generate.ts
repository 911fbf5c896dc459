// Writes what follows from the code: tools/list.json and what it costs, snapshots of the lists that
// hosts get, docs/tools.md, docs/dataset-versions.md, manifest.json.
// `--check` writes nothing and fails where a file is not what it should be.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { pageTools, tools } from '../tools/index.ts';
import { buildToolList } from './generate/build-tool-list.ts';
import { manifest } from './generate/manifest.ts';
import { skillResources } from './generate/skill-resources.ts';
import { budget, snapshot, toolLists } from './generate/tool-lists.ts';
import { withToolTable } from './generate/tool-table.ts';
import { versionDocs } from './generate/version-docs.ts';

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const list = buildToolList([...tools, ...pageTools]);
const offered = toolLists(list);
const [full] = offered;
const toolDocs = existsSync('docs/tools.md') ? readFileSync('docs/tools.md', 'utf8') : '';

const files = {
  'tools/list.json': `${JSON.stringify(list, null, 1)}\n`,
  'manifest.json': manifest(list),
  'docs/tools.md': withToolTable(toolDocs, tools),
  'docs/dataset-versions.md': versionDocs(),
  'src/mcp/skills/skills.json': skillResources(),
  'tools/budget.json': budget(offered),
  ...Object.fromEntries(
    offered
      .filter(({ toolset }) => toolset === undefined)
      .map((each) => [`test/tool-lists/${each.name}.json`, snapshot(each, full)]),
  ),
};

for (const [path, content] of Object.entries(files)) {
  if (existsSync(path) && readFileSync(path, 'utf8') === content) continue;
  if (values.check) {
    process.stderr.write(`${path} is not up to date: run "npm run generate".\n`);
    process.exitCode = 1;
  } else if (content !== '') {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    process.stderr.write(`${path} written.\n`);
  }
}
