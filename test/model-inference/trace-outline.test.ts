// Outlines of masks: where they run, that every piece is closed, and how many corners stay.

import { describe, expect, it } from 'vitest';
import { simplifyOutline } from '../../src/model-inference/simplify-outline.ts';
import { traceOutline, twiceArea } from '../../src/model-inference/trace-outline.ts';
import { randomFrom } from '../../src/seeded-random.ts';

/** A picture of rows, in which `#` is inside. */
function traced(rows: readonly string[]) {
  const size = { width: rows[0]?.length ?? 0, height: rows.length };
  return outlineOf((x, y) => (rows[y]?.[x] === '#' ? 1 : -1), size);
}

function outlineOf(...given: Parameters<typeof traceOutline>): Float64Array {
  return traceOutline(...given).ring;
}

function areaOf(outline: Float64Array): number {
  return Math.abs(twiceArea(outline)) / 2;
}

describe('an outline', () => {
  it('of everything is the edge of the grid', () => {
    const whole = traced(['###', '###']);
    expect([Math.min(...whole), Math.max(...whole)]).toEqual([0, 3]);
    // Its four corners are cut off by half a cell.
    expect(areaOf(whole)).toBe(6 - 4 * 0.125);
  });

  it('lies where the numbers pass 0', () => {
    const ramp = outlineOf((x) => 2.25 - x, { width: 6, height: 4 });
    const xs = [...ramp.filter((_, at) => at % 2 === 0)];
    expect(Math.max(...xs)).toBeCloseTo(2.75);
  });

  it('is of the largest piece, and holes stay out of it', () => {
    const two = traced(['##....', '##....', '...###', '...#.#', '...###']);
    const xs = [...two.filter((_, at) => at % 2 === 0)];
    expect(Math.min(...xs)).toBe(3);
    expect(areaOf(two)).toBe(9 - 4 * 0.125);
    expect(traced(['...', '...'])).toHaveLength(0);
    expect(outlineOf(() => 1, { width: 0, height: 0 })).toHaveLength(0);
  });

  it('says which share of it holes and other pieces have', () => {
    const shareOf = (...rows: readonly string[]) =>
      traceOutline((x, y) => (rows[y]?.[x] === '#' ? 1 : -1), { width: 6, height: 5 }).leftOut;
    expect(shareOf('######', '######', '######', '######', '######')).toBe(0);
    expect(shareOf('......')).toBe(0);
    // A single cell is a diamond of half a cell; each corner of a rectangle lacks an eighth.
    expect(shareOf('######', '######', '##.###', '######', '######')).toBeCloseTo(0.5 / 29.5);
    expect(shareOf('###...', '###...', '###...', '......', '....#.')).toBeCloseTo(0.5 / 8.5);
  });

  it('of pieces that touch at a corner is of one of them, or of both', () => {
    const apart = traced(['#..', '.#.', '...']);
    expect(areaOf(apart)).toBeLessThan(1);
    const joined = outlineOf((x, y) => (x === y ? 3 : -1), { width: 2, height: 2 });
    expect(areaOf(joined)).toBeGreaterThan(1.5);
  });

  it('of noise is closed: each step goes to a neighbouring edge', () => {
    const random = randomFrom('noise');
    const cells = Float64Array.from({ length: 40 * 30 }, () => random() - 0.4);
    const ring = outlineOf((x, y) => cells[y * 40 + x], { width: 40, height: 30 });
    expect(ring.length).toBeGreaterThan(100);
    for (let at = 0; at < ring.length; at += 2) {
      const next = (at + 2) % ring.length;
      const step = Math.hypot(
        (ring[next] ?? 0) - (ring[at] ?? 0),
        (ring[next + 1] ?? 0) - (ring[at + 1] ?? 0),
      );
      expect(step).toBeLessThanOrEqual(Math.SQRT2);
    }
  });
});

describe('fewer corners', () => {
  it('keep a shape within the tolerance', () => {
    const round = Float64Array.from({ length: 2000 }, (_, at) => {
      const angle = (Math.floor(at / 2) / 1000) * 2 * Math.PI;
      return 50 + 40 * (at % 2 === 0 ? Math.cos(angle) : Math.sin(angle));
    });
    const few = simplifyOutline(round, 0.25, 200);
    expect(few.length / 2).toBeLessThan(60);
    expect(areaOf(few) / areaOf(round)).toBeGreaterThan(0.99);
    expect(simplifyOutline(round, 0.25, 12).length / 2).toBeLessThanOrEqual(12);
  });

  it('of a rectangle are four', () => {
    const along = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
    const rectangle = [
      ...along.flatMap((x) => [x, 0]),
      ...along.flatMap((y) => [10, y]),
      ...along.flatMap((x) => [10 - x, 10]),
      ...along.flatMap((y) => [0, 10 - y]),
    ];
    const kept = simplifyOutline(Float64Array.from(rectangle), 0.1, 100);
    expect([...kept]).toEqual([0, 0, 10, 0, 10, 10, 0, 10]);
  });
});
