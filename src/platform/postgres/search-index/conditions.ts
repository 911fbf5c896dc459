// Translates a query into a condition on the rows of the search index.

import type { Comparison, NumberField, Query } from '../../../query-language/query-syntax-tree.ts';
import {
  headDigits,
  headKind,
  isNumber,
  isTermWord,
  term,
} from '../../../query-language/search-terms.ts';
import type { AsyncReader } from '../../../storage/async-database.ts';
import type { SqlValue } from '../../../storage/database.ts';
import { judgedImages } from '../../database/judged-images.ts';
import { textList } from './list-text.ts';

/** A condition on a row `s` of `image_search`, with a value for each `?`. */
export interface Condition {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

const everything: Condition = { sql: 'true', values: [] };
const nothing: Condition = { sql: 'false', values: [] };

/** What a query finds among the images of these projects. */
export async function conditionOf(
  reader: AsyncReader,
  query: Query,
  projectIds: readonly string[],
): Promise<Condition> {
  const partsOf = async (parts: readonly Query[]) => {
    const conditions: Condition[] = [];
    for (const part of parts) conditions.push(await conditionOf(reader, part, projectIds));
    return conditions;
  };
  switch (query.kind) {
    case 'all':
      return everything;
    case 'and':
      return joined(await partsOf(query.parts), 'AND');
    case 'or':
      return joined(await partsOf(query.parts), 'OR');
    case 'not': {
      const { sql, values } = await conditionOf(reader, query.part, projectIds);
      return { sql: `NOT (${sql})`, values };
    }
    case 'term':
      return hasTerm(query.term);
    case 'batch':
    case 'job': {
      const ids = await idsNamed(reader, query.kind, query.named, projectIds);
      return hasAny(ids.map((id) => lexeme(term(query.kind, id))));
    }
    case 'evaluation': {
      const { sql, values } = judgedImages(query);
      return { sql: `s.image_id IN (${sql})`, values };
    }
    case 'number':
      return compares(query.field, query.operator, query.value);
    case 'word':
      return hasWord(query.word, query.isPrefix);
    case 'name':
      return hasName(query.pattern);
  }
}

export function joined(parts: readonly Condition[], operator: 'AND' | 'OR'): Condition {
  if (parts.length === 0) return operator === 'AND' ? everything : nothing;
  return {
    sql: parts.map(({ sql }) => `(${sql})`).join(` ${operator} `),
    values: parts.flatMap(({ values }) => values),
  };
}

/** The images of a project have its id in a column of their own. */
function hasTerm(name: string): Condition {
  const projectId = name.startsWith(projectKind) ? name.slice(projectKind.length) : undefined;
  if (projectId !== undefined) return { sql: 's.project_id = ?', values: [projectId] };
  return hasAny([lexeme(name)]);
}

const projectKind = 'project:';

/** `lexemes`: as `lexeme` gives them. */
function hasAny(lexemes: readonly string[]): Condition {
  if (lexemes.length === 0) return nothing;
  return { sql: 's.terms @@ ?::tsquery', values: [lexemes.join(' | ')] };
}

/** A term in the text of a `tsvector` or `tsquery`. */
export function lexeme(name: string): string {
  return `'${name.replaceAll(/['\\]/g, '$&$&')}'`;
}

/** Any term that starts so, in a `tsquery`. */
function lexemesFrom(start: string): string {
  return `${lexeme(start)}:*`;
}

async function idsNamed(
  reader: AsyncReader,
  kind: 'batch' | 'job',
  name: string,
  projectIds: readonly string[],
): Promise<readonly string[]> {
  // No name has it, and PostgreSQL takes no such text.
  if (name.includes('\0')) return [];
  const table = kind === 'batch' ? 'batches' : 'annotation_jobs';
  return reader.all(
    `SELECT id FROM ${table} WHERE project_id = ANY(?::text[]) AND (id = ? OR name = ?)`,
    [textList(projectIds), name, name],
    (row) => row.text('id'),
  );
}

/** A column, or what stands for one. */
export function numberOf(field: NumberField): Condition {
  if (field === 'width' || field === 'height' || field === 'objects') {
    return { sql: `s.${field}`, values: [] };
  }
  const sql = 'coalesce((s.counts ->> ?::text)::integer, 0)';
  return { sql, values: [classTerm(field)] };
}

function classTerm(field: `class:${string}`): string {
  return term('class', field.slice('class:'.length));
}

function compares(field: NumberField, operator: Comparison, value: number): Condition {
  const number = numberOf(field);
  const condition = {
    sql: `${number.sql} ${operator} ?::integer`,
    values: [...number.values, value],
  };
  if (field === 'width' || field === 'height' || field === 'objects') return condition;
  if (holdsForZero(operator, value)) return condition;
  // The index knows who has the class at all.
  return joined([hasTerm(classTerm(field)), condition], 'AND');
}

function holdsForZero(operator: Comparison, value: number): boolean {
  if (operator === '<=') return true;
  return operator === '<' ? value > 0 : operator !== '>' && value === 0;
}

function hasWord(word: string, isPrefix: boolean): Condition {
  const name = term('word', word);
  const inTerms = isPrefix ? lexemesFrom(name) : lexeme(name);
  if (isPrefix ? !isNumber(word) : isTermWord(word)) return hasAny([inTerms]);
  const head = headKind + word.slice(0, headDigits);
  // The beginnings of long numbers are terms: all with such a beginning are meant.
  if (isPrefix && word.length <= headDigits) return hasAny([inTerms, lexemesFrom(head)]);
  const inName = {
    sql: 's.name ~ ?',
    values: [`(^|[^0-9])${word}${isPrefix ? '' : '([^0-9]|$)'}`],
  };
  return joined([hasAny([inTerms]), joined([hasAny([lexeme(head)]), inName], 'AND')], 'OR');
}

/** A whole name, folded, in which `*` stands for any characters. */
function hasName(pattern: string): Condition {
  if (!pattern.includes('*')) return { sql: 's.name = ?', values: [pattern] };
  const like = pattern.replaceAll(/[\\%_]/g, '\\$&').replaceAll('*', '%');
  return { sql: 's.name LIKE ?', values: [like] };
}
