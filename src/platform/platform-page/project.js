// One project: its counts, how its images are split, and its classes.

import { element } from '../../http-server/page-assets/elements.js';
import { count } from '../../http-server/page-assets/format.js';
import { getHealth, getProject, listJobs } from './api.js';
import { bar, classChart, splitBar } from './chart.js';
import { fact } from './facts.js';
import { progressWords } from './review-panel.js';
import { table } from './table.js';

/** @import { Job, QueueName, View } from './types.ts' */

/** @param {string} slug @returns {Promise<View>} */
export async function projectView(slug) {
  const [{ project, versions }, { stats }, jobs] = await Promise.all([
    getProject(slug),
    getHealth(slug),
    // A key that reads projects need not read jobs.
    listJobs(slug).catch(() => []),
  ]);
  const [width = 0, height = 0] = stats.avgImageSize.map(Math.round);
  return {
    title: project.name,
    content: element(
      'div',
      { class: 'stack' },
      projectTabs(slug, 'overview'),
      element(
        'dl',
        { class: 'facts' },
        fact('Images', count(stats.numImages)),
        fact('Annotations', count(stats.numAnnotations)),
        fact('Without annotation', count(stats.missingAnnotations)),
        fact('Marked as empty', count(stats.nullAnnotations)),
        fact('Average size', `${width} × ${height}`),
        fact('Versions', count(versions.length)),
      ),
      stats.missingAnnotations > 0 &&
        element(
          'p',
          {},
          element(
            'a',
            { href: annotateAddress(slug, '', { query: 'annotated:false' }) },
            `Annotate the ${count(stats.missingAnnotations)} without annotation`,
          ),
        ),
      ...jobList(slug, jobs),
      element('h3', {}, 'Splits'),
      splitBar(project.splits ?? {}),
      element('h3', {}, 'Classes'),
      classChart(stats.classDistribution, (name) => imagesAddress(slug, { class: name })),
    ),
  };
}

/** The newest first. @param {string} slug @param {readonly Job[]} jobs */
function jobList(slug, jobs) {
  if (jobs.length === 0) return [];
  const { content, show } = table(['Job', 'Status', 'Decided', 'Progress', 'Agreement'], '');
  show(jobs.toReversed().map((job) => jobRow(slug, job)));
  return [element('h3', {}, 'Annotation jobs'), content];
}

/** @param {string} slug @param {Job} job */
function jobRow(slug, job) {
  const { id = '', name = id, status = '', approved = 0, rejected = 0, numImages = 0 } = job;
  const { independent = false, annotated = 0, labeler = '' } = job;
  const done = independent ? annotated : approved + rejected;
  const words = `${count(annotated)} of ${count(numImages)} labelled apart, ${labeler}`;
  const href = annotateAddress(slug, '', { job: id });
  return element(
    'tr',
    {},
    element('th', { scope: 'row' }, element('a', { href }, name)),
    element('td', { class: 'short' }, status.replaceAll('_', ' ')),
    element('td', {}, numImages > 0 && bar(done / numImages)),
    element('td', {}, independent ? words : progressWords(job)),
    element('td', {}, element('a', { href: agreementAddress(slug, id) }, 'Compare')),
  );
}

/**
 * The views of one project.
 * @param {string} slug
 * @param {'overview' | 'images' | 'versions'} here
 */
export function projectTabs(slug, here) {
  const place = projectAddress(slug);
  const tabs = [
    { name: 'overview', words: 'Overview', href: place },
    { name: 'images', words: 'Images', href: imagesAddress(slug, {}) },
    { name: 'versions', words: 'Versions', href: `${place}/versions` },
  ];
  return element(
    'nav',
    { class: 'tabs', 'aria-label': 'Views of the project' },
    ...tabs.map(({ name, words, href }) =>
      element('a', { href, 'aria-current': name === here && 'page' }, words),
    ),
  );
}

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

/** Whether boxes are what its images are annotated with. @param {{ type?: string }} project */
export function hasBoxes({ type = '' }) {
  return !type.endsWith('classification');
}

/** What its objects have beside boxes. @param {{ type?: string }} project */
export function shapesOf({ type = '' }) {
  if (type.endsWith('segmentation')) return 'outlines';
  return type === 'keypoint-detection' ? 'keypoints' : 'boxes';
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
