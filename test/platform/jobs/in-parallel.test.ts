// Work in parallel: never too many or too heavy at a time, and the first failure stops the rest.

import { describe, expect, test } from 'vitest';
import { inParallel, type Piece } from '../../../src/platform/jobs/in-parallel.ts';

/** Pieces of these weights, and what runs at the same time, whenever one starts. */
function watched(weights: readonly number[]) {
  const started: (readonly number[])[] = [];
  const running: number[] = [];
  const pieces = weights.map(
    (weight): Piece => ({
      weight,
      run: async () => {
        running.push(weight);
        started.push([...running]);
        await new Promise((resolve) => {
          setTimeout(resolve, 1);
        });
        running.splice(running.indexOf(weight), 1);
      },
    }),
  );
  return { pieces, started };
}

const never = new AbortController().signal;

describe('inParallel', () => {
  test('runs so many at a time, in their order', async () => {
    const { pieces, started } = watched([1, 2, 3, 4]);
    await inParallel(pieces, { countMax: 2, weightMax: 100, signal: never });
    expect(started.map((running) => running.at(-1))).toEqual([1, 2, 3, 4]);
    expect(Math.max(...started.map((running) => running.length))).toBe(2);
  });

  test('runs no more than the weight allows, and what is heavier alone', async () => {
    const { pieces, started } = watched([30, 40, 50, 900, 10, 20]);
    await inParallel(pieces, { countMax: 4, weightMax: 100, signal: never });
    const sums = started.map((running) => running.reduce((sum, weight) => sum + weight, 0));
    expect(started).toHaveLength(6);
    expect(sums.filter((sum) => sum > 100)).toEqual([900]);
    expect(started[1]).toEqual([30, 40]);
  });

  test('stops the others at the first failure, and throws it', async () => {
    const stopped: string[] = [];
    const waiting: Piece = {
      weight: 1,
      run: (stop) =>
        new Promise((resolve) => {
          stop.addEventListener('abort', () => {
            stopped.push('second');
            resolve();
          });
        }),
    };
    const failing: Piece = { weight: 1, run: async () => Promise.reject(new Error('no')) };
    const late: Piece = { weight: 1, run: async () => void stopped.push('late') };
    const pieces = [failing, waiting, late];
    await expect(inParallel(pieces, { countMax: 2, weightMax: 9, signal: never })).rejects.toThrow(
      'no',
    );
    expect(stopped).not.toContain('late');
  });

  test('throws the reason of its signal', async () => {
    const stop = new AbortController();
    const piece: Piece = { weight: 1, run: async () => stop.abort(new Error('enough')) };
    const options = { countMax: 1, weightMax: 9, signal: stop.signal };
    await expect(inParallel([piece, piece], options)).rejects.toThrow('enough');
  });

  test('has nothing to do with no pieces', async () => {
    await inParallel([], { countMax: 1, weightMax: 1, signal: never });
  });
});
