// What may stand before a colon in a query, and what it means.

import { type SplitName, splitName } from '../contract/fields.ts';
import { quotedName } from '../quoted-name.ts';
import { isNegationOf, suggestSpelling } from '../spelling-suggestion.ts';
import type { Piece } from './grammar/query-text.js';
import { readJudged } from './judged-condition.ts';
import { otherFieldHint, whyNoWord } from './near-miss-conditions.ts';
import type { QueryText } from './query-lexer.ts';
import type { Comparison, NumberField, Query, Sort } from './query-syntax-tree.ts';
import { classField, fold, term } from './search-terms.ts';

/** A condition, or what is asked for beside the conditions. */
export type Field =
  | { readonly query: Query }
  | { readonly sort: Sort }
  | { readonly like: Likeness };

/** What images are to be like: another one, by its id, or a text. */
export type Likeness =
  | { readonly kind: 'image'; readonly imageId: string }
  | { readonly kind: 'text'; readonly text: string };

/** Gives the id of a project by its slug; undefined: there is no such project. */
export type FindProjectId = (slug: string) => string | undefined;

type ReadField = (text: QueryText, findProjectId: FindProjectId) => Field;

/** Reads the value of the field whose name and colon were read. */
export function readField(
  text: QueryText,
  { at, value: name }: Piece,
  findProjectId: FindProjectId,
): Field {
  const read = fields.get(name.toLowerCase());
  if (read) return read(text, findProjectId);
  const known = [...fields.keys()];
  const guess = suggestSpelling(name, known);
  const opposite = known.find((field) => isNegationOf(name, field));
  const meant = guess === undefined ? otherFieldHint(name, opposite) : `did you mean "${guess}:"?`;
  throw text.error(
    at,
    `there is no field ${quotedName(name, fieldCharactersMax)}; ${meant}`,
    `Fields: ${known.join(', ')}. Put words with a colon in quotation marks.`,
  );
}

/** Throws `invalid_input` for a word that is meant as a condition, such as `camera=7`. */
export function refuseCondition(text: QueryText, { at, value }: Piece): void {
  const why = whyNoWord(value, (name) => fields.has(name));
  if (why === undefined) return;
  throw text.error(at, why, 'Words with such a sign stand in quotation marks.');
}

/** Of an unknown field, in the message. */
const fieldCharactersMax = 60;

const fields: ReadonlyMap<string, ReadField> = new Map<string, ReadField>([
  ['filename', readFilename],
  ['tag', readTag],
  ['split', readSplit],
  ['class', readClass],
  ['metadata', readMetadata],
  ['project', readProject],
  ['job', (text) => named('job', text.readValue('the name or id of the annotation job'))],
  ['review', readReview],
  ['evaluation', (text) => ({ query: { kind: 'evaluation', ...readJudged(text) } })],
  ['batch', (text) => named('batch', text.readValue('the name or id of the batch'))],
  ['annotated', (text) => yesOrNo(text, 'annotated')],
  ['predicted', (text) => yesOrNo(text, 'predicted')],
  ['min-width', (text) => numberField(text, 'width', '>=')],
  ['max-width', (text) => numberField(text, 'width', '<=')],
  ['min-height', (text) => numberField(text, 'height', '>=')],
  ['max-height', (text) => numberField(text, 'height', '<=')],
  ['min-annotations', (text) => numberField(text, 'objects', '>=')],
  ['max-annotations', (text) => numberField(text, 'objects', '<=')],
  ['like-image', readLikeImage],
  ['like-text', readLikeText],
  ['sort', readSort],
]);

function readLikeImage(text: QueryText): Field {
  return { like: { kind: 'image', imageId: text.readValue('the id of an image').value } };
}

function readLikeText(text: QueryText): Field {
  return { like: { kind: 'text', text: text.readValue('what the images show').value } };
}

function readTag(text: QueryText): Field {
  const { value } = text.readValue('the tag');
  return { query: { kind: 'term', term: term('tag', value) } };
}

function named(kind: 'job' | 'batch', { value }: Piece): Field {
  return { query: { kind, named: value } };
}

const reviewWords: ReadonlyMap<string, string> = new Map([
  ['approved', 'approved'],
  ['sent-back', 'sent-back'],
  ['sent_back', 'sent-back'],
  ['rejected', 'sent-back'],
]);

function readReview(text: QueryText): Field {
  const { at, value } = text.readValue('the decision of a review');
  const known = reviewWords.get(value.toLowerCase());
  if (known === undefined) {
    const wrong = `there is no review ${quotedName(value)}; use approved or sent-back`;
    throw text.error(at, wrong, 'Images without a decision: -review:approved -review:sent-back.');
  }
  return { query: { kind: 'term', term: term('review', known) } };
}

function readFilename(text: QueryText): Field {
  const { value } = text.readValue('a file name, for example IMG_*.jpg,');
  // Several stars in a row mean what one means.
  const pattern = fold(value).replaceAll(/\*+/g, '*');
  return { query: pattern === '*' ? { kind: 'all' } : { kind: 'name', pattern } };
}

/** As trainers call them. */
const otherSplits: ReadonlyMap<string, SplitName> = new Map([
  ['training', 'train'],
  ['val', 'valid'],
  ['validation', 'valid'],
  ['testing', 'test'],
]);

function readSplit(text: QueryText): Field {
  const { at, value } = text.readValue('the split');
  const known = splitName.options.find((name) => name === (otherSplits.get(value) ?? value));
  if (known === undefined) {
    throw text.error(at, `there is no split ${quotedName(value)}; use train, valid or test`);
  }
  return { query: { kind: 'term', term: term('split', known) } };
}

/** `class:RBC`, `class:RBC>=3`, `class:"red cell"<2`. */
function readClass(text: QueryText): Field {
  const { value: label } = text.readValue('the class', '<>=');
  const operator = text.takeOneOf(comparisons);
  if (operator === undefined) return { query: { kind: 'term', term: term('class', label) } };
  return { query: { kind: 'number', field: classField(label), operator, value: readCount(text) } };
}

const comparisons: readonly Comparison[] = ['>=', '<=', '>', '<', '='];

/**
 * `metadata:key` and `metadata:key=*` find all images with the key, `metadata:key=value` those with
 * that value; a colon may stand in place of the equals sign.
 */
function readMetadata(text: QueryText): Field {
  const isQuoted = text.peek() === '"';
  const { at, value: key } = text.readValue('the name of the metadata', '=:');
  if (!isQuoted && /[<>!~]/.test(key)) throw text.error(at, equalAlone);
  const hasKey: Field = { query: { kind: 'term', term: term('metadata-key', key) } };
  if (text.takeOneOf(['=', ':']) === undefined) return hasKey;
  if (/[=<>!~]/.test(text.peek())) throw text.error(text.at, equalAlone);
  const isQuotedValue = text.peek() === '"';
  const value = isQuotedValue ? text.readQuoted() : text.readBare('').value;
  if (!isQuotedValue && value === '*') return hasKey;
  return { query: { kind: 'term', term: term('metadata', `${key}=${value}`) } };
}

const equalAlone =
  'metadata is compared with "=" alone, as in metadata:camera=7 and -metadata:camera=7';

/** `project:false` asks for images of no project: there are none here. */
function readProject(text: QueryText, findProjectId: FindProjectId): Field {
  const { at, value } = text.readValue('the slug of a project');
  if (value === 'false') return { query: { kind: 'not', part: { kind: 'all' } } };
  const id = findProjectId(value);
  if (id === undefined) {
    throw text.error(
      at,
      `there is no project ${quotedName(value)}`,
      value.includes('/')
        ? 'Write the slug alone, without the workspace.'
        : 'workspace_get names the projects.',
    );
  }
  return { query: { kind: 'term', term: term('project', id) } };
}

function yesOrNo(text: QueryText, what: string): Field {
  const { at, value } = text.readValue('true or false');
  const part: Query = { kind: 'term', term: term('is', what) };
  if (value === 'true') return { query: part };
  if (value === 'false') return { query: { kind: 'not', part } };
  throw text.error(at, `must be true or false, but is ${quotedName(value)}`);
}

function numberField(text: QueryText, field: NumberField, operator: Comparison): Field {
  return { query: { kind: 'number', field, operator, value: readCount(text) } };
}

function readCount(text: QueryText): number {
  const { at, value } = text.readValue('a whole number');
  if (!/^[0-9]{1,9}$/.test(value)) {
    throw text.error(at, `must be a whole number from 0 to 999999999, but is ${quotedName(value)}`);
  }
  return Number(value);
}

const sortKeys = ['created', 'name', 'width', 'height', 'annotations'] as const;

/** `sort:name`, `sort:width-asc`, `sort:class:RBC-desc`, `sort:class:"red cell"-asc`. */
function readSort(text: QueryText): Field {
  const at = text.at;
  const isClass = text.takeOneOf(['class:']) !== undefined;
  const isQuoted = isClass && text.peek() === '"';
  const label = isQuoted ? text.readQuoted() : '';
  const { value } = text.readBare('');
  const [ending = '', direction] = /-(asc|desc)$/.exec(value) ?? [];
  const plain = value.slice(0, value.length - ending.length);
  const name = isQuoted ? label : plain;
  if (name === '' || (isQuoted && plain !== '')) {
    throw text.error(at, `must be ${sortForms}`);
  }
  const known = sortKeys.find((key) => key === name);
  if (!isClass && known === undefined) {
    throw text.error(at, `there is no order ${quotedName(name)}; use ${sortForms}`);
  }
  const key: Sort['key'] = isClass || known === undefined ? classField(name) : known;
  const usual = key === 'name' ? 'asc' : 'desc';
  return { sort: { key, direction: directions.find((one) => one === direction) ?? usual } };
}

const directions = ['asc', 'desc'] as const;
const sortForms = `${sortKeys.join(', ')} or class:NAME, with -asc or -desc`;
