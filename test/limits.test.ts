// The bounds of all floors, in one object.

import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { limits } from '../src/limits.ts';

it('has no bound twice: of two of one name, one would be ignored', async () => {
  const files = readdirSync('src/limits').map((name) => import(`../src/limits/${name}`));
  const parts = (await Promise.all(files)).flatMap((module) => Object.values(module));
  const names = parts.flatMap((part) => Object.keys(Object(part)));
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  expect(names.sort()).toEqual(Object.keys(limits).sort());
});
