// Keeps what a store knows of its clock from one process to the next.

import { join } from 'node:path';
import { membersOf } from '../../json-object.ts';
import { readMembers, replaceJson } from './json-file.ts';
import type { Leap, Life } from './lived-time.ts';

/** Undefined when there is none, or it cannot be read: then the store only knows its events. */
export async function readLife(data: string): Promise<Life | undefined> {
  try {
    return lifeOf(await readMembers(fileIn(data)));
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return undefined;
    throw thrown;
  }
}

/** It is on the disk when this resolves. */
export async function writeLife(data: string, life: Life): Promise<void> {
  await replaceJson(fileIn(data), life);
}

function fileIn(data: string): string {
  return join(data, 'clock.json');
}

function lifeOf(value: unknown): Life | undefined {
  const { seenAt, leaps } = membersOf(value);
  if (typeof seenAt !== 'number' || !Array.isArray(leaps)) return undefined;
  const read = leaps.map(leapOf);
  if (read.includes(undefined)) return undefined;
  const known = read.filter((leap) => leap !== undefined);
  return { seenAt, leaps: known.sort((first, second) => first.to - second.to) };
}

function leapOf(value: unknown): Leap | undefined {
  const { from, to } = membersOf(value);
  return typeof from === 'number' && typeof to === 'number' ? { from, to } : undefined;
}
