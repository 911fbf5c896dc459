// The files themselves: rights, links, copies, the way back, and what others did meanwhile.

import {
  chmod,
  lstat,
  mkdir,
  readFile,
  realpath,
  stat,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import {
  backupsOf,
  readConfigFile,
  restoreBackup,
  writeConfigFile,
} from '../../src/setup/config-file.ts';
import { setUp } from '../../src/setup/set-up.ts';
import { undoSetUp } from '../../src/setup/undo.ts';
import { fileOf, filesIn, makeSetUp } from './home-folders.ts';

const before = '{\n  "mcpServers": {\n    "x": { "env": { "API_KEY": "hush" } }\n  }\n}\n';

async function cursor(content: string | Buffer = before, changes = {}) {
  const options = await makeSetUp('linux', changes);
  const file = await fileOf('cursor', options);
  await writeFile(file, content);
  return { options, file, home: options.system.homeFolder };
}

test('rights stay, of the file and of its copy', async () => {
  const { options, file } = await cursor();
  await chmod(file, 0o640);
  const [outcome] = await setUp('cursor', options);
  const modes = await Promise.all([file, outcome?.backup ?? ''].map(async (path) => stat(path)));
  expect(modes.map(({ mode }) => mode & 0o777)).toEqual([0o640, 0o640]);
});

test('a link stays a link, and what it leads to is written', async () => {
  const { options, file, home } = await cursor();
  const real = join(home, 'dotfiles', 'cursor.json');
  await mkdir(dirname(real));
  await writeFile(real, before);
  await unlink(file);
  await symlink(real, file);
  await setUp('cursor', options);
  expect((await lstat(file)).isSymbolicLink()).toBe(true);
  expect(await realpath(file)).toBe(await realpath(real));
  expect(await readFile(real, 'utf8')).toContain('fovea.js');
  const [undone] = await undoSetUp('cursor', options);
  expect(undone?.afterwards).toBe('The MCP settings of Cursor show what is left.');
  expect(await readFile(real, 'utf8')).toBe(before);
});

test('a dry run shows the change without the secrets of others, and writes nothing', async () => {
  const { options, home } = await cursor(before, { dryRun: true });
  const files = await filesIn(home);
  const [outcome] = await setUp('cursor', options);
  expect(outcome?.diff).toContain('+    "fovea": {');
  expect(outcome?.diff).not.toContain('hush');
  expect(await filesIn(home)).toEqual(files);
});

/** No word beside them says that they are secrets. */
const secrets = ['postgres://a:hush@b.example', '--pat', 'hush', 'Basic aHVzaA==', 'AKIAHUSH'];

test.each([
  ['beside the entry', `{\n  "mcpServers": {\n    "x": ${JSON.stringify(secrets)}\n  }\n}\n`],
  ['on the same line', JSON.stringify({ mcpServers: { x: { args: secrets } } })],
  ['in the entry', JSON.stringify({ mcpServers: { fovea: { command: 'x', args: secrets } } })],
])('no diff shows settings of others: %s', async (_where, content) => {
  const { options, file } = await cursor(content);
  const diffs = [
    await setUp('cursor', { ...options, dryRun: true }),
    await setUp('cursor', options),
  ];
  diffs.push(await undoSetUp('cursor', { ...options, dryRun: true }));
  await writeFile(file, `${await readFile(file, 'utf8')}\n`);
  diffs.push(await undoSetUp('cursor', options));
  const shown = diffs.flat().map(({ diff = '' }) => diff);
  expect(shown).toHaveLength(4);
  for (const diff of shown) {
    expect(diff).toContain('(other settings)');
    expect(diff).not.toMatch(/hush|pat|aHVzaA|AKIA/i);
  }
});

test('a diff shows all that is ours', async () => {
  const { options, file } = await cursor('{\n  "a": "hush"\n}\n');
  const [outcome] = await setUp('cursor', {
    ...options,
    variables: { toolProfile: 'compact', files: undefined },
  });
  expect(outcome?.diff).toBe(`--- ${file}
+++ ${file}
@@ -2,1 +2,12 @@
-  (other settings)
+  (other settings)
+  "mcpServers": {
+    "fovea": {
+      "command": "/opt/node/bin/node",
+      "args": [
+        "/opt/fovea/dist/fovea.js"
+      ],
+      "env": {
+        "FOVEA_TOOL_PROFILE": "compact"
+      }
+    }
+  }
`);
});

test('each undo goes one step back', async () => {
  const { options, file } = await cursor();
  await setUp('cursor', options);
  const first = await readFile(file, 'utf8');
  await setUp('cursor', {
    ...options,
    variables: { toolProfile: 'compact', files: undefined },
  });
  expect(await readFile(file, 'utf8')).toContain('compact');
  await undoSetUp('cursor', options);
  expect(await readFile(file, 'utf8')).toBe(first);
  await undoSetUp('cursor', options);
  expect(await readFile(file, 'utf8')).toBe(before);
  expect(await undoSetUp('cursor', options)).toMatchObject([{ kind: 'nothing' }]);
});

test('a file that was changed since keeps the change: only the entry goes', async () => {
  const { options, file } = await cursor();
  await setUp('cursor', options);
  const changed = (await readFile(file, 'utf8')).replace('"x"', '"y"');
  await writeFile(file, changed);
  expect(await undoSetUp('cursor', options)).toMatchObject([{ kind: 'put-back' }]);
  expect(await readFile(file, 'utf8')).toBe(before.replace('"x"', '"y"'));
  expect(await undoSetUp('cursor', options)).toMatchObject([{ kind: 'nothing' }]);
});

test('of two entries the earlier one comes back, where the file was changed since', async () => {
  const { options, file } = await cursor('{"mcpServers":{"fovea":{"command":"/own"}}}');
  await setUp('cursor', options);
  await writeFile(file, (await readFile(file, 'utf8')).replace('{', '{"new":1,'));
  await undoSetUp('cursor', options);
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
    new: 1,
    mcpServers: { fovea: { command: '/own' } },
  });
});

test.each([
  ['{ "mcpServers": ', 'is no JSON that can be read'],
  ['{"mcpServers": []}', 'has something else than servers in "mcpServers"'],
  [
    '{"mcpServers": {"fovea": {"url": "https://a.example/mcp"}}}',
    'has an entry "fovea" of another',
  ],
  [Buffer.from('\uFEFF{}', 'utf16le'), 'is not written in UTF-8'],
])('%s is refused, stays, and is told what to put in', async (content, why) => {
  const { options, home } = await cursor(content);
  const files = await filesIn(home);
  const [outcome] = await setUp('cursor', options);
  expect(outcome).toMatchObject({ kind: 'refused', why: expect.stringContaining(why) });
  expect(JSON.parse(outcome?.paste ?? '')).toEqual({
    mcpServers: { fovea: { command: '/opt/node/bin/node', args: ['/opt/fovea/dist/fovea.js'] } },
  });
  expect(await filesIn(home)).toEqual(files);
});

test('what another program wrote meanwhile is not written over, and no copy is left', async () => {
  const { file, home } = await cursor();
  const found = await readConfigFile(file);
  await writeFile(file, '{}');
  const written = writeConfigFile(found, Buffer.from('{"a":1}'), systemClock);
  await expect(written).rejects.toThrow('was changed by another program meanwhile');
  expect(await filesIn(home)).toEqual({ '.cursor/mcp.json': '{}' });
});

test.each([
  ['leads to nowhere', (copy: string) => symlink(`${copy}.moved`, copy)],
  ['is a folder', (copy: string) => mkdir(copy)],
])('an undo whose copy %s changes nothing', async (_what, put) => {
  const { options, file } = await cursor();
  const [outcome] = await setUp('cursor', options);
  const copy = outcome?.backup ?? '';
  await unlink(copy);
  await put(copy);
  const written = await readFile(file, 'utf8');
  const refused = { kind: 'refused', why: `has a copy that cannot be read, "${copy}"` };
  expect(await undoSetUp('cursor', options)).toMatchObject([refused]);
  await writeFile(file, `${written}\n`);
  expect(await undoSetUp('cursor', options)).toMatchObject([refused]);
  expect(await readFile(file, 'utf8')).toBe(`${written}\n`);
});

test('an undo that another one has overtaken deletes nothing', async () => {
  const { options, file } = await cursor();
  await setUp('cursor', options);
  const found = await readConfigFile(file);
  const [backup] = await backupsOf(found);
  if (backup === undefined) throw new Error('There is no copy.');
  await restoreBackup(found, backup);
  await expect(restoreBackup(found, backup)).rejects.toThrow('has a copy that cannot be read');
  expect(await readFile(file, 'utf8')).toBe(before);
});

test('a new file that another program wrote meanwhile is not deleted', async () => {
  const options = await makeSetUp('linux');
  const file = await fileOf('cursor', options);
  await setUp('cursor', options);
  const found = await readConfigFile(file);
  const [backup] = await backupsOf(found);
  if (backup === undefined) throw new Error('There is no copy.');
  await writeFile(file, before);
  const restored = restoreBackup(found, backup);
  await expect(restored).rejects.toThrow('was changed by another program meanwhile');
  expect(await readFile(file, 'utf8')).toBe(before);
});

test('two setups in one moment: the second leaves the copy of the first alone', async () => {
  const { options, file, home } = await cursor();
  const clock = { ...systemClock, now: () => 0 };
  const found = await readConfigFile(file);
  const copy = await writeConfigFile(found, Buffer.from('{}'), clock);
  await expect(writeConfigFile(found, Buffer.from('{}'), clock)).rejects.toThrow('EEXIST');
  expect((await filesIn(home))[copy.slice(home.length + 1)]).toBe(before);
  await undoSetUp('cursor', options);
  expect(await readFile(file, 'utf8')).toBe(before);
});

test('a folder, and a link to nowhere, are refused', async () => {
  const options = await makeSetUp('linux');
  const file = await fileOf('cursor', options);
  await symlink(join(dirname(file), 'gone'), file);
  const why = { kind: 'refused', why: 'is a link to nowhere' };
  expect(await setUp('cursor', options)).toMatchObject([why]);
  await mkdir(await fileOf('gemini', options));
  expect(await setUp('gemini', options)).toMatchObject([{ kind: 'refused', why: 'is no file' }]);
});
