// What models saw in an image, and how it is drawn over the picture.

import { svg } from './elements.js';
import { percent } from './format.js';

/** @import { EventImage, Finding, Keypoint } from './types.ts' */

/**
 * Boxes, outlines and keypoints of an image. Boxes are centre-based in the contract; here they have
 * corners. What has no usable numbers is left out.
 * @param {EventImage} image
 * @returns {Finding[]}
 */
export function findingsOf(image) {
  return [
    ...(image.object_detections ?? []).map((shape) => finding('box', shape)),
    ...(image.instance_segmentations ?? []).map((shape) => finding('outline', shape)),
    ...(image.keypoints ?? []).map((shape) => finding('keypoints', shape)),
  ].filter(({ left, top, width, height }) => [left, top, width, height].every(Number.isFinite));
}

/**
 * Draws every finding by itself, with its label, so that each can be pointed at.
 * @param {SVGSVGElement} overlay
 * @param {readonly Finding[]} findings
 * @param {{ width: number, height: number }} size of the picture, in its own pixels
 */
export function drawFindings(overlay, findings, { width, height }) {
  overlay.setAttribute('viewBox', `0 0 ${width} ${height}`);
  const shapes = findings.map((found, index) => {
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
 * @param {Finding['kind']} kind
 * @param {Readonly<Record<string, unknown>>} shape
 * @returns {Finding}
 */
function finding(kind, shape) {
  const { x, y, width, height, confidence, points, keypoints } = shape;
  const [wide, high] = [number(width), number(height)];
  return {
    kind,
    class: String(shape.class ?? ''),
    confidence: typeof confidence === 'number' ? confidence : undefined,
    left: number(x) - wide / 2,
    top: number(y) - high / 2,
    width: wide,
    height: high,
    points: kind === 'outline' && Array.isArray(points) ? points.flatMap(pointOf) : [],
    keypoints: kind === 'keypoints' && Array.isArray(keypoints) ? keypoints.flatMap(joint) : [],
  };
}

/** @param {unknown} value */
function number(value) {
  return typeof value === 'number' ? value : Number.NaN;
}

/** @param {unknown} value @returns {[number, number][]} */
function pointOf(value) {
  const [x, y] = Array.isArray(value) ? value.map(number) : [];
  return Number.isFinite(x) && Number.isFinite(y) ? [[Number(x), Number(y)]] : [];
}

/** @param {Readonly<Record<string, unknown>> | null} value @returns {Keypoint[]} */
function joint(value) {
  const [x, y] = [number(value?.x), number(value?.y)];
  return Number.isFinite(x + y) ? [{ x, y, occluded: value?.occluded === true }] : [];
}

/** An outline where there is one, else the box. @param {Finding} found */
function pathOf({ points, left, top, width, height }) {
  if (points.length > 2) return `M${points.map(([x, y]) => `${x} ${y}`).join('L')}Z`;
  return `M${left} ${top}h${width}v${height}h${-width}Z`;
}

/** Points without a length: their round ends are dots of the same size on every picture. */
/** @param {Finding} found */
function jointsOf({ keypoints }) {
  return keypoints.map(({ x, y }) => `M${x} ${y}h0`).join('');
}
