// `evaluation:ID`, and what may follow: `/misses/RBC`, `/swapped>=0.6`, `/RBC>WBC`.

import { labelMistakeKinds } from '../contract/evaluations.ts';
import { quotedName } from '../quoted-name.ts';
import type { QueryText } from './query-lexer.ts';
import type { JudgedCondition, JudgedError } from './query-syntax-tree.ts';

const errors = ['errors', 'misses', 'false_positives'] as const;

const kinds: readonly JudgedError[] = [...errors, 'mistakes', ...labelMistakeKinds];

/** An empty side of `>` is the background: `RBC>` was missed, `>RBC` is nothing. */
const forms = `${kinds.join(', ')}, or CLASS>CLASS (what was found in its place)`;

/** What stands behind `evaluation:`. Throws `invalid_input`, which names the place. */
export function readJudged(text: QueryText): JudgedCondition {
  const { value: evaluationId } = text.readValue('the id of the evaluation', '/');
  if (text.takeOneOf(['/']) === undefined) return { evaluationId };
  const { at } = text;
  const first = readClass(text, '/>');
  const operator = text.takeOneOf(['>=', '>']);
  if (operator === '>') {
    const found = readClass(text, '');
    if (first + found === '') throw text.error(at, `a class is missing here; use ${forms}`);
    return { evaluationId, pair: { truth: first, found } };
  }
  const only = kinds.find((kind) => kind === first);
  if (only === undefined) {
    throw text.error(at, `there is no ${quotedName(first)} of an evaluation; use ${forms}`);
  }
  if (operator === '>=') return { evaluationId, only, scoreMin: readScore(text, only) };
  if (text.takeOneOf(['/']) === undefined) return { evaluationId, only };
  const { value: label } = text.readValue('the class', '>');
  if (text.takeOneOf(['>=']) === undefined) return { evaluationId, only, label };
  return { evaluationId, only, label, scoreMin: readScore(text, only) };
}

/** The same as text, behind `evaluation:`. */
export function judgedText(
  { evaluationId, only, label, pair, scoreMin }: JudgedCondition,
  quoted: (name: string) => string,
): string {
  const side = (name: string) => (name.includes('/') ? JSON.stringify(name) : name && quoted(name));
  return [
    quoted(evaluationId),
    ...(pair === undefined ? [] : [`/${side(pair.truth)}>${side(pair.found)}`]),
    ...(only === undefined ? [] : [`/${only}`]),
    ...(label === undefined ? [] : [`/${quoted(label)}`]),
    ...(scoreMin === undefined ? [] : [`>=${scoreMin}`]),
  ].join('');
}

function readClass(text: QueryText, stops: string): string {
  return text.peek() === '"' ? text.readQuoted() : text.readBare(stops).value;
}

function readScore(text: QueryText, only: JudgedError): number {
  const { at, value } = text.readValue('a score');
  if (errors.some((one) => one === only)) {
    throw text.error(at, `${only} have no score: mistakes of labels have one`);
  }
  if (!/^(0(\.[0-9]+)?|1(\.0+)?)$/.test(value)) {
    throw text.error(at, `must be a score from 0 to 1, but is ${quotedName(value)}`);
  }
  return Number(value);
}
