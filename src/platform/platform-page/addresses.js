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
  return withQuery(place, { job, q: query });
}

/** Of one class its confidence sweep. @param {string} slug @param {string} id @param {string} [name] */
export function evaluationAddress(slug, id, name = '') {
  const place = `${projectAddress(slug)}/evaluation/${encodeURIComponent(id)}`;
  return withQuery(place, { class: name });
}

/**
 * Images of an evaluation by what is wrong in them, or those of a cell of its matrix.
 * @typedef {{ only?: string, class?: string, found?: string, scoreMin?: string, offset?: number }} JudgedWanted
 * @param {string} slug @param {string} id @param {JudgedWanted} wanted
 */
export function judgedAddress(slug, id, { only, class: name, found, scoreMin, offset }) {
  const place = `${projectAddress(slug)}/judged/${encodeURIComponent(id)}`;
  return withQuery(place, { only, class: name, found, score: scoreMin, offset });
}

/** @param {string} slug @param {string} id @param {string} baseline of the evaluation before @param {number} [offset] */
export function comparisonAddress(slug, id, baseline, offset = 0) {
  const ids = [id, baseline].map(encodeURIComponent).join('/');
  return withQuery(`${projectAddress(slug)}/comparison/${ids}`, { offset });
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
  return withQuery(`${projectAddress(slug)}/images`, { class: name, tag, q: words, offset });
}

/** Without what is empty, and 0. @param {string} place @param {Readonly<Record<string, string | number | undefined>>} values */
function withQuery(place, values) {
  const given = Object.entries(values).flatMap(([name, value]) =>
    value ? [[name, String(value)]] : [],
  );
  return given.length > 0 ? `${place}?${new URLSearchParams(given)}` : place;
}
