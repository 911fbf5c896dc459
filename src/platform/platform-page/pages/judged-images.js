// Images of an evaluation, by what is wrong in them: labels beside predictions, and the way to go
// through them on the labelling page or in a review.

import { element } from '../../../http-server/page-assets/elements.js';
import { count } from '../../../http-server/page-assets/format.js';
import { annotateAddress, evaluationAddress, judgedAddress } from '../addresses.js';
import { getEvaluation, getProject } from '../api.js';
import { refuseUnknown } from '../known-conditions.js';
import { idsOfQuery } from '../labelling/image-queue.js';
import { button } from '../labelling/panel-parts.js';
import { startReview } from '../labelling/review.js';
import { mistakeWords, spaced } from '../mistake-words.js';
import { offsetIn, pageLinks } from '../page-links.js';
import { projectTabs } from '../project-tabs.js';
import { table } from '../table.js';
import { rowOf } from './evaluations.js';

/** @import { JudgedWanted } from '../addresses.js' */
/** @import { Evaluation, View } from '../types.ts' */

/** As many as one contact sheet draws. */
const pageSize = 8;

/** As many as one review takes. */
const reviewedMax = 2_000;

const errors = ['all', 'misses', 'false_positives'];
const mistakes = ['mistakes', 'overlooked', 'swapped', 'badly_placed', 'duplicate'];

/** @param {string} slug @param {string} id @param {URLSearchParams} query @returns {Promise<View>} */
export async function judgedImagesView(slug, id, query) {
  refuseUnknown(query, ['only', 'class', 'found', 'score', 'offset']);
  const wanted = wantedIn(query);
  const [{ project }, summary, panel] = await Promise.all([
    getProject(slug),
    getEvaluation(slug, id, { panel: 'per_class', limit: '100' }),
    getEvaluation(slug, id, panelQuery(wanted)),
  ]);
  const classes = (summary.classes ?? []).map((one) => one.class);
  const { sheet, contentType = 'image/jpeg', total = 0, search } = panel;
  return {
    title: `${project.name}: ${wordsOf(wanted)}`,
    content: element(
      'div',
      { class: 'stack' },
      projectTabs(slug, 'evaluations'),
      element('p', {}, element('a', { href: evaluationAddress(slug, id) }, '‹ The evaluation')),
      choices(slug, id, wanted, classes),
      search !== undefined && total > 0 && ways(slug, search, wordsOf(wanted)),
      sheet !== undefined &&
        element('img', {
          class: 'sheet',
          src: `data:${contentType};base64,${sheet}`,
          alt: 'The images of this page: labels at the left, what was found at the right',
        }),
      total === 0
        ? element('p', { class: 'empty' }, 'No image is so: choose something else above.')
        : rowsOf(slug, panel),
      pageLinks({ offset: wanted.offset, total, pageSize }, (offset) =>
        judgedAddress(slug, id, { ...wanted, offset }),
      ),
    ),
  };
}

/** @param {URLSearchParams} query @returns {Required<JudgedWanted>} */
function wantedIn(query) {
  const found = query.get('found') ?? '';
  return {
    only: found === '' ? (query.get('only') ?? 'all') : '',
    class: query.get('class') ?? '',
    found,
    scoreMin: query.get('score') ?? '',
    offset: offsetIn(query),
  };
}

/** @param {Required<JudgedWanted>} wanted */
function panelQuery({ only, class: name, found, scoreMin, offset }) {
  const isOfLabels = mistakes.includes(only);
  const isKind = only !== '' && only !== 'all' && only !== 'mistakes';
  return {
    panel: isOfLabels ? 'label_mistakes' : 'images',
    picture: 'true',
    limit: String(pageSize),
    offset: String(offset),
    ...(name && { class: name }),
    ...(found && { found }),
    ...(isKind && { only }),
    ...(isOfLabels && scoreMin && { scoreMin }),
  };
}

/** @param {Required<JudgedWanted>} wanted */
function wordsOf({ only, class: name, found }) {
  if (found !== '') return `${name} found as ${found}`;
  const what = only === 'all' ? 'images, most errors first' : spaced(only);
  return name === '' ? what : `${what} of ${name}`;
}

/** @param {string} slug @param {string} id @param {Required<JudgedWanted>} wanted @param {readonly string[]} classes */
function choices(slug, id, wanted, classes) {
  const { only, found, scoreMin } = wanted;
  const kinds = found === '' ? [...errors, ...mistakes] : ['', ...errors, ...mistakes];
  const kind = choice('only', kinds, only, (name) =>
    name === '' ? `found as ${found}` : spaced(name),
  );
  const isCell = found !== '';
  const names = isCell && !classes.includes(wanted.class) ? [wanted.class, ...classes] : classes;
  const ofClass = choice('class', ['', ...names], wanted.class, (name) => name || 'Any class');
  const score = element('input', {
    name: 'score',
    type: 'number',
    min: 0,
    max: 1,
    step: 0.05,
    value: scoreMin,
    disabled: !mistakes.includes(only),
  });
  const form = element(
    'form',
    { class: 'row', 'aria-label': 'Which images', autocomplete: 'off' },
    element('label', {}, 'What ', kind),
    element('label', {}, 'Class ', ofClass),
    element('label', {}, 'Score from ', score),
    element('button', { type: 'submit' }, 'Show'),
  );
  const show = () => {
    location.hash = judgedAddress(slug, id, {
      only: kind.value,
      class: ofClass.value,
      found: kind.value === '' && ofClass.value !== '' ? found : '',
      scoreMin: mistakes.includes(kind.value) ? score.value : '',
    });
  };
  for (const one of [kind, ofClass]) one.addEventListener('change', show);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    show();
  });
  return form;
}

/** @param {string} name @param {readonly string[]} values @param {string} chosen @param {(value: string) => string} words */
function choice(name, values, chosen, words) {
  return element(
    'select',
    { name },
    ...values.map((value) =>
      element('option', { value, selected: value === chosen }, words(value)),
    ),
  );
}

/** @param {string} slug @param {string} search @param {string} words */
function ways(slug, search, words) {
  const problem = element('span', { class: 'bad', role: 'status' });
  const queue = { query: search, job: '' };
  const review = button('Review all of them', async () => {
    const { ids, isOrdered } = await idsOfQuery(slug, queue, 0, reviewedMax);
    problem.textContent = (await startReview(slug, { queue, ids, isOrdered }, words)) ?? '';
  });
  return element(
    'p',
    { class: 'row' },
    element('a', { href: annotateAddress(slug, '', queue) }, 'Go through them'),
    review,
    problem,
  );
}

/** @param {string} slug @param {Evaluation} panel */
function rowsOf(slug, { evaluationId: id, results, mislabelled = [] }) {
  if (results !== undefined) {
    const { content, show } = table(['Image', 'Right', 'Wrong', 'Missed'], '');
    show(
      results.map(({ image, imageId, truePositives, falsePositives, misses }) =>
        rowOf(
          linkOf(slug, id, image, imageId),
          ...[truePositives, falsePositives, misses].map((figure) =>
            element('td', { class: 'number' }, count(figure)),
          ),
        ),
      ),
    );
    return content;
  }
  const { content, show } = table(['Image', 'What may be wrong'], '');
  show(
    mislabelled.map(({ image, imageId, mistakes: some, total }) =>
      rowOf(
        linkOf(slug, id, image, imageId),
        element(
          'td',
          {},
          element('ul', {}, ...some.map((one) => element('li', {}, mistakeWords(one)))),
          total > some.length && element('small', {}, `and ${count(total - some.length)} more`),
        ),
      ),
    ),
  );
  return content;
}

/** @param {string} slug @param {string} id @param {string} name @param {string | undefined} imageId */
function linkOf(slug, id, name, imageId) {
  if (imageId === undefined) return name;
  const query = `evaluation:${id}`;
  return element('a', { href: annotateAddress(slug, imageId, { query }) }, name);
}
