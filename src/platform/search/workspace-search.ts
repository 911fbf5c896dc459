// Searches all projects of a workspace with the query language.

import type { search } from '../../contract/search.ts';
import type { Handlers } from '../../http-server/handlers.ts';
import { limits } from '../../limits.ts';
import { type ParsedQuery, parseQuery } from '../../query-language/parse-query.ts';
import type { FindProjectId } from '../../query-language/query-fields.ts';
import { QueryText } from '../../query-language/query-lexer.ts';
import { newestFirst } from '../../query-language/query-syntax-tree.ts';
import { accessibleProjects, isAccessible } from '../access-control/accessible-projects.ts';
import type { Principal } from '../access-control/authorization.ts';
import type { PlatformDependencies } from '../dependencies.ts';
import { makeToken, type Question, readToken } from '../signed-links/continuation-tokens.ts';
import type { AccessibleProjects } from '../store/search.ts';
import type { Store } from '../store/store.ts';
import { emptySearchNotes } from './empty-search-notes.ts';
import {
  describeFound,
  type FieldName,
  needAnnotations,
  needDescriptors,
  readFieldNames,
} from './image-fields.ts';
import { notesOnIndex, wordsNote } from './project-search.ts';
import { similarityNotes } from './query-image.ts';

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
      const parsed = parseQuery(text, await projectFinder(store, accessible));
      const fields: readonly FieldName[] = input.fields
        ? readFieldNames(input.fields)
        : ['id', 'name', 'project', 'split', 'labels'];
      const needsLooks = needDescriptors(fields) || parsed.like !== undefined;
      const isDescribed = !needsLooks || (await descriptors.areComplete(accessible, signal));
      const question = { workspaceId: workspace.id, query: text };
      const page = await findPage(dependencies, accessible, parsed, {
        question,
        token,
        limit: pageSize,
        withAnnotations: needAnnotations(fields),
        text,
        isDescribed,
      });
      const describing = { fields, links, origin, owner: workspace.slug, search: store.search };
      const results = await Promise.all(page.images.map((one) => describeFound(one, describing)));
      const notes = [...page.notes, ...(parsed.hasWords ? [wordsNote] : [])];
      return {
        results,
        total: page.total,
        ...(page.next && { continuationToken: makeToken(links.key, question, page.next) }),
        ...(notes.length > 0 && { notes }),
      };
    },
  };
}

/** Ids of the live projects in reach, by their slugs. */
export async function projectFinder(
  store: Store,
  accessible: AccessibleProjects,
): Promise<FindProjectId> {
  const projects = await store.projects.list(accessible.workspaceId);
  const ids = new Map(
    projects.filter(({ id }) => isAccessible(accessible, id)).map(({ id, slug }) => [slug, id]),
  );
  return (slug) => ids.get(slug);
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
}

async function findPage(
  { store, links }: Pick<PlatformDependencies, 'store' | 'links'>,
  accessible: AccessibleProjects,
  { query, sort, like }: ParsedQuery,
  { question, token, limit, withAnnotations, text, isDescribed }: PageRequest,
) {
  const after = token === undefined ? undefined : readToken(links.key, question, token);
  if (like === undefined) {
    const request = { query, sort: sort ?? newestFirst, after, offset: 0, limit, withAnnotations };
    const page = await store.search.find(accessible, request);
    const missing = page.total === 0 ? await emptySearchNotes(store.search, accessible, query) : [];
    return { ...page, notes: [...missing, ...notesOnIndex(page.isComplete)] };
  }
  const wrong = (message: string) => new QueryText(text, 'query').error(like.at, message);
  const project = await store.images.projectOf(accessible.workspaceId, like.imageId);
  if (!project || !isAccessible(accessible, project.id))
    throw wrong('there is no image of this id (a name is no id: filename: finds it)');
  const descriptor = await store.search.descriptorOf(like.imageId);
  if (!descriptor) throw wrong('this image has no description of its look yet');
  const offset = after?.ordinal ?? 0;
  const found = await store.search.like(accessible, {
    descriptor,
    query,
    offset,
    limit,
    withAnnotations,
  });
  const end = offset + found.images.length;
  return {
    ...found,
    next: end < found.total && end > offset ? { value: 0, ordinal: end } : undefined,
    notes: [
      ...similarityNotes(isDescribed),
      ...(found.total >= limits.similarityCandidatesMax
        ? [`The ${found.total} most similar can be paged through.`]
        : []),
    ],
  };
}
