// Checked access to what an annotation file says. Every refusal names the place in the file.

import { FoveaError, invalidArgument } from '../errors.ts';
import { isJsonObject, type JsonObject } from '../json-object.ts';
import { limits } from '../limits.ts';

/** An annotation file that cannot be accepted; `place` is a line or a path in it. */
export function refusal(place: string, message: string, hint?: string): FoveaError {
  return invalidArgument('annotationFile', place ? `${place}: ${message}` : message, hint);
}

/** One that is larger than anybody's, by a bound that the message names. */
export function tooLarge(place: string, problem: string): FoveaError {
  const message = place ? `${place}: ${problem}` : problem;
  return new FoveaError('too_large', `annotationFile: ${message}`, {
    problems: [{ path: 'annotationFile', message }],
  });
}

export function readFields(value: unknown, place: string): JsonObject {
  if (!isJsonObject(value)) throw refusal(place, 'must be an object');
  return value;
}

export function readList(value: unknown, place: string): readonly unknown[] {
  if (!Array.isArray(value)) throw refusal(place, 'must be an array');
  return value;
}

/** A coordinate or a size in pixels, given as a number. */
export function readNumber(value: unknown, place: string): number {
  if (typeof value !== 'number') throw refusal(place, 'must be a number');
  return checkNumber(value, place);
}

/** A coordinate or a size in pixels, given as text. */
export function readNumberText(text: unknown, place: string): number {
  const number = typeof text === 'string' ? text.trim() : '';
  if (number.length > limits.annotationNumberCharactersMax || !decimal.test(number)) {
    throw refusal(place, 'must be a number, for example 12 or 12.5');
  }
  return checkNumber(Number(number), place);
}

/** A width or a height: 0 is kept and reported, less is impossible. */
export function readSize(value: unknown, place: string): number {
  const size = readNumber(value, place);
  if (size < 0) throw refusal(place, `must not be negative, but is ${size}`);
  return size;
}

/** A class name: one line, not blank. */
export function readLabel(value: unknown, place: string): string {
  if (typeof value !== 'string') throw refusal(place, 'must be a class name');
  const label = value.trim();
  if (label === '') throw refusal(place, 'must be a class name, but is blank');
  if (label.length > limits.labelCharactersMax) {
    throw refusal(place, `is longer than ${limits.labelCharactersMax} characters`);
  }
  // Half a surrogate pair is no text: it could not be stored as it is.
  if (/[\p{Cc}\p{Cs}]/u.test(label)) {
    throw refusal(place, 'must be one line of Unicode text without control characters');
  }
  return label;
}

export function checkBoxCount(count: number): void {
  if (count <= limits.boxesPerImageMax) return;
  throw tooLarge('', `has ${count} boxes for the image; at most ${limits.boxesPerImageMax} fit`);
}

/** Line of a character in a text, from 1. */
export function lineOf(text: string, index: number): number {
  return lineFinder(text)(index);
}

/** The same for many: those that come in the order of the text are found in one pass over it. */
export function lineFinder(text: string): (index: number) => number {
  let line = 1;
  let next = text.indexOf('\n');
  let last = 0;
  return (index) => {
    if (index < last) [line, next] = [1, text.indexOf('\n')];
    last = index;
    for (; next >= 0 && next < index; next = text.indexOf('\n', next + 1)) line += 1;
    return line;
  };
}

const decimal = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

function checkNumber(value: number, place: string): number {
  if (Math.abs(value) <= limits.boxCoordinateMax) return value;
  throw refusal(place, `must be at most ${limits.boxCoordinateMax} either way`);
}
