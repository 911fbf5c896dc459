// Outlines that are not closed yet, by image: who comes back to the image, or loads the page anew, goes on
// drawing. They are in the storage of this tab alone.

/** @import { Outline } from '../boxes.ts' */

const prefix = 'outline of ';

/** @param {string} image its id @param {Outline} points none: there is nothing to keep */
export function keepOutline(image, points) {
  try {
    if (points.length === 0) sessionStorage.removeItem(prefix + image);
    else sessionStorage.setItem(prefix + image, JSON.stringify(points));
  } catch {
    // A full storage must not end the drawing.
  }
}

/** Without points: nothing is kept. @param {string} image @returns {Outline} */
export function keptOutline(image) {
  try {
    const points = JSON.parse(sessionStorage.getItem(prefix + image) ?? '[]');
    return Array.isArray(points) && points.every(isPoint) ? points : [];
  } catch {
    return [];
  }
}

/** For the next person of this tab. */
export function forgetOutlines() {
  for (const name of Object.keys(sessionStorage)) {
    if (name.startsWith(prefix)) sessionStorage.removeItem(name);
  }
}

/** @param {unknown} value */
function isPoint(value) {
  return Array.isArray(value) && value.length === 2 && value.every(Number.isFinite);
}
