// Sources that come one after the other are batched as all of them at once.

import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { VersionSettings } from '../../src/contract/version-settings.ts';
import {
  BatchPlan,
  batchSources,
  type PlannedSource,
  type SourceOutline,
} from '../../src/dataset-versions/render-batches.ts';
import { SourcesByHash } from '../../src/dataset-versions/sources-by-hash.ts';
import { allOf } from '../fixtures/all-of.ts';

function source(ordinal: number, hash: string): SourceOutline {
  const width = 100 + (ordinal % 4000);
  const split = ordinal % 5 === 4 ? 'valid' : 'train';
  return { ordinal, hash, split, width, height: 3_000, isDone: ordinal % 3 === 0 };
}

function sources(count: number): readonly SourceOutline[] {
  return Array.from({ length: count }, (_, at) =>
    source(at + 1, createHash('sha256').update(`${at}`).digest('hex')),
  );
}

function settings(mosaic: boolean): VersionSettings {
  return { preprocessing: {}, augmentation: { mosaic, image: { versions: 3 } } };
}

const ordinalsOf = (batches: readonly (readonly PlannedSource[])[]) =>
  batches.map((batch) => batch.map(({ ordinal }) => ordinal));

async function planned(all: readonly SourceOutline[], mosaic: boolean) {
  const batches: (readonly PlannedSource[])[] = [];
  const plan = new BatchPlan(settings(mosaic), all.length, (batch: readonly PlannedSource[]) =>
    batches.push(batch),
  );
  const mixed = new SourcesByHash(all.length);
  for (const each of all) if (each.split === 'train') mixed.add(each);
  const train = mosaic
    ? await allOf(mixed.inOrder())
    : all.filter(({ split }) => split === 'train');
  for (const each of train) plan.add(each);
  for (const each of all) if (each.split !== 'train') plan.add(each);
  plan.end();
  return batches;
}

test.each([
  [0, true],
  [1, true],
  [6, true],
  [21, true],
  [9_999, true],
  [9_999, false],
])('%i sources, mosaic %s', async (count, mosaic) => {
  const all = sources(count);
  const batches = await planned(all, mosaic);
  expect(ordinalsOf(batches)).toEqual(ordinalsOf(batchSources(all, settings(mosaic))));
  const { isDone, width } = batches.flat().find(({ ordinal }) => ordinal === 3) ?? {};
  if (count > 3) expect([isDone, width]).toEqual([true, 103]);
});

test('hashes that begin alike are told apart, then come by their ordinals', async () => {
  const mixed = new SourcesByHash(4);
  const hashes = ['f'.repeat(64), `${'0'.repeat(12)}2${'0'.repeat(51)}`, '0'.repeat(64)];
  for (const [at, hash] of [...hashes, '0'.repeat(64)].entries()) mixed.add(source(at + 1, hash));
  expect(ordinalsOf([await allOf(mixed.inOrder())])).toEqual([[3, 4, 2, 1]]);
});
