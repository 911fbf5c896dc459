// A condition as text, in the form in which it can be asked for again.

import { judgedText } from './judged-condition.ts';
import type { Query } from './query-syntax-tree.ts';

/** Undefined for brackets, and for a name that is too long for the index to have it in full. */
export function conditionText(query: Query): string | undefined {
  switch (query.kind) {
    case 'not': {
      const part = conditionText(query.part);
      if (part?.endsWith(':true')) return part.replace(/true$/, 'false');
      return part === undefined ? undefined : `-${part}`;
    }
    case 'and': {
      const words = query.parts.filter(({ kind }) => kind === 'word').map(conditionText);
      return words.length === query.parts.length ? words.join(' ') : undefined;
    }
    case 'term':
      return termText(query.term);
    case 'batch':
    case 'job':
      return `${query.kind}:${quotedWhereNeeded(query.named)}`;
    case 'evaluation':
      return `evaluation:${judgedText(query, quotedWhereNeeded)}`;
    case 'number':
      return numberText(query);
    case 'word':
      return `${query.word}${query.isPrefix ? '*' : ''}`;
    case 'name':
      return `filename:${quotedWhereNeeded(query.pattern)}`;
    default:
      return undefined;
  }
}

/** The key and the value of a term of metadata; with several `=` the key ends before the first. */
export function metadataPair(text: string): { readonly key: string; readonly value: string } {
  const [key = '', ...value] = text.split('=');
  return { key, value: value.join('=') };
}

function termText(term: string): string | undefined {
  const [, kind = '', text = ''] = /^([a-z-]+):(.*)$/s.exec(term) ?? [];
  switch (kind) {
    case 'tag':
    case 'class':
    case 'split':
    case 'batch':
    case 'job':
    case 'review':
      return `${kind}:${quotedWhereNeeded(text)}`;
    case 'metadata-key':
      return `metadata:${quotedWhereNeeded(text)}`;
    case 'metadata': {
      const { key, value } = metadataPair(text);
      return `metadata:${quotedWhereNeeded(key)}=${quotedWhereNeeded(value)}`;
    }
    case 'is':
      return `${text}:true`;
    default:
      // A project stands in its term by an id that nobody knows.
      return kind === 'project' ? 'project:' : undefined;
  }
}

function numberText({ field, operator, value }: Query & { readonly kind: 'number' }): string {
  if (field.startsWith('class:')) {
    return `class:${quotedWhereNeeded(field.slice('class:'.length))}${operator}${value}`;
  }
  const end = operator === '>=' ? 'min' : 'max';
  return `${end}-${field === 'objects' ? 'annotations' : field}:${value}`;
}

function quotedWhereNeeded(text: string): string {
  return /^[^\s()":=<>]+$/.test(text) ? text : JSON.stringify(text);
}
