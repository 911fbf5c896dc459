// The query language: what each text means, and where a wrong one is wrong.

import { expect, it } from 'vitest';
import { FoveaError } from '../../src/errors.ts';
import { parseQuery } from '../../src/query-language/parse-query.ts';
import type { Query } from '../../src/query-language/query-syntax-tree.ts';

const projects = new Map([['cells', 'p1']]);
const parse = (text: string) => parseQuery(text, (slug) => projects.get(slug));

/** A query in few signs: `&` and, `|` or, `!` not, words as `~word`. */
function show(query: Query): string {
  switch (query.kind) {
    case 'all':
      return '*';
    case 'and':
    case 'or':
      return `(${query.parts.map(show).join(query.kind === 'and' ? ' & ' : ' | ')})`;
    case 'not':
      return `!${show(query.part)}`;
    case 'term':
      return query.term;
    case 'batch':
    case 'job':
      return `${query.kind}:${query.named}`;
    case 'evaluation': {
      const { kind, ...judged } = query;
      return JSON.stringify(judged);
    }
    case 'number':
      return `${query.field} ${query.operator} ${query.value}`;
    case 'word':
      return `~${query.word}${query.isPrefix ? '*' : ''}`;
    case 'name':
      return `name ${query.pattern}`;
  }
}

it.each([
  ['*', '*'],
  ['  *  ', '*'],
  ['night', '~night'],
  ['Night', '~night'],
  ['Zélle', '~zelle'],
  ['img0001', '(~img & ~0001)'],
  ['IMG_0001.jpg', '(~img & ~0001 & ~jpg)'],
  ['nig*', '~nig*'],
  ['img_00*', '(~img & ~00*)'],
  ['a-a*', '(~a & ~a*)'],
  ['"red cell"', '(~red & ~cell)'],
  ['"say \\"hi\\""', '(~say & ~hi)'],
  ['"AND"', '~and'],
  ['and', '~and'],
  ['not or', '(~not & ~or)'],
  ['ANDROID', '~android'],
  ['night rain', '(~night & ~rain)'],
  ['night AND rain', '(~night & ~rain)'],
  ['night OR rain', '(~night | ~rain)'],
  ['a b OR c d', '((~a & ~b) | (~c & ~d))'],
  ['a AND b OR c', '((~a & ~b) | ~c)'],
  ['a (b OR c)', '(~a & (~b | ~c))'],
  ['((a))', '~a'],
  ['(a)(b)', '(~a & ~b)'],
  ['NOT a', '!~a'],
  ['-a', '!~a'],
  ['--a', '~a'],
  ['NOT NOT a', '~a'],
  ['NOT -a', '~a'],
  ['-(a OR b)', '!(~a | ~b)'],
  ['a -b NOT c', '(~a & !~b & !~c)'],
  ['NOT a OR b', '(!~a | ~b)'],
  ['a-b', '(~a & ~b)'],
  ['tag:night', 'tag:night'],
  ['TAG:Night', 'tag:Night'],
  ['-tag:night', '!tag:night'],
  ['tag:"night"', 'tag:night'],
  ['split:valid', 'split:valid'],
  ['class:RBC', 'class:RBC'],
  ['class:"red cell"', 'class:red cell'],
  ['class:RBC>=3', 'class:RBC >= 3'],
  ['class:RBC<=3', 'class:RBC <= 3'],
  ['class:RBC>3', 'class:RBC > 3'],
  ['class:RBC<3', 'class:RBC < 3'],
  ['class:RBC=0', 'class:RBC = 0'],
  ['class:"a>=b">=2', 'class:a>=b >= 2'],
  ['filename:IMG_*.JPG', 'name img_*.jpg'],
  ['filename:"a (1).png"', 'name a (1).png'],
  ['filename:a**b', 'name a*b'],
  ['filename:*', '*'],
  ['metadata:site', 'metadata-key:site'],
  ['metadata:site=*', 'metadata-key:site'],
  ['metadata:site="*"', 'metadata:site=*'],
  ['metadata:site=north', 'metadata:site=north'],
  ['metadata:"my site"="far north"', 'metadata:my site=far north'],
  ['metadata:a=', 'metadata:a='],
  ['metadata:a=b=c', 'metadata:a=b=c'],
  ['project:cells', 'project:p1'],
  ['project:false', '!*'],
  ['job:j1', 'job:j1'],
  ['evaluation:e1', '{"evaluationId":"e1"}'],
  ['-evaluation:e1/misses', '!{"evaluationId":"e1","only":"misses"}'],
  ['evaluation:e1/misses/RBC', '{"evaluationId":"e1","only":"misses","label":"RBC"}'],
  [
    'evaluation:"e 1"/swapped/"red > cell">=0.6',
    '{"evaluationId":"e 1","only":"swapped","label":"red > cell","scoreMin":0.6}',
  ],
  ['evaluation:e1/mistakes>=1', '{"evaluationId":"e1","only":"mistakes","scoreMin":1}'],
  [
    '(evaluation:e1/"a/b">"misses")',
    '{"evaluationId":"e1","pair":{"truth":"a/b","found":"misses"}}',
  ],
  ['evaluation:e1/RBC>', '{"evaluationId":"e1","pair":{"truth":"RBC","found":""}}'],
  ['evaluation:e1/>RBC', '{"evaluationId":"e1","pair":{"truth":"","found":"RBC"}}'],
  ['batch:b1', 'batch:b1'],
  ['batch:"Tray 9"', 'batch:Tray 9'],
  ['annotated:true', 'is:annotated'],
  ['annotated:false', '!is:annotated'],
  ['predicted:true', 'is:predicted'],
  ['min-width:640', 'width >= 640'],
  ['max-width:640', 'width <= 640'],
  ['min-height:1', 'height >= 1'],
  ['max-height:0', 'height <= 0'],
  ['min-annotations:3', 'objects >= 3'],
  ['max-annotations:3', 'objects <= 3'],
  ['tag:night(class:RBC)', '(tag:night & class:RBC)'],
  ['a sort:name', '~a'],
  ['sort:name', '*'],
  ['a OR b sort:name', '(~a | ~b)'],
  ['sort:name a OR b', '(~a | ~b)'],
  ['like-image:x', '*'],
  ['like-image:x tag:night', 'tag:night'],
  ['(a OR b) like-image:x', '(~a | ~b)'],
])('%s means %s', (text, meaning) => {
  expect(show(parse(text).query)).toBe(meaning);
});

it.each([
  ['sort:created', 'created', 'desc'],
  ['sort:name', 'name', 'asc'],
  ['sort:name-desc', 'name', 'desc'],
  ['sort:width', 'width', 'desc'],
  ['sort:height-asc', 'height', 'asc'],
  ['sort:annotations', 'annotations', 'desc'],
  ['sort:class:RBC', 'class:RBC', 'desc'],
  ['sort:class:line-1-asc', 'class:line-1', 'asc'],
  ['sort:class:"red cell"-desc', 'class:red cell', 'desc'],
])('%s sorts by %s, %s', (text, key, direction) => {
  expect(parse(`tag:x ${text} tag:y`).sort).toEqual({ key, direction });
});

it('says which image is to be alike, and whether words are looked for', () => {
  expect(parse('tag:a like-image:x')).toMatchObject({ like: { imageId: 'x', at: 6 } });
  expect(parse('tag:a')).toMatchObject({ like: undefined, hasWords: false });
  expect(parse('tag:a night')).toMatchObject({ hasWords: true });
});

it.each([
  ['', 1, 'has no condition'],
  ['   ', 4, 'has no condition'],
  ['(', 2, 'a condition is missing'],
  ['(a', 1, 'this "(" is not closed'],
  ['a (b (c)', 3, 'this "(" is not closed'],
  ['a)', 2, 'this ")" closes no bracket'],
  [')', 1, 'a condition is missing'],
  ['()', 2, 'a condition is missing'],
  ['a AND', 6, 'a condition is missing'],
  ['AND a', 1, 'a condition is missing before AND'],
  ['a AND AND b', 7, 'a condition is missing before AND'],
  ['a OR', 5, 'a condition is missing'],
  ['OR a', 1, 'a condition is missing'],
  ['a OR OR b', 6, 'a condition is missing'],
  ['a AND OR b', 7, 'a condition is missing'],
  ['a OR sort:name', 15, 'a condition is missing'],
  ['NOT', 4, 'a condition is missing'],
  ['a -', 4, 'a condition is missing'],
  ['- a', 2, 'a condition is missing'],
  ['NOT AND a', 5, 'a condition is missing'],
  ['"night', 1, 'this quotation mark is not closed'],
  ['tag:"night', 5, 'this quotation mark is not closed'],
  ['!?', 1, 'has no letter and no digit'],
  ['""', 1, 'has no letter and no digit'],
  ['ni*t', 1, '* can only end a word'],
  ['tag:', 5, 'the tag is missing here'],
  ['tag: night', 5, 'the tag is missing here'],
  ['klass:RBC', 1, 'there is no field "klass"; did you mean "class:"?'],
  ['a http://x', 3, 'there is no field "http"'],
  ['evaluation:', 12, 'the id of the evaluation is missing here'],
  ['evaluation:e1/missed', 15, 'there is no "missed" of an evaluation; use errors, misses,'],
  ['evaluation:e1/>', 15, 'a class is missing here'],
  ['evaluation:e1/misses>=0.5', 23, 'misses have no score: mistakes of labels have one'],
  ['evaluation:e1/swapped>=2', 24, 'must be a score from 0 to 1, but is "2"'],
  ['split:vali', 7, 'there is no split "vali"; use train, valid or test'],
  ['class:>=3', 7, 'the class is missing here'],
  ['class:RBC>=', 12, 'a whole number is missing here'],
  ['class:RBC>=x', 12, 'must be a whole number'],
  ['class:RBC>=-1', 12, 'must be a whole number'],
  ['min-width:1.5', 11, 'must be a whole number'],
  ['min-width:9999999999', 11, 'must be a whole number'],
  ['metadata:=x', 10, 'the name of the metadata is missing here'],
  ['project:cars', 9, 'there is no project "cars"'],
  ['annotated:maybe', 11, 'must be true or false'],
  ['sort:', 6, 'must be created, name'],
  ['sort:size', 6, 'there is no order "size"'],
  ['sort:class:', 6, 'must be created, name'],
  ['sort:name sort:width', 11, 'sort: stands here for the second time'],
  ['(a sort:name)', 4, 'sort: cannot stand inside brackets'],
  ['-sort:name', 2, 'sort: cannot stand inside NOT'],
  ['a OR like-image:x b', 6, 'like-image: cannot stand beside OR'],
  ['(like-image:x)', 2, 'like-image: cannot stand inside brackets'],
  ['like-image:x like-image:y', 14, 'like-image: stands here for the second time'],
  ['like-image:x sort:name', 1, 'like-image: is an order of its own'],
])('%s is wrong at character %i: %s', (text, place, message) => {
  const said = wrong(text);
  expect(said).toContain(`query: at character ${place}: `);
  expect(said).toContain(message);
});

function wrong(text: string): string {
  try {
    parse(text);
  } catch (thrown) {
    if (thrown instanceof FoveaError && thrown.code === 'invalid_input') return thrown.message;
    throw thrown;
  }
  throw new Error(`${text} was taken`);
}

it('counts characters, not their halves', () => {
  expect(wrong('😀a b)')).toContain('at character 5:');
});

it('has bounds, and no way to make it slow or deep', () => {
  expect(wrong('a'.repeat(4_001))).toContain('is longer than 4000 characters');
  expect(wrong(Array.from({ length: 201 }, () => 'a').join(' '))).toContain(
    'has more than 200 conditions',
  );
  expect(wrong('('.repeat(65))).toContain('brackets in brackets, more than 64 deep');
  expect(wrong('('.repeat(4_000))).toContain('more than 64 deep');
  expect(show(parse(`${'NOT '.repeat(999)}a`).query)).toBe('!~a');
  expect(show(parse(`${'('.repeat(64)}a${')'.repeat(64)}`).query)).toBe('~a');
  expect(wrong(`tag:${'"\\'.repeat(1_000)}`)).toContain('not closed');
});

it('takes no text of a user into its own words unquoted', () => {
  expect(wrong(`klass${'s'.repeat(100)}:x`)).toContain(`no field "klass${'s'.repeat(55)}…"`);
  expect(wrong('split:"a\nb"')).toContain('no split "a b"');
});
