// The query language of searches, from text to data, by recursive descent.
//
// query  = or, with `sort:` anywhere outside of brackets, once
// or     = and { "OR" and }
// and    = not { [ "AND" ] not }
// not    = { "NOT" | "-" } factor
// factor = "(" or ")" | name ":" value | word | "quoted words" | "*"

import type { FoveaError } from '../errors.ts';
import { limits } from '../limits.ts';
import {
  type Field,
  type FindProjectId,
  type Likeness,
  readField,
  refuseCondition,
} from './query-fields.ts';
import { QueryText } from './query-lexer.ts';
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
  return new Parser(new QueryText(text, path), findProjectId).parse();
}

class Parser {
  readonly #text: QueryText;
  readonly #findProjectId: FindProjectId;
  #sort: Sort | undefined;
  #like: PlacedLikeness | undefined;
  #hasWords = false;
  readonly #judged: PlacedJudgement[] = [];
  #depth = 0;
  #conditions = 0;
  #patterns = 0;
  /** What is around the place: `sort:` and `like-image:` stand outside of brackets and NOT. */
  #inside: string | undefined;

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
    const query = this.#readOr();
    if (!text.isAtEnd) throw text.error(text.at, 'this ")" closes no bracket');
    if (this.#sort && this.#like) {
      const { kind, at } = this.#like;
      throw text.error(at, `like-${kind}: is an order of its own, and cannot have sort:`);
    }
    const beside = { sort: this.#sort, like: this.#like, hasWords: this.#hasWords };
    return { query, ...beside, judged: this.#judged };
  }

  #readOr(): Query {
    const parts: Query[] = [];
    let hasCondition = this.#readAnd(parts);
    while (this.#text.takeKeyword('OR')) {
      if (!hasCondition) throw this.#missing();
      hasCondition = this.#readAnd(parts);
      if (!hasCondition) throw this.#missing();
    }
    if (this.#like && this.#inside === undefined && parts.length > 1) {
      const { kind, at } = this.#like;
      throw this.#text.error(at, `like-${kind}: cannot stand beside OR; use brackets`);
    }
    if (parts.length === 0) return { kind: 'all' };
    return parts.length === 1 ? first(parts) : { kind: 'or', parts };
  }

  /** False where there is no condition but something else, as in `sort:name` alone. */
  #readAnd(ways: Query[]): boolean {
    const text = this.#text;
    const parts: Query[] = [];
    let isWanted = true;
    for (text.skipSpace(); !this.#isEndOfAnd(); text.skipSpace()) {
      const { at } = text;
      if (text.takeKeyword('AND')) {
        if (isWanted) throw text.error(at, 'a condition is missing before AND');
        isWanted = true;
        continue;
      }
      const part = this.#readNot();
      if (part) parts.push(part);
      isWanted = false;
    }
    if (isWanted) throw this.#missing();
    if (parts.length > 0) ways.push(parts.length === 1 ? first(parts) : { kind: 'and', parts });
    return parts.length > 0;
  }

  #isEndOfAnd(): boolean {
    return this.#text.isAtEnd || this.#text.peek() === ')' || this.#text.isKeyword('OR');
  }

  #missing(): FoveaError {
    return this.#text.error(this.#text.at, 'a condition is missing here');
  }

  /** Undefined for what is no condition, as `sort:`. */
  #readNot(): Query | undefined {
    const text = this.#text;
    const at = text.at;
    let isNegated = false;
    for (;;) {
      if (text.takeKeyword('NOT')) text.skipSpace();
      else if (text.peek() === '-') text.skip(1);
      else break;
      isNegated = !isNegated;
    }
    if (text.at === at) return this.#readFactor();
    if (this.#isEndOfAnd() || text.isKeyword('AND') || text.peek() === ' ') throw this.#missing();
    const outside = this.#inside;
    this.#inside ??= 'NOT';
    const part = this.#readFactor();
    this.#inside = outside;
    if (part === undefined) throw text.error(at, 'NOT needs a condition');
    return isNegated ? { kind: 'not', part } : part;
  }

  #readFactor(): Query | undefined {
    const text = this.#text;
    if (text.peek() === '(') return this.#readBrackets();
    this.#count(1, text.at);
    if (text.peek() === '"') {
      const at = text.at;
      return this.#words(text.readQuoted(), at, false);
    }
    const name = text.takeMetadataPath() ?? text.takeFieldName();
    if (name !== undefined) return this.#readField(name);
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

  #readBrackets(): Query {
    const text = this.#text;
    const at = text.at;
    this.#depth += 1;
    if (this.#depth > limits.searchDepthMax) {
      throw text.error(at, `has brackets in brackets, more than ${limits.searchDepthMax} deep`);
    }
    text.skip(1);
    const outside = this.#inside;
    this.#inside = 'brackets';
    const query = this.#readOr();
    this.#inside = outside;
    if (text.peek() !== ')') throw text.error(at, 'this "(" is not closed');
    text.skip(1);
    this.#depth -= 1;
    return query;
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

  #readField(name: { readonly at: number; readonly value: string }): Query | undefined {
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
    if (this.#inside !== undefined) {
      throw this.#text.error(name.at, `${what} cannot stand inside ${this.#inside}`);
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
