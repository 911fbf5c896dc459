// The npm package as users install it: packed from a build, small, and at work in an empty folder
// without packages of development and without install scripts.

import { execFile } from 'node:child_process';
import {
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { installRelease, type PackedRelease, packRelease } from '../scripts/release/install.ts';
import { type Fovea, launchFovea } from './fixtures/fovea.ts';
import { testImage } from './fixtures/images.ts';

const run = promisify(execFile);
const sample = resolve('sample/blood-cells');

let folder: string;
let packed: PackedRelease;
/** As it was installed, never started. */
let installed: string;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'fovea-package-')));
  packed = (await packedUnderTest()) ?? (await packRelease(folder));
  installed = join(folder, 'installed');
  await installRelease(packed, installed);
  // The first build of a checkout compresses the WebAssembly, which takes half a minute.
}, 240_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

/** The packed file from which the release under test was installed, where it is still there. */
async function packedUnderTest(): Promise<PackedRelease | undefined> {
  const { FOVEA_TEST_ENTRY } = process.env;
  if (FOVEA_TEST_ENTRY === undefined) return undefined;
  const source = resolve(FOVEA_TEST_ENTRY, '../../../../../source');
  const names = await readdir(source).catch(() => []);
  const name = names.find((each) => /^fovea-.+\.tgz$/.test(each));
  if (name === undefined) return undefined;
  const path = join(source, name);
  const { stdout } = await run('tar', ['-tzf', path]);
  const paths = stdout.trim().split('\n');
  const files = paths.map((each) => ({ path: each.replace(/^package\//, '') }));
  return { path, size: (await stat(path)).size, files };
}

it('is under 5.5 MB, and holds what is used and nothing else', () => {
  expect(packed.size).toBeLessThan(5_500_000);
  const paths = packed.files.map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining([
      'dist/fovea.js',
      'dist/THIRD-PARTY-LICENSES.txt',
      'dist/parts/trainer-supervisor.js',
      'dist/parts/sharp-wasm32.cjs',
      'package.json',
      'LICENSE',
      'README.md',
      'docs/settings.md',
      'skills/fovea/SKILL.md',
      'trainers/contract/job.py',
      'trainers/example/train.py',
      'trainers/torchvision/requirements.txt',
      'trainers/torchvision/train.py',
    ]),
  );
  expect(
    paths.filter((path) => /^(src|test|tools|scripts|bench|node_modules)\//.test(path)),
  ).toEqual([]);
  expect(paths.filter((path) => /\.ts$|\.map$|\.compile-cache/.test(path))).toEqual([]);
});

it('has every file to which its README links without an address', async () => {
  const readme = await readFile(join(installed, 'node_modules/fovea/README.md'), 'utf8');
  const targets = [...readme.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  const files = targets.filter((target) => !/^(\w+:|#)/.test(target));
  expect(files.length).toBeGreaterThan(10);
  const paths = new Set(packed.files.map(({ path }) => path));
  expect(files.filter((file) => !paths.has(file.replace(/#.*$/, '')))).toEqual([]);
});

/** A folder with the package, and nothing beside it. */
async function installAlone(): Promise<string> {
  const home = await mkdtemp(join(folder, 'alone-'));
  await cp(installed, home, { recursive: true });
  return home;
}

async function launch(home: string): Promise<Fovea> {
  const fovea = await launchFovea({}, { entry: join(home, 'node_modules/fovea/dist/fovea.js') });
  onTestFinished(() => fovea.close());
  return fovea;
}

/** What the doctor says of pictures. */
async function picturesOf(fovea: Fovea): Promise<unknown> {
  const { checks } = await fovea.ok('doctor');
  return Array.isArray(checks) && checks.find(({ check }) => check === 'pictures');
}

/** Five formats in, a contact sheet and a small version out. */
async function drawsEverything(fovea: Fovea): Promise<void> {
  const files = join(fovea.folder, 'pictures');
  await mkdir(files);
  for (const [at, format] of formats.entries()) {
    await writeFile(join(files, `${format}.${format}`), await testImage(40 * at, format));
  }
  const project = 'formats';
  await fovea.ok('projects_create', { name: project, type: 'object-detection', annotation: 'x' });
  const uploaded = await fovea.ok('images_upload', { project, files: [files], split: 'train' });
  expect(uploaded).toMatchObject({ uploaded: formats.length, failed: [] });
  const settings = {
    preprocessing: { resize: { width: 32, height: 32, format: 'Stretch to' } },
    augmentation: { flip: { horizontal: true, vertical: false }, image: { versions: 2 } },
  };
  const save_to = join(fovea.folder, 'sheet.jpg');
  await fovea.ok('versions_preview', { project, ...settings, save_to });
  expect(await sharp(await readFile(save_to)).metadata()).toMatchObject({ format: 'jpeg' });
  const { version } = await fovea.ok('versions_generate', { project, ...settings });
  const waited = await fovea.ok('tasks_wait', { project, version });
  expect(waited).toMatchObject({ done: true, status: 'completed' });
  const made = await fovea.ok('versions_get', { project, version });
  expect(made).toMatchObject({ version: { images: 2 * formats.length } });
}

/** One colour, at the largest size that is accepted: 3.2 GB to decode. */
async function goesOnAfterTooMuch(fovea: Fovea): Promise<void> {
  const project = 'formats';
  const files = [resolve('test/fixtures/178-megapixels.avif')];
  const { isError, text } = await fovea.call('images_upload', { project, files });
  expect(isError).toBe(true);
  expect(text).toContain('too_large');
  expect(text).toContain('which as an AVIF take 3461 MB to decode; at most 160 are spent');
  expect(text).toContain('Send it as a baseline JPEG');
  const small = join(fovea.folder, 'small.avif');
  await writeFile(small, await testImage(7, 'avif'));
  expect(await fovea.ok('images_upload', { project, files: [small] })).toMatchObject({
    uploaded: 1,
  });
}

const formats = ['jpeg', 'png', 'webp', 'tiff', 'avif'] as const;

describe('pictures', () => {
  const advice = expect.stringContaining('npm install --global sharp');
  const inWebAssembly = `sharp ${sharp.versions.sharp} in WebAssembly`;

  it('are drawn in WebAssembly where there is no native sharp for the system', async () => {
    const home = await installAlone();
    await rm(join(home, 'node_modules/sharp'), { recursive: true });
    const fovea = await launch(home);
    await drawsEverything(fovea);
    const detail = `${inWebAssembly}.`;
    expect(await picturesOf(fovea)).toEqual({ check: 'pictures', ok: true, detail, advice });
    await goesOnAfterTooMuch(fovea);
  }, 240_000);

  it('are drawn by the native sharp that npm installs with it', async () => {
    const fovea = await launch(await installAlone());
    await drawsEverything(fovea);
    const detail = `sharp ${sharp.versions.sharp}, native.`;
    expect(await picturesOf(fovea)).toEqual({ check: 'pictures', ok: true, detail });
  }, 240_000);

  it('are drawn in WebAssembly where the native sharp is broken', async () => {
    const home = await installAlone();
    const beside = join(home, 'node_modules/sharp');
    await rm(beside, { recursive: true });
    await mkdir(beside);
    await writeFile(join(beside, 'package.json'), '{ "name": "sharp", "main": "index.js" }');
    await writeFile(join(beside, 'index.js'), "require('./sharp-of-another-system.node');");
    const fovea = await launch(home);
    await drawsEverything(fovea);
    const detail = `${inWebAssembly}; the one beside Fovea is not used: it cannot be loaded.`;
    expect(await picturesOf(fovea)).toEqual({ check: 'pictures', ok: true, detail, advice });
  }, 240_000);

  it('give the memory of WebAssembly back at once', async () => {
    const parts = join(packed.path, '../dist/parts');
    const names = (await readdir(parts)).filter((name) => /^wasm-sharp-.+\.js$/.test(name));
    expect(names).toHaveLength(1);
    // 2.4 GB in all; there are 2.
    const script = `
      const { openWasmSharp } = await import(process.argv[1]);
      const create = { width: 82, height: 82, channels: 3, background: '#123456' };
      const held = [];
      for (let round = 0; round < 12; round++) {
        // Made large in the quickest way.
        const large = openWasmSharp()({ create }).resize(8_200, 8_200, { kernel: 'nearest' });
        const { buffer, byteLength } = await large.raw().toBuffer();
        held.push([Object.prototype.toString.call(buffer), byteLength]);
      }
      console.log(JSON.stringify(held));`;
    const words = ['--input-type=module', '-e', script, join(parts, names[0] ?? '')];
    const { stdout } = await run(process.execPath, words);
    expect(JSON.parse(stdout)).toEqual(Array(12).fill(['[object ArrayBuffer]', 201_720_000]));
  }, 60_000);
});

it('works where it is installed without scripts and packages of development', async () => {
  const home = await installAlone();
  const { packages } = JSON.parse(
    await readFile(join(home, 'node_modules/.package-lock.json'), 'utf8'),
  );
  // The keychain and sharp have a part for this system, or for two C libraries.
  const others = Object.keys(packages).filter(
    (path) => !/@napi-rs\/keyring|@img\/sharp/.test(path),
  );
  const ofSharp = ['@img/colour', 'detect-libc', 'semver', 'sharp'];
  expect(others.sort()).toEqual([...ofSharp, 'fovea'].map((name) => `node_modules/${name}`).sort());
  expect(await bytesOf(join(home, 'node_modules/fovea'))).toBeLessThan(13_500_000);

  // What edits the files of hosts is loaded by this command alone.
  const hosts = join(home, 'hosts');
  await mkdir(hosts);
  await writeFile(join(hosts, '.claude.json'), '{ "projects": {} }');
  const env = { PATH: '/usr/bin:/bin', HOME: hosts, FOVEA_HOME: join(hosts, 'data') };
  const entry = join(home, 'node_modules/fovea/dist/fovea.js');
  await run(process.execPath, [entry, 'setup', 'claude-code'], { env });
  const known = JSON.parse(await readFile(join(hosts, '.claude.json'), 'utf8'));
  expect(known).toMatchObject({ projects: {}, mcpServers: { fovea: { args: [entry] } } });

  const fovea = await launch(home);
  await fovea.ok('projects_create', {
    name: 'Cells',
    type: 'object-detection',
    annotation: 'cells',
  });
  const uploaded = await fovea.ok('images_upload', {
    project: 'cells',
    files: [join(sample, 'JPEGImages')],
    annotations: join(sample, 'Annotations'),
  });
  expect(uploaded).toMatchObject({ uploaded: 12, annotated: 12, boxes: 159 });
  const { version } = await fovea.ok('versions_generate', {
    project: 'cells',
    preprocessing: { resize: { width: 64, height: 64, format: 'Stretch to' } },
    augmentation: {},
  });
  const waited = await fovea.ok('tasks_wait', { project: 'cells', version });
  expect(waited).toMatchObject({ done: true, status: 'completed' });
  const event = { event_schema: 'quality_check', event_data: { result: 'pass' } };
  await fovea.ok('events_create', event);
  expect(await fovea.ok('events_count')).toMatchObject({ total_count: 1 });
}, 240_000);

async function bytesOf(place: string): Promise<number> {
  const entries = await readdir(place, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const facts = await Promise.all(
    files.map(({ parentPath, name }) => stat(join(parentPath, name))),
  );
  return facts.reduce((sum, { size }) => sum + size, 0);
}
