// Filters on members of custom_metadata and event_data: `key:value` or `key:op:value`.

import { comparisonOperators, meaningsOf } from '../../value-conditions.ts';
import type { MetadataCondition } from '../store/store.ts';
import { badQuery } from './bad-query.ts';

/** Throws `bad_request` that names the parameter and shows the right grammar. */
export function parseMemberFilters(name: string, texts: readonly string[]): MetadataCondition[] {
  return texts.map((text) => parse(name, text));
}

/** The text before the second colon is an operator only where it is the name of one. */
function parse(name: string, text: string): MetadataCondition {
  const at = text.indexOf(':');
  if (at < 1) throw badQuery(name, 'must be key:value or key:op:value, as in line:3 or line:gte:3');
  const key = text.slice(0, at);
  const rest = text.slice(at + 1);
  const second = rest.indexOf(':');
  const word = rest.slice(0, Math.max(0, second));
  const operator = comparisonOperators.find((known) => known === word);
  if (operator === undefined) {
    if (isMeantAsOperator(word)) throw badQuery(name, wrongOperator);
    return { key, operator: 'eq', values: meaningsOf(rest, 'eq') };
  }
  return { key, operator, values: meaningsOf(rest.slice(second + 1), operator) };
}

/** Misspelt operators are refused: an empty page would look like a valid answer. */
export function isMeantAsOperator(word: string): boolean {
  const name = word.trim().toLowerCase();
  return (
    /^(=|==|!=|<>|<|>|<=|>=)$/.test(name) ||
    comparisonOperators.some((operator) => operator === name)
  );
}

export const wrongOperator = 'the operators are eq, ne, gt, lt, gte, lte, in lower case';
