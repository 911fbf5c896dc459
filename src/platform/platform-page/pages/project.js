// One project: its counts, how its images are split, and its classes.

import { failureOf, noneIfForbidden } from '../../../http-server/page-assets/api-error.js';
import { element } from '../../../http-server/page-assets/elements.js';
import { count } from '../../../http-server/page-assets/format.js';
import { agreementAddress, annotateAddress, imagesAddress, projectAddress } from '../addresses.js';
import { getHealth, getProject, listJobs } from '../api.js';
import { bar, classChart, splitBar } from '../chart.js';
import { fact } from '../facts.js';
import { progressWords } from '../labelling/review-panel.js';
import { projectTabs } from '../project-tabs.js';
import { leadsToSignIn } from '../refused-key.js';
import { table } from '../table.js';
import { updateRows } from '../update-rows.js';

/** @import { Health, Job, View } from '../types.ts' */

/** @param {string} slug @returns {Promise<View>} */
export async function projectView(slug) {
  let now = await look(slug);
  const parts = element('div', { class: 'stack' }, ...partsOf(slug, now));
  const health = healthPlace(slug);
  return {
    title: now.project.name,
    content: element('div', { class: 'stack' }, projectTabs(slug, 'overview'), parts, health.root),
    refresh: async () => {
      const next = await look(slug);
      const isOther = JSON.stringify(next) !== JSON.stringify(now);
      now = next;
      if (isOther) updateRows(parts, partsOf(slug, now));
      health.follow(isOther);
    },
  };
}

/** @param {string} slug */
async function look(slug) {
  const [{ project, versions }, jobs] = await Promise.all([
    getProject(slug),
    // A key that reads projects need not read jobs.
    listJobs(slug).catch(noneIfForbidden),
  ]);
  return { project, versions: versions.length, jobs };
}

/** As many at any time, so that each is known where it stands. @param {string} slug @param {Awaited<ReturnType<typeof look>>} now */
function partsOf(slug, { project, versions, jobs }) {
  const { images = 0, unannotated = 0, splits = {} } = project;
  const href = annotateAddress(slug, '', { query: 'annotated:false' });
  const words = `Annotate the ${count(unannotated)} without annotation`;
  return [
    element(
      'dl',
      { class: 'facts' },
      fact('Images', count(images)),
      fact('Without annotation', count(unannotated)),
      fact('Versions', count(versions)),
    ),
    element('p', { hidden: unannotated === 0 }, element('a', { href }, words)),
    element('p', { class: 'empty', hidden: images > 0 }, nothing),
    element('div', { class: 'stack', hidden: jobs.length === 0 }, ...jobList(slug, jobs)),
    element('h3', {}, 'Splits'),
    splitBar(splits),
  ];
}

const nothing = 'The project has no image yet: images_upload sends some.';

/** So many looks for news lie between two counts of all labels. */
const looksBetween = 10;

/** What takes longer: all images are looked at, and after an upload their looks are waited for. @param {string} slug */
function healthPlace(slug) {
  const bar = element('progress', { 'aria-label': 'Counting the labels' });
  const root = element('div', { class: 'stack' }, bar);
  let [isBusy, isDue, looks] = [false, false, 0];
  const read = async () => {
    [isBusy, isDue, looks] = [true, false, 0];
    try {
      const { stats } = await getHealth(slug);
      updateRows(root, healthParts(slug, stats));
    } catch (thrown) {
      if (leadsToSignIn(thrown)) return;
      const words = failureOf(thrown).words;
      updateRows(root, [element('p', { class: 'bad', role: 'alert' }, words)]);
    }
    isBusy = false;
  };
  void read();
  return {
    root,
    /** Counts anew, once in a while. @param {boolean} isOther whether the project changed */
    follow: (isOther) => {
      isDue ||= isOther;
      looks += 1;
      if (isDue && !isBusy && looks >= looksBetween) void read();
    },
  };
}

/** @param {string} slug @param {Health['stats']} stats */
function healthParts(slug, stats) {
  const [width = 0, height = 0] = stats.avgImageSize.map(Math.round);
  return [
    element(
      'dl',
      { class: 'facts' },
      fact('Annotations', count(stats.numAnnotations)),
      fact('Marked as empty', count(stats.nullAnnotations)),
      fact('Average size', `${width} × ${height}`),
    ),
    element('h3', {}, 'Classes'),
    classChart(stats.classDistribution, (name) => imagesAddress(slug, { class: name })),
  ];
}

/** The newest ones; their page has all. */
const jobsMax = 10;

/** @param {string} slug @param {readonly Job[]} jobs */
function jobList(slug, jobs) {
  if (jobs.length === 0) return [];
  const { content, show } = table(['Job', 'Status', 'Decided', 'Progress', 'Agreement'], '');
  show(
    jobs
      .slice(-jobsMax)
      .toReversed()
      .map((job) => jobRow(slug, job)),
  );
  const href = `${projectAddress(slug)}/jobs`;
  const all = element('a', { href }, `All ${count(jobs.length)}, by person, status and batch`);
  return [element('h3', {}, 'Annotation jobs'), content, element('p', {}, all)];
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
