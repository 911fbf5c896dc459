// The images that are annotated one after the other: those that a search found when it was opened,
// so that an image that is annotated does not shift the others.

import { searchWorkspace } from './api.js';

/** As many as one page of a search gives. */
const queuedMax = 1_000;

/** @type {{ name: string, ids: readonly string[], total: number } | undefined} */
let opened;

/**
 * Where an image is in the queue of a search.
 * @param {string} slug of the project
 * @param {string} query in the search language; empty: all images of the project
 * @param {string} id of the image
 */
export async function placeInQueue(slug, query, id) {
  const name = `${slug} ${query}`;
  if (opened?.name !== name) opened = { name, ...(await search(slug, query)) };
  const { ids, total } = opened;
  const at = ids.indexOf(id);
  return { at, total, before: ids[at - 1], after: ids[at + 1] };
}

/**
 * The first image of a new queue; undefined: nothing is found.
 * @param {string} slug
 * @param {string} query
 */
export async function openQueue(slug, query) {
  opened = { name: `${slug} ${query}`, ...(await search(slug, query)) };
  return opened.ids[0];
}

/** @param {string} slug @param {string} query */
async function search(slug, query) {
  const wanted = `project:${slug}${query === '' ? '' : ` (${query})`}`;
  const { results, total } = await searchWorkspace(wanted, queuedMax);
  const ids = results.flatMap(({ id }) => id ?? []);
  return { ids, total: total ?? ids.length };
}
