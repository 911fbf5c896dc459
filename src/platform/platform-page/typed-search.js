// What is wrong with a search, told of the words that a person typed: more stands around them when
// images are looked for.

import { QueryText } from '../../query-language/grammar/query-text.js';
import { orderIn } from './labelling/image-queue.js';

/** Whether each bracket has its other one: else those that are put around the words would pair with them. @param {string} typed */
export function hasPairedBrackets(typed) {
  let open = 0;
  for (const [sign] of typed.matchAll(/"(?:[^"\\]|\\.)*"?|[()]/gs)) {
    if (sign === '(') open += 1;
    if (sign === ')') open -= 1;
    if (open < 0) return false;
  }
  return open === 0;
}

/**
 * @param {string} message of the platform, with a place in what was sent
 * @param {string} sent
 * @param {string} typed part of it; only what orders the search may stand elsewhere
 */
export function ofTypedWords(message, sent, typed) {
  const [, place] = /at character (\d+): /.exec(message) ?? [];
  if (place === undefined) return message;
  const at = [...sent].slice(0, Number(place) - 1).join('').length;
  const here = placeInTyped(at, sent, typed);
  if (here === undefined) return message;
  const [was, is] = [wordsAt(sent, at), wordsAt(typed, here)];
  return message.replace(was.message, () => is.message).replace(was.look, () => is.look);
}

/** Undefined: it is elsewhere. @param {number} at @param {string} sent @param {string} typed */
function placeInTyped(at, sent, typed) {
  const order = orderIn(typed);
  const orderAt = typed.indexOf(order);
  const ofOrder = at - (sent.length - order.length);
  if (order !== '' && ofOrder >= 0) return orderAt + ofOrder;
  const without = typed.replace(order, '');
  const conditions = without.trim();
  const inConditions = at - sent.lastIndexOf(`(${conditions})`) - 1;
  if (inConditions < 0 || inConditions > conditions.length) return undefined;
  const place = inConditions + without.indexOf(conditions);
  return order !== '' && place >= orderAt ? place + order.length : place;
}

/** How a message points at a place. @param {string} text @param {number} at */
function wordsAt(text, at) {
  const of = new QueryText(text, (message, look) => Object.assign(new Error(message), { look }));
  return of.error(at, '');
}
