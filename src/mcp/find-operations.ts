// `operations_find`: which operation does what somebody wants, and what it takes.

import * as z from 'zod';
import { nearest } from '../nearest.ts';
import { findEntry, presentCall } from './compact.ts';
import { adapt, type ListedTool, type SurfaceSettings } from './surface.ts';
import { type Tool, type ToolResult, tool } from './tool.ts';

const matchesMax = 8;

/** The tool over all operations of a list that the settings of the caller let through. */
export function findingTool(list: readonly ListedTool[]): Tool {
  const { name, title, description } = findEntry;
  const operationsOf = remembering(list);
  return tool({
    ...{ name, title, description },
    family: 'operations',
    effect: 'reads',
    recoverable: false,
    idempotent: true,
    openWorld: false,
    scope: undefined,
    usesFiles: false,
    input: z.strictObject({ query: z.string() }),
    run: async ({ query }, { settings }) => find(query.trim(), operationsOf(settings), settings),
  });
}

/** Those of a caller, with their words; made once for the settings of a process. */
function remembering(list: readonly ListedTool[]) {
  const known = new WeakMap<SurfaceSettings, Operations>();
  return (settings: SurfaceSettings): Operations => {
    const before = known.get(settings);
    if (before !== undefined) return before;
    const made = new Map(adapt(list, settings).map((tool) => [tool, indexed(tool)]));
    known.set(settings, made);
    return made;
  };
}

type Operations = ReadonlyMap<ListedTool, Indexed>;

function find(query: string, index: Operations, settings: SurfaceSettings): ToolResult {
  const operations = [...index.keys()];
  const exact = operations.find(({ name }) => name === query.toLowerCase());
  if (exact !== undefined) return inFull(exact, settings);
  const family = operations.filter(({ family }) => family === query.toLowerCase());
  const found = family.length > 0 ? family : ranked(query, index);
  if (found.length === 0) return nothingFound(operations);
  const shown = family.length > 0 ? found : found.slice(0, matchesMax);
  const [first] = shown;
  return {
    summary: `${shown.length} operations, the best match first.`,
    data: { operations: shown.map((tool) => inShort(tool, settings)) },
    ...(first && {
      next: [
        { tool: findEntry.name, arguments: { query: first.name }, why: 'Gives its arguments.' },
      ],
    }),
  };
}

function inFull(tool: ListedTool, settings: SurfaceSettings): ToolResult {
  const { tool: call } = presentCall(tool, {}, settings);
  const how = call === tool.name ? 'Call it directly' : `Call ${call} with it`;
  return {
    summary: `${tool.name}: ${tool.description} ${how}.`,
    data: { operation: tool.name, call, effect: tool.effect, arguments: tool.inputSchema },
  };
}

function inShort(tool: ListedTool, settings: SurfaceSettings) {
  const { required = [] } = tool.inputSchema;
  return {
    operation: tool.name,
    does: `${tool.title}. ${tool.description}`,
    call: presentCall(tool, {}, settings).tool,
    ...(required.length > 0 && { required }),
  };
}

function nothingFound(operations: readonly ListedTool[]): ToolResult {
  const families = [...new Set(operations.map(({ family }) => family))];
  return {
    summary: 'No operation has these words. A family gives all of its operations.',
    data: { operations: [], families },
  };
}

/** Where a word was found decides how much it counts. */
const weights = { name: 6, title: 4, description: 2, parameters: 1 } as const;

type Place = keyof typeof weights;

type Indexed = Readonly<Record<Place, ReadonlySet<string>>>;

function ranked(query: string, index: Operations): readonly ListedTool[] {
  const vocabulary = new Set(
    [...index.values()].flatMap((words) => places.flatMap((place) => [...words[place]])),
  );
  const asked = [...wordsOf(query)].map((word) => alternativesOf(word, vocabulary));
  const scored = [...index].map(([tool, words]) => {
    const score = asked.reduce((sum, options) => sum + best(options, words, index), 0);
    return { tool, score };
  });
  return scored
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ tool }) => tool);
}

const places: readonly Place[] = ['name', 'title', 'description', 'parameters'];

function indexed({ name, title, description, inputSchema }: ListedTool): Indexed {
  return {
    name: wordsOf(name),
    title: wordsOf(title),
    description: wordsOf(description),
    parameters: wordsOf(Object.keys(inputSchema.properties).join(' ')),
  };
}

/** A rare word says more than one that half of the operations have. */
function best(
  options: readonly string[],
  words: Indexed,
  index: ReadonlyMap<ListedTool, Indexed>,
): number {
  const scores = options.map((word) => {
    const place = places.find((place) => words[place].has(word));
    if (place === undefined) return 0;
    const having = [...index.values()].filter((other) =>
      places.some((place) => other[place].has(word)),
    );
    return weights[place] * Math.log(1 + index.size / having.length);
  });
  return Math.max(0, ...scores);
}

/** The word, what others call it, and what it was probably meant to be. */
function alternativesOf(word: string, vocabulary: ReadonlySet<string>): readonly string[] {
  const others = synonyms.find((group) => group.includes(word)) ?? [word];
  if (others.some((other) => vocabulary.has(other))) return others;
  return [nearest(word, [...vocabulary]) ?? word];
}

/** Words that people use for one another. */
const synonyms = [
  ['delete', 'remove', 'erase', 'drop', 'discard'],
  ['create', 'add', 'new', 'make'],
  ['get', 'show', 'see', 'read', 'view'],
  ['update', 'change', 'edit', 'rename', 'modify'],
  ['restore', 'undelete', 'undo', 'recover', 'trash'],
  ['cancel', 'abort', 'stop', 'end'],
  ['revoke', 'withdraw', 'invalidate'],
  ['image', 'picture', 'photo'],
  ['annotate', 'annotation', 'label', 'labell', 'box'],
  ['inference', 'predict', 'prediction', 'detect'],
  ['training', 'train', 'model'],
  ['fork', 'copy', 'duplicate', 'clone'],
  ['folder', 'group', 'directory'],
  ['project', 'dataset'],
  ['split', 'rebalance'],
  ['export', 'download'],
  ['metadata', 'field', 'property'],
  ['job', 'assign', 'labeler'],
  ['key', 'token', 'secret'],
  ['attach', 'upload', 'send'],
  ['deploy', 'deployment', 'serve'],
  ['hold', 'keep', 'protect'],
].map((group) => group.map(stem));

/** Words that are in every wish. */
const fillers = new Set([
  'a',
  'an',
  'and',
  'for',
  'from',
  'in',
  'is',
  'it',
  'my',
  'of',
  'on',
  'or',
  'that',
  'the',
  'this',
  'to',
  'what',
  'which',
  'with',
  'all',
  'i',
  'want',
  'how',
  'do',
  'does',
]);

function wordsOf(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.filter((word) => !fillers.has(word)).map(stem));
}

/** Endings that say nothing of the thing meant. */
function stem(word: string): string {
  return word
    .replace(/(?<=\w{2})ies$/, 'y')
    .replace(/(?<=\w{2}[^s])s$/, '')
    .replace(/(?<=\w{3})(?:ing|ed|e)$/, '');
}
