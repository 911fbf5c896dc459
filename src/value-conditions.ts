// Conditions on single values, of every filter on events: operators, and what a text stands for.

export type Scalar = string | number | boolean;

export const comparisonOperators = ['eq', 'ne', 'gt', 'lt', 'gte', 'lte'] as const;

export type ComparisonOperator = (typeof comparisonOperators)[number];

/**
 * The values that the text of a filter may stand for: `5` the number and the text. Numbers are put
 * in order with numbers only: as text, "10" comes before "9".
 */
export function meaningsOf(text: string, operator: ComparisonOperator): readonly Scalar[] {
  const all = meanings(text);
  if (operator === 'eq' || operator === 'ne') return all;
  const numbers = all.filter((value) => typeof value === 'number');
  return numbers.length > 0 ? numbers : all.filter((value) => typeof value !== 'boolean');
}

/** A value meets `ne` where it is none of the values; the others where one of them compares so. */
export function valueMeets(
  value: Scalar,
  operator: ComparisonOperator,
  values: readonly Scalar[],
): boolean {
  if (operator === 'eq') return values.includes(value);
  if (operator === 'ne') return !values.includes(value);
  return values.some((wanted) => {
    const order = compare(value, wanted);
    if (order === undefined) return false;
    if (operator === 'gt') return order > 0;
    if (operator === 'gte') return order >= 0;
    return operator === 'lt' ? order < 0 : order <= 0;
  });
}

function meanings(text: string): Scalar[] {
  const isNumber = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text);
  return [
    text,
    ...(isNumber && Number.isFinite(Number(text)) ? [Number(text)] : []),
    ...(/^true$/i.test(text) ? [true] : /^false$/i.test(text) ? [false] : []),
  ];
}

/** Undefined for values that have no order with each other. */
function compare(first: Scalar, second: Scalar): number | undefined {
  if (typeof first === 'number' && typeof second === 'number') return first - second;
  if (typeof first !== 'string' || typeof second !== 'string') return undefined;
  // UTF-8 sorts as code points do, which UTF-16 does not.
  return Buffer.compare(Buffer.from(first), Buffer.from(second));
}
