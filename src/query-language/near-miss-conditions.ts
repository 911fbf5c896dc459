// What is nearly a condition of the language, and how it is written: as words it would find
// nothing, and nobody would know why.

import { quotedName } from '../quoted-name.ts';
import { whyNoSign } from './grammar/query-grammar.js';

/** A wrong word in the message. */
const wordCharactersMax = 60;

const noDates = 'images are not searched by date; sort:created-desc has the newest first';
const annotatedForms = 'write annotated:true or annotated:false';

/** Fields of other languages. */
const otherFields: Readonly<Record<string, string>> = {
  name: 'write filename:IMG_*.jpg',
  file: 'write filename:IMG_*.jpg',
  label: 'write class:NAME',
  labels: 'write class:NAME',
  annotation: 'write class:NAME',
  tags: 'write tag:NAME',
  classes: 'write class:NAME',
  user_metadata: 'write metadata:KEY=VALUE',
  is: annotatedForms,
  has: annotatedForms,
  unannotated: annotatedForms,
  created: noDates,
  date: noDates,
  uploaded: noDates,
  width: 'write min-width:640 or max-width:640',
  height: 'write min-height:480 or max-height:480',
  annotations: 'write min-annotations:1 or max-annotations:0',
};

/** Short and without control characters. */
function plain(text: string): string {
  return quotedName(text, wordCharactersMax).slice(1, -1);
}

/**
 * Ends the message about a field that there is not and that no known one resembles. `opposite`: the
 * known field that it negates.
 */
export function otherFieldHint(name: string, opposite: string | undefined): string {
  const other = otherFields[name.toLowerCase()];
  if (other !== undefined) return other;
  if (opposite !== undefined) return `write -${opposite}:VALUE for images without it`;
  return `metadata is written metadata:${plain(name)}=VALUE`;
}

/**
 * Why a word without quotation marks is no word: `camera=7`, `width>640`, `&&`. Undefined: it is
 * one. `isField` says whether a name may stand before a colon.
 */
export function whyNoWord(word: string, isField: (name: string) => boolean): string | undefined {
  const why = whyNoSign(word);
  if (why !== undefined) return why;
  if (/^[<>=!]+$/.test(word)) return 'write conditions without spaces, as in class:car>=3';
  if (/^(user_)?metadata\./i.test(word)) return 'write metadata:KEY or metadata:KEY=VALUE';
  const [, name, operator = '', right = ''] =
    /^([^=<>:!]+)(>=|<=|!=|==|[=<>:])(.*)$/s.exec(word) ?? [];
  if (name === undefined) return undefined;
  const way = written(name, operator, right, isField);
  return `${quotedName(word, wordCharactersMax)} is no condition; ${way}`;
}

const numberFields: Readonly<Record<string, string>> = {
  width: 'width',
  height: 'height',
  annotations: 'annotations',
  boxes: 'annotations',
  objects: 'annotations',
};

function written(
  name: string,
  operator: string,
  right: string,
  isField: (name: string) => boolean,
): string {
  const key = name.toLowerCase();
  const isWhole = /^\d{1,9}$/.test(right);
  const number = numberFields[key];
  if (number !== undefined && isWhole && operator !== '!=') {
    return `write ${bounds(number, operator, Number(right))}`;
  }
  const other = otherFields[key];
  if (other !== undefined) return other;
  const isEqual = operator === '=' || operator === '==' || operator === ':';
  if (isEqual || operator === '!=') {
    const not = operator === '!=' ? '-' : '';
    const value = right === '' ? 'VALUE' : plain(right);
    if (!isField(key)) return `write ${not}metadata:${plain(name)}=${value}`;
    const isBoolean = /^(true|false)$/i.test(value);
    return `write ${not}${key}:${isBoolean ? value.toLowerCase() : value}`;
  }
  return isWhole
    ? `write class:${plain(name)}${operator}${right} where ${quotedName(name)} is a class`
    : 'numbers of labels and sizes in pixels alone can be compared';
}

/** `min-width:641` for `width>640`. */
function bounds(field: string, operator: string, value: number): string {
  const least = `min-${field}:${operator === '>' ? value + 1 : value}`;
  const most = `max-${field}:${operator === '<' ? Math.max(0, value - 1) : value}`;
  if (operator.startsWith('>')) return least;
  return operator.startsWith('<') ? most : `${least} ${most}`;
}
