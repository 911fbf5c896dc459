// A change of metadata and tags that sets what it removes.

import type { Problem } from '../errors.ts';

export interface MetadataChange {
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly removeMetadata?: readonly string[] | undefined;
  readonly addTags?: readonly string[] | undefined;
  readonly removeTags?: readonly string[] | undefined;
}

/**
 * Facts: the same key or tag may not be set and removed in one call. `prefix` stands before the
 * names of the members, such as `updates[0].`.
 */
export function setAndRemoved(
  { metadata = {}, removeMetadata = [], addTags = [], removeTags = [] }: MetadataChange,
  prefix = '',
): readonly Problem[] {
  return [
    ...problemsOf(`${prefix}removeMetadata`, Object.keys(metadata), removeMetadata),
    ...problemsOf(`${prefix}removeTags`, addTags, removeTags),
  ];
}

function problemsOf(
  path: string,
  added: readonly string[],
  removed: readonly string[],
): readonly Problem[] {
  const both = removed.filter((name) => added.includes(name));
  return both.length === 0
    ? []
    : [{ path, message: `also sets what it removes: ${both.join(', ')}` }];
}
