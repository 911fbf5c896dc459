// What filters of lists understand, and what they refuse.

import { describe, expect, test } from 'vitest';
import { fitsRow, folded, parseRowQuery } from '../../src/platform/platform-page/row-query.js';

const heads = ['name', 'status', 'images', 'f1', ''];
const rows = [
  ['Cafés at night', 'Failed', '1,204', '0.52'],
  ['Cells (blood)', 'Finished', '364', '91 %'],
  ['Roads', 'Running since 10:30', '0', '-'],
];

/** The first words of the rows that fit, or why the filter is refused. */
function found(search: string): string {
  const query = parseRowQuery(search, heads);
  if ('problem' in query) return query.problem;
  const fitting = rows.filter((row) => {
    const cells = row.map(folded);
    return fitsRow(query.condition, { cells, all: cells.join('\n') });
  });
  return fitting.map(([name = '']) => name.split(' ')[0]).join(' ');
}

describe('a filter of a list', () => {
  test.each([
    ['', 'Cafés Cells Roads'],
    ['cafes NIGHT', 'Cafés'],
    ['"at night"', 'Cafés'],
    ['-night', 'Cells Roads'],
    ['NOT night AND NOT roads', 'Cells'],
    ['night OR roads', 'Cafés Roads'],
    ['(night OR roads) -status:failed', 'Roads'],
    ['-(night OR roads)', 'Cells'],
    ['night OR roads status:failed', 'Cafés'],
    ['status:finished', 'Cells'],
    ['status:"running since"', 'Roads'],
    ['10:30', 'Roads'],
    ['https://example.test', ''],
    ['"(blood)"', 'Cells'],
    ['name:c*t', 'Cafés'],
    ['fin*', 'Cells'],
    ['images>=364', 'Cafés Cells'],
    ['images<1000', 'Cells Roads'],
    ['images=0', 'Roads'],
    ['f1>0.5', 'Cafés Cells'],
    ['f1<90 OR images=0', 'Cafés Roads'],
    ['a=b', ''],
  ])('%s finds %s', (search, names) => {
    expect(found(search)).toBe(names);
  });

  test.each([
    [
      'size:large',
      'There is no column “size”. Columns are name, status, images, f1. Quotes look for a text as it stands: "size:…".',
    ],
    ['(night', 'A “(” is not closed.'],
    ['night)', 'A “)” closes no bracket.'],
    ['night OR', 'A word is missing after “OR”.'],
    ['OR night', 'A word is missing at its beginning.'],
    ['()', 'A word is missing after “(”.'],
    ['night AND', 'A word is missing after “AND”.'],
    ['"night', 'A “"” is not closed.'],
    ['images>=many', 'A number is missing after “images>=”; images:word looks for a word.'],
    ['images>', 'A number is missing after “images>”; images:word looks for a word.'],
  ])('%s is refused: %s', (search, problem) => {
    expect(found(search)).toBe(problem);
  });

  test('deep brackets are no burden', () => {
    expect(found(`${'('.repeat(2_000)}roads${')'.repeat(2_000)}`)).toBe('Roads');
  });
});
