// A search as data: what the grammar makes, and what the index answers.

import type { ErrorKind } from '../contract/evaluations.ts';

export type Comparison = '>=' | '<=' | '>' | '<' | '=';

/** A number that each image has; it is 0 for a class that the image does not show. */
export type NumberField = 'width' | 'height' | 'objects' | `class:${string}`;

export type Query =
  | { readonly kind: 'all' }
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Query[] }
  | { readonly kind: 'not'; readonly part: Query }
  /** A term of the index, see terms.ts. */
  | { readonly kind: 'term'; readonly term: string }
  /** Of the batches, or annotation jobs, with this id or exactly this name. */
  | { readonly kind: 'batch' | 'job'; readonly named: string }
  | ({ readonly kind: 'evaluation' } & JudgedCondition)
  | {
      readonly kind: 'number';
      readonly field: NumberField;
      readonly operator: Comparison;
      readonly value: number;
    }
  /** A word of the name or of a tag, as words.ts makes them. */
  | { readonly kind: 'word'; readonly word: string; readonly isPrefix: boolean }
  /** A whole file name, folded, with `*` for any characters. */
  | { readonly kind: 'name'; readonly pattern: string };

/** Images that an evaluation judged; `only`: those with such errors, or mistakes of labels. */
export interface JudgedCondition {
  readonly evaluationId: string;
  readonly only?: JudgedError | undefined;
  /** Only what is of this class. */
  readonly label?: string | undefined;
  /** Of mistakes of labels, from there on. */
  readonly scoreMin?: number | undefined;
  /** In place of `only`: a class that was found as another; empty: the background. */
  readonly pair?: { readonly truth: string; readonly found: string } | undefined;
}

/** `errors` are misses and false positives, `mistakes` the other ones. */
export type JudgedError = 'errors' | 'mistakes' | ErrorKind;

export interface Sort {
  readonly key: 'created' | 'name' | 'width' | 'height' | 'annotations' | `class:${string}`;
  readonly direction: 'asc' | 'desc';
}

/** Those first in which an evaluation found most of what the conditions are about. */
export interface WorstFirst {
  readonly key: 'worst';
  readonly evaluationId: string;
  /** Of this evaluation. An image has the best of its places by each of them. */
  readonly judged: readonly JudgedCondition[];
}

/** The newest image first. */
export const newestFirst: Sort = { key: 'created', direction: 'desc' };

/** The last image of the page before: what it was sorted by, and its number. */
export interface After {
  readonly value: string | number;
  readonly ordinal: number;
}

export interface SearchRequest {
  readonly query: Query;
  readonly sort: Sort | WorstFirst;
  /** Undefined: from the start. */
  readonly after: After | undefined;
  /** Images that are passed over, counted from `after`. */
  readonly offset: number;
  readonly limit: number;
  /** Whether the annotations of what is found are read too: they are large. */
  readonly withAnnotations: boolean;
}
