// What an evaluation suggests to do, each with its numbers, its causes and the next step.

import { element } from '../../../http-server/page-assets/elements.js';
import { capitalised, plainValue } from '../../../http-server/page-assets/format.js';
import { judgedAddress } from '../addresses.js';
import { fact } from '../facts.js';
import { spaced } from '../mistake-words.js';

/** @import { Evaluation, Recommendation } from '../types.ts' */

/** @param {string} slug @param {Evaluation} panel `recommendations` */
export function recommendationList(slug, { evaluationId: id, recommendations = [] }) {
  if (recommendations.length === 0)
    return element('p', { class: 'empty' }, 'Nothing is seen to do.');
  return element('ol', { class: 'cards' }, ...recommendations.map((one) => card(slug, id, one)));
}

/** @param {string} slug @param {string} id @param {Recommendation} one */
function card(slug, id, one) {
  const { name, level, class: of, other, figures, causes, look, next, why } = one;
  const what = [of, other].filter(Boolean).join(' as ');
  return element(
    'li',
    { class: 'card' },
    element('h4', {}, `${wordsOf(name)}${what && `: ${what}`}`),
    element(
      'p',
      { class: level === 'warning' ? 'bad' : 'quiet' },
      level === 'warning' ? 'The figures are not to be trusted as they are.' : 'Advice',
    ),
    element(
      'dl',
      { class: 'facts' },
      ...Object.entries(figures).map(([figure, value]) => fact(spaced(figure), shown(value))),
    ),
    causes.length > 0 && element('p', {}, 'Likely causes, the first one first:'),
    element('ol', { class: 'causes' }, ...causes.map((cause) => element('li', {}, cause))),
    name === 'wrong_class' && cellLink(slug, id, one),
    ...[look, next].flatMap((call) => linkOf(slug, id, call) ?? []),
    element('p', {}, why),
    element(
      'details',
      {},
      element('summary', {}, 'The next step as a call'),
      element(
        'pre',
        { class: 'log', tabindex: 0 },
        `${next.tool} ${JSON.stringify(next.arguments)}`,
      ),
    ),
  );
}

/** Those that are taken for the other class. @param {string} slug @param {string} id @param {Recommendation} one */
function cellLink(slug, id, { class: truth = '', other = '' }) {
  const href = judgedAddress(slug, id, { class: truth, found: other });
  return element('p', {}, element('a', { href }, `Show ${truth} found as ${other}`));
}

/** A panel of images stands on this page. @param {string} slug @param {string} id @param {Recommendation['look']} call */
function linkOf(slug, id, call) {
  if (call?.tool !== 'evaluations_get') return undefined;
  const { panel, class: of, only } = call.arguments;
  if (panel !== 'images' && panel !== 'label_mistakes') return undefined;
  const kind = String(only ?? (panel === 'images' ? 'all' : 'mistakes'));
  const href = judgedAddress(slug, id, { only: kind, class: of === undefined ? '' : String(of) });
  return element('p', {}, element('a', { href }, `Show ${spaced(kind)}`));
}

/** `missed_detection` as words. @param {string} name */
function wordsOf(name) {
  return capitalised(name.replaceAll('_', ' '));
}

/** @param {unknown} value */
function shown(value) {
  if (typeof value === 'number') return String(Number(value.toPrecision(4)));
  if (value === true) return 'yes';
  return value === false ? 'no' : plainValue(value);
}
