// Fewer corners for an outline: those that change it least are left out (Ramer, Douglas, Peucker).

import { limits } from '../limits.ts';

/**
 * `outline`: x and y of each corner, a closed ring. What is left out lies within `tolerance` of
 * what stays, or farther where more than `cornersMax` would stay.
 */
export function simplifyOutline(
  outline: Float64Array,
  tolerance: number,
  cornersMax: number,
): Float64Array {
  const points = thinned(outline);
  for (let most = tolerance; ; most *= 1.5) {
    const kept = keptCorners(points, most);
    if (kept.length <= cornersMax) {
      return Float64Array.from(
        kept.flatMap((at) => [points[2 * at] ?? 0, points[2 * at + 1] ?? 0]),
      );
    }
  }
}

function thinned(outline: Float64Array): Float64Array {
  const step = Math.ceil(outline.length / 2 / limits.tracedCornersMax);
  return step <= 1 ? outline : outline.filter((_, at) => Math.floor(at / 2) % step === 0);
}

/** Numbers of the corners that stay, ascending; the first and the farthest from it always do. */
function keptCorners(points: Float64Array, tolerance: number): readonly number[] {
  const count = points.length / 2;
  const farthest = farthestFrom(points);
  const isKept = new Uint8Array(count);
  isKept[0] = 1;
  isKept[farthest] = 1;
  const open: [from: number, to: number][] = [
    [0, farthest],
    [farthest, count],
  ];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    const [from, to] = part;
    const { at, distance } = farthestFromLine(points, from, to);
    if (distance <= tolerance) continue;
    isKept[at] = 1;
    open.push([from, at], [at, to]);
  }
  return Array.from({ length: count }, (_, at) => at).filter((at) => isKept[at] === 1);
}

function farthestFrom(points: Float64Array): number {
  let [farthest, most] = [0, -1];
  for (let at = 0; 2 * at < points.length; at++) {
    const distance = Math.hypot(
      (points[2 * at] ?? 0) - (points[0] ?? 0),
      (points[2 * at + 1] ?? 0) - (points[1] ?? 0),
    );
    if (distance > most) [farthest, most] = [at, distance];
  }
  return farthest;
}

/** Of the corners between two; the one behind the last is the first. */
function farthestFromLine(points: Float64Array, from: number, to: number) {
  const end = (2 * to) % points.length;
  const [x, y] = [points[2 * from] ?? 0, points[2 * from + 1] ?? 0];
  const [dx, dy] = [(points[end] ?? 0) - x, (points[end + 1] ?? 0) - y];
  const length = dx * dx + dy * dy;
  let [farthest, most] = [from, -1];
  for (let at = from + 1; at < to; at++) {
    const [px, py] = [(points[2 * at] ?? 0) - x, (points[2 * at + 1] ?? 0) - y];
    const share = length === 0 ? 0 : Math.max(0, Math.min(1, (px * dx + py * dy) / length));
    const distance = Math.hypot(px - share * dx, py - share * dy);
    if (distance > most) [farthest, most] = [at, distance];
  }
  return { at: farthest, distance: most };
}
