// The images that are annotated one after the other: those that a search or an annotation job had
// when it was opened, so that an image that is annotated does not shift the others.

import { failureOf } from '../../../http-server/page-assets/api-error.js';
import { service } from './labelling-service.js';

/** @import { QueueName } from '../types.ts' */

/** As many as one page of a search gives: the next one is read when this one ends. */
const queuedMax = 1_000;

/**
 * `undecided`: those of an annotation job that were neither approved nor sent back. `sentBack`: those
 * that somebody else sent back: whoever opens the job mends them first. `more`: reads the
 * ids that follow; undefined: there are none. `isExact`: false where there are more than `total`.
 * `isOrdered`: whether a search has an order of its own.
 * @typedef {{ name: string, ids: readonly string[], total: number, isExact: boolean,
 *   undecided: Set<string>, sentBack?: readonly string[], isOrdered: boolean,
 *   more?: (() => Promise<Partial<Queue>>) | undefined }} Queue
 */

/** @type {Queue | undefined} */
let opened;

/**
 * Where an image is in a queue.
 * @param {string} slug of the project
 * @param {QueueName} queue
 * @param {string} id of the image
 */
export async function placeInQueue(slug, queue, id) {
  const name = nameOf(slug, queue);
  if (opened?.name !== name) opened = await read(slug, queue);
  while (opened.more !== undefined && opened.ids.at(-1) === id) {
    opened = { ...opened, ...(await opened.more()) };
  }
  const { ids, total, isExact, isOrdered } = opened;
  const at = ids.indexOf(id);
  return { at, total, isExact, ids, isOrdered, before: ids[at - 1], after: ids[at + 1] };
}

/**
 * The first image of a new queue, of a job the first that somebody else sent back, or else the first
 * that nobody decided about; undefined: nothing is found.
 * @param {string} slug
 * @param {QueueName} queue
 */
export async function openQueue(slug, queue) {
  opened = await read(slug, queue);
  const { ids, undecided, sentBack: [first] = [] } = opened;
  return first ?? ids.find((id) => undecided.has(id)) ?? ids[0];
}

/** Notes a decision: the next undecided image after that one; undefined: there is none. */
export function nextUndecided(/** @type {string} */ id) {
  if (opened === undefined) return undefined;
  const { ids, undecided } = opened;
  undecided.delete(id);
  const at = ids.indexOf(id) + 1;
  return [...ids.slice(at), ...ids.slice(0, at)].find((other) => undecided.has(other));
}

/**
 * The first image that is undecided by now, since others may withdraw what was decided; undefined:
 * there is none, or the platform does not say.
 * @param {string} slug @param {QueueName} queue
 */
export async function undecidedAgain(slug, queue) {
  const now = await read(slug, queue).catch(() => undefined);
  if (now === undefined) return undefined;
  opened = now;
  return now.ids.find((id) => now.undecided.has(id));
}

/** Notes that a decision does not count any more. */
export function markUndecided(/** @type {string} */ id) {
  opened?.undecided.add(id);
}

/** @param {string} slug @param {QueueName} queue */
function nameOf(slug, { query, job }) {
  return JSON.stringify([slug, query, job]);
}

/** @param {string} slug @param {QueueName} queue @returns {Promise<Queue>} */
async function read(slug, queue) {
  const name = nameOf(slug, queue);
  const { query, job } = queue;
  if (job !== '') {
    const { job: described, images } = await service().getJobImages(slug, job);
    const undone = described.independent ? ['unannotated'] : ['unannotated', 'annotated'];
    const open = images.filter(({ state }) => undone.includes(state));
    const undecided = new Set(open.map(({ id }) => id));
    const ids = images.map(({ id }) => id);
    const { isMe } = service();
    const waits = images.filter((each) => each.state === 'rejected' && !each.labels_changed);
    const sentBack = waits.flatMap(({ id, decided_by: who }) =>
      isMe?.(who ?? '') === false ? [id] : [],
    );
    return { name, ids, total: ids.length, isExact: true, undecided, sentBack, isOrdered: false };
  }
  const first = await readFrom(sentQuery(slug, query), [], undefined).catch((thrown) =>
    throwPlain(thrown, slug),
  );
  return { name, undecided: new Set(), total: first.ids.length, ...first };
}

/** What the platform is asked for. @param {string} slug @param {string} query */
export function sentQuery(slug, query) {
  return `project:${slug}${inBrackets(query)}`;
}

/**
 * Where the project is not there, that is said, in place of what is wrong with a search that nobody
 * typed.
 * @param {unknown} thrown @param {string} slug @returns {Promise<never>}
 */
async function throwPlain(thrown, slug) {
  if (failureOf(thrown).status === 400) await service().getProject(slug);
  throw thrown;
}

/**
 * @param {string} wanted in the search language
 * @param {readonly string[]} before ids of the pages before
 * @param {string | undefined} token of the page before
 */
async function readFrom(wanted, before, token) {
  const found = await service().searchWorkspace(wanted, queuedMax, token);
  const ids = [...before, ...found.results.flatMap(({ id }) => id ?? [])];
  const { continuationToken, total, totalIsExact: isExact = true, order } = found;
  const more = continuationToken && (() => readFrom(wanted, ids, continuationToken));
  return {
    ids,
    ...(total !== undefined && { total }),
    isExact,
    isOrdered: order !== undefined,
    more: more || undefined,
  };
}

/**
 * A page of what a search finds.
 * @param {string} slug @param {QueueName} queue @param {number} offset @param {number} limit
 */
export async function idsOfQuery(slug, queue, offset, limit) {
  let found = await read(slug, queue);
  while (found.more !== undefined && found.ids.length < offset + limit) {
    found = { ...found, ...(await found.more()) };
  }
  const { ids, total, isExact, isOrdered } = found;
  return { ids: ids.slice(offset, offset + limit), total, isExact, isOrdered };
}

/** Id of the evaluation that a search names; undefined: none. @param {string} query */
export function evaluationIn(query) {
  return /(?<![^\s(])evaluation:"?([\w-]+)/.exec(query)?.[1];
}

/** `sort:` and what follows; empty: nothing orders that search. @param {string} query */
export function orderIn(query) {
  return /(?<=^|\s)sort:\S+/.exec(query)?.[0] ?? '';
}

/** What orders a search stands outside of brackets. @param {string} query */
export function inBrackets(query) {
  const order = orderIn(query);
  const conditions = query.replace(order, '').trim();
  return `${conditions === '' ? '' : ` (${conditions})`}${order === '' ? '' : ` ${order}`}`;
}
