// How far people labelled the images of a job alike, and the way to those where they did not.

import { failureOf } from '../../../http-server/page-assets/api-error.js';
import { element } from '../../../http-server/page-assets/elements.js';
import { count } from '../../../http-server/page-assets/format.js';
import { annotateAddress, projectAddress } from '../addresses.js';
import { createIndependentJob, createReview, getAgreement, getJobImages } from '../api.js';
import { fact } from '../facts.js';
import { button } from '../labelling/panel-parts.js';
import { projectTabs } from '../project-tabs.js';
import { table } from '../table.js';

/** @import { Agreement, Job, View } from '../types.ts' */

/** Rows of one list of images; the review has all. */
const rowsMax = 200;

/** By what objects are compared; nothing is said where there are boxes or classes alone. */
const comparedWords = new Map([
  ['masks', 'masks'],
  ['boxes', 'boxes only'],
  ['masks_and_boxes', 'masks; boxes where there is no outline'],
]);

/** @param {string} slug @param {string} id of the job @returns {Promise<View>} */
export async function agreementView(slug, id) {
  const { job, agreement } = await getAgreement(slug, id);
  const { name = id, labeler = 'the labeler' } = job;
  return {
    title: `${name}: agreement`,
    content: element(
      'div',
      { class: 'stack' },
      projectTabs(slug, 'overview'),
      element(
        'p',
        {},
        job.independent === true
          ? `What ${labeler} labelled apart, beside what others say of the same images.`
          : 'The labels of these images, beside what people say of them apart.',
      ),
      agreement.length === 0 &&
        element(
          'p',
          { class: 'empty' },
          'No image is labelled by two people yet: give the images to a second person below.',
        ),
      ...agreement.map((one) => comparison(slug, job, one)),
      secondPerson(slug, job),
    ),
  };
}

/** @param {string} slug @param {Job} job @param {Agreement} compared */
function comparison(slug, job, compared) {
  const { f1, images, both, one, other, disagreements } = compared;
  const { mean_iou: iou, cohens_kappa: kappa, not_compared: left = 0 } = compared;
  const by = comparedWords.get(compared.compared_by ?? '');
  const whom = whomOf(compared);
  const classes = table(['Class', 'F1', 'Both', 'Only here', 'Only there'], '');
  classes.show(compared.classes.map((found) => figuresRow(found.class, found)));
  const shown = disagreements.slice(0, rowsMax);
  const rows = table(
    ['Image', 'F1', 'Both', 'Only here', 'Only there'],
    'They agree on every image.',
  );
  rows.show(
    shown.map((found) => {
      const href = annotateAddress(slug, found.id, { job: job.independent ? '' : (job.id ?? '') });
      return figuresRow(element('a', { href }, found.name), found);
    }),
  );
  const problem = element('p', { role: 'status' });
  const isOpen = job.independent === true && (job.unannotated ?? 0) > 0;
  const later = 'Which images differ is told once all are labelled: until then nobody is swayed.';
  return element(
    'section',
    { class: 'stack', 'aria-label': `With ${whom}` },
    element('h3', {}, `With ${whom}`),
    element(
      'dl',
      { class: 'facts' },
      fact('F1 at IoU 0.5', f1.toFixed(2)),
      kappa !== undefined && fact("Cohen's kappa of the classes", kappa.toFixed(2)),
      iou !== undefined && fact('Mean IoU', iou.toFixed(2)),
      fact('Images of both', count(images)),
      fact('Objects of both', count(both)),
      fact('Only here', count(one - both)),
      fact('Only there', count(other - both)),
      by !== undefined && fact('Compared', by),
      left > 0 && fact('Images with too many objects', count(left)),
    ),
    classes.content,
    isOpen ? element('p', { class: 'note' }, later) : rows.content,
    disagreements.length > shown.length &&
      element('p', { class: 'note' }, `and ${count(disagreements.length - shown.length)} more`),
    disagreements.length > 0 &&
      button(`Review the ${count(disagreements.length)} images where they differ`, async () => {
        problem.textContent = await review(slug, job, compared);
      }),
    problem,
  );
}

/** Goes there, or says why not. @param {string} slug @param {Job} job @param {Agreement} compared */
async function review(slug, job, compared) {
  const words = `Where ${job.name ?? 'a job'} and ${whomOf(compared)} differ`.slice(0, 200);
  const ids = compared.disagreements.map(({ id }) => id);
  return attempt(async () => {
    location.hash = annotateAddress(slug, '', { job: await createReview(slug, words, ids, true) });
  });
}

/** The images once more, for somebody who sees nobody's labels. @param {string} slug @param {Job} job */
function secondPerson(slug, job) {
  const email = element('input', { type: 'email', name: 'email', required: true });
  const state = element('p', { role: 'status' });
  const submit = element('button', { type: 'submit' }, 'Give them the same images');
  const form = element(
    'form',
    { class: 'row', autocomplete: 'off', 'aria-label': 'A second person' },
    element('label', {}, 'E-mail of a second person ', email),
    submit,
  );
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    submit.disabled = true;
    state.textContent = await attempt(async () => {
      const { images } = await getJobImages(slug, job.id ?? '');
      const ids = images.map(({ id }) => id);
      const name = `${job.name ?? 'Images'}, once more`.slice(-200).toWellFormed();
      await createIndependentJob(slug, name, ids, email.value.trim());
      location.hash = projectAddress(slug);
    });
    submit.disabled = false;
  });
  const words = 'They see neither labels nor predictions, and theirs are kept apart.';
  return element(
    'div',
    { class: 'stack' },
    element('h3', {}, 'Label them once more'),
    form,
    element('p', { class: 'quiet' }, words),
    state,
  );
}

/** What went wrong; empty: nothing. @param {() => Promise<void>} act */
async function attempt(act) {
  try {
    await act();
    return '';
  } catch (thrown) {
    return failureOf(thrown).words;
  }
}

/** @param {Agreement} compared */
function whomOf({ with: other, labeler }) {
  return other === 'labels' ? 'the labels of the images' : (labeler ?? 'another job');
}

/** @param {string | HTMLElement} name @param {{ f1: number, both: number, one: number, other: number }} figures */
function figuresRow(name, { f1, both, one, other }) {
  const numbers = [f1.toFixed(2), count(both), count(one - both), count(other - both)];
  return element(
    'tr',
    {},
    element('th', { scope: 'row' }, name),
    ...numbers.map((number) => element('td', { class: 'number' }, number)),
  );
}
