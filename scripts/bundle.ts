// `npm run bundle`: the bundle that desktop hosts install (MCPB), the entry of the registry that
// names it, and the plugin for the hosts of developers, a folder. The bundle is checked by the tool
// of those who read it, which is installed on the first run. `npm run bundle -- FOLDER` writes them
// elsewhere than into bundle/.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  createWriteStream,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { buildRelease } from './build/build-release.ts';
import { drawIcon } from './bundle/icon.ts';
import { mcpbCommand } from './bundle/installed-programs.ts';
import { nativeFiles } from './bundle/native-files.ts';
import { writePlugin } from './bundle/plugin.ts';

const output = resolve(process.argv[2] ?? 'bundle');
const { version }: { version: string } = JSON.parse(readFileSync('package.json', 'utf8'));
const target = join(output, `fovea-${version}.mcpb`);
const plugin = join(output, 'plugin');
/** Of every file inside, so that the same files give the same bundle. */
const epoch = new Date('2000-01-01T00:00:00Z');

const stage = mkdtempSync(join(tmpdir(), 'fovea-bundle-'));
try {
  await fill(stage);
  const native = nativeFiles(stage);
  if (native.length > 0) throw new Error(`Native modules: ${native.join(', ')}`);
  execFileSync(process.execPath, [mcpbCommand(), 'validate', stage], { stdio: ['ignore', 2, 2] });
  mkdirSync(output, { recursive: true });
  await pack(stage, target);
  rmSync(plugin, { recursive: true, force: true });
  cpSync(stage, plugin, { recursive: true });
  // That of desktop hosts.
  for (const file of ['manifest.json', 'icon.png']) rmSync(join(plugin, file));
  writePlugin(plugin, await drawIcon());
} finally {
  rmSync(stage, { recursive: true, force: true });
}
const bytes = readFileSync(target);
const fileSha256 = createHash('sha256').update(bytes).digest('hex');
writeFileSync(join(output, 'server.json'), `${JSON.stringify(withBundle(fileSha256), null, 2)}\n`);
process.stdout.write(`${target}\n${bytes.length} bytes, SHA-256 ${fileSha256}\n${plugin}\n`);

/** Fills the folder that a host unpacks: the release, its manifest and its icon. */
async function fill(folder: string): Promise<void> {
  await buildRelease(join(folder, 'dist'));
  for (const file of ['package.json', 'README.md', 'CHANGELOG.md', 'LICENSE']) {
    cpSync(file, join(folder, file));
  }
  cpSync('trainers', join(folder, 'trainers'), {
    recursive: true,
    filter: (path) => !path.endsWith('__pycache__'),
  });
  const manifest: Record<string, unknown> = JSON.parse(readFileSync('manifest.json', 'utf8'));
  const shown = { ...manifest, icon: 'icon.png' };
  writeFileSync(join(folder, 'manifest.json'), `${JSON.stringify(shown, null, 2)}\n`);
  writeFileSync(join(folder, 'icon.png'), await drawIcon());
}

async function pack(folder: string, path: string): Promise<void> {
  const zip = new ZipFile();
  const files = globSync('**', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
  for (const file of files) {
    const name = file.replaceAll('\\', '/');
    zip.addBuffer(readFileSync(join(folder, file)), name, { mtime: epoch, mode: 0o100644 });
  }
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(path));
}

/** The registry wants the hash of the file, which is known only now. */
function withBundle(sha256: string): unknown {
  const entry = JSON.parse(readFileSync('server.json', 'utf8'));
  const { url } = entry.repository;
  const identifier = `${url}/releases/download/v${version}/fovea-${version}.mcpb`;
  const transport = { type: 'stdio' };
  const bundle = { registryType: 'mcpb', identifier, version, fileSha256: sha256, transport };
  return { ...entry, packages: [...entry.packages, bundle] };
}
