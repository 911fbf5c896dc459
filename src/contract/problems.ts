// What the schema library found wrong, in our words, each with its whole path.

import * as z from 'zod';
import type { Fix, Problem } from '../errors.ts';
import { nearest } from '../nearest.ts';
import {
  alternatives,
  bare,
  descriptionOf,
  expectation,
  knownNames,
  type Path,
  type Schema,
  schemaAt,
} from './schema.ts';

type Issue = z.core.$ZodIssue;

/** What is wrong with a value, in the order in which the schema library found it. */
export function explain(schema: Schema, error: z.core.$ZodError, value: unknown): Problem[] {
  return explainAll(schema, error.issues, value, []);
}

/** A member that nobody knows, with the nearest name that is known. */
export function unknownMember(path: Path, known: readonly string[]): Problem {
  const name = String(path.at(-1));
  const near = meant(name, known);
  const list = known.length > 0 ? `known are ${known.join(', ')}` : 'nothing is expected here';
  const right = near === undefined ? list : `did you mean "${near}"?`;
  const fix: Fix | undefined = near === undefined ? undefined : { kind: 'rename', to: near };
  return { path: pathText(path), message: `is not known; ${right}`, ...(fix && { fix }) };
}

/** A path as people write it: `files[2].name`. */
function pathText(path: Path): string {
  const parts = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${cut(String(key))}`));
  return parts.join('').replace(/^\./, '');
}

const quotedLengthMax = 60;
const secretName = /key|secret|token|password|authorization|signature|credential/i;
const secretValue = /^(?:bearer |eyJ)|^(?=.*\d)(?=.*[a-z])[\w+/=.-]{20,}$/i;

/** A value as it may be shown: short, and never what looks like a secret. */
export function found(value: unknown, name: PropertyKey = ''): string {
  if (typeof value === 'string') {
    if (secretName.test(String(name)) || secretValue.test(value)) {
      return `a string of ${value.length} characters`;
    }
    return `the string ${JSON.stringify(cut(value))}`;
  }
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  return String(value);
}

function cut(text: string): string {
  return text.length > quotedLengthMax ? `${text.slice(0, quotedLengthMax)}…` : text;
}

function explainAll(schema: Schema, issues: readonly Issue[], value: unknown, prefix: Path) {
  return issues.flatMap((issue) => explainIssue(schema, issue, value, prefix));
}

function explainIssue(root: Schema, issue: Issue, rootValue: unknown, prefix: Path): Problem[] {
  const path = [...prefix, ...issue.path];
  const schema = schemaAt(root, issue.path);
  const value = valueAt(rootValue, issue.path);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => unknownMember([...path, key], knownNames(schema)));
  }
  if (value === undefined && issue.code !== 'custom') return [missing(path, schema)];
  if (issue.code === 'invalid_union') return explainUnion(issue, schema, value, path);
  const message =
    issue.code === 'custom' ? customWords(issue, schema, value) : words(issue, schema, value, path);
  const fix = fixOf(issue, schema, value);
  return [{ path: pathText(path), message, ...(fix && { fix }) }];
}

/** What the value was surely meant to be; undefined: that is for the caller to decide. */
function fixOf(issue: Issue, schema: Schema | undefined, value: unknown): Fix | undefined {
  if (issue.code === 'invalid_value') {
    const by = meantValue(issue.values, value);
    return by === undefined ? undefined : { kind: 'replace', by };
  }
  // The nearest value that is taken: a bound leaves no other choice that is as near.
  if (isNumeric(issue) && issue.inclusive !== false) {
    const by = issue.code === 'too_big' ? issue.maximum : issue.minimum;
    return { kind: 'replace', by: Number(by) };
  }
  return issue.code === 'invalid_type' ? fixOfType(schema, value) : undefined;
}

function isNumeric(issue: Issue): issue is z.core.$ZodIssueTooBig | z.core.$ZodIssueTooSmall {
  if (issue.code !== 'too_big' && issue.code !== 'too_small') return false;
  return issue.origin === 'number' || issue.origin === 'int';
}

/** Text that says a number, and one value where a list of such is expected. */
function fixOfType(schema: Schema | undefined, value: unknown): Fix | undefined {
  const [only, ...others] = schema ? alternatives(schema) : [];
  if (only === undefined || others.length > 0) return undefined;
  const read = readAs(only, value);
  const isRight = read !== undefined && z.safeParse(only, read).success;
  return isRight ? { kind: 'replace', by: read } : undefined;
}

/** Text that may be a list itself is none of its elements. */
const oneName = /^[\w./ -]+$/;

const plainNumber = /^-?\d{1,15}(\.\d{1,15})?$/;

function readAs(schema: Schema, value: unknown): unknown {
  const { type } = schema._zod.def;
  if (type === 'array')
    return typeof value === 'string' && !oneName.test(value) ? undefined : [value];
  if (type === 'string' && typeof value === 'number') return String(value);
  if (typeof value !== 'string') return undefined;
  if (type === 'number' && plainNumber.test(value)) return Number(value);
  const truth = new Map([
    ['true', true],
    ['false', false],
  ]);
  return type === 'boolean' ? truth.get(value.toLowerCase()) : undefined;
}

function missing(path: Path, schema: Schema | undefined): Problem {
  const description = descriptionOf(schema);
  const end = description === undefined ? '.' : `: ${description}`;
  return { path: pathText(path), message: `is required (${expectation(schema)})${end}` };
}

function explainUnion(
  issue: z.core.$ZodIssueInvalidUnion,
  schema: Schema | undefined,
  value: unknown,
  path: Path,
): Problem[] {
  const inner = schema && bare(schema);
  const options = inner instanceof z.ZodUnion ? inner.options : [];
  const [best] = issue.errors
    .map((issues, index) => ({ issues, option: options[index], cost: cost(issues) }))
    .sort((a, b) => a.cost - b.cost);
  const constants = issue.errors.flat().filter(({ code }) => code === 'invalid_value');
  const wrongConstant = best?.issues.find(({ code }) => code === 'invalid_value');
  if (schema && best && best.cost < wrongKindCost && wrongConstant) {
    const values = constants.flatMap((other) => ('values' in other ? other.values : []));
    return explainIssue(schema, { ...wrongConstant, code: 'invalid_value', values }, value, path);
  }
  if (best?.option && best.cost < wrongKindCost) {
    return explainAll(best.option, best.issues, value, path);
  }
  return [{ path: pathText(path), message: expected(schema, value, path) }];
}

const wrongKindCost = 1000;

/** How far a value is from one option of a union: another kind, another constant, other names. */
function cost(issues: readonly Issue[]): number {
  let sum = 0;
  for (const issue of issues) {
    if (issue.path.length === 0 && issue.code === 'invalid_type') sum += wrongKindCost;
    else if (issue.code === 'invalid_value') sum += 5;
    else if (issue.code === 'unrecognized_keys') sum += 10 * issue.keys.length;
    else sum += 1;
  }
  return sum;
}

function expected(schema: Schema | undefined, value: unknown, path: Path): string {
  return `expected ${expectation(schema)}, got ${found(value, path.at(-1))}`;
}

function customWords(issue: Issue, schema: Schema | undefined, value: unknown): string {
  const isFile = schema && alternatives(schema).some(({ _zod }) => _zod.def.type === 'custom');
  if (!isFile) return issue.message;
  return value === undefined ? 'is required (a file).' : `expected a file, got ${found(value)}`;
}

const formats: Readonly<Record<string, string>> = {
  datetime: 'an ISO 8601 time such as 2026-01-31T08:00:00Z',
  date: 'a date such as 2026-01-31',
  url: 'a URL',
  email: 'an email address',
  uuid: 'a UUID',
};

function words(issue: Issue, schema: Schema | undefined, value: unknown, path: Path): string {
  const got = found(value, path.at(-1));
  if (issue.code === 'too_small') return tooSmall(issue, value);
  if (issue.code === 'too_big') return tooBig(issue, value);
  if (issue.code === 'invalid_value') return wrongValue(issue.values, value, got);
  if (issue.code === 'not_multiple_of' && issue.divisor !== 1) {
    return `must be a multiple of ${issue.divisor}, got ${got}`;
  }
  if (issue.code === 'invalid_key') {
    const [reason] = issue.issues;
    if (reason?.code === 'custom') return `is not a valid name here: ${reason.message}`;
    return `is not a valid name here: ${reason ? words(reason, undefined, path.at(-1), path) : ''}`;
  }
  if (issue.code === 'invalid_format') {
    const format = formats[issue.format];
    return format === undefined ? issue.message : `expected ${format}, got ${got}`;
  }
  return expected(schema, value, path);
}

function wrongValue(values: readonly unknown[], value: unknown, got: string): string {
  const names = values.map(String);
  const near = meantValue(values, value);
  const hint = near === undefined ? '' : ` (did you mean "${String(near)}"?)`;
  const right = names.length === 1 ? `"${names[0]}"` : `one of ${names.join(', ')}`;
  return `expected ${right}; got ${got.replace(/^the string /, '')}${hint}`;
}

function tooSmall(issue: z.core.$ZodIssueTooSmall, value: unknown): string {
  if (issue.origin === 'string') {
    return issue.minimum === 1
      ? 'must not be empty'
      : `must have at least ${issue.minimum} characters, has ${lengthOf(value)}`;
  }
  if (isCounted(issue.origin)) {
    return `must have at least ${plural(issue.minimum)}, has ${lengthOf(value)}`;
  }
  const bound = issue.inclusive === false ? 'greater than' : 'at least';
  return `must be ${bound} ${issue.minimum}, got ${found(value)}`;
}

function tooBig(issue: z.core.$ZodIssueTooBig, value: unknown): string {
  if (issue.origin === 'string') {
    return `must have at most ${issue.maximum} characters, has ${lengthOf(value)}`;
  }
  if (isCounted(issue.origin)) {
    return `must have at most ${plural(issue.maximum)}, has ${lengthOf(value)}`;
  }
  const bound = issue.inclusive === false ? 'less than' : 'at most';
  return `must be ${bound} ${issue.maximum}, got ${found(value)}`;
}

function isCounted(origin: string): boolean {
  return ['array', 'set', 'map', 'object'].includes(origin);
}

function plural(count: number | bigint): string {
  return `${count} ${Number(count) === 1 ? 'item' : 'items'}`;
}

function lengthOf(value: unknown): number {
  if (typeof value === 'string' || Array.isArray(value)) return value.length;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
}

function valueAt(value: unknown, path: Path): unknown {
  let found = value;
  for (const key of path) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = Object.getOwnPropertyDescriptor(found, key)?.value;
  }
  return found;
}

/** The value that is taken and differs by a few letters. */
function meantValue(values: readonly unknown[], value: unknown): unknown {
  const near = typeof value === 'string' ? meant(value, values.map(String)) : undefined;
  return near === undefined ? undefined : values.find((one) => String(one) === near);
}

/** No known name is that long: comparing long text would only cost time. */
function meant(name: string, known: readonly string[]): string | undefined {
  return name.length > quotedLengthMax ? undefined : nearest(name, known);
}
