// Lists and calls tools with the MCP Inspector's command line, as a host would. A command of its
// own, because the Inspector is large: it is installed beside it on the first run.

import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const folder = resolve('test/inspector');
const inspector = join(folder, 'node_modules/.bin/mcp-inspector');

if (!existsSync(inspector)) {
  const words = ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'];
  execFileSync('npm', [...words, '--loglevel=error'], { cwd: folder, stdio: 'inherit' });
}
const home = await mkdtemp(join(tmpdir(), 'fovea-inspector-'));
try {
  const { tools } = await inspect('tools/list', '--strict');
  expect(tools.length === 92, `tools/list gives ${tools.length} tools`);
  const created = await inspect(
    ...['tools/call', '--tool-name', 'projects_create', '--tool-arg', 'name=Cells'],
    ...['type=object-detection', 'annotation=cells'],
  );
  expect(created.structuredContent.id === 'local/cells', 'projects_create makes local/cells');
  const health = await inspect(
    ...['tools/call', '--tool-name', 'projects_health', '--tool-arg', 'project=cells'],
  );
  expect(health.structuredContent.stats.numImages === 0, 'projects_health reads it');
} finally {
  await rm(home, { recursive: true, force: true });
}

/** Runs one method against a process of its own; all share one data folder. */
async function inspect(method: string, ...words: readonly string[]) {
  const server = ['--', process.execPath, resolve('src/bin/fovea.ts')];
  const { stdout } = await promisify(execFile)(
    inspector,
    ['--cli', '--method', method, ...words, ...server],
    { env: { ...process.env, HOME: home, FOVEA_HOME: join(home, 'data') } },
  );
  return JSON.parse(stdout);
}

function expect(holds: boolean, what: string): void {
  process.stdout.write(`${holds ? 'ok' : 'FAILED'}: ${what}\n`);
  if (!holds) process.exitCode = 1;
}
