// Random images, changes and queries, held against a plain filter, for the index of any engine.

import fc from 'fast-check';
import { expect } from 'vitest';
import type { AccessibleProjects } from '../../../src/platform/store/search.ts';
import { parseQuery } from '../../../src/query-language/parse-query.ts';
import type { After, Sort } from '../../../src/query-language/query-syntax-tree.ts';
import { change, sort, trashed } from './changes.ts';
import { condition, newImage, textOf } from './generators.ts';
import type { Model, Search } from './indexed-images.ts';
import { type Condition, countOf, holds, plain } from './naive-query.ts';

/** It finds what a plain filter finds, in its order, and is empty when all images are gone. */
export async function judgeIndex(open: () => Promise<Search>, runs = 20): Promise<void> {
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
        const search = await open();
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
          expect((await search.rows()).filter((count) => count !== 0)).toEqual([]);
        } finally {
          await search.close();
        }
      },
    ),
    { numRuns: Number(process.env.SEARCH_RUNS ?? runs) },
  );
}

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

/** All pages of an answer. */
export async function readAll(
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
