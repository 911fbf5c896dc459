// Every package that reaches a user stands in decisions/dependencies.md, with its licence and what
// it is for; and the npm package stays small enough to be looked through.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { buildRelease } from '../scripts/build/build-release.ts';

interface Row {
  readonly name: string;
  readonly licence: string;
  readonly reason: string;
}

/** The rows of one section: what stands below a heading of the second level. */
async function rowsOf(heading: string): Promise<readonly Row[]> {
  const text = await readFile('decisions/dependencies.md', 'utf8');
  const section = text.split('\n## ').find((part) => part.startsWith(heading)) ?? '';
  return [...section.matchAll(/^\| `(.+?)` +\| (.+?) +\| (.+?) +\|$/gm)].map(
    ([, name = '', licence = '', reason = '']) => ({ name, licence, reason }),
  );
}

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly dev?: boolean;
  readonly peer?: boolean;
  readonly license?: string;
}

/** Native parts are one row: there is a package for each system. */
function familyOf(name: string): string {
  return name.replace(/^(@napi-rs\/keyring|@img\/sharp-libvips|@img\/sharp)-.+$/, '$1-*');
}

it('has two direct dependencies, which may be missing, and peers that nobody needs', async () => {
  const manifest = JSON.parse(await readFile('package.json', 'utf8'));
  expect(manifest.dependencies).toBeUndefined();
  expect(Object.keys(manifest.optionalDependencies)).toEqual(['@napi-rs/keyring', 'sharp']);
  const peers = ['keytar', 'onnxruntime-node', 'onnxruntime-web'];
  expect(Object.keys(manifest.peerDependencies)).toEqual(peers);
  const optional = peers.map((name) => [name, { optional: true }]);
  expect(manifest.peerDependenciesMeta).toEqual(Object.fromEntries(optional));
});

it('has sharp in WebAssembly of the same version as the native one', async () => {
  const { packages } = JSON.parse(await readFile('package-lock.json', 'utf8'));
  const { version } = packages['node_modules/sharp'];
  expect(packages['node_modules/@img/sharp-wasm32'].version).toBe(version);
  expect(packages[''].optionalDependencies.sharp).toBe(`^${version}`);
  // The loader takes no other (src/imaging/load-sharp.ts).
  expect(version).toMatch(/^0\.35\.\d+$/);
});

it('has a lock file from which every npm installs on every platform, from any registry', async () => {
  const text = await readFile('package-lock.json', 'utf8');
  expect(text).not.toContain('"resolved"');
  expect(text).not.toMatch(/https?:\/\/[^"]*registry/);
  const packages: Record<string, Locked> = JSON.parse(text).packages;
  const entries = Object.entries(packages).filter(([path]) => path !== '');
  const locked = new Set(entries.map(([path]) => path.split('node_modules/').at(-1)));
  const optional = entries.flatMap(([, entry]) => Object.keys(entry.optionalDependencies ?? {}));
  // npm 11 and later refuse a lock file that lacks the packages of another platform.
  expect(optional.filter((name) => !locked.has(name))).toEqual([]);
  expect(entries.filter(([, entry]) => !entry.version || !entry.integrity)).toEqual([]);
});

it('names every package that npm installs, and no other', async () => {
  const { packages } = JSON.parse(await readFile('package-lock.json', 'utf8'));
  const installed = Object.entries<Locked>(packages).filter(
    ([path, { dev, peer }]) => path !== '' && !dev && !peer,
  );
  const names = new Set(
    installed.map(([path]) => familyOf(path.split('node_modules/').at(-1) ?? '')),
  );
  const rows = await rowsOf('Installed');
  expect(rows.map(({ name }) => name).sort()).toEqual([...names].sort());
  const licences = new Map(rows.map(({ name, licence }) => [name, licence]));
  for (const [path, { license = '' }] of installed) {
    const said = licences.get(familyOf(path.split('node_modules/').at(-1) ?? ''))?.split(' AND ');
    expect(said, path).toEqual(expect.arrayContaining(license.split(' AND ')));
  }
});

// A whole release is made: 3 seconds of both cores of CI, which others use too.
it('names every bundled package, and no other', { timeout: 180_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'fovea-release-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const { packages } = await buildRelease(join(folder, 'dist'), { compression: 'quick' });
  const licences = await Promise.all(packages.map(licenceOf));
  const bundled = new Map(licences.map(({ name, licence }) => [name, licence]));
  const rows = await rowsOf('Bundled');
  expect(new Map(rows.map(({ name, licence }) => [name, licence]))).toEqual(bundled);
  const notices = await readFile(join(folder, 'dist/THIRD-PARTY-LICENSES.txt'), 'utf8');
  for (const words of [
    '| libvips       | LGPLv3',
    'GNU LESSER GENERAL PUBLIC',
    'GNU GENERAL PUBLIC',
  ]) {
    expect(notices).toContain(words);
  }
});

it('gives each a reason, and a licence that lets it be passed on', async () => {
  const rows = [...(await rowsOf('Installed')), ...(await rowsOf('Bundled'))];
  const free = ['MIT', 'ISC', '0BSD', 'BSD-3-Clause', 'Apache-2.0'];
  for (const { name, licence, reason } of rows) {
    expect(reason, name).toMatch(/^\S.{4,}/);
    const others = licence.split(' AND ').filter((one) => !free.includes(one));
    expect({ name, others }).toEqual({
      name,
      others: name.startsWith('@img/sharp-') ? ['LGPL-3.0-or-later'] : [],
    });
  }
});

async function licenceOf(folder: string) {
  const { name, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  return { name: String(name), licence: String(license) };
}
