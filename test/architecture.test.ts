// Holds the tree against the rules of test/architecture/, and each rule against a bad snippet.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { importCycles } from './architecture/import-graph.ts';
import { judge, rules, textRules } from './architecture/rules.ts';
import { readSource, type Source } from './architecture/source.ts';
import { foreignSources } from './architecture/tables.ts';

const root = join(import.meta.dirname, '..');
const files = listFiles('');
const sources = files
  .filter((path) => /\.(ts|mjs)$/.test(path))
  .filter((path) => !foreignSources.some((folder) => path.startsWith(folder)))
  .map((path) => readFile(path));
const texts = files
  .filter((path) => /\.(ts|mjs|js|json|md|sh)$|(^|\/)(\.npmrc|\.gitignore|run)$/.test(path))
  .map((path) => textOnly(path, readFileSync(join(root, path), 'utf8')));

describe('the tree', () => {
  test('is found', () => {
    expect(sources.map(({ path }) => path)).toContain('src/errors.ts');
    expect(texts.map(({ path }) => path)).toContain('package-lock.json');
  });

  test.each(rules)('keeps the rule: $name', (rule) => {
    expect(sources.flatMap((source) => judge(rule, source))).toEqual([]);
  });

  // Files of a cycle can only be read, moved and loaded together: move what they share to a file
  // that all of them import.
  test('has no files that import each other', () => {
    expect(importCycles(sources)).toEqual([]);
  });

  test.each(textRules)('keeps the rule: $name', (rule) => {
    expect(texts.flatMap((source) => judge(rule, source))).toEqual([]);
  });
});

/** Rule, path, text, and the start of the one finding (its line and what was found). */
const bad: readonly (readonly [string, string, string, string])[] = [
  [
    'floors',
    'src/mcp/a.ts',
    "import { b } from '../platform/b.ts';",
    '1: src/mcp (floor 5) imports src/platform/b.ts (floor 5)',
  ],
  [
    'floors',
    'src/contract/a.ts',
    "\nimport type { B } from '../mcp/tool.ts';",
    '2: src/contract (floor 1) imports src/mcp/tool.ts (floor 5)',
  ],
  [
    'floors',
    'src/http-client/a.ts',
    "const b = await import('../http-server/b.ts');",
    '1: src/http-client (floor 2) imports src/http-server/b.ts (floor 2)',
  ],
  [
    'floors',
    'src/mcp/stdio/serve-stdio.ts',
    "import { tools } from '../../../tools/index.ts';",
    '1: src/mcp (floor 5) imports tools/index.ts (floor 6)',
  ],
  [
    'floors',
    'src/errors.ts',
    "let a: import('./contract/fields.ts').Field;",
    '1: src/errors.ts (floor 0) imports src/contract/fields.ts (floor 1)',
  ],
  [
    'floors',
    'src/stray.ts',
    "import { limits } from './limits.ts';",
    '1: src/stray.ts stands on no floor',
  ],
  [
    'floors',
    'src/platform/a.ts',
    "import { b } from '../../test/b.ts';",
    '1: src/platform (floor 5) imports test/b.ts (floor 8)',
  ],
  [
    'tools are thin',
    'tools/images.ts',
    "import { connect } from '../src/http-client/client.ts';",
    '1: a tool imports the values of src/http-client/client.ts',
  ],
  [
    'tools are thin',
    'tools/images.ts',
    "import type { Store } from '../src/platform/store.ts';",
    '1: a tool imports the types of src/platform/store.ts',
  ],
  [
    'package homes',
    'src/platform/a.ts',
    "import * as z from 'zod';",
    '1: zod is imported outside src/contract, src/mcp, tools',
  ],
  [
    'package homes',
    'src/mcp/a.ts',
    "const { DatabaseSync } = await import('node:sqlite');",
    '1: node:sqlite is imported outside src/storage',
  ],
  [
    'package homes',
    'src/bin/a.ts',
    "import { serveStdio } from '@modelcontextprotocol/server/stdio';",
    '1: @modelcontextprotocol/server is imported outside src/mcp',
  ],
  ['package homes', 'tools/a.ts', "import got from 'got';", '1: got has no home'],
  [
    'imports are plain',
    'src/mcp/a.ts',
    'const name = "b"; await import(name);',
    '1: a computed module name',
  ],
  ['no re-exports', 'src/mcp/a.ts', "export { b } from './b.ts';", '1: re-exports ./b.ts'],
  ['no re-exports', 'src/mcp/a.ts', "export * from './b.ts';", '1: re-exports ./b.ts'],
  ['no default exports', 'tools/a.ts', 'export default {};', '1: a default export export default'],
  [
    'no default exports',
    'tools/a.ts',
    'const a = 1;\nexport { a as default };',
    '2: a default export as default',
  ],
  [
    'environment in config',
    'src/mcp/a.ts',
    'const home = process.env.HOME;',
    '1: the use of process.env.HOME',
  ],
  ['environment in config', 'src/bin/a.ts', 'start(process);', '1: the use of process'],
  [
    'environment in config',
    'src/bin/a.ts',
    'const { pid, env } = process;',
    '1: the use of process.env',
  ],
  [
    'environment in config',
    'tools/a.ts',
    "const all = globalThis.process['env'];",
    '1: the use of process.env',
  ],
  [
    'command line in bin',
    'src/mcp/a.ts',
    'const [, , command] = process.argv;',
    '1: the use of process.argv',
  ],
  ['time through the clock', 'src/mcp/a.ts', 'const now = Date.now();', '1: the use of Date.now'],
  ['time through the clock', 'tools/a.ts', 'const a = new Date();', '1: the use of new Date()'],
  [
    'time through the clock',
    'src/log.ts',
    'const a = performance.now();',
    '1: the use of performance.now',
  ],
  [
    'stdout belongs to JSON-RPC',
    'src/platform/a.ts',
    "process.stdout.write('a');",
    '1: the use of process.stdout.write',
  ],
  [
    'stdout belongs to JSON-RPC',
    'tools/a.ts',
    'const run = () =>\n  console.log(1);',
    '2: the use of console.log',
  ],
  [
    'no shell',
    'scripts/a.ts',
    "import { execSync } from 'node:child_process';",
    '1: a way into the shell through node:child_process',
  ],
  [
    'no shell',
    'src/platform/a.ts',
    "import * as processes from 'node:child_process';",
    '1: a way into the shell through node:child_process',
  ],
  ['no shell', 'src/platform/a.ts', "spawn('a', { shell: true });", '1: shell: true'],
  [
    'light imports',
    'src/bin/a.ts',
    "import { get } from 'node:http';",
    '1: an import of node:http',
  ],
  [
    'light imports',
    'src/contract/a.ts',
    'a instanceof z.core.$ZodType;',
    '1: the use of z.core.$ZodType',
  ],
  [
    'no type assertions',
    'test/a.ts',
    'const a = JSON.parse("1") as number;',
    '1: a value asserted as number',
  ],
  [
    'no spread object literals',
    'src/mcp/a.ts',
    'const a = { ...{ b, c }, d };',
    '1: an object literal spread into another',
  ],
  ['short functions', 'test/a.ts', longFunction(71), '1: long has 71 lines, 70 is the most'],
  [
    'short functions',
    'src/mcp/a.ts',
    `class A {\n  ${longFunction(71).replace('function ', '')}\n}`,
    '2: long has 71 lines, 70 is the most',
  ],
  [
    'short functions',
    'src/mcp/a.ts',
    longFunction(71).replace('function long()', 'const long = () =>'),
    '1: long has 71 lines, 70 is the most',
  ],
  ['short files', 'test/a.ts', '\n'.repeat(501), '501: the file has 501 lines, 500 is the most'],
  ['short comments', 'test/a.ts', `// ${'a'.repeat(98)}`, '1: a comment runs to column 101'],
  [
    'short comments',
    'test/a.ts',
    `f();\n/*\n${'a'.repeat(120)} */`,
    '3: a comment runs to column 123',
  ],
  [
    'a first comment',
    'src/mcp/a.ts',
    'const a = 1;\n\n// Late.',
    '1: no comment on the first line',
  ],
  ['no leftovers', 'test/a.ts', 'const a = 1; // TODO: b', '1: a note left behind'],
  ['plain SQL parameters', 'src/a.ts', `'WHERE a = ${'?'}1'`, '1: a numbered parameter in SQL'],
  ['telling folder names', 'src/mcp/utils/a.ts', '', '1: a folder called utils'],
  ['telling folder names', 'test/shared/a.ts', '', '1: a folder called shared'],
  [
    'no machine paths',
    'README.md',
    ['Look at ', 'work', 'shared/data.'].join('/'),
    '1: an absolute path of one machine',
  ],
  [
    'no registry hosts',
    'package-lock.json',
    `{\n  "${'resolved'}": "x"\n}`,
    '2: a package registry or mirror is named',
  ],
  [
    'no registry hosts',
    '.npmrc',
    `fund=false\n${'registry'}=http://host`,
    '2: a package registry or mirror is named',
  ],
];

/** Rule, path and text that come close to a finding and are none. */
const good: readonly (readonly [string, string, string])[] = [
  ['floors', 'src/bin/a.ts', "import { tools } from '../../tools/index.ts';"],
  ['floors', 'src/mcp/a.ts', "import { b } from './deeper/b.ts';"],
  ['floors', 'src/network/a.ts', "import { limits } from '../limits.ts';"],
  ['floors', 'test/bin/a.ts', "import { build } from '../../scripts/bundle.ts';"],
  ['tools are thin', 'tools/a.ts', "import type { Client } from '../src/http-client/client.ts';"],
  ['tools are thin', 'tools/a.ts', "import { tool } from '../src/mcp/tool.ts';"],
  ['package homes', 'src/mcp/a.ts', "import type * as z from 'zod';"],
  ['package homes', 'test/a.ts', "import { Client } from '@modelcontextprotocol/sdk';"],
  ['no default exports', 'vitest.config.ts', 'export default {};'],
  ['environment in config', 'src/config.ts', 'const home = process.env.HOME;'],
  [
    'environment in config',
    'src/bin/a.ts',
    "process.on('SIGTERM', stop); const a = { process: 1 };",
  ],
  ['environment in config', 'src/mcp/a.ts', 'const { stdout } = process;'],
  ['command line in bin', 'src/bin/a.ts', 'run(process.argv.slice(2));'],
  ['time through the clock', 'src/mcp/a.ts', 'const then = new Date(milliseconds);'],
  ['stdout belongs to JSON-RPC', 'src/bin/a.ts', "process.stdout.write('a');"],
  ['no shell', 'src/platform/a.ts', "import { spawn } from 'node:child_process';"],
  ['no shell', 'src/contract/a.ts', 'const found = /a/.exec(text);'],
  ['light imports', 'src/bin/a.ts', "import type { Server } from 'node:http';"],
  ['light imports', 'src/contract/a.ts', 'type A = z.core.$ZodType;'],
  ['light imports', 'bench/a.ts', "import { get } from 'node:http';"],
  ['no type assertions', 'src/mcp/a.ts', 'const a = [1] as const;'],
  ['short functions', 'src/mcp/a.ts', longFunction(70)],
  ['short functions', 'test/a.ts', `describe.skipIf(b)('a', () => {${'\n'.repeat(80)}});`],
  ['short functions', 'test/a.ts', `describe('a', () => {${'\n'.repeat(80)}});`],
  ['short files', 'test/a.ts', '\n'.repeat(500)],
  ['short comments', 'test/a.ts', `// ${'a'.repeat(97)}\nconst a = '${'a'.repeat(120)}';`],
  ['a first comment', 'src/bin/a.ts', '#!/usr/bin/env node\n// Starts.'],
  ['no leftovers', 'test/a.ts', "const a = 'TODO';"],
  ['plain SQL parameters', 'src/a.ts', "'WHERE a = ? AND b = 1'"],
  ['telling folder names', 'tools/shared.ts', ''],
  ['no machine paths', 'README.md', ['https://example.org', 'work', 'shared'].join('/')],
];

describe('each rule', () => {
  test('has a snippet that breaks it', () => {
    const names = [...rules, ...textRules].map(({ name }) => name);
    expect([...new Set(bad.map(([name]) => name))]).toEqual(names);
  });

  test.each(bad)('%s: catches %s %s', (name, path, text, expected) => {
    const found = findings(name, path, text);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(/^[^ ]+:\d+: .+\. [A-Z].+: .+\.$/s);
    expect(found[0]).toContain(`${path}:${expected}. `);
  });

  test.each(good)('%s: lets pass %s %s', (name, path, text) => {
    expect(findings(name, path, text)).toEqual([]);
  });
});

describe('the cycles of imports', () => {
  const cyclesOf = (imports: Readonly<Record<string, string>>) =>
    importCycles(
      Object.entries(imports).map(([path, specifier]) =>
        readSource(path, `import type { A } from '${specifier}';`),
      ),
    );

  test('are found, type imports and all of their files included', () => {
    expect(
      cyclesOf({ 'a/b.ts': './c.js', 'a/c.ts': '../d', 'd/index.ts': '../a/b.ts', 'e.ts': './d' }),
    ).toEqual([['a/b.ts', 'a/c.ts', 'd/index.ts']]);
  });

  test('are not seen where imports end', () => {
    expect(cyclesOf({ 'a.ts': './b.ts', 'b.ts': './c.ts', 'c.ts': 'a' })).toEqual([]);
  });
});

function findings(name: string, path: string, text: string): readonly string[] {
  const rule = rules.find((rule) => rule.name === name);
  if (rule) return judge(rule, readSource(path, text));
  return textRules
    .filter((rule) => rule.name === name)
    .flatMap((rule) => judge(rule, textOnly(path, text)));
}

function longFunction(lines: number): string {
  return `function long() {${'\n'.repeat(lines - 1)}}`;
}

function readFile(path: string): Source {
  return readSource(path, readFileSync(join(root, path), 'utf8'));
}

/** A file of which only name and text are judged. */
function textOnly(path: string, text: string): Source {
  return { ...readSource('empty.ts', ''), path, text, lines: text.split('\n') };
}

function listFiles(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder ? `${folder}/${entry.name}` : entry.name;
    if (['demo-output', 'dist', 'node_modules', 'sample'].includes(entry.name)) return [];
    if (/^\.(?!ci$|npmrc$|gitignore$)/.test(entry.name)) return [];
    return entry.isDirectory() ? listFiles(path) : [path];
  });
}
