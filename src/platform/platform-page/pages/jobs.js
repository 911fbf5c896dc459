// The annotation jobs of a project: who has them, how far they are and what was sent back, with
// why; and how far each batch is.

import { ApiError, noneIfForbidden } from '../../../http-server/page-assets/api-error.js';
import { element } from '../../../http-server/page-assets/elements.js';
import { count } from '../../../http-server/page-assets/format.js';
import { agreementAddress, annotateAddress, imagesAddress, projectAddress } from '../addresses.js';
import { getProject, listBatches, listJobs, searchWorkspace } from '../api.js';
import { bar } from '../chart.js';
import { progressWords } from '../labelling/review-panel.js';
import { listPage } from '../list-page.js';
import { projectTabs } from '../project-tabs.js';
import { table } from '../table.js';
import { rowOf } from './evaluations.js';
import { SentBack } from './sent-back.js';

/** @import { Batch, Job, View } from '../types.ts' */

const heads = ['Job', 'Status', 'Person', 'Batch', 'Progress', 'Decided', 'Sent back', 'Agreement'];

/** Of so many jobs the images that were sent back are read at once; of others when asked for. */
const openedMax = 10;

/** Batches that are counted: each takes a few searches. */
const batchesMax = 20;

/** @param {string} slug @param {URLSearchParams} query @returns {Promise<View>} */
export async function jobsView(slug, query) {
  let now = await look(slug);
  const { jobs, batches } = now;
  const names = namesOf(batches);
  const shownBatches = batchList(slug);
  await shownBatches.show(batches);
  let left = openedMax;
  const list = await listPage({
    place: `${projectAddress(slug)}/jobs`,
    query,
    heads,
    fields: [
      { name: 'person', words: 'Person', options: optionsOf(jobs.flatMap(peopleOf)) },
      {
        name: 'status',
        words: 'Status',
        options: statuses.map((value) => ({ value, words: spaced(value) })),
      },
      {
        name: 'batch',
        words: 'Batch',
        options: optionsOf(jobs.map(batchOf), (id) => names.get(id) ?? id),
      },
    ],
    read: async (wanted) => {
      refuseStatus(wanted);
      return { items: now.jobs.filter((job) => fits(job, wanted)) };
    },
    row: (job) => {
      const { rejected = 0 } = job;
      const isOpen = rejected > 0 && left > 0;
      if (isOpen) left -= 1;
      return jobRow(slug, job, namesOf(now.batches), isOpen);
    },
    nothing: [
      'No annotation job yet. Choose ',
      element('a', { href: imagesAddress(slug, {}) }, 'images'),
      ', annotate them and press “Review these images”; an agent calls ',
      element('code', {}, 'annotation_review'),
      '.',
    ],
    none: 'No job is so: choose something else above.',
  });
  return {
    title: `${now.project.name}: annotation jobs`,
    content: element(
      'div',
      { class: 'stack' },
      projectTabs(slug, 'jobs'),
      list.content,
      shownBatches.root,
    ),
    refresh: async () => {
      const next = await look(slug);
      // Batches are counted anew where the project says that something is different.
      if (JSON.stringify(next) === JSON.stringify(now)) return;
      now = next;
      await Promise.all([list.refresh(), shownBatches.show(next.batches)]);
    },
  };
}

/** The jobs, the newest first, and what tells that the batches are further. @param {string} slug */
async function look(slug) {
  const [{ project }, jobs, batches] = await Promise.all([
    getProject(slug),
    listJobs(slug),
    // A key that reads jobs need not read batches.
    listBatches(slug).catch(noneIfForbidden),
  ]);
  return { project, jobs: jobs.toReversed(), batches };
}

/** @param {readonly Batch[]} batches @returns {ReadonlyMap<string, string>} */
function namesOf(batches) {
  return new Map(batches.map(({ id, name = id }) => [id, name]));
}

/** Those of the API. */
const statuses = ['assigned', 'in_progress', 'in_review', 'completed'];

/** The list is filtered here: no service says it. @param {Readonly<Record<string, string>>} wanted */
function refuseStatus({ status }) {
  if (status === undefined || statuses.includes(status)) return;
  const known = statuses.join(', ');
  throw new ApiError(400, `There is no status “${status}” of jobs. There are: ${known}.`);
}

/** @param {Job} job @param {Readonly<Record<string, string>>} wanted */
function fits(job, { person, status, batch }) {
  if (person !== undefined && !peopleOf(job).includes(person)) return false;
  if (status !== undefined && statusOf(job) !== status) return false;
  return batch === undefined || batchOf(job) === batch;
}

/** @param {Job} job */
function peopleOf({ labeler, reviewer }) {
  return [labeler, reviewer].flatMap((person) => person ?? []);
}

/** @param {Job} job */
function statusOf({ status = '' }) {
  return status;
}

/** @param {Job} job */
function batchOf({ sourceBatch = '' }) {
  return sourceBatch;
}

/** @param {string} status */
function spaced(status) {
  return status.replaceAll('_', ' ');
}

/** Each once, in their order. @param {readonly string[]} values @param {(value: string) => string} words */
function optionsOf(values, words = (value) => value) {
  return [...new Set(values)]
    .filter((value) => value !== '')
    .map((value) => ({ value, words: words(value) }))
    .toSorted((one, other) => one.words.localeCompare(other.words));
}

/** @param {string} slug @param {Job} job @param {ReadonlyMap<string, string>} batches @param {boolean} isOpen */
function jobRow(slug, job, batches, isOpen) {
  const { id = '', name = id, approved = 0, rejected = 0, annotated = 0, numImages = 0 } = job;
  const { independent = false } = job;
  const done = independent ? annotated : approved + rejected;
  const words = independent
    ? `${count(annotated)} of ${count(numImages)} labelled apart`
    : progressWords(job);
  return rowOf(
    element('a', { href: annotateAddress(slug, '', { job: id }) }, name),
    element('td', { class: 'short' }, spaced(statusOf(job))),
    element('td', {}, peopleWords(job)),
    element('td', {}, batches.get(batchOf(job)) ?? ''),
    element('td', {}, numImages > 0 && bar(done / numImages)),
    element('td', {}, words),
    element('td', {}, rejected > 0 && new SentBack(slug, id, rejected, isOpen).root),
    element('td', {}, element('a', { href: agreementAddress(slug, id) }, 'Compare')),
  );
}

/** @param {Job} job */
function peopleWords({ labeler, reviewer }) {
  if (labeler !== undefined && labeler === reviewer) return labeler;
  const words = [labeler && `${labeler} labels`, reviewer && `${reviewer} reviews`];
  return words.filter(Boolean).join(', ') || 'nobody yet';
}

/** @param {string} slug */
function batchList(slug) {
  const { content, show } = table(
    ['Batch', 'Labelled', '', 'Approved', 'Sent back', 'Without label'],
    '',
  );
  const note = element('p', { class: 'note' });
  const root = element('div', { class: 'stack' }, element('h3', {}, 'Batches'), content, note);
  return {
    root,
    /** @param {readonly Batch[]} batches the newest last */
    show: async (batches) => {
      const shown = batches.slice(-batchesMax).toReversed();
      show(await Promise.all(shown.map((batch) => batchRow(slug, batch))));
      root.hidden = shown.length === 0;
      note.hidden = shown.length === batches.length;
      note.textContent = `The ${count(shown.length)} newest of ${count(batches.length)} batches.`;
    },
  };
}

/** @param {string} slug @param {Batch} batch */
async function batchRow(slug, { id, name = id }) {
  const query = `batch:"${id}"`;
  const counted = async (/** @type {string} */ more) => {
    const { total } = await searchWorkspace(`project:${slug} ${query}${more}`, 1);
    return total ?? 0;
  };
  const [all, labelled, approved, sentBack] = await Promise.all(
    ['', ' annotated:true', ' review:approved', ' review:sent-back'].map(counted),
  );
  const [images = 0, done = 0] = [all, labelled];
  const link = (/** @type {number} */ figure, /** @type {string} */ more) =>
    element(
      'td',
      { class: 'number' },
      figure > 0
        ? element('a', { href: imagesAddress(slug, { query: query + more }) }, count(figure))
        : '0',
    );
  return rowOf(
    element('a', { href: imagesAddress(slug, { query }) }, name),
    element('td', {}, `${count(done)} of ${count(images)}`),
    element('td', {}, images > 0 && bar(done / images)),
    link(approved ?? 0, ' review:approved'),
    link(sentBack ?? 0, ' review:sent-back'),
    link(images - done, ' annotated:false'),
  );
}
