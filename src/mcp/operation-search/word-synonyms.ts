// Words that mean the same, in the names of operations and in wishes.

import { suggestSpelling } from '../../spelling-suggestion.ts';

/** A word, without its ending, with its synonyms. */
export type WordWithSynonyms = readonly [word: string, ...others: string[]];

export function withSynonyms(word: string): WordWithSynonyms {
  const others = synonyms.find((group) => group.includes(word)) ?? [];
  return [word, ...others.filter((other) => other !== word)];
}

/**
 * The operation that a wrong name means. Its meaning comes first: the letters of `remove` are near
 * to those of `create`. Undefined: none is near.
 */
export function meantOperation(name: string, known: readonly string[]): string | undefined {
  const short = name.slice(0, nameCharactersMax);
  return sameInOtherWords(short, known) ?? suggestSpelling(short, known);
}

/** No operation has a name that long. */
const nameCharactersMax = 64;

/** `projects_delete` of `projects_remove`: every word means the same; the same word is better. */
function sameInOtherWords(name: string, known: readonly string[]): string | undefined {
  // In a wish it may be a zip file, so it stands in no group.
  const meant = (word: string) => (word === stem('archive') ? stem('delete') : word);
  const words = partsOf(name).map((word) => withSynonyms(meant(word)));
  const isSame = (other: string, options: (word: WordWithSynonyms) => readonly string[]) => {
    const parts = partsOf(other);
    return (
      parts.length === words.length &&
      words.every((word, at) => options(word).includes(parts[at] ?? ''))
    );
  };
  return (
    known.find((other) => isSame(other, ([word]) => [word])) ??
    known.find((other) => isSame(other, (word) => word))
  );
}

function partsOf(name: string): readonly string[] {
  return name.toLowerCase().split('_').map(stem);
}

/** Endings that say nothing of the thing meant. */
export function stem(word: string): string {
  return word
    .replace(/(?<=\w{2})ies$/, 'y')
    .replace(/(?<=\w{2}[^s])s$/, '')
    .replace(/(?<=\w{5})ly$/, '')
    .replace(/(?<=\w{3})(?:ing|ed|e)$/, '')
    .replace(/(?<=\w{2})([bdglmnprt])\1$/, '$1');
}

export const looking = [
  'list',
  'show',
  'see',
  'view',
  'get',
  'read',
  'which',
  'what',
  'give',
  'look',
];

/** Words that mean the same in the names of operations and in wishes. */
const synonyms = [
  looking,
  ['delete', 'deletion', 'remove', 'erase', 'drop', 'discard', 'throw', 'destroy'],
  ['create', 'add', 'new', 'make', 'build'],
  ['update', 'change', 'edit', 'modify'],
  ['restore', 'undelete', 'undo', 'recover', 'reverse'],
  ['cancel', 'abort', 'stop', 'end', 'halt'],
  ['revoke', 'withdraw', 'invalidate', 'kill'],
  ['image', 'picture', 'photo', 'photograph', 'frame'],
  ['annotate', 'annotation', 'label', 'labell', 'labeling', 'box', 'bounding'],
  ['inference', 'predict', 'prediction', 'detect', 'detection', 'recognize'],
  ['howmany', 'count', 'number'],
  ['class', 'category', 'categories'],
  ['fork', 'copy', 'duplicate', 'clone'],
  ['folder', 'group', 'directory'],
  ['project', 'dataset'],
  ['valid', 'validation', 'val'],
  ['split', 'rebalance'],
  ['export', 'download', 'save'],
  ['metadata', 'field', 'property'],
  ['key', 'token', 'secret'],
  ['attach', 'upload', 'send', 'import'],
  ['deploy', 'deployment', 'serve', 'production', 'live'],
  ['hold', 'keep', 'protect'],
  ['colleague', 'person', 'people', 'annotator', 'labeler', 'teammate', 'somebody', 'someone'],
  ['augment', 'augmentation', 'augmented'],
  ['done', 'finished', 'ready', 'complete', 'over', 'going'],
  ['wrong', 'bad', 'incorrect', 'mistake', 'error', 'faulty'],
  ['rare', 'scarce', 'few', 'underrepresented'],
  ['find', 'search', 'query'],
  ['video', 'clip', 'movie', 'footage'],
  ['trash', 'bin'],
].map((group) => group.map(stem));
