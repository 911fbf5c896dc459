// One project: its counts, how its images are split, and its classes.

import { element } from '../../../http-server/page-assets/elements.js';
import { count } from '../../../http-server/page-assets/format.js';
import { agreementAddress, annotateAddress, imagesAddress, projectAddress } from '../addresses.js';
import { getHealth, getProject, listJobs } from '../api.js';
import { bar, classChart, splitBar } from '../chart.js';
import { fact } from '../facts.js';
import { progressWords } from '../labelling/review-panel.js';
import { projectTabs } from '../project-tabs.js';
import { table } from '../table.js';

/** @import { Job, View } from '../types.ts' */

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
