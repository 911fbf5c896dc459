// Filters on detections: terms on class, confidence and count, separated by commas, which are all
// about the same detections.

import { limits } from '../../limits.ts';
import { type ComparisonOperator, comparisonOperators } from '../../value-conditions.ts';
import type { DetectionCondition, MetadataCondition } from '../store/store.ts';
import { badQuery } from './bad-query.ts';
import { isMeantAsOperator, wrongOperator } from './member-filters.ts';

/**
 * `class:person,confidence:gte:0.5,count:gte:3`: at least three detections of that class that are
 * so sure. Without a count: at least one. Throws `bad_request` that shows the right grammar.
 */
export function parseDetectionFilters(texts: readonly string[]): DetectionCondition[] {
  const conditions = texts.map(parse);
  const isApart = ({ terms }: DetectionCondition) => terms.every(({ key }) => key !== 'class');
  // Terms that were meant for one detection would each be met by another.
  if (conditions.length > 1 && conditions.some(isApart)) {
    throw wrong(`each of several filters names a class; terms of one filter stand in one text`);
  }
  return conditions;
}

function parse(text: string): DetectionCondition {
  const parts = text.split(beforeTerm);
  if (parts.length > limits.eventDetectionTermsMax) {
    throw wrong(`has ${parts.length} terms; at most ${limits.eventDetectionTermsMax} are taken`);
  }
  const all = parts.map(parseTerm);
  const terms = all.filter(({ key }) => key !== 'count');
  const classes = terms.filter(({ key, operator }) => key === 'class' && operator === 'eq');
  if (classes.length > 1) throw wrong('has several classes; each class is a filter of its own');
  const counts = all.filter(({ key }) => key === 'count');
  return { terms, counts: counts.length > 0 ? counts : [atLeastOne] };
}

const atLeastOne: DetectionCondition['counts'][number] = { operator: 'gte', values: [1] };

/** `class:person and confidence:gte:0.5` would be a class that no event has. */
const anotherTerm = /[\s;&|](?:class|confidence|count)\s*(?::|[<>=!])/;

/** Names of classes may have commas. */
const beforeTerm = /,(?=\s*(?:class|confidence|count)\s*(?::|[<>=!]))/;

const term = /^\s*(class|confidence|count)\s*(?::|(?=[<>=!]))(.*)$/s;

function parseTerm(text: string): MetadataCondition {
  const [, key = '', rest = ''] = term.exec(text) ?? [];
  if (key === '') throw wrong('must be terms on class, confidence or count');
  const { operator, value } = comparisonIn(rest);
  if (value === '') throw wrong(`${key} has no value`);
  if (key === 'class') return classTerm(operator, value);
  const figure = Number(value);
  const isRight = key === 'count' ? isCount(figure) : figure >= 0 && figure <= 1;
  if (!isRight) throw wrong(`${key} is ${ranges[key] ?? ''}`);
  return { key, operator, values: [figure] };
}

const ranges: Readonly<Record<string, string>> = {
  confidence: 'a number from 0 to 1',
  count: 'a whole number from 0 on',
};

function isCount(figure: number): boolean {
  return Number.isSafeInteger(figure) && figure >= 0;
}

/** A class is text, whatever its name looks like, and classes have no order. */
function classTerm(operator: ComparisonOperator, value: string): MetadataCondition {
  if (anotherTerm.test(value)) throw wrong('has terms that no comma separates');
  if (operator === 'eq' || operator === 'ne') return { key: 'class', operator, values: [value] };
  throw wrong('class takes eq and ne');
}

/** Since the names are few, `confidence>=0.5` can mean nothing else. */
const signs: Readonly<Record<string, ComparisonOperator>> = {
  '=': 'eq',
  '==': 'eq',
  '!=': 'ne',
  '>': 'gt',
  '<': 'lt',
  '>=': 'gte',
  '<=': 'lte',
};

function comparisonIn(text: string) {
  const [sign = ''] = /^[<>=!]+/.exec(text) ?? [];
  if (sign !== '') {
    const operator = signs[sign];
    if (operator === undefined) throw wrong(wrongOperator);
    return { operator, value: text.slice(sign.length).trim() };
  }
  const at = text.indexOf(':');
  const word = text.slice(0, Math.max(0, at));
  const operator = comparisonOperators.find((known) => known === word);
  if (operator !== undefined) return { operator, value: text.slice(at + 1).trim() };
  if (isMeantAsOperator(word)) throw wrong(wrongOperator);
  return { operator: 'eq' as const, value: text.trim() };
}

function wrong(what: string) {
  return badQuery('detection_filter', `${what}, as in ${example}`);
}

const example = 'class:person,confidence:gte:0.5,count:gte:3';
