// What a profile says, as text: where most is spent in each thread.

import { formatTable } from '../../bench/measure/text-table.ts';
import { type CallTree, type Place, textOf } from './call-tree.ts';
import type { Measure } from './measures.ts';

const placesMax = 12;
const filesMax = 8;

/** Threads in which less was sampled are left out of the text. */
const shareMin = 0.01;

export function summarize(threads: readonly CallTree[], measure: Measure): string {
  const sum = threads.reduce((all, { total }) => all + total, 0);
  return threads
    .filter(({ total }) => total > sum * shareMin)
    .map((thread) => summarizeThread(thread, measure))
    .join('\n\n');
}

function summarizeThread(thread: CallTree, { title, unit }: Measure): string {
  const { total } = thread;
  const percentOf = (value: number) => `${((100 * value) / total).toFixed(1)} %`;
  const row = ([name, value]: readonly [string, number]) => [
    name,
    (value / unit.size).toFixed(1),
    percentOf(value),
  ];
  const places = thread.selfBy(textOf).slice(0, placesMax);
  const files = thread.selfBy(fileOf).slice(0, filesMax);
  const collected = new Map(thread.selfBy(({ name }) => name)).get('(garbage collector)');
  const head = `${title}, ${thread.place.name}: ${(total / unit.size).toFixed(1)} ${unit.name}`;
  return [
    collected === undefined ? head : `${head}, garbage collection ${percentOf(collected)}`,
    formatTable([['function', unit.name, 'share'], ...places.map(row)]),
    formatTable([['file', unit.name, 'share'], ...files.map(row)]),
  ].join('\n\n');
}

/** The engine itself names what it does in parentheses. */
function fileOf({ name, file }: Place): string {
  if (file !== '') return file;
  return name.startsWith('(') ? name : '(built into the engine)';
}
