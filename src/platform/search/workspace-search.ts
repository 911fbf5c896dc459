// Searches all projects of a workspace with the query language.

import type { search } from '../../contract/search.ts';
import type { FoveaError } from '../../errors.ts';
import type { Handlers } from '../../http-server/handlers.ts';
import { lowerCaseJoinHint } from '../../query-language/grammar/lower-case-joins.js';
import type { ParsedQuery } from '../../query-language/parse-query.ts';
import type { Likeness } from '../../query-language/query-fields.ts';
import { queryTextOf } from '../../query-language/query-lexer.ts';
import { accessibleProjects, isAccessible } from '../access-control/accessible-projects.ts';
import type { Principal } from '../access-control/authorization.ts';
import type { PlatformDependencies } from '../dependencies.ts';
import { makeToken, type Question, readToken } from '../signed-links/continuation-tokens.ts';
import type { AccessibleProjects } from '../store/search.ts';
import type { Store } from '../store/store.ts';
import { emptySearchNotes } from './empty-search-notes.ts';
import { candidatesNote, type Example, findLike } from './find-like.ts';
import {
  describeFound,
  type FieldName,
  needAnnotations,
  needDescriptors,
  readFieldNames,
} from './image-fields.ts';
import { notesOnSearch, totalFacts, wordsNote } from './project-search.ts';
import { isJudgedWithoutOrder, orderOf, readQuery } from './read-query.ts';

type WorkspaceSearch = Pick<typeof search, 'workspace_search'>;

export function workspaceSearchHandlers(
  dependencies: PlatformDependencies,
): Handlers<WorkspaceSearch, Principal> {
  const { store, links, descriptors } = dependencies;
  return {
    workspace_search: async (input, { principal, origin, signal }) => {
      const { query: text, continuationToken: token, pageSize = 50 } = input;
      const { workspace } = principal;
      const accessible = await accessibleProjects(store, principal);
      const parsed = await readQuery(store, accessible, text);
      const fields: readonly FieldName[] = input.fields
        ? readFieldNames(input.fields)
        : ['id', 'name', 'project', 'split', 'labels'];
      const isByLook = parsed.like?.kind === 'image' && dependencies.embeddings === undefined;
      const needsLooks = needDescriptors(fields) || isByLook;
      const isDescribed = !needsLooks || (await descriptors.areComplete(accessible, signal));
      const question = { workspaceId: workspace.id, query: text };
      const page = await findPage(dependencies, accessible, parsed, {
        question,
        token,
        limit: pageSize,
        withAnnotations: needAnnotations(fields),
        text,
        isDescribed,
        signal,
      });
      const describing = { fields, links, origin, owner: workspace.slug, search: store.search };
      const results = await Promise.all(page.images.map((one) => describeFound(one, describing)));
      const notes = [...page.notes, ...notesOnText(parsed, dependencies)];
      return {
        results,
        ...totalFacts(page),
        ...orderWord(parsed),
        ...(page.next && { continuationToken: makeToken(links.key, question, page.next) }),
        ...(notes.length > 0 && { notes }),
      };
    },
  };
}

function notesOnText(parsed: ParsedQuery, dependencies: PlatformDependencies) {
  const isByAge = parsed.like === undefined && isJudgedWithoutOrder(parsed);
  return [
    ...(isByAge ? [newestFirstNote] : []),
    ...(parsed.hasWords ? [wordsNote(dependencies)] : []),
  ];
}

const newestFirstNote =
  'The newest images come first: OR joins what has no common order. ' +
  'The worst do where all that it joins asks one evaluation.';

/** Who makes a queue of what is found keeps an order that was asked for. */
function orderWord(parsed: ParsedQuery) {
  if (parsed.like !== undefined) return {};
  if (parsed.sort !== undefined) return { order: 'sorted' };
  return orderOf(parsed).key === 'worst' ? { order: 'worst_first' } : {};
}

interface PageRequest {
  readonly question: Question;
  readonly token: string | undefined;
  readonly limit: number;
  readonly withAnnotations: boolean;
  /** Of the query. */
  readonly text: string;
  /** Whether all images in reach have been looked at, as far as that matters. */
  readonly isDescribed: boolean;
  readonly signal: AbortSignal;
}

async function findPage(
  dependencies: PlatformDependencies,
  accessible: AccessibleProjects,
  parsed: ParsedQuery,
  request: PageRequest,
) {
  const { store, links } = dependencies;
  const { query, like } = parsed;
  const { question, token, limit, withAnnotations } = request;
  const after = token === undefined ? undefined : readToken(links.key, question, token);
  if (like === undefined) {
    const sort = orderOf(parsed);
    const order = { sort, after, offset: 0 };
    const page = await store.search.find(accessible, { query, limit, withAnnotations, ...order });
    const missing = page.total === 0 ? await emptySearchNotes(store.search, accessible, query) : [];
    const join = page.total === 0 ? lowerCaseJoinHint(request.text) : '';
    const notes = [...(join === '' ? [] : [join]), ...missing, ...notesOnSearch(page)];
    return { ...page, notes };
  }
  const wrong = (message: string, hint?: string) =>
    queryTextOf(request.text, 'query').error(like.at, message, hint);
  const offset = after?.ordinal ?? 0;
  const found = await findLike(
    dependencies,
    accessible,
    await exampleOf(store, accessible, like, wrong),
    { ...request, query, offset, wrong },
  );
  const end = offset + found.images.length;
  return {
    ...found,
    isTotalExact: true,
    next: end < found.total && end > offset ? { value: 0, ordinal: end } : undefined,
    notes: [...found.notes, ...candidatesNote(found.total)],
  };
}

async function exampleOf(
  store: Store,
  accessible: AccessibleProjects,
  like: Likeness,
  wrong: (message: string) => FoveaError,
): Promise<Example> {
  if (like.kind === 'text') return like;
  const project = await store.images.projectOf(accessible.workspaceId, like.imageId);
  const isThere = project !== undefined && isAccessible(accessible, project.id);
  const image = isThere ? await store.images.find(project.id, like.imageId) : undefined;
  if (image !== undefined) return { kind: 'image', image };
  throw wrong('there is no image of this id (a name is no id: filename: finds it)');
}
