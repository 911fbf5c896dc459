// Prints what an upload takes for each image, with its annotation, through MCP on the embedded
// platform: files whose code runs, HTTP requests, hashes, checks: `npm run measure:upload`.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { formatTable } from '../bench/measure/text-table.ts';
import type { Recording } from './measure-upload/recorder.ts';

const root = join(import.meta.dirname, '..');
const sample = join(root, 'sample', 'blood-cells');
const folder = await mkdtemp(join(tmpdir(), 'fovea-measure-upload-'));
const fovea = launch();
try {
  await call('projects_create', { name: 'p', type: 'object-detection', annotation: 'cells' });
  const images = (await readdir(join(sample, 'JPEGImages'))).sort();
  await upload(images.slice(0, 1));
  const one = await upload(images.slice(1, 2));
  const four = await upload(images.slice(2, 6));
  print(one, four);
} finally {
  fovea.child.kill();
  await rm(folder, { recursive: true });
}

interface Upload extends Recording {
  readonly imageBytes: number;
}

/** Uploads some images in one call, and tells what ran meanwhile. */
async function upload(names: readonly string[]): Promise<Upload> {
  const images = join(folder, names[0] ?? '');
  await mkdir(images);
  for (const name of names) await copyFile(join(sample, 'JPEGImages', name), join(images, name));
  await record(fovea.child);
  const annotations = join(sample, 'Annotations');
  await call('images_upload', { project: 'p', files: [images], annotations });
  const recording = await record(fovea.child);
  const sizes = names.map(async (name) => (await stat(join(images, name))).size);
  const imageBytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  return { ...recording, imageBytes };
}

function print(one: Upload, four: Upload): void {
  const names = Object.keys(four.calls);
  const perImage = (name: string) => ((four.calls[name] ?? 0) - (one.calls[name] ?? 0)) / 3;
  const fileOf = (name: string) => name.split(' ')[0] ?? '';
  const files = [...new Set(names.filter((name) => perImage(name) > 0).map(fileOf))].sort();
  const inFolder = (...folders: string[]) =>
    files.filter((file) => folders.some((start) => file.startsWith(start)));
  const between = inFolder('src/http-client/', 'src/http-server/', 'src/network/');
  const safeParse = 'src/contract/check.ts tryCheck';
  const table = [
    ['of each image', ''],
    ['files whose code runs', String(files.length)],
    ['of them in the HTTP client, the HTTP server and network', String(between.length)],
    ['HTTP requests', perImage('src/http-client/http-request.ts sendRequest').toFixed(1)],
    ['times its bytes are hashed', (four.hashedBytes / four.imageBytes).toFixed(1)],
    ['requests checked', perImage('src/contract/check.ts checkRequest').toFixed(1)],
    ['answers checked', perImage('src/http-client/response-body.ts typedBody').toFixed(1)],
    ['schemas applied', perImage(safeParse).toFixed(1)],
    ['calls of our functions', names.reduce((sum, name) => sum + perImage(name), 0).toFixed(0)],
  ];
  process.stdout.write(`${formatTable(table)}\n\n${files.join('\n')}\n`);
}

function launch() {
  const recorder = pathToFileURL(join(import.meta.dirname, 'measure-upload', 'recorder.ts')).href;
  const roots = { FOVEA_HOME: join(folder, 'home'), FOVEA_FILE_ROOTS: [folder, sample].join(':') };
  const child = spawn(
    process.execPath,
    ['--import', recorder, join(root, 'src', 'bin', 'fovea.ts')],
    { cwd: folder, env: { ...process.env, ...roots }, stdio: ['pipe', 'pipe', 'inherit', 'ipc'] },
  );
  if (child.stdout === null) throw new Error('Fovea has no output.');
  return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
}

/** Calls a tool without a handshake, as revision 2026-07-28 allows. Throws if it fails. */
async function call(name: string, args: object): Promise<void> {
  const params = { name, arguments: args };
  fovea.child.stdin?.write(
    `${JSON.stringify({ jsonrpc: '2.0', id: name, method: 'tools/call', params })}\n`,
  );
  const { value } = await fovea.lines.next();
  const { result } = JSON.parse(String(value));
  if (result === undefined || result.isError) throw new Error(`${name} failed: ${value}`);
}

async function record(child: ChildProcess): Promise<Recording> {
  child.send(`${pathToFileURL(root).href}/`);
  const [recording]: Recording[] = await once(child, 'message');
  if (recording === undefined) throw new Error('Fovea recorded nothing.');
  return recording;
}
