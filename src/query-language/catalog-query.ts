// What is looked for in the catalog: words and filters in one line.

import type { ProjectType } from '../annotations/annotation.ts';
import { dayMs } from '../clock.ts';
import { projectTypes } from '../contract/projects.ts';
import { invalidArgument } from '../errors.ts';
import { limits } from '../limits.ts';
import { quotedName } from '../quoted-name.ts';
import { suggestSpelling } from '../spelling-suggestion.ts';
import { wordsOf } from './search-terms.ts';

/** What the catalog tells of a project that a query can ask for. */
export interface CatalogEntry {
  readonly name: string;
  /** Its slug. */
  readonly project: string;
  readonly type: ProjectType;
  readonly annotation: string;
  readonly classes: readonly string[];
  readonly images: number;
  /** Model types of what was trained, one for each model. */
  readonly models: readonly string[];
  /** Milliseconds since 1970. */
  readonly updated: number;
}

export interface CatalogQuery {
  readonly words: readonly string[];
  readonly tags: readonly string[];
  /** A project fits when it fits all of them. `now`: milliseconds since 1970. */
  readonly filters: readonly ((project: CatalogEntry, now: number) => boolean)[];
  readonly sort: CatalogSort | undefined;
}

const sorts = ['images', 'updated', 'stars', 'views', 'downloads', 'name'] as const;
export type CatalogSort = (typeof sorts)[number];

const operators = ['class', 'tag', 'model', 'sort', 'updated', 'like', 'type'] as const;

/**
 * Reads the line: `class:a,b`, `tag:a`, `model:yolov8`, `type:object-detection`, `images>500`,
 * `stars>=5`, `updated:30d`, `sort:images`, and words, of which `dataset`, `model` and the types of
 * projects are filters. Throws `invalid_input` for `q`.
 */
export function parseCatalogQuery(text: string): CatalogQuery {
  const words: string[] = [];
  const tags: string[] = [];
  const filters: CatalogQuery['filters'][number][] = [];
  let sort: CatalogSort | undefined;
  for (const token of text.toWellFormed().match(/(?:[^\s"]|"[^"]*"?)+/g) ?? []) {
    const { name, operator, value } = readToken(token);
    if (name === undefined) {
      const kind = kindFilter(token.toLowerCase());
      if (kind) filters.push(kind);
      else words.push(...wordsOf(token));
    } else if (operator !== ':') filters.push(numberFilter(name, operator, value));
    else if (name === 'tag') tags.push(...listOf(value));
    else if (name === 'sort') sort = readSort(value);
    else filters.push(operatorFilter(name, value));
  }
  const count = new Set([...words, ...tags]).size + filters.length;
  if (count > limits.catalogWordsMax) {
    throw invalidArgument('q', `has more than ${limits.catalogWordsMax} words and filters`);
  }
  return { words: [...new Set(words)], tags: [...new Set(tags)], filters, sort };
}

/** A filter on the kind of a project; undefined for a word that is none. */
export function kindFilter(word: string): CatalogQuery['filters'][number] | undefined {
  if (word === 'dataset') return ({ images }) => images > 0;
  if (word === 'model') return ({ models }) => models.length > 0;
  // Read back, both types of classification are one word.
  if (word === 'classification') return ({ type }) => type.endsWith('classification');
  return projectTypes.some((type) => type === word) ? ({ type }) => type === word : undefined;
}

/** How well a project fits the words: 0 where one of them is missing. */
export function matchWords(project: CatalogEntry, words: readonly string[]): number {
  const title = wordsOf(`${project.name} ${project.project}`);
  const rest = wordsOf([...project.classes, project.annotation, project.type].join(' '));
  let points = 1;
  for (const word of words) {
    if (title.includes(word)) points += 4;
    else if (title.some((other) => other.startsWith(word))) points += 2;
    else if (rest.some((other) => other.startsWith(word))) points += 1;
    else return 0;
  }
  return points;
}

interface Token {
  readonly name: string | undefined;
  readonly operator: string;
  readonly value: string;
}

function readToken(token: string): Token {
  const [, name, operator = '', given = ''] = /^([a-z]+)(:|>=|<=|>|<|=)(.*)$/is.exec(token) ?? [];
  const value = given.replaceAll('"', '');
  return { name: name?.toLowerCase(), operator, value };
}

function operatorFilter(name: string, value: string): CatalogQuery['filters'][number] {
  if (value === '') throw invalidArgument('q', `${name}: has no value`);
  const names = listOf(value).map((one) => one.toLowerCase());
  switch (name) {
    case 'class':
      return ({ classes }) => {
        const shown = new Set(classes.map((label) => label.toLowerCase()));
        return names.every((label) => shown.has(label));
      };
    case 'model':
      return ({ models }) => models.some((type) => names.includes(type.toLowerCase()));
    case 'type':
      return typeFilter(value);
    case 'updated':
      return updatedFilter(value);
    case 'like':
      throw invalidArgument(
        'q',
        'like: takes no address here',
        'catalog_search_by_image takes the image itself.',
      );
    default: {
      const guess = suggestSpelling(name, operators);
      const known = operators.map((one) => `${one}:`).join(', ');
      const meant = guess === undefined ? `use ${known}` : `did you mean "${guess}:"?`;
      throw invalidArgument('q', `there is no filter ${quotedName(`${name}:`)}; ${meant}`);
    }
  }
}

function typeFilter(value: string): CatalogQuery['filters'][number] {
  const filter = kindFilter(value.toLowerCase());
  if (filter) return filter;
  const known = ['dataset', 'model', 'classification', ...projectTypes].join(', ');
  throw invalidArgument('q', `there is no type ${quotedName(value)}; use ${known}`);
}

/** `updated:30d`: within so many days; also h, w, m (30 days) and y. */
function updatedFilter(value: string): CatalogQuery['filters'][number] {
  const [, count = '', unit = ''] = /^([0-9]{1,5})(h|d|w|m|y)$/i.exec(value) ?? [];
  const days = { h: 1 / 24, d: 1, w: 7, m: 30, y: 365 };
  const length = Object.entries(days).find(([name]) => name === unit.toLowerCase())?.[1];
  if (length === undefined) {
    throw invalidArgument('q', `updated: must be as 30d, but is ${quotedName(value)}`);
  }
  return ({ updated }, now) => updated >= now - Number(count) * length * dayMs;
}

/** Stars, views and downloads are not counted here: they are 0. */
function numberFilter(
  name: string,
  operator: string,
  value: string,
): CatalogQuery['filters'][number] {
  if (!['images', 'stars', 'views', 'downloads', 'models', 'classes'].includes(name)) {
    throw invalidArgument(
      'q',
      `${quotedName(name)} is no number of a project; images and stars are`,
    );
  }
  if (!/^[0-9]{1,9}$/.test(value)) {
    throw invalidArgument('q', `${name}${operator} needs a whole number`);
  }
  return (project) => {
    const { images, models, classes } = project;
    const counts = { images, models: models.length, classes: classes.length };
    const count = Object.entries(counts).find(([one]) => one === name)?.[1] ?? 0;
    return holds(count, operator, Number(value));
  };
}

function holds(count: number, operator: string, value: number): boolean {
  if (operator === '>=') return count >= value;
  if (operator === '<=') return count <= value;
  if (operator === '>') return count > value;
  return operator === '<' ? count < value : count === value;
}

function readSort(value: string): CatalogSort {
  const known = sorts.find((name) => name === value.toLowerCase());
  if (known) return known;
  throw invalidArgument('q', `there is no order ${quotedName(value)}; use ${sorts.join(', ')}`);
}

function listOf(value: string): readonly string[] {
  return value
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}
