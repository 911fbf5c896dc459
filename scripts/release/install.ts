// The release as users have it: built, packed by npm, and installed from the packed file.

import { execFile } from 'node:child_process';
import { globSync, rmSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { buildRelease } from '../build/build-release.ts';

const run = promisify(execFile);

export interface PackedRelease {
  /** The packed file. */
  readonly path: string;
  /** In bytes. */
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

/** Builds and packs the release below a folder. Throws as esbuild and npm do. */
export async function packRelease(folder: string): Promise<PackedRelease> {
  // A copy of what npm packs: dist/ of the checkout stays as it is.
  const source = join(folder, 'source');
  await mkdir(source, { recursive: true });
  const { files }: { files: readonly string[] } = JSON.parse(
    await readFile('package.json', 'utf8'),
  );
  const plain = globSync(files.filter((name) => !/^!|^dist$/.test(name)));
  for (const name of ['package.json', ...plain]) {
    await cp(name, join(source, name), { recursive: true });
  }
  await buildRelease(join(source, 'dist'));
  const words = ['pack', '--json', '--ignore-scripts', '--loglevel=error'];
  const { stdout } = await run('npm', words, { cwd: source });
  const [packed] = JSON.parse(stdout);
  return { ...packed, path: join(source, packed.filename) };
}

/**
 * Installs a packed release in an empty folder, with other packages beside it (`name@version`),
 * and runs no install scripts. Gives its dist/fovea.js.
 */
export async function installRelease(
  { path }: PackedRelease,
  folder: string,
  beside: readonly string[] = [],
): Promise<string> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  const words = ['install', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'];
  await run('npm', [...words, '--prefer-offline', path, ...beside], { cwd: folder });
  return join(folder, 'node_modules/fovea/dist/fovea.js');
}

/**
 * Packs and installs the release below an empty folder, with the runtime for models beside it,
 * which users install so too. Gives its dist/fovea.js.
 */
export async function installForTests(folder: string): Promise<string> {
  const packed = await packRelease(folder);
  const { devDependencies } = JSON.parse(await readFile('package.json', 'utf8'));
  const runtime = `onnxruntime-web@${devDependencies['onnxruntime-web']}`;
  return installRelease(packed, join(folder, 'installed'), [runtime]);
}

/** The dist/fovea.js that FOVEA_TEST_ENTRY names, else of a release that goes with the process. */
export async function releaseToTest(): Promise<string> {
  const { FOVEA_TEST_ENTRY } = process.env;
  if (FOVEA_TEST_ENTRY !== undefined) return resolve(FOVEA_TEST_ENTRY);
  const folder = await mkdtemp(join(tmpdir(), 'fovea-release-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return installForTests(folder);
}
