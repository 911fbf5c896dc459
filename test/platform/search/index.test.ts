// The search index never lies: random images, changes and queries, held against a plain filter.

import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AccessibleProjects } from '../../../src/platform/store/search.ts';
import { parseQuery } from '../../../src/query-language/parse-query.ts';
import type { After, Sort } from '../../../src/query-language/query-syntax-tree.ts';
import { change, sort, trashed } from './changes.ts';
import { condition, newImage, textOf } from './generators.ts';
import { type Model, openSearch, type Search } from './indexed-images.ts';
import { type Condition, countOf, holds, plain } from './naive-query.ts';

/** What a plain filter finds in acme, in the order that is wanted. */
function expected(
  search: Search,
  projects: readonly string[] | undefined,
  wanted: Condition,
  { key, direction }: Sort,
): readonly string[] {
  const seen = [...search.models.values()].filter(
    ({ project }) =>
      project !== 'foreign' && !trashed.has(project) && (projects?.includes(project) ?? true),
  );
  const up = direction === 'asc' ? 1 : -1;
  const byNumber = (value: (model: Model) => number) => (a: Model, b: Model) =>
    up * (value(a) - value(b)) || b.number - a.number;
  const byName = (a: Model, b: Model) =>
    up *
    (Buffer.compare(Buffer.from(plain(a.name)), Buffer.from(plain(b.name))) || a.number - b.number);
  const order =
    key === 'name'
      ? byName
      : key === 'created'
        ? byNumber(({ number }) => number)
        : byNumber((model) => {
            if (key === 'width' || key === 'height') return model[key];
            return key === 'annotations'
              ? (model.labels?.length ?? 0)
              : countOf(model, key.slice('class:'.length));
          });
  return seen
    .filter((model) => holds(wanted, model))
    .toSorted(order)
    .map(({ id }) => id);
}

async function readAll(
  search: Search,
  reach: AccessibleProjects,
  text: string,
  order: Sort,
  limit: number,
  between: () => Promise<void> = async () => {},
) {
  const { query } = parseQuery(text, (slug) => slug);
  const ids: string[] = [];
  const totals: number[] = [];
  let after: After | undefined;
  do {
    const page = await search.search.find(reach, {
      query,
      sort: order,
      after,
      offset: 0,
      limit,
      withAnnotations: false,
    });
    ids.push(...page.images.map(({ id }) => id));
    totals.push(page.total);
    after = page.next;
    await between();
  } while (after);
  return { ids, totals };
}

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
    await fc.assert(
      fc.asyncProperty(
        fc.array(newImage, { minLength: 5, maxLength: 30 }),
        fc.array(
          fc.tuple(
            fc.array(change, { maxLength: 8 }),
            fc.array(fc.tuple(condition, sort), { minLength: 1, maxLength: 6 }),
          ),
          {
            maxLength: 6,
          },
        ),
        fc.infiniteStream(fc.nat()),
        fc.record({
          limit: fc.integer({ min: 1, max: 9 }),
          spare: fc.boolean(),
          projects: fc.option(fc.subarray(['cells', 'cars', 'foreign']), { nil: undefined }),
        }),
        async (images, rounds, random, { limit, spare, projects }) => {
          const search = await openSearch(bounds);
          trashed.clear();
          const pick = <T>(from: readonly T[]) =>
            from[(random.next().value ?? 0) % Math.max(1, from.length)];
          const reach = { workspaceId: search.acme.id, projectIds: projects };
          try {
            for (const image of images) await search.add(image);
            for (const [changes, queries] of rounds) {
              for (const one of changes) await one(search, pick);
              for (const [wanted, order] of queries) {
                const text = textOf(wanted, spare);
                const right = expected(search, projects, wanted, order);
                const { ids, totals } = await readAll(search, reach, text, order, limit);
                expect(ids, text).toEqual(right);
                expect(new Set(totals), text).toEqual(new Set([right.length]));
              }
            }
            for (const model of [...search.models.values()]) await search.remove(model);
            expect(search.rows()).toEqual([0, 0, 0, 0, 0, 0]);
          } finally {
            search.close();
          }
        },
      ),
      { numRuns: Number(process.env.SEARCH_RUNS ?? 20) },
    );
  });
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
