// A small seeded generator: the same seed gives the same numbers on every machine.

import { createHash } from 'node:crypto';

/** Numbers from 0 up to, but not including, 1. */
export type Random = () => number;

/** xoshiro128** (Blackman and Vigna), seeded with the SHA-256 of the text. */
export function randomFrom(seed: string): Random {
  const hash = createHash('sha256').update(seed).digest();
  const state = Uint32Array.of(
    hash.readUInt32LE(0),
    hash.readUInt32LE(4),
    hash.readUInt32LE(8),
    hash.readUInt32LE(12) | 1,
  );
  return () => next(state) / 2 ** 32;
}

/** From `least` up to `most`. */
export function between(random: Random, least: number, most: number): number {
  return least + (most - least) * random();
}

/** Up to so much either way. */
export function eitherWay(random: Random, most: number): number {
  return between(random, -most, most);
}

/** A whole number from 0 up to, but not including, `count`. */
export function below(random: Random, count: number): number {
  return Math.floor(random() * count);
}

/** The seed of a generator of its own, whose numbers do not depend on how many others take. */
export function forkSeed(random: Random): string {
  return [random(), random()].join();
}

/** The items in a random order (Fisher and Yates, as Durstenfeld has it). */
export function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  const result: Item[] = [];
  for (const [index, item] of items.entries()) {
    const place = below(random, index + 1);
    const moved = result[place];
    if (moved === undefined) result.push(item);
    else {
      result.push(moved);
      result[place] = item;
    }
  }
  return result;
}

function next(state: Uint32Array): number {
  const [a = 0, b = 0, c = 0, d = 0] = state;
  const result = Math.imul(rotateLeft(Math.imul(b, 5), 7), 9) >>> 0;
  const mixed = c ^ a;
  const turned = d ^ b;
  state.set([a ^ turned, b ^ mixed, mixed ^ (b << 9), rotateLeft(turned, 11)]);
  return result;
}

function rotateLeft(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}
