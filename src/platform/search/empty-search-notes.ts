// Notes on an empty search: which of its conditions excluded all, and what there is in place of a
// name that no image has.

import { conditionText, metadataPair } from '../../query-language/condition-text.ts';
import type { Query } from '../../query-language/query-syntax-tree.ts';
import { quotedName } from '../../quoted-name.ts';
import { suggestSpelling } from '../../spelling-suggestion.ts';
import type { AccessibleProjects, NameKind, SearchStore } from '../store/search.ts';

type Search = Pick<SearchStore, 'names' | 'count'>;

interface Asked {
  /** What people call it. */
  readonly what: string;
  readonly kind: NameKind;
  readonly name: string;
}

/** More would hide what matters. */
const namesToldMax = 5;

/**
 * `No image here has the class "Plateletts"; did you mean "Platelets"?`, for each name that no
 * image in reach has; else the conditions that find nothing alone, or how many each of them finds.
 * Asked only where nothing was found: it reads all names.
 */
export async function emptySearchNotes(
  search: Search,
  accessible: AccessibleProjects,
  query: Query,
): Promise<readonly string[]> {
  const missing = [
    ...(await missingNames(search, accessible, query)),
    ...(await missingFileNames(search, accessible, query)),
  ];
  return missing.length > 0 ? missing : excludingConditions(search, accessible, query);
}

async function missingNames(
  search: Search,
  accessible: AccessibleProjects,
  query: Query,
): Promise<readonly string[]> {
  const asked = askedFor(query).slice(0, namesToldMax);
  const notes = await Promise.all(asked.map((one) => missingName(search, accessible, one)));
  return [...new Set(notes.flat())];
}

/** A file name is asked for whole: people leave out its ending. */
async function missingFileNames(
  search: Search,
  accessible: AccessibleProjects,
  query: Query,
): Promise<readonly string[]> {
  const asked = fileNamesIn(query).slice(0, namesToldMax);
  const notes = await Promise.all(
    asked.map(async (pattern) => {
      if ((await search.count(accessible, { kind: 'name', pattern })) > 0) return [];
      const wider = { kind: 'name', pattern: `*${pattern}*` } as const;
      const count = await search.count(accessible, wider);
      const [asked, instead] = [conditionText({ kind: 'name', pattern }), conditionText(wider)];
      return count === 0
        ? [`No image here has a name with ${quotedName(pattern)} in it.`]
        : [`${asked} asks for the whole name; ${instead} finds ${count}.`];
    }),
  );
  return notes.flat();
}

function fileNamesIn(query: Query): readonly string[] {
  if (query.kind === 'and' || query.kind === 'or') return query.parts.flatMap(fileNamesIn);
  return query.kind === 'name' && !query.pattern.includes('*') ? [query.pattern] : [];
}

async function missingName(
  search: Search,
  accessible: AccessibleProjects,
  { what, kind, name }: Asked,
): Promise<readonly string[]> {
  const known = await search.names(accessible, kind);
  if (known === undefined || known.includes(name)) return [];
  return [`No image here has the ${what} ${quotedName(name)}${advice(name, known)}`];
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

/** Conditions that are counted alone: each is a query of its own. */
const countedMax = 8;

/** Which of the conditions that must all hold finds nothing alone; else what each finds. */
async function excludingConditions(
  search: Search,
  accessible: AccessibleProjects,
  query: Query,
): Promise<readonly string[]> {
  if (query.kind !== 'and') return [aloneFindsNone(query)].flatMap((note) => note ?? []);
  // Without a condition it found none of all images.
  if (query.parts.length === 0) return [noImageYet];
  if (query.parts.length > countedMax) return [];
  const counted = await Promise.all(
    query.parts.map(async (part) => ({
      text: conditionText(part) ?? 'what stands in brackets',
      isProject: isProject(part),
      count: await search.count(accessible, part),
    })),
  );
  if (counted.some(({ isProject, count }) => isProject && count === 0)) return [noImageYet];
  const none = counted.filter(({ count }) => count === 0).map(({ text }) => text);
  if (none.length > 0) return none.map((text) => `${text} alone finds no image here.`);
  const each = counted.map(({ text, count }) => `${text} ${count}`).join(', ');
  return [`Each condition finds images, and none has all of them: ${each}.`];
}

const noImageYet = 'There is no image in this project yet.';

function isProject(query: Query): boolean {
  return query.kind === 'term' && query.term.startsWith('project:');
}

/** Of the only condition. */
function aloneFindsNone(query: Query): string | undefined {
  if (isProject(query)) return noImageYet;
  const text = query.kind === 'all' ? undefined : conditionText(query);
  if (text === undefined) return undefined;
  return `${text} finds no image here${listedBy[query.kind] ?? ''}.`;
}

/** Names that the index does not know. */
const listedBy: Readonly<Partial<Record<Query['kind'], string>>> = {
  batch: '; batches_list names the batches',
  job: '; annotation_jobs_list names the jobs',
};

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
  const [, kind, text = ''] = /^(class|tag|metadata-key|metadata):(.*)$/s.exec(term) ?? [];
  switch (kind) {
    case 'class':
    case 'tag':
      return [{ what: kind, kind, name: text }];
    case 'metadata-key':
      return [{ what: 'metadata', kind, name: text }];
    case 'metadata': {
      const { key, value } = metadataPair(text);
      // Which of several signs ends the key is not known: a note might be wrong.
      if (value.includes('=')) return [];
      const values: NameKind = `metadata:${key}=`;
      return [
        { what: 'metadata', kind: 'metadata-key', name: key },
        { what: `value of the metadata ${quotedName(key)}`, kind: values, name: value },
      ];
    }
    default:
      return [];
  }
}
