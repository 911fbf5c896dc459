// The search index never lies: random images, changes and queries, held against a plain filter.

import { describe, expect, it, onTestFinished } from 'vitest';
import { openSearch } from './indexed-images.ts';
import { judgeIndex, readAll } from './judge-index.ts';

/** Every way to look at names is taken: one by one, by their letters, and all in one pass. */
const ways = [
  { sparseMax: 5_000, namesMax: 5_000, termsMax: 10_000, walkedMin: 1_000 },
  { sparseMax: 0, namesMax: 5_000, termsMax: 0, walkedMin: 1_000 },
  { sparseMax: 0, namesMax: 0, termsMax: 0, walkedMin: 0 },
];

describe.each(ways)('the index, with $sparseMax, $namesMax and $termsMax', (bounds) => {
  it('finds what a plain filter finds, in its order, after any changes', {
    timeout: 120_000,
  }, async () => {
    await judgeIndex(() => openSearch(bounds));
  });
});

it('finds letters of names, and not those of what the index calls them', async () => {
  const search = await openSearch(ways[0]);
  onTestFinished(() => search.close());
  const image = { project: 'cells', batch: 'one', width: 4, height: 4, metadata: {} } as const;
  const names = ['spare part 3.png', 'IMG_1', 'scan:2'];
  await search.swap(
    [],
    names.map((name) => ({ ...image, name, split: 'train', tags: [] })),
  );
  const reach = { workspaceId: search.acme.id, projectIds: undefined };
  const order = { key: 'created', direction: 'asc' } as const;
  for (const [letters, found] of [
    ['part', ['image-1']],
    ['p', ['image-1']],
    ['t', ['image-1']],
    ['a', ['image-1', 'image-3']],
    ['art', ['image-1']],
    ['g', ['image-1', 'image-2']],
    ['rt:', []],
  ] as const) {
    const { ids } = await readAll(search, reach, `filename:"*${letters}*"`, order, 10);
    expect(ids, letters).toEqual(found);
  }
});

it('finds names with several stars in one pass over many names', async () => {
  const search = await openSearch({ sparseMax: 0, namesMax: 0, termsMax: 0, walkedMin: 0 });
  onTestFinished(() => search.close());
  const image = { project: 'cells', batch: 'one', width: 4, height: 4, metadata: {} } as const;
  const names = Array.from({ length: 600 }, (_, number) => {
    return `${['cam', 'frame_', 'a_b'][number % 3]}${(number * 7) % 600}.${['jpg', 'png'][number % 2]}`;
  });
  await search.swap(
    [],
    names.map((name) => ({ ...image, name, split: 'train', tags: [] })),
  );
  const reach = { workspaceId: search.acme.id, projectIds: undefined };
  const order = { key: 'created', direction: 'asc' } as const;
  for (const pattern of ['*1*2*', 'c*1*1*g', '*a*_*3*', '*0*0.png', 'f*9*', '*m*5*5*', '*g*g*']) {
    const shape = new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '.*')}$`);
    const right = names.flatMap((name, at) => (shape.test(name) ? [`image-${at + 1}`] : []));
    const { ids } = await readAll(search, reach, `filename:${pattern}`, order, 1_000);
    expect(ids, pattern).toEqual(right);
  }
});
