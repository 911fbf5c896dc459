// How what was found in a picture is drawn over it.

import { svg } from './elements.js';
import { percent } from './format.js';

/** @import { Finding } from './types.ts' */

/**
 * Draws every finding by itself, with its label, so that each can be pointed at.
 * @param {SVGSVGElement} overlay
 * @param {readonly Finding[]} findings
 * @param {{ width: number, height: number }} size of the picture, in its own pixels
 * @param {(found: Finding, index: number) => boolean} [isDrawn] all unless given
 */
export function drawFindings(overlay, findings, { width, height }, isDrawn = () => true) {
  overlay.setAttribute('viewBox', `0 0 ${width} ${height}`);
  const shapes = findings.flatMap((found, index) => {
    if (!isDrawn(found, index)) return [];
    const path = pathOf(found);
    return svg(
      'g',
      { class: `finding c${colourOf(found.class)}`, 'data-index': index },
      svg('path', { class: 'halo', d: path }),
      svg('path', { class: `shape ${found.kind}`, d: path }),
      ...found.keypoints.map(({ x, y, occluded }) =>
        svg('path', { class: occluded ? 'joint occluded' : 'joint', d: `M${x} ${y}h0` }),
      ),
    );
  });
  overlay.replaceChildren(...shapes);
}

/**
 * The same where a picture has hundreds of boxes: those of a class are one shape, but for the chosen
 * one. Outlines, whose fill lies over each other, and what has points stand by themselves.
 * @param {SVGSVGElement} overlay
 * @param {readonly Finding[]} findings
 * @param {{ width: number, height: number }} size of the picture, in its own pixels
 * @param {number | undefined} chosen index
 */
export function drawMany(overlay, findings, size, chosen) {
  drawFindings(overlay, findings, size, (found, index) => isSingle(found) || index === chosen);
  const boxes = findings.filter((found, index) => !isSingle(found) && index !== chosen);
  const groups = Map.groupBy(boxes, (found) => colourOf(found.class));
  overlay.prepend(
    svg('path', { class: 'halo', d: boxes.map(pathOf).join('') }),
    ...[...groups].map(([colour, group]) =>
      svg('path', { class: `shape box c${colour}`, d: group.map(pathOf).join('') }),
    ),
  );
}

/** @param {Finding} found */
function isSingle({ kind, keypoints }) {
  return kind === 'outline' || keypoints.length > 0;
}

/**
 * Draws all findings of a class as one shape: cheap enough for a thousand pictures.
 * @param {SVGSVGElement} overlay
 * @param {readonly Finding[]} findings
 * @param {{ width: number, height: number }} size
 */
export function drawSmall(overlay, findings, { width, height }) {
  overlay.setAttribute('viewBox', `0 0 ${width} ${height}`);
  const all = findings.map(pathOf).join('');
  const groups = Map.groupBy(findings, (found) => colourOf(found.class));
  overlay.replaceChildren(
    svg('path', { class: 'halo', d: all }),
    ...[...groups].flatMap(([colour, group]) => [
      svg('path', { class: `shape c${colour}`, d: group.map(pathOf).join('') }),
      svg('path', { class: `joint c${colour}`, d: group.map(jointsOf).join('') }),
    ]),
  );
}

/** `RBC 97 %`. @param {{ class: string, confidence: number | undefined }} found */
export function labelOf(found) {
  return found.confidence === undefined
    ? found.class
    : `${found.class} ${percent(found.confidence)}`;
}

const coloursMax = 12;
/** @type {Map<string, number>} */
const colours = new Map();

/**
 * The colour of a class: by its name, so that it is the same after a reload; two classes share one
 * only when there are more of them than colours.
 * @param {string} name
 */
export function colourOf(name) {
  const known = colours.get(name);
  if (known !== undefined) return known;
  let colour = hash(name) % coloursMax;
  const taken = new Set(colours.values());
  for (let tries = 0; tries < coloursMax && taken.has(colour); tries += 1) {
    colour = (colour + 5) % coloursMax;
  }
  colours.set(name, colour);
  return colour;
}

/** @param {string} text */
function hash(text) {
  let value = 7;
  for (const character of text) value = (value * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
  return value;
}

/**
 * How often each class was seen, the most frequent first.
 * @param {readonly { class: string }[]} findings
 * @returns {[name: string, times: number][]}
 */
export function classCounts(findings) {
  const groups = Map.groupBy(findings, (found) => found.class);
  return [...groups]
    .map(([name, group]) => /** @type {[string, number]} */ ([name, group.length]))
    .sort(([, a], [, b]) => b - a);
}

/** An outline where there is one, else the box. @param {Finding} found */
export function pathOf({ points, left, top, width, height }) {
  if (points.length > 2) return `M${points.map(([x, y]) => `${x} ${y}`).join('L')}Z`;
  return `M${left} ${top}h${width}v${height}h${-width}Z`;
}

/**
 * Points without a length: their round ends are dots of the same size on every picture.
 * @param {Finding} found
 */
function jointsOf({ keypoints }) {
  return keypoints.map(({ x, y }) => `M${x} ${y}h0`).join('');
}
