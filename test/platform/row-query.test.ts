// What filters of lists understand, and what they refuse.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FoveaError } from '../../src/errors.ts';
import { limits } from '../../src/limits.ts';
import {
  type Condition,
  columnWithout,
  fitsRow,
  folded,
  parseRowQuery,
} from '../../src/platform/platform-page/row-query.js';
import { lowerCaseJoinHint } from '../../src/query-language/grammar/lower-case-joins.js';
import { parseQuery } from '../../src/query-language/parse-query.ts';
import type { Query } from '../../src/query-language/query-syntax-tree.ts';
import { wordsOf } from '../../src/query-language/search-terms.ts';

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
    ['min-images:364 max-images:1000', 'Cells'],
    ['IMAGES>=364 AND Cafes', 'Cafés'],
    // As the API writes it, and as the page does.
    ['status:running_since', 'Roads'],
    ['status:"running_since"', 'Roads'],
    ['RUNNING_SINCE', 'Roads'],
    ['status:f*d', 'Cafés Cells'],
    ['status:"f*d"', ''],
    ['*', 'Cafés Cells Roads'],
    ['--night', 'Cafés'],
    ['"\\"night\\""', ''],
  ])('%s finds %s', (search, names) => {
    expect(found(search)).toBe(names);
  });

  const columns =
    'Columns: name, status, images, f1. Put words with such a sign in quotation marks.';

  test.each([
    ['size:large', `at character 1: there is no column “size”. →size:large ${columns}`],
    [
      'night Stauts:failed',
      `at character 7: there is no column “Stauts”; did you mean “status”?. night →Stauts:failed ${columns}`,
    ],
    [
      'imges>=3',
      `at character 1: there is no column “imges”; did you mean “images”?. →imges>=3 ${columns}`,
    ],
    ['min-width:3', `at character 1: there is no column “min-width”. →min-width:3 ${columns}`],
    [
      'images>=many',
      'at character 9: must be a number, as 12 or 0.5, or a day, as 2026-11-01, but is “many”. images>=→many',
    ],
    ['images>', 'at character 8: a number is missing here. images>→'],
    ['status:', 'at character 8: a word is missing here. status:→'],
    [
      'night && roads',
      'at character 7: write AND, or nothing: conditions next to each other must all hold. night →&& roads Such signs stand in quotation marks.',
    ],
  ])('%s is refused', (search, problem) => {
    expect(found(search)).toBe(`Not understood ${problem}`);
  });

  test('a list without columns says so', () => {
    const query = parseRowQuery('status:failed', []);
    expect(query).toMatchObject({ problem: expect.stringContaining('This list has none.') });
  });

  test.each([
    ['cat or dog', 'Write OR in capitals: “or” is looked for as a word.'],
    ['(cat) Or (dog)', 'Write OR in capitals: “Or” is looked for as a word.'],
    ['not cat', 'Write NOT in capitals: “not” is looked for as a word.'],
    ['cat and dog or -"or"', 'Write AND and OR in capitals: “and” is looked for as a word.'],
    ['cat OR dog AND NOT bird', ''],
    ['"cat or dog" oregon android', ''],
    ['or', ''],
    ['cat or', ''],
    ['not', ''],
    ['tag:or name:and', ''],
  ])('%s: %j', (search, hint) => {
    expect(lowerCaseJoinHint(search)).toBe(hint);
  });

  test('a column without numbers is named, wherever it is compared', () => {
    const texts = rows.map((row) => ({ cells: row.map(folded), all: '' }));
    const columnOf = (search: string) => {
      const query = parseRowQuery(search, heads);
      return 'problem' in query ? query.problem : columnWithout(query.condition, texts)?.column;
    };
    expect(columnOf('roads OR -(images>3 status>=3)')).toBe(1);
    expect(columnOf('images>3 f1>0.5 status:3')).toBe(undefined);
  });
});

/** What both languages call a condition: words without stars, also in quotes. */
const word = fc.stringMatching(/^[a-z]{1,3}$/);
const text: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: word },
      { weight: 2, arbitrary: word.map((one) => `"${one}"`) },
      fc.constantFrom('OR', 'AND', 'NOT ', '-', '(', ')', ' ', '*', '"', '&&', '||', '\n'),
      fc.constantFrom(' OR ', ' AND ', ' (', ') ', ' -', ' NOT ('),
    ),
    { maxLength: 14 },
  )
  .map((pieces) => pieces.join(''));

/** Its words are leaves of a tree. */
type Tree = string | { readonly kind: string; readonly parts: readonly Tree[] };

function leaf(text: string): Tree {
  const [first = '', ...others] = wordsOf(text).map((word) => `~${word}`);
  return others.length === 0 ? first : { kind: 'and', parts: [first, ...others] };
}

function treeOfQuery(query: Query | Condition): Tree {
  switch (query.kind) {
    case 'all':
      return '*';
    case 'not':
      return { kind: 'not', parts: [treeOfQuery(query.part)] };
    case 'and':
    case 'or':
      return { kind: query.kind, parts: query.parts.map(treeOfQuery) };
    case 'word':
      return leaf(query.word);
    case 'text':
      return leaf(query.parts.join('*'));
    default:
      throw new Error(`There is a condition of kind ${query.kind}.`);
  }
}

function treeOfSearch(search: string): Tree | FoveaError {
  try {
    return treeOfQuery(parseQuery(search, () => undefined).query);
  } catch (thrown) {
    if (thrown instanceof FoveaError) return thrown;
    throw thrown;
  }
}

/** Whether it is a tree, and not refused. */
function expectTheSame(search: string): boolean {
  const [asSearch, asFilter] = [treeOfSearch(search), parseRowQuery(search, heads)];
  const isTree = !(asSearch instanceof FoveaError);
  if ('problem' in asFilter) {
    expect(asFilter.problem).toContain(isTree ? 'no error' : said(asSearch));
  } else expect(treeOfQuery(asFilter.condition)).toEqual(asSearch);
  return isTree;
}

function said({ message }: FoveaError): string {
  return message.replace(/^query: /, '');
}

describe('the grammar', () => {
  test('is the one of searches: the same text is the same tree, or wrong at the same place', () => {
    let trees = 0;
    fc.assert(
      fc.property(text, (search) => {
        // A word of a search ends with a star, and has a letter or a digit.
        fc.pre(search.trim() !== '' && !/[^\s()]\*|\*[^\s()]/.test(search));
        const asSearch = treeOfSearch(search);
        fc.pre(!(asSearch instanceof FoveaError && asSearch.message.includes('has no letter')));
        if (expectTheSame(search)) trees += 1;
      }),
      { numRuns: 3_000 },
    );
    expect(trees).toBeGreaterThan(300);
  });

  test.each([64, 65])('has brackets as deep as searches: %d', (depth) => {
    const isTree = expectTheSame(`${'('.repeat(depth)}roads${')'.repeat(depth)}`);
    expect(isTree).toBe(depth <= limits.searchDepthMax);
  });

  test('has texts as long as searches', () => {
    expect(expectTheSame('a'.repeat(limits.searchQueryCharactersMax + 1))).toBe(false);
  });
});
