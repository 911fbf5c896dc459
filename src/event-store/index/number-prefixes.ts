// Numbers as nested ranges: a number has a prefix of each length, and the numbers between two ends
// are those that have one of a few prefixes.

import { limits } from '../../limits.ts';

/** How a range of numbers is called: numbers in it have the same first bits. */
export interface Prefix {
  /** Which of the lengths, from the shortest on. */
  readonly level: number;
  readonly bits: number;
}

/** Of a finite number, one of each length. */
export function prefixesOf(value: number): Prefix[] {
  const key = keyOf(value);
  return lengths.map((length, level) => ({ level, bits: key >>> (keyBits - length) }));
}

/**
 * Prefixes of which every number from `low` to `high` has one; so do some beside these ends, and
 * the more the wider the range is.
 */
export function prefixesWithin(low: number, high: number): Prefix[] {
  const [first, last] = [keyOf(low), keyOf(high)];
  for (let deepest = lengths.length - 1; deepest > 0; deepest -= 1) {
    const prefixes = cover(first, last, deepest);
    if (prefixes.length <= limits.indexedRangePrefixesMax) return prefixes;
  }
  return cover(first, last, 0);
}

/** The longest prefixes are of that level; shorter ones lie wholly between the two keys. */
function cover(first: number, last: number, deepest: number): Prefix[] {
  const found: Prefix[] = [];
  const coverWithin = (level: number, from: number, until: number) => {
    const rest = keyBits - (lengths[level] ?? keyBits);
    for (let bits = from >>> rest; bits <= until >>> rest; bits += 1) {
      const start = bits << rest;
      const end = start + 2 ** rest - 1;
      const isWithin = start >= first && end <= last;
      if (isWithin || level === deepest) found.push({ level, bits });
      else coverWithin(level + 1, Math.max(start, from), Math.min(end, until));
    }
  };
  if (first <= last) coverWithin(0, first, last);
  return found;
}

/** Of the key below: its sign with three bits of the exponent; the exponent; the fraction. */
const lengths = [4, 7, 11, 16, 22] as const;
const keyBits = 22;

/**
 * Sign, exponent and the start of the fraction, so that keys are in the order of their numbers.
 * What is below 2^-16 or from 2^47 on is one number of each sign.
 */
function keyOf(value: number): number {
  const magnitude = magnitudeOf(Math.abs(value));
  return value < 0 ? zeroKey - 1 - magnitude : zeroKey + magnitude;
}

const zeroKey = 2 ** (keyBits - 1);
const fractionBits = 15;

function magnitudeOf(value: number): number {
  if (value < 2 ** exponentMin) return 0;
  if (value >= 2 ** (exponentMin + exponents)) return zeroKey - 1;
  floats[0] = value;
  const high = words[1] ?? 0;
  const exponent = (high >>> 20) - 1_023 - exponentMin + 1;
  return exponent * 2 ** fractionBits + ((high & 0xfffff) >>> (20 - fractionBits));
}

const exponentMin = -16;
/** Six bits of them, of which the first is for what is smaller. */
const exponents = 63;

const floats = new Float64Array(1);
/** The half with the exponent is the second one, on every machine that Node runs on. */
const words = new Uint32Array(floats.buffer);
