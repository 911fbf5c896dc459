// Random changes of the images of a search, and random orders.

import fc from 'fast-check';
import type { Sort } from '../../../src/query-language/query-syntax-tree.ts';
import { labels, newImage, someLabels, someMetadata, someTags } from './generators.ts';
import type { Model, Search } from './indexed-images.ts';

export const sort: fc.Arbitrary<Sort> = fc.record({
  key: fc.constantFrom<Sort['key']>(
    ...(['created', 'name', 'width', 'height', 'annotations'] as const),
    ...labels.map((label) => `class:${label}` as const),
  ),
  direction: fc.constantFrom('asc', 'desc'),
});

export type Change = (search: Search, pick: <T>(from: readonly T[]) => T | undefined) => unknown;

/** Something that happens to an image, or to a project. */
export const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 4,
    arbitrary: newImage.map(
      (image): Change =>
        (search) =>
          search.add(image),
    ),
  },
  fc.tuple(fc.array(newImage, { maxLength: 6 }), fc.nat(4), fc.nat(4)).map(
    ([images, removed, labelled]): Change =>
      (search) => {
        const all = [...search.models.values()];
        const rest = all.slice(removed, removed + labelled);
        return search.swap(all.slice(0, removed), images, [], rest);
      },
  ),
  fc.nat(5_000).map(
    (count): Change =>
      (search) =>
        search.skip(count),
  ),
  fc.tuple(someLabels, fc.boolean()).map(
    ([given, isPredicted]): Change =>
      (search, pick) =>
        onOne(search, pick, (one) => search.annotate(one, given, isPredicted)),
  ),
  someTags.map(
    (tags): Change =>
      (search, pick) =>
        onOne(search, pick, (one) => search.retag(one, tags)),
  ),
  someMetadata.map(
    (metadata): Change =>
      (search, pick) =>
        onOne(search, pick, (one) => search.setMetadata(one, metadata)),
  ),
  fc.constant<Change>((search, pick) => onOne(search, pick, (one) => search.remove(one))),
  fc.constant<Change>((search, pick) => onOne(search, pick, (one) => search.giveToJob(one))),
  fc.tuple(fc.constantFrom('train', 'valid', 'test'), fc.nat(20)).map(
    ([to, count]): Change =>
      (search) =>
        search.move([...search.models.values()].slice(0, count), to),
  ),
  fc.tuple(fc.constantFrom('cells', 'cars'), fc.boolean()).map(
    ([project, isTrashed]): Change =>
      (search) => {
        trashed[isTrashed ? 'add' : 'delete'](project);
        return search.setTrashed(project, isTrashed);
      },
  ),
);

/** Projects that are in the trash now. */
export const trashed = new Set<string>();

function onOne(
  { models }: Search,
  pick: <T>(from: readonly T[]) => T | undefined,
  act: (model: Model) => unknown,
): unknown {
  const one = pick([...models.values()]);
  return one && act(one);
}
