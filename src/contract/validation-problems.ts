// Turns zod's issues into problems: a message, the whole path, and a fix where it is certain.

import * as z from 'zod';
import type { Fix, Problem } from '../errors.ts';
import { limits } from '../limits.ts';
import { suggestSpelling } from '../spelling-suggestion.ts';
import {
  alternatives,
  descriptionOf,
  expectation,
  knownNames,
  type Path,
  type Schema,
  schemaAt,
  unwrapped,
} from './schema-introspection.ts';

type Issue = z.core.$ZodIssue;

/** The problems to show, and how many more there are. */
export interface Explained {
  readonly problems: readonly Problem[];
  /** Undefined: not counted. */
  readonly more: number | undefined;
}

/** Turns zod's issues about the value at `path` into problems; only shown ones get a message. */
export function explain(
  schema: Schema,
  { issues }: z.core.$ZodError,
  value: unknown,
  path: Path,
): Explained {
  const most = limits.problemsShownMax;
  const problems: Problem[] = [];
  let count = 0;
  for (const issue of issues) {
    const left = most - problems.length;
    const found = left > 0 ? explainIssue(schema, withFewerKeys(issue, left), value, path) : [];
    problems.push(...found);
    const keys = issue.code === 'unrecognized_keys' ? issue.keys.length : 1;
    count += Math.max(keys, found.length);
  }
  return { problems: problems.slice(0, most), more: Math.max(0, count - most) };
}

/** The issue with at most so many unknown members. */
function withFewerKeys(issue: Issue, most: number): Issue {
  if (issue.code !== 'unrecognized_keys' || issue.keys.length <= most) return issue;
  return { ...issue, keys: issue.keys.slice(0, most) };
}

/** The problem of an unknown member, with the nearest known name. */
export function unknownMember(path: Path, known: readonly string[]): Problem {
  const name = String(path.at(-1));
  const near = suggestSpelling(name, known) ?? memberInOtherWords(name, known);
  const list = known.length > 0 ? `known are ${known.join(', ')}` : 'nothing is expected here';
  const right = near === undefined ? list : `did you mean "${near}"?`;
  const fix: Fix | undefined = near === undefined ? undefined : { kind: 'rename', to: near };
  return { path: pathText(path), message: `is not known; ${right}`, ...(fix && { fix }) };
}

/**
 * Adds a rename fix where exactly one member is unknown without a near name, and exactly one
 * required member is missing.
 */
export function withRenameFix(
  problems: readonly Problem[],
  value: object,
  known: readonly string[],
): readonly Problem[] {
  const own = problems.filter(({ path }) => known.includes(path) || Object.hasOwn(value, path));
  const [missed, ...otherMissed] = own.filter(({ path }) => !Object.hasOwn(value, path));
  const [stray, ...otherStrays] = own.filter(({ path }) => !known.includes(path));
  const isOther = stray !== undefined && scopeNames.includes(stray.path);
  if (!missed || !stray || stray.fix || isOther || otherMissed.length + otherStrays.length > 0) {
    return problems;
  }
  const fix: Fix = { kind: 'rename', to: missed.path };
  return problems.map((problem) => (problem === stray ? { ...stray, fix } : problem));
}

/** They say where something is, and never which thing. */
const scopeNames = ['workspace', 'project', 'version'];

/** A path such as `files[2].name`. */
export function pathText(path: Path): string {
  const parts = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${cut(String(key))}`));
  return parts.join('').replace(/^\./, '');
}

const quotedLengthMax = 60;
/** Secrets are recognized by their beginning; matching a whole file would take long. */
const secretLookedAtMax = 1_000;
const secretName = /key|secret|token|password|authorization|signature|credential/i;
const secretValue = /^(?:bearer |eyJ)|^(?=.*\d)(?=.*[a-z])[\w+/=.-]{20,}$/i;

/** A short description of a value that never shows what looks like a secret. */
export function describeValue(value: unknown, name: PropertyKey = ''): string {
  if (typeof value === 'string') {
    if (secretName.test(String(name)) || secretValue.test(value.slice(0, secretLookedAtMax))) {
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
  return issues
    .slice(0, limits.problemsShownMax)
    .flatMap((issue) =>
      explainIssue(schema, withFewerKeys(issue, limits.problemsShownMax), value, prefix),
    );
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
    issue.code === 'custom'
      ? customMessage(issue, schema, value)
      : issueMessage(issue, schema, value, path);
  const fix = fixOf(issue, schema, value, valueAt(rootValue, issue.path.slice(0, -1)));
  return [{ path: pathText(path), message, ...(fix && { fix }) }];
}

/**
 * A fix where the intended value is certain; undefined: the caller must decide. `holder` is the
 * object or list that contains the value.
 */
function fixOf(
  issue: Issue,
  schema: Schema | undefined,
  value: unknown,
  holder: unknown,
): Fix | undefined {
  if (issue.code === 'invalid_value') return replaced(meantValue(issue.values, value));
  if (issue.code === 'too_big') return replaced(belowMaximum(issue, value));
  if (issue.code !== 'invalid_type') return undefined;
  const whole = asPercent(schema, value, holder);
  return whole === undefined ? fixOfType(schema, value) : replaced(whole);
}

function replaced(by: unknown): Fix | undefined {
  return by === undefined ? undefined : { kind: 'replace', by };
}

/** A page size above the maximum is fixed to the maximum; other bounds are the caller's choice. */
const pageSizes: readonly unknown[] = ['limit', 'pageSize'];

function belowMaximum(issue: z.core.$ZodIssueTooBig, value: unknown): number | undefined {
  if (issue.origin !== 'number' && issue.origin !== 'int') return undefined;
  if (pageSizes.includes(issue.path.at(-1))) return Number(issue.maximum);
  const isPercent = Number.isInteger(value) && Number(value) >= 10 && Number(value) <= 100;
  return issue.maximum === 1 && isPercent ? Number(value) / 100 : undefined;
}

/** Fractions where percentages are expected: all members of the holder sum up to one. */
function asPercent(schema: Schema | undefined, value: unknown, holder: unknown) {
  const wantsNumber = schema !== undefined && unwrapped(schema)._zod.def.type === 'number';
  if (typeof value !== 'number' || !wantsNumber || Array.isArray(holder)) return undefined;
  const shares = Object.values(Object(holder)).map((share) =>
    typeof share === 'number' ? share : Number.NaN,
  );
  const sum = shares.reduce((sum, share) => sum + share, 0);
  const percent = Math.round(value * 100);
  const isPercent = Math.abs(percent - value * 100) < 1e-6 && Math.abs(sum - 1) < 1e-6;
  return isPercent && shares.length > 1 ? percent : undefined;
}

/** Text that is a number, and one value where a list is expected. */
function fixOfType(schema: Schema | undefined, value: unknown): Fix | undefined {
  const [only, ...others] = schema ? alternatives(schema) : [];
  if (only === undefined || others.length > 0) return undefined;
  const read = readAs(only, value);
  const isRight = read !== undefined && z.safeParse(only, read).success;
  return isRight ? { kind: 'replace', by: read } : undefined;
}

/** Text that may be a list itself is not taken as one element. */
const oneName = /^[\w./ -]+$/;

const plainNumber = /^-?\d{1,15}(\.\d{1,15})?$/;

/** For example `v3`. */
const versionNumber = /^v[1-9]\d{0,8}$/i;

function readAs(schema: Schema, value: unknown): unknown {
  const { type } = schema._zod.def;
  if (type === 'array')
    return typeof value === 'string' && !oneName.test(value) ? undefined : [value];
  if (type === 'string' && typeof value === 'number') return String(value);
  if (type === 'string' && Array.isArray(value)) return value.length === 1 ? value[0] : undefined;
  if (typeof value !== 'string') return undefined;
  if (type === 'number' && plainNumber.test(value)) return Number(value);
  if (type === 'number' && versionNumber.test(value)) return Number(value.slice(1));
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
  const inner = schema && unwrapped(schema);
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

/** Distance of a value from an option of a union: another type, another constant, other names. */
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
  return `expected ${expectation(schema)}, got ${describeValue(value, path.at(-1))}`;
}

function customMessage(issue: Issue, schema: Schema | undefined, value: unknown): string {
  const isFile = schema && alternatives(schema).some(({ _zod }) => _zod.def.type === 'custom');
  if (!isFile) return issue.message;
  return value === undefined
    ? 'is required (a file).'
    : `expected a file, got ${describeValue(value)}`;
}

const formats: Readonly<Record<string, string>> = {
  datetime: 'an ISO 8601 time such as 2026-01-31T08:00:00Z',
  date: 'a date such as 2026-01-31',
  url: 'a URL',
  email: 'an email address',
  uuid: 'a UUID',
};

function issueMessage(
  issue: Issue,
  schema: Schema | undefined,
  value: unknown,
  path: Path,
): string {
  const got = describeValue(value, path.at(-1));
  if (issue.code === 'too_small') return tooSmall(issue, value);
  if (issue.code === 'too_big') return tooBig(issue, value);
  if (issue.code === 'invalid_value') return wrongValue(issue.values, value, got);
  if (issue.code === 'not_multiple_of' && issue.divisor !== 1) {
    return `must be a multiple of ${issue.divisor}, got ${got}`;
  }
  if (issue.code === 'invalid_key') {
    const [reason] = issue.issues;
    if (reason?.code === 'custom') return `is not a valid name here: ${reason.message}`;
    return `is not a valid name here: ${reason ? issueMessage(reason, undefined, path.at(-1), path) : ''}`;
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
  return `must be ${bound} ${issue.minimum}, got ${describeValue(value)}`;
}

function tooBig(issue: z.core.$ZodIssueTooBig, value: unknown): string {
  if (issue.origin === 'string') {
    return `must have at most ${issue.maximum} characters, has ${lengthOf(value)}`;
  }
  if (isCounted(issue.origin)) {
    return `must have at most ${plural(issue.maximum)}, has ${lengthOf(value)}`;
  }
  const bound = issue.inclusive === false ? 'less than' : 'at most';
  return `must be ${bound} ${issue.maximum}, got ${describeValue(value)}`;
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

/** Names that callers use for one thing, whichever of them a schema has. */
const namesOfOneThing = [
  ['file', 'files', 'path', 'paths'],
  ['scopes', 'access', 'permission', 'permissions', 'right', 'rights', 'role', 'roles'],
];

/** The only known name of the same thing. */
function memberInOtherWords(name: string, known: readonly string[]): string | undefined {
  const short = name.slice(0, quotedLengthMax).toLowerCase();
  const names = namesOfOneThing.find((group) => group.includes(short)) ?? [];
  const [only, ...others] = known.filter((other) => names.includes(other));
  return others.length === 0 ? only : undefined;
}

/** The allowed value that differs by a few letters. */
function meantValue(values: readonly unknown[], value: unknown): unknown {
  const near = typeof value === 'string' ? suggestSpelling(value, values.map(String)) : undefined;
  return near === undefined ? undefined : values.find((one) => String(one) === near);
}
