// Beside the picture: what a model sees, as a list, and what can be done with it.

import { colourOf, labelOf } from '../../../http-server/page-assets/drawing.js';
import { element } from '../../../http-server/page-assets/elements.js';
import { mistakeWords } from '../mistake-words.js';
import { button } from './panel-parts.js';

/** @import { Prediction } from '../boxes.ts' */
/** @import { PredictionDecisions, ShownPredictions } from './prediction-decisions.js' */

export class PredictionPanel {
  root;
  #decisions;
  #percent = '';
  #head = element('p', { class: 'quiet' });
  #mistakes = element('ul', { 'aria-label': 'What may be wrong' });
  #threshold = element('input', {
    type: 'number',
    min: 0,
    max: 100,
    step: 5,
    'aria-label': 'Show predictions from this percentage on',
  });
  #list = element('ol', { class: 'boxes', 'aria-label': 'Predictions' });
  #accept = button('Accept', () => this.#decisions.accept());
  #refuse = button('Refuse', () => this.#decisions.refuse());
  #restore = button('', () => this.#decisions.restore());
  #acceptAll = button('Accept all', () => this.#decisions.acceptAll());

  /** @param {PredictionDecisions} decisions */
  constructor(decisions) {
    this.#decisions = decisions;
    this.#threshold.addEventListener('change', () => {
      decisions.showFrom(this.#threshold.valueAsNumber / 100 || 0);
    });
    this.#threshold.addEventListener('blur', () => {
      this.#threshold.value = this.#percent;
    });
    this.root = element(
      'section',
      { class: 'stack', 'aria-label': 'Predictions', hidden: true },
      this.#mistakes,
      this.#head,
      element('label', { class: 'row' }, 'From', this.#threshold, '%'),
      element('div', { class: 'row' }, this.#accept, this.#refuse, this.#acceptAll, this.#restore),
      this.#list,
    );
  }

  /** @param {ShownPredictions} shown */
  show({ open, chosen, refused, areThere, mistakes, source, problem, threshold }) {
    this.root.hidden = !areThere && problem === '';
    this.#mistakes.hidden = mistakes.length === 0;
    this.#mistakes.replaceChildren(
      ...mistakes.map((one) => element('li', {}, `In doubt: ${mistakeWords(one)}`)),
    );
    const what = open.length === 1 ? '1 prediction' : `${open.length} predictions`;
    this.#head.textContent = problem || `${what} to decide about, of ${source}`;
    this.#percent = String(Math.round(threshold * 100));
    // What somebody types stays.
    if (document.activeElement !== this.#threshold) this.#threshold.value = this.#percent;
    this.#accept.disabled = chosen === undefined;
    this.#refuse.disabled = chosen === undefined;
    this.#acceptAll.disabled = open.length === 0;
    this.#restore.hidden = refused === 0;
    this.#restore.textContent = `Show ${refused} refused`;
    const hadFocus = this.#list.contains(document.activeElement);
    this.#list.replaceChildren(...open.map((prediction) => this.#row(prediction, chosen)));
    const at = chosen === undefined ? 0 : open.indexOf(chosen);
    if (hadFocus) this.#list.querySelectorAll('button')[at]?.focus();
  }

  /** @param {Prediction} prediction @param {Prediction | undefined} chosen */
  #row(prediction, chosen) {
    const { box, score, by } = prediction;
    const name = labelOf({ class: box.class, confidence: score });
    const words = by === undefined ? name : `${name}, ${by}`;
    const choice = button(words, () => this.#decisions.choose(prediction));
    choice.className = `box-row predicted c${colourOf(box.class)}`;
    choice.setAttribute('aria-pressed', String(prediction === chosen));
    return element('li', {}, choice);
  }
}
