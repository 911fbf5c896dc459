// The query language once more, as plain tests of one image after the other: what the index is held
// against. Shares no code with it.

import type { Model } from './indexed-images.ts';

export type Condition =
  | { readonly is: 'all' }
  | { readonly is: 'tag' | 'split' | 'project' | 'word' | 'name'; readonly text: string }
  | { readonly is: 'class'; readonly text: string; readonly bound?: Bound }
  | { readonly is: 'metadata'; readonly key: string; readonly value?: string }
  | { readonly is: 'annotated' | 'predicted'; readonly yes: boolean }
  | { readonly is: 'job' | 'batch'; readonly text: string }
  | { readonly is: 'limit'; readonly field: LimitField; readonly count: number }
  | { readonly is: 'and' | 'or'; readonly parts: readonly Condition[] }
  | { readonly is: 'not'; readonly part: Condition };

export interface Bound {
  readonly operator: '>=' | '<=' | '>' | '<' | '=';
  readonly count: number;
}

export type LimitField =
  | 'min-width'
  | 'max-width'
  | 'min-height'
  | 'max-height'
  | 'min-annotations'
  | 'max-annotations';

export function holds(condition: Condition, model: Model): boolean {
  switch (condition.is) {
    case 'all':
      return true;
    case 'and':
      return condition.parts.every((part) => holds(part, model));
    case 'or':
      return condition.parts.some((part) => holds(part, model));
    case 'not':
      return !holds(condition.part, model);
    case 'tag':
      return model.tags.has(condition.text);
    case 'split':
      return model.split === condition.text;
    case 'project':
      return model.project === condition.text;
    case 'job':
      return model.jobs.has(condition.text);
    case 'batch':
      return model.batch === condition.text;
    case 'annotated':
      return (model.labels !== undefined) === condition.yes;
    case 'predicted':
      return model.isPredicted === condition.yes;
    case 'class': {
      const count = countOf(model, condition.text);
      return condition.bound ? compares(count, condition.bound) : count > 0;
    }
    case 'metadata': {
      const { key, value } = condition;
      if (value === undefined) return Object.hasOwn(model.metadata, key);
      return Object.entries(model.metadata).some(([k, v]) => `${k}=${v}` === `${key}=${value}`);
    }
    case 'limit':
      return limited(model, condition.field, condition.count);
    case 'name':
      return globs(plain(condition.text), plain(model.name));
    case 'word':
      return findsWords(condition.text, [model.name, ...model.tags].flatMap(splitWords));
  }
}

export function countOf({ labels = [] }: Model, label: string): number {
  return labels.filter((one) => one === label).length;
}

export function plain(text: string): string {
  return [...text.normalize('NFKD').toLowerCase().normalize('NFKD')]
    .filter((letter) => !/\p{M}/u.test(letter))
    .map((letter) => (letter === 'ς' ? 'σ' : letter))
    .join('');
}

function compares(count: number, bound: Bound): boolean {
  if (bound.operator === '=') return count === bound.count;
  if (bound.operator === '<') return count < bound.count;
  if (bound.operator === '>') return count > bound.count;
  return bound.operator === '<=' ? count <= bound.count : count >= bound.count;
}

function limited(model: Model, field: LimitField, count: number): boolean {
  const [side, what] = field.split('-');
  const value =
    what === 'width' ? model.width : what === 'height' ? model.height : (model.labels?.length ?? 0);
  return side === 'min' ? value >= count : value <= count;
}

/** By trying every way in which stars can be filled. */
function globs(pattern: string, name: string): boolean {
  if (pattern === '') return name === '';
  if (pattern.startsWith('*')) {
    return Array.from({ length: name.length + 1 }, (_, at) => at).some((at) =>
      globs(pattern.slice(1), name.slice(at)),
    );
  }
  return name !== '' && pattern[0] === name[0] && globs(pattern.slice(1), name.slice(1));
}

function splitWords(text: string): readonly string[] {
  const words: string[] = [];
  let kind = '';
  for (const letter of plain(text)) {
    const next = /[0-9]/.test(letter) ? 'digits' : /[\p{L}\p{N}]/u.test(letter) ? 'letters' : '';
    if (next !== '' && next === kind) words[words.length - 1] += letter;
    else if (next !== '') words.push(letter);
    kind = next;
  }
  return words;
}

function findsWords(text: string, words: readonly string[]): boolean {
  const isOpen = text.endsWith('*');
  const wanted = splitWords(text);
  return wanted.every((word, at) =>
    isOpen && at === wanted.length - 1
      ? words.some((other) => other.startsWith(word))
      : words.includes(word),
  );
}
