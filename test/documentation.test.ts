// The documentation says what is so: links lead somewhere, pictures are shown, settings are listed.

import { existsSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { surveySettings } from '../src/config.ts';

const root = join(import.meta.dirname, '..');
const patterns = ['*.md', '{docs,decisions,skills,sample}/**/*.md'];

it('has a README of 200 lines at most, which runs no package from the registry', async () => {
  const text = await readFile(join(root, 'README.md'), 'utf8');
  expect(text.split('\n').length).toBeLessThanOrEqual(200);
  expect(text).not.toMatch(/\bnpx\b/);
  expect(text.match(/npm (?:install|i) [^\n`]*/g)).toEqual([
    'npm install --global ./fovea-0.1.0.tgz',
  ]);
  expect(text.indexOf('npm run demo')).toBeLessThan(text.indexOf('npm test'));
});

it('has a line for every setting', async () => {
  const text = await readFile(join(root, 'docs/settings.md'), 'utf8');
  const { known } = surveySettings({});
  expect(known.length).toBeGreaterThan(25);
  expect(known.filter((variable) => !text.includes(`\`${variable}\``))).toEqual([]);
});

it('has no link that leads nowhere', async () => {
  const broken: string[] = [];
  for await (const { path, links } of pages()) {
    const missing = links.filter((link) => !existsSync(join(root, dirname(path), link)));
    broken.push(...missing.map((link) => `${path}: ${link}`));
  }
  expect(broken).toEqual([]);
});

it('has no picture that no page shows, and no page of docs that no other links', async () => {
  const linked = new Set<string>();
  for await (const { path, links } of pages()) {
    for (const link of links) linked.add(join(dirname(path), link));
  }
  const unlinked: string[] = [];
  for await (const path of glob('{docs,decisions}/**/*.{png,md}', { cwd: root })) {
    if (!linked.has(path)) unlinked.push(path);
  }
  expect(unlinked).toEqual([]);
});

/** Pages with their links to files of the repository. */
async function* pages() {
  for await (const path of glob(patterns, { cwd: root })) {
    const text = await readFile(join(root, path), 'utf8');
    const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
    const links = targets.map((target) => inRepository(path, target).replace(/#.*$/, ''));
    yield { path, links: links.filter((link) => link !== '' && !/^\w+:/.test(link)) };
  }
}

/** Pages of the package link by address to what it leaves out: that is here as well. */
function inRepository(path: string, target: string): string {
  const [, file] =
    /^https:\/\/(?:github\.com\/fovea-vision\/fovea\/blob|raw\.githubusercontent\.com\/fovea-vision\/fovea)\/main\/(.+)$/.exec(
      target,
    ) ?? [];
  return file === undefined ? target : relative(dirname(path), file);
}
