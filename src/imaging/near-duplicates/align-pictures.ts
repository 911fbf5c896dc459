// Lays one coarse picture over another, moved and scaled, so that they differ least: by the method
// of Gauss and Newton, as Lucas and Kanade register images.

import { limits } from '../../limits.ts';
import { coefficientStep, descriptorSide as side } from '../cosine-transform-basis.ts';
import type { Picture } from './centred-descriptors.ts';

/**
 * Whether both show one place, as far as a fit is found from where they lie upon each other: half
 * of the picture or more, by `limits.overlapLikenessMin` and `limits.overlapDistanceMax`.
 * `inGrey`: by their light alone.
 */
export function doOverlap(moved: Picture, still: Picture, inGrey: boolean): boolean {
  const planes = inGrey ? allPlanes.slice(0, 1) : allPlanes;
  let fit: Fit = { scaleX: 1, scaleY: 1, left: 0, top: 0 };
  let best = -1;
  for (let step = 0; step <= stepsMax && !isTooFar(fit); step += 1) {
    const share = comparePictures({ moved, still, planes }, fit);
    if (share < overlapMin) return false;
    const { likeness, distance } = overlapOf(share);
    if (likeness >= limits.overlapLikenessMin && distance <= limits.overlapDistanceMax) return true;
    if (likeness < best + gainMin || likeness < (likenessOfHope[step] ?? 0)) return false;
    best = likeness;
    const change = solve();
    fit = {
      scaleX: fit.scaleX + within(change[0], scaleStepMax),
      scaleY: fit.scaleY + within(change[1], scaleStepMax),
      left: fit.left + within(change[2], pixelStepMax),
      top: fit.top + within(change[3], pixelStepMax),
    };
  }
  return false;
}

interface Overlap {
  /** Correlation of what both show: 1 for the same, whatever its light. */
  readonly likeness: number;
  /** How far what both show is apart, light aside, as a distance of two descriptors. */
  readonly distance: number;
}

/** Where a point of the still picture lies in the moved one; both counted from the middle. */
interface Fit {
  readonly scaleX: number;
  readonly scaleY: number;
  readonly left: number;
  readonly top: number;
}

const stepsMax = 6;
/** After each step. Of BCCD, 99 % of the pairs of one place are at least as much alike. */
const likenessOfHope = [0, 0.8, 0.86, 0.88];
const gainMin = 0.001;
const scaleStepMax = 0.08;
const pixelStepMax = 2.5;

/** The points of each plane that are compared: the finest cosine of light is 9 pixels long. */
const allPlanes = [3, 4, 4].map((step, plane) => {
  const across = Math.ceil(side / step);
  return { first: plane * side ** 2, step, start: Math.floor(step / 2), points: across ** 2 };
});
const overlapMin = 0.5;

type Plane = (typeof allPlanes)[number];

interface Pair {
  readonly moved: Picture;
  readonly still: Picture;
  /** Of both. */
  readonly planes: readonly Plane[];
}

function isTooFar({ scaleX, scaleY, left, top }: Fit): boolean {
  const [least, most] = [Math.min(scaleX, scaleY), Math.max(scaleX, scaleY)];
  return least < 0.7 || most > 1.4 || most > least * 1.15 || Math.hypot(left, top) > side / 2;
}

function within(value: number | undefined, most: number): number {
  return Math.max(-most, Math.min(most, value ?? 0));
}

/** The four derivatives of the moved picture by a fit, then both pictures. */
const columns = 6;
const parts = 4;
const [ofMoved, ofStill] = [4, 5];

// Made once: this runs many thousand times, and never twice at once.
const rows = new Float64Array(side ** 2 * columns);
const means = new Float64Array(columns);
/** Sums over all pixels of the products of two columns, each less its mean in its plane. */
const products = new Float64Array(columns ** 2);

/** Fills `products`, and returns which share of the still picture the other one covers. */
function comparePictures({ planes, ...pictures }: Pair, fit: Fit): number {
  products.fill(0);
  let share = 0;
  for (const plane of planes) {
    const points = comparePlane(pictures, fit, plane);
    addProducts(points, side ** 2 / plane.points);
    share = points / plane.points;
  }
  return share;
}

const middle = (side - 1) / 2;

/** A row for each point that lies in both. */
function comparePlane(
  { moved, still }: Omit<Pair, 'planes'>,
  fit: Fit,
  { first, start, step }: Plane,
): number {
  let end = 0;
  for (let y = start; y < side; y += step) {
    const movedY = middle + fit.scaleY * (y - middle) + fit.top;
    if (movedY < 0 || movedY > side - 1) continue;
    const top = Math.min(side - 2, Math.floor(movedY));
    const shareY = movedY - top;
    for (let x = start; x < side; x += step) {
      const movedX = middle + fit.scaleX * (x - middle) + fit.left;
      if (movedX < 0 || movedX > side - 1) continue;
      const left = Math.min(side - 2, Math.floor(movedX));
      const shareX = movedX - left;
      const at = first + top * side + left;
      const [a = 0, b = 0] = [moved[at], moved[at + 1]];
      const [c = 0, d = 0] = [moved[at + side], moved[at + side + 1]];
      const [upper, lower] = [a + (b - a) * shareX, c + (d - c) * shareX];
      const [slopeX, slopeY] = [(b - a) * (1 - shareY) + (d - c) * shareY, lower - upper];
      rows[end] = slopeX * (x - middle);
      rows[end + 1] = slopeY * (y - middle);
      rows[end + 2] = slopeX;
      rows[end + 3] = slopeY;
      rows[end + ofMoved] = upper + slopeY * shareY;
      rows[end + ofStill] = still[first + y * side + x] ?? 0;
      end += columns;
    }
  }
  return end / columns;
}

/** `weight`: how many pixels a point stands for. */
function addProducts(points: number, weight: number): void {
  const end = points * columns;
  means.fill(0);
  for (let at = 0; at < end; at += columns) {
    for (let one = 0; one < columns; one += 1)
      means[one] = (means[one] ?? 0) + (rows[at + one] ?? 0);
  }
  for (let one = 0; one < columns; one += 1) {
    for (let other = one; other < columns; other += 1) {
      let sum = 0;
      for (let at = 0; at < end; at += columns)
        sum += (rows[at + one] ?? 0) * (rows[at + other] ?? 0);
      const place = one * columns + other;
      const ofMeans = ((means[one] ?? 0) * (means[other] ?? 0)) / Math.max(1, points);
      products[place] = (products[place] ?? 0) + (sum - ofMeans) * weight;
    }
  }
}

function product(one: number, other: number): number {
  return products[Math.min(one, other) * columns + Math.max(one, other)] ?? 0;
}

function overlapOf(share: number): Overlap {
  const [moved, still] = [product(ofMoved, ofMoved), product(ofStill, ofStill)];
  const both = product(ofMoved, ofStill);
  return {
    likeness: both / Math.sqrt(Math.max(Number.EPSILON, moved * still)),
    // The squares of all coefficients are together those of all pixels.
    distance: Math.sqrt(Math.max(0, moved + still - 2 * both) / share) / coefficientStep,
  };
}

/** The change of a fit after which the pictures differ least, as far as their slopes tell. */
function solve(): readonly number[] {
  const matrix = Array.from({ length: parts }, (_, row) => [
    // A little more than it is on the diagonal: then it has a solution, and the steps are no wider.
    ...Array.from({ length: parts }, (_, at) => product(row, at) * (row === at ? 1.02 : 1)),
    product(row, ofStill) - product(row, ofMoved),
  ]);
  for (const [at, pivot] of matrix.entries()) {
    const size = pivot[at] || 1;
    for (const [below, row] of matrix.entries()) {
      if (below === at) continue;
      const factor = (row[at] ?? 0) / size;
      for (let place = at; place <= parts; place += 1) {
        row[place] = (row[place] ?? 0) - factor * (pivot[place] ?? 0);
      }
    }
  }
  return matrix.map((row, at) => (row[parts] ?? 0) / (row[at] || 1));
}
