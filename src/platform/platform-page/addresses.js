// Addresses of the views, as they stand behind the # of the page.

/** @import { QueueName } from './types.ts' */

/** @param {string} slug */
export function projectAddress(slug) {
  return `#project/${encodeURIComponent(slug)}`;
}

/** How far people agree on the images of a job. @param {string} slug @param {string} job */
export function agreementAddress(slug, job) {
  return `${projectAddress(slug)}/agreement/${encodeURIComponent(job)}`;
}

/**
 * Where the images of a queue are annotated, one after the other.
 * @param {string} slug
 * @param {string} id of the one that is shown; empty: the first
 * @param {Partial<QueueName>} [queue] all images of the project, where it names none
 */
export function annotateAddress(slug, id, { query = '', job = '' } = {}) {
  const place = `${projectAddress(slug)}/annotate/${encodeURIComponent(id)}`;
  if (job !== '') return `${place}?${new URLSearchParams({ job })}`;
  return query === '' ? place : `${place}?${new URLSearchParams({ q: query })}`;
}

/** The events of a use case. @param {string} useCase */
export function eventsAddress(useCase) {
  return `#events/${encodeURIComponent(useCase)}`;
}

/** @param {string} useCase @param {string} id */
export function eventAddress(useCase, id) {
  return `#event/${encodeURIComponent(useCase)}/${encodeURIComponent(id)}`;
}

/** What a credential changed. @param {string} who */
export function activityAddress(who) {
  return `#activity?${new URLSearchParams({ who })}`;
}

/** A training of a version. @param {string} slug @param {string | number} version @param {string} id */
export function trainingAddress(slug, version, id) {
  return `${projectAddress(slug)}/training/${encodeURIComponent(version)}/${encodeURIComponent(id)}`;
}

/**
 * The images of a project that have a class or a tag, or that a search finds, from an offset on.
 * @param {string} slug
 * @param {Readonly<{ class?: string, tag?: string, query?: string, offset?: number }>} wanted
 */
export function imagesAddress(slug, { class: name, tag, query: words, offset }) {
  const query = new URLSearchParams({
    ...(name && { class: name }),
    ...(tag && { tag }),
    ...(words && { q: words }),
    ...(offset && { offset: String(offset) }),
  });
  const place = `${projectAddress(slug)}/images`;
  return query.size > 0 ? `${place}?${query}` : place;
}
