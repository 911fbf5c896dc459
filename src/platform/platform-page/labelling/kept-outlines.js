// Outlines that are not closed yet, by image: who comes back to the image, or loads the page anew, goes on
// drawing. They are in the storage of this tab alone.

import { ownName, TabStorage } from './tab-storage.js';

/** @import { Outline } from '../boxes.ts' */

const outlines = new TabStorage('outline of ');

/** @param {string} image its id @param {Outline} points none: there is nothing to keep */
export function keepOutline(image, points) {
  outlines.keep(ownName(image), points);
}

/** Without points: nothing is kept. @param {string} image @returns {Outline} */
export function keptOutline(image) {
  const points = outlines.kept(ownName(image));
  return points.every(isPoint) ? points : [];
}

/** Those of who works here. */
export function forgetOutlines() {
  outlines.forget();
}

/** @param {unknown} value @returns {value is Outline[number]} */
function isPoint(value) {
  return Array.isArray(value) && value.length === 2 && value.every(Number.isFinite);
}
