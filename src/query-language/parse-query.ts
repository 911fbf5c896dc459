// The query language of searches, from text to data. How conditions are joined, the grammar says.
//
// condition = name ":" value | word | "quoted words" | "*"
// `sort:` stands anywhere outside of brackets, once.

import { limits } from '../limits.ts';
import { type Inside, parseConditions } from './grammar/query-grammar.js';
import type { Piece } from './grammar/query-text.js';
import {
  type Field,
  type FindProjectId,
  type Likeness,
  readField,
  refuseCondition,
} from './query-fields.ts';
import { type QueryText, queryTextOf } from './query-lexer.ts';
import type { JudgedCondition, Query, Sort } from './query-syntax-tree.ts';
import { wordsOf } from './search-terms.ts';

/** A query, with what it asks for beside its conditions. */
export interface ParsedQuery {
  readonly query: Query;
  readonly sort: Sort | undefined;
  /** What images are to be like, and where in the text it stands. */
  readonly like: PlacedLikeness | undefined;
  /** Whether free words are among its conditions. */
  readonly hasWords: boolean;
  /** The conditions `evaluation:`, and where in the text each stands. */
  readonly judged: readonly PlacedJudgement[];
}

export interface PlacedJudgement {
  readonly condition: JudgedCondition;
  readonly at: number;
}

export type PlacedLikeness = Likeness & { readonly at: number };

/**
 * Reads a query. `findProjectId` is asked for what stands behind `project:`. Throws `invalid_input`
 * for `path`, which names the character.
 */
export function parseQuery(
  text: string,
  findProjectId: FindProjectId,
  path = 'query',
): ParsedQuery {
  return new Parser(queryTextOf(text, path), findProjectId).parse();
}

class Parser {
  readonly #text: QueryText;
  readonly #findProjectId: FindProjectId;
  #sort: Sort | undefined;
  #like: PlacedLikeness | undefined;
  #hasWords = false;
  readonly #judged: PlacedJudgement[] = [];
  #conditions = 0;
  #patterns = 0;

  constructor(text: QueryText, findProjectId: FindProjectId) {
    this.#text = text;
    this.#findProjectId = findProjectId;
  }

  parse(): ParsedQuery {
    const text = this.#text;
    if (text.length > limits.searchQueryCharactersMax) {
      const most = limits.searchQueryCharactersMax;
      throw text.error(most, `is longer than ${most} characters`);
    }
    text.skipSpace();
    if (text.isAtEnd) throw text.error(text.at, 'has no condition; "*" finds all images');
    const { query, hasAlternatives } = parseConditions<Query>(text, {
      depthMax: limits.searchDepthMax,
      readCondition: (inside) => this.#readCondition(inside),
    });
    if (this.#like && hasAlternatives) {
      const { kind, at } = this.#like;
      throw text.error(at, `like-${kind}: cannot stand beside OR; use brackets`);
    }
    if (this.#sort && this.#like) {
      const { kind, at } = this.#like;
      throw text.error(at, `like-${kind}: is an order of its own, and cannot have sort:`);
    }
    const beside = { sort: this.#sort, like: this.#like, hasWords: this.#hasWords };
    return { query, ...beside, judged: this.#judged };
  }

  /** Undefined for what is no condition, as `sort:`. */
  #readCondition(inside: Inside): Query | undefined {
    const text = this.#text;
    this.#count(1, text.at);
    if (text.peek() === '"') {
      const at = text.at;
      return this.#words(text.readQuoted(), at, false);
    }
    const name = text.takeMetadataPath() ?? text.takeFieldName();
    if (name !== undefined) return this.#readField(name, inside);
    const { at, value } = text.readBare('');
    if (value === '*') return { kind: 'all' };
    refuseCondition(text, { at, value });
    const isPrefix = value.endsWith('*');
    const word = isPrefix ? value.slice(0, -1) : value;
    if (word.includes('*')) {
      throw text.error(at, '* can only end a word; filename:a*b finds names with * anywhere');
    }
    return this.#words(word, at, isPrefix);
  }

  /** Each word is a condition of its own. */
  #count(conditions: number, at: number): void {
    this.#conditions += conditions;
    if (this.#conditions <= limits.searchTermsMax) return;
    throw this.#text.error(at, `has more than ${limits.searchTermsMax} conditions`);
  }

  #countPattern(at: number): void {
    this.#patterns += 1;
    if (this.#patterns <= limits.searchPatternsMax) return;
    const most = limits.searchPatternsMax;
    throw this.#text.error(at, `has more than ${most} words and file names with *`);
  }

  /** `sort:` and `like-image:` stand outside of brackets and NOT. */
  #readField(name: Piece, inside: Inside): Query | undefined {
    const field = readField(this.#text, name, this.#findProjectId);
    if ('query' in field) {
      if (field.query.kind === 'name' && field.query.pattern.includes('*')) {
        this.#countPattern(name.at);
      }
      if (field.query.kind === 'evaluation') {
        this.#judged.push({ condition: field.query, at: name.at });
      }
      return field.query;
    }
    const what = 'sort' in field ? 'sort:' : `like-${field.like.kind}:`;
    if (inside !== undefined) {
      throw this.#text.error(name.at, `${what} cannot stand inside ${inside}`);
    }
    if ('sort' in field ? this.#sort : this.#like) {
      throw this.#text.error(name.at, secondTime(what, field, this.#like));
    }
    if ('sort' in field) this.#sort = field.sort;
    else this.#like = { ...field.like, at: name.at };
    return undefined;
  }

  #words(value: string, at: number, isPrefix: boolean): Query {
    const words = wordsOf(value);
    if (words.length === 0) throw this.#text.error(at, 'has no letter and no digit to look for');
    this.#hasWords = true;
    this.#count(words.length - 1, at);
    if (isPrefix) this.#countPattern(at);
    // The end of what was written is open, not the end of each of its words.
    const parts = words.map((word, at): Query => {
      return { kind: 'word', word, isPrefix: isPrefix && at === words.length - 1 };
    });
    return parts.length === 1 ? first(parts) : { kind: 'and', parts };
  }
}

function first(parts: readonly Query[]): Query {
  return parts[0] ?? { kind: 'all' };
}

function secondTime(what: string, field: Field, before: Likeness | undefined): string {
  if ('like' in field && before && before.kind !== field.like.kind) {
    return `${what} cannot stand beside like-${before.kind}:`;
  }
  return `${what} stands here for the second time`;
}
