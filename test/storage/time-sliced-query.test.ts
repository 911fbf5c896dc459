// Long results are read in slices: of the time that rows take, not of the wait for the first.

import { afterEach, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import type { AsyncReader } from '../../src/storage/async-database.ts';
import type { Row } from '../../src/storage/database.ts';
import { slicesOf } from '../../src/storage/time-sliced-query.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** The numbers up to 10, each after so many milliseconds, the first one after another wait. */
function numbersAfter(firstMs: number, eachMs: number): Pick<AsyncReader, 'each'> {
  let nowMs = 0;
  vi.spyOn(systemClock, 'monotonic').mockImplementation(() => nowMs);
  return {
    each: async (_sql, parameters, read) => {
      const [from = 0] = Array.isArray(parameters) ? parameters : [];
      nowMs += firstMs;
      for (let number = Number(from) + 1; number <= 10; number += 1) {
        if (!read(rowOf(number))) return;
        nowMs += eachMs;
      }
    },
  };
}

function rowOf(number: number): Row {
  const refuse = () => expect.unreachable();
  return {
    text: refuse,
    optionalText: refuse,
    integer: () => number,
    optionalInteger: refuse,
    real: refuse,
    optionalReal: refuse,
    boolean: refuse,
    bytes: refuse,
    optionalBytes: refuse,
    json: refuse,
    optionalJson: refuse,
  };
}

async function slices(database: Pick<AsyncReader, 'each'>): Promise<readonly number[][]> {
  const all: number[][] = [];
  const after = (last: number | undefined) => [last ?? 0];
  const read = (row: Row) => row.integer('n');
  for await (const slice of slicesOf(database, { sql: '', after, read })) all.push([...slice]);
  return all;
}

test('what a server takes to its first row is no part of the slice', async () => {
  expect(await slices(numbersAfter(30, 0))).toEqual([[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]]);
});

test('rows that take long come in several slices', async () => {
  expect(await slices(numbersAfter(0, 2))).toEqual([
    [1, 2, 3, 4],
    [5, 6, 7, 8],
    [9, 10],
  ]);
});
