// Days and times in filters of lists, and what is not finished while it is typed.

import { describe, expect, test } from 'vitest';
import {
  columnWithout,
  fitsRow,
  folded,
  parseRowQuery,
} from '../../src/platform/platform-page/row-query.js';

const heads = ['name', 'created', 'images'];

/** In the time zone of the browser, which is that of this process. */
const at = (...parts: readonly [number, number, number, number, number]) =>
  new Date(...parts).getTime();

const rows = [
  { name: 'October', time: at(2026, 9, 31, 23, 59), images: '2' },
  { name: 'First', time: at(2026, 10, 1, 0, 0), images: '2,026' },
  { name: 'Noon', time: at(2026, 10, 1, 12, 30), images: '4' },
  { name: 'Second', time: at(2026, 10, 2, 0, 0), images: '5' },
  { name: 'Later', time: at(2027, 0, 1, 0, 0), images: '6' },
  { name: 'Never', time: undefined, images: '7' },
].map(({ name, time, images }) => {
  const cells = [name, time === undefined ? 'not yet' : new Date(time).toLocaleString(), images];
  const texts = cells.map(folded);
  return { name, cells: texts, all: texts.join('\n'), times: [undefined, time, undefined] };
});

function found(search: string): string {
  const query = parseRowQuery(search, heads);
  if ('problem' in query) return query.problem;
  return rows
    .filter((row) => fitsRow(query.condition, row))
    .map(({ name }) => name)
    .join(' ');
}

describe('a column of times', () => {
  test.each([
    ['created>=2026-11-01', 'First Noon Second Later'],
    ['created>2026-11-01', 'Second Later'],
    ['created<2026-11-01', 'October'],
    ['created<=2026-11-01', 'October First Noon'],
    ['created=2026-11-01', 'First Noon'],
    ['created:2026-11-01', 'First Noon'],
    ['-created:2026-11-01', 'October Second Later Never'],
    ['created=2026-11', 'First Noon Second'],
    ['created>=2027', 'Later'],
    ['created=2026', 'October First Noon Second'],
    ['images=2026', 'First'],
    ['created>=2026-11-01T12:30', 'Noon Second Later'],
    ['created<2026-11-01t12:30', 'October First'],
    ['min-created:2026-11-01 max-created:2026-11-01', 'First Noon'],
    ['created>=2026-11-01 images<5', 'Noon'],
    ['created:never', ''],
  ])('%s finds %s', (search, names) => {
    expect(found(search)).toBe(names);
  });

  test.each(['2026-02-30', '2026-13', '2026-00-01', '2026-11-01T24:00', '2026-1-1', 'today'])(
    '%s is no day',
    (value) => {
      expect(found(`created>=${value}`)).toContain(
        `must be a number, as 12 or 0.5, or a day, as 2026-11-01, but is “${value}”`,
      );
    },
  );

  test('a column that has no times, or times alone, says so', () => {
    const lacks = (search: string) => {
      const query = parseRowQuery(search, heads);
      return 'problem' in query ? query.problem : columnWithout(query.condition, rows);
    };
    expect(lacks('name>=2026-11-01')).toEqual({ column: 0, lacks: 'time', hasOther: false });
    expect(lacks('images>=2026-11-01')).toEqual({ column: 2, lacks: 'time', hasOther: true });
    expect(lacks('created>=12')).toEqual({ column: 1, lacks: 'number', hasOther: true });
    expect(lacks('created>=2026')).toBe(undefined);
  });
});

describe('what is not finished', () => {
  const isUnfinished = (search: string) => {
    const query = parseRowQuery(search, heads);
    return 'problem' in query ? query.isUnfinished : 'understood';
  };

  test.each([
    'name:',
    'images>=',
    'images>=-',
    'created>=2026-1',
    'first OR',
    'first AND',
    '-',
    'NOT',
    '(first',
    '(first OR (noon',
    '"first no',
    'name:"first',
    'unknown:',
  ])('%s may be mended by what follows', (search) => {
    expect(isUnfinished(search)).toBe(true);
  });

  test.each([
    'unknown:word',
    'unknown:"wo',
    'images>=many first',
    '(first) ) noon',
    'AND first',
    'name: first',
  ])('%s is wrong whatever follows', (search) => {
    expect(isUnfinished(search)).toBe(false);
  });
});
