// The images that a query finds, in place of ids: found once and then fixed, counted, shown, and
// changed part by part. For bulk calls, from documented operations alone.

import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Input } from '../../src/contract/operation.ts';
import { search } from '../../src/contract/search.ts';
import { asFoveaError, FoveaError, invalidArgument } from '../../src/errors.ts';
import { limits } from '../../src/limits.ts';
import type { ToolContext, ToolResult } from '../../src/mcp/tool.ts';
import { asGiven, count } from '../format.ts';
import { queryWithin } from './project-query.ts';

/** The arguments of a bulk call. */
export const selectionArguments = {
  query: z.string().min(1).optional().describe('In place of ids; as in workspace_search.'),
  dry_run: z.boolean().optional().describe('Only count what it finds.'),
};

interface Chosen {
  readonly images?: unknown;
  readonly query?: unknown;
  readonly dry_run?: unknown;
}

/** Throws `invalid_input` for ids beside a query, and for a dry run without one. */
export function checkSelection({ images, query, dry_run }: Chosen): void {
  if (query !== undefined && images !== undefined) {
    throw invalidArgument('images', 'give either images or query');
  }
  if (query === undefined && dry_run === true) throw invalidArgument('dry_run', 'goes with query');
}

export interface Wanted {
  readonly workspace: string;
  readonly query: string;
  /** Only images of this project. */
  readonly project?: string | undefined;
}

type Asked = Input<typeof search.workspace_search>;

type FoundImage = z.output<typeof search.workspace_search.answer>['results'][number];

export interface ImageSelection {
  readonly query: string;
  readonly ids: readonly string[];
  /** The first of them. */
  readonly shown: readonly FoundImage[];
  /** What the service says of the search, for example why nothing was found. */
  readonly notes: unknown;
  /** Whether the query has an order of its own: `sort:`, or an evaluation's worst first. */
  readonly isOrdered: boolean;
  readonly isWorstFirst: boolean;
  /** Changes with the set of images. */
  readonly digest: string;
}

/**
 * All images that the query finds now. Throws `too_large` for more than one call may change, before
 * anything is changed.
 */
export async function selectImages(wanted: Wanted, context: ToolContext): Promise<ImageSelection> {
  const { query } = wanted;
  refuseRanking(query);
  const asked = { ...askedOf(wanted), pageSize: limits.imagesSelectedPageMax };
  // Images that come or go meanwhile may move others to another page.
  const found = new Map<string, FoundImage>();
  let notes: unknown;
  let order: string | undefined;
  for await (const page of searchPages(asked, context)) {
    for (const image of page.results) found.set(idOf(image), image);
    const { total = found.size } = page;
    if (Math.max(total, found.size) > limits.imagesSelectedMax) throw tooMany(total);
    context.progress(found.size, total, 'Finding images');
    notes ??= page.notes;
    order ??= page.order;
  }
  const ids = [...found.keys()];
  const digest = createHash('sha256').update(ids.toSorted().join('\n')).digest('base64url');
  const shown = [...found.values()].slice(0, limits.imagesSelectedShownMax);
  const [isOrdered, isWorstFirst] = [order !== undefined, order === 'worst_first'];
  return { query, ids, shown, notes, digest, isOrdered, isWorstFirst };
}

/** As a dry run tells it, of any number of images. */
export async function countImages(wanted: Wanted, context: ToolContext): Promise<ToolResult> {
  const asked = { ...askedOf(wanted), pageSize: limits.imagesSelectedShownMax };
  const { results, total, notes } = await findPage(asked, context.client, context.signal);
  const { query } = wanted;
  return describeFound({ query, images: total ?? results.length, shown: results, notes });
}

/** All that a search finds. Throws `upstream_failed` for an empty page that goes on. */
export async function* searchPages(asked: Asked, { client, signal }: ToolContext) {
  let next: Asked | undefined = asked;
  while (next !== undefined) {
    const page = await findPage(next, client, signal);
    const { results, continuationToken } = page;
    yield page;
    if (continuationToken && results.length === 0) throw endless();
    next = continuationToken ? { ...asked, continuationToken } : undefined;
  }
}

async function findPage(input: Asked, client: ToolContext['client'], signal: AbortSignal) {
  return (await client.call(search.workspace_search, input, { signal })).body;
}

/** The answer of a dry run, and of a call whose query finds nothing. */
export function describeSelection({ ids, ...found }: ImageSelection): ToolResult {
  return describeFound({ ...found, images: ids.length });
}

type Found = Pick<ImageSelection, 'query' | 'shown' | 'notes'> & { readonly images: number };

function describeFound({ query, images, shown, notes }: Found): ToolResult {
  const data = { images, shown, ...(notes !== undefined && { notes }) };
  if (images === 0) {
    const why = notes === undefined ? '' : ' "notes" says why.';
    return { summary: `${asGiven(query)} finds no image: nothing was changed.${why}`, data };
  }
  const figure = count(images, 'image');
  return { summary: `${asGiven(query)} finds ${figure}; nothing was changed.`, data };
}

function askedOf({ workspace, query, project }: Wanted): Asked {
  const bound = project === undefined ? query : queryWithin(project, query);
  return { workspace, query: bound, fields: ['id', 'name', 'split', 'labels'] };
}

/**
 * Changes the images part by part. A failure says how many were changed before it, and that the
 * same call goes on with the others.
 */
export async function inParts<Done>(
  ids: readonly string[],
  size: number,
  change: (part: readonly string[]) => Promise<Done>,
  { progress, signal }: Pick<ToolContext, 'progress' | 'signal'>,
): Promise<readonly Done[]> {
  const done: Done[] = [];
  for (let start = 0; start < ids.length; start += size) {
    try {
      signal.throwIfAborted();
      done.push(await change(ids.slice(start, start + size)));
    } catch (thrown) {
      throw start === 0 ? thrown : stoppedAt(start, ids.length, thrown);
    }
    progress(Math.min(start + size, ids.length), ids.length, 'Changing images');
  }
  return done;
}

/** Likeness orders all images, and excludes none. */
function refuseRanking(query: string): void {
  if (!/(^|[\s(])like-image:/i.test(query)) return;
  const hint = 'Find ids with workspace_search, and pass those that are meant.';
  throw invalidArgument('query', 'like-image: orders images, and excludes none', hint);
}

function idOf({ id }: FoundImage): string {
  if (id !== undefined) return id;
  throw new FoveaError('upstream_failed', 'The platform found images, and gave no ids.');
}

function endless(): FoveaError {
  return new FoveaError('upstream_failed', 'The platform gave an empty page that goes on.');
}

function tooMany(total: number): FoveaError {
  const max = limits.imagesSelectedMax;
  const message = `query: finds ${total} images; one call changes at most ${max}. Nothing was changed.`;
  const hint = 'Narrow it, for example by split:, batch or project:, and call several times.';
  return new FoveaError('too_large', message, { hint });
}

function stoppedAt(done: number, all: number, thrown: unknown): FoveaError {
  const error = asFoveaError(thrown);
  const message = `After ${done} of ${all} images: ${error.message} Those ${done} are changed.`;
  const { retry, problems, upstream, retryAfterSeconds } = error;
  return new FoveaError(error.code, message, {
    hint: 'The same query finds the others: call again.',
    retry,
    problems,
    ...(upstream !== undefined && { upstream }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    cause: thrown,
  });
}
