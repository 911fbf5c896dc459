// Hints for an empty search: classes and tags that no image has.

import type { Query } from '../../query-language/query-syntax-tree.ts';
import { quotedName } from '../../quoted-name.ts';
import { suggestSpelling } from '../../spelling-suggestion.ts';
import type { AccessibleProjects, NameKind, SearchStore } from '../store/search.ts';

interface Asked {
  readonly kind: NameKind;
  readonly name: string;
}

/** More would hide what matters. */
const namesToldMax = 5;

/**
 * `No image here has the class "Plateletts"; did you mean "Platelets"?`, for each that no image in
 * reach has. Asked only where nothing was found: it reads all names.
 */
export async function missingNameHints(
  search: Pick<SearchStore, 'names'>,
  accessible: AccessibleProjects,
  query: Query,
): Promise<readonly string[]> {
  const asked = askedFor(query).slice(0, namesToldMax);
  const notes = await Promise.all(
    asked.map(async ({ kind, name }) => {
      const known = await search.names(accessible, kind);
      if (known === undefined || known.includes(name)) return [];
      return [`No image here has the ${kind} ${quotedName(name)}${advice(name, known)}`];
    }),
  );
  return [...new Set(notes.flat())];
}

function advice(name: string, known: readonly string[]): string {
  const guess = suggestSpelling(name, known);
  if (guess !== undefined) return `; did you mean ${quotedName(guess)}?`;
  if (known.length === 0) return '; there are none.';
  const more = known.length > namesToldMax ? ' and others' : '';
  return `; there are ${known
    .slice(0, namesToldMax)
    .map((name) => quotedName(name))
    .join(', ')}${more}.`;
}

/** Not what is asked to be absent: that may well be. */
function askedFor(query: Query): readonly Asked[] {
  switch (query.kind) {
    case 'and':
    case 'or':
      return query.parts.flatMap(askedFor);
    case 'term':
      return named(query.term);
    case 'number':
      return named(query.field);
    default:
      return [];
  }
}

/** A long name stands in its term by its hash alone. */
function named(term: string): readonly Asked[] {
  const [, kind, name] = /^(class|tag):(.*)$/s.exec(term) ?? [];
  if (name === undefined || (kind !== 'class' && kind !== 'tag')) return [];
  return [{ kind, name }];
}
