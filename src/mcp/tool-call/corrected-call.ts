// Proposes the corrected call after a mistake in the arguments, where each fix is certain.

import { isDeepStrictEqual } from 'node:util';
import type { CorrectedCall, FoveaError, Problem, UpstreamError } from '../../errors.ts';
import { memberOf } from '../../json-object.ts';
import { suggestSpelling } from '../../spelling-suggestion.ts';
import type { Arguments, OperationCall } from '../tool-profiles.ts';

/** Longer calls are not repeated: the model has its call, and the problems say what to change. */
const charactersMax = 2_000;

/** A fix may reveal another mistake, such as a wrong value under a misspelt name. */
const roundsMax = 3;

/** The outcome of checks that send nothing. */
export interface Checked {
  /** The operation that it means, with its own arguments. */
  readonly call: OperationCall;
  /** Undefined: nothing is wrong with it. */
  readonly wrong?: FoveaError;
}

/**
 * The call with all mistakes fixed; undefined where a fix is not certain, where the fixed call
 * would be refused as well, or where it is too long. Arguments never hold credentials, so nothing
 * secret is repeated.
 */
export async function correctedCall(
  error: FoveaError,
  made: OperationCall,
  checkCall: (call: OperationCall) => Promise<Checked>,
): Promise<CorrectedCall | undefined> {
  let call = corrected(error, made);
  for (let round = 0; call !== undefined && round < roundsMax; round += 1) {
    if (JSON.stringify(call.args).length > charactersMax) return undefined;
    const checked = await checkCall(call);
    if (checked.wrong === undefined)
      return { tool: checked.call.name, arguments: checked.call.args };
    call = corrected(checked.wrong, checked.call);
  }
  return undefined;
}

function corrected(error: FoveaError, { name, args }: OperationCall): OperationCall | undefined {
  const { corrected: known, upstream } = error;
  if (known !== undefined) return { name: known.tool, args: known.arguments };
  const problems = upstream === undefined ? error.problems : serviceCorrections(upstream, args);
  const mended = mendedArguments(problems, args);
  return mended && { name, args: mended };
}

function mendedArguments(problems: readonly Problem[], args: Arguments): Arguments | undefined {
  const fixable = problems.filter(({ fix }) => fix !== undefined);
  if (fixable.length === 0) return undefined;
  const mended: unknown = structuredClone(args);
  // From the end, so that a removal from a list moves no later index.
  for (const problem of [...fixable].reverse()) if (!mend(mended, problem)) return undefined;
  // A missing argument counts as found where it only had a wrong name.
  const open = problems.filter(({ fix }) => fix === undefined);
  if (!open.every(({ path }) => !isThere(args, path) && isThere(mended, path))) return undefined;
  // A wrong key, whose value is what was meant.
  if (isDeepStrictEqual(mended, args)) return undefined;
  return Object.fromEntries(Object.entries(Object(mended)));
}

/** Changes the value in place. False: the path leads nowhere, or a name is taken. */
function mend(root: unknown, { path, fix }: Problem): boolean {
  const keys = keysOf(path);
  const last = keys.pop();
  const holder = keys.reduce(memberOf, root);
  if (last === undefined || typeof holder !== 'object' || holder === null) return false;
  if (fix === undefined || !(Object.hasOwn(holder, last) || fix.kind === 'replace')) return false;
  if (fix.kind === 'replace') return Reflect.set(holder, last, fix.by);
  if (fix.kind === 'rename' && Object.hasOwn(holder, fix.to)) return false;
  const value = memberOf(holder, last);
  if (Array.isArray(holder)) return fix.kind === 'remove' && removed(holder, Number(last));
  Reflect.deleteProperty(holder, last);
  return fix.kind === 'remove' || Reflect.set(holder, fix.to, value);
}

function isThere(root: unknown, path: string): boolean {
  return memberAt(root, path) !== undefined;
}

function removed(list: unknown[], index: number): boolean {
  return list.splice(index, 1).length === 1;
}

/**
 * The problems that a service reported, with their fixes; none if one has no certain fix. They are
 * read from `PATH: ... did you mean "NAME"?`, the form of our own services. The text is not
 * trusted: only names a few letters from the caller's own are taken.
 */
function serviceCorrections(
  { status, message, hint = '' }: UpstreamError,
  args: Arguments,
): readonly Problem[] {
  if (status !== 400 && status !== 422) return [];
  const said = splitProblems(message);
  // With one problem, the hint may hold the meant name.
  const whole =
    said.length === 1 ? said.map((one) => ({ ...one, words: `${one.words} ${hint}` })) : said;
  const problems = whole.flatMap((one) => mended(one, args) ?? []);
  return problems.length === said.length ? problems : [];
}

interface Said {
  readonly path: string;
  readonly words: string;
}

/** `a: is wrong; b[0].c: is wrong`. */
function splitProblems(message: string): readonly Said[] {
  return message.split(/; (?=[\w.[\]-]{1,120}: )/).flatMap((part) => {
    const [, path, words] = /^([\w.[\]-]{1,120}): (.*)$/s.exec(part) ?? [];
    return path === undefined || words === undefined ? [] : [{ path, words }];
  });
}

function mended({ path, words }: Said, args: Arguments): Problem | undefined {
  const [, meant] = /\bdid you mean "([^"]{1,60})"\?/i.exec(words) ?? [];
  const value = memberAt(args, path);
  if (meant === undefined || value === undefined) return undefined;
  const problem = { path, message: words };
  const name = path.split('.').at(-1) ?? '';
  if (words.startsWith('is not known') && isNear(name, meant)) {
    return { ...problem, fix: { kind: 'rename', to: meant } };
  }
  if (typeof value !== 'string') return undefined;
  const by = meant.endsWith(':')
    ? withField(value, words, meant)
    : isNear(value, meant)
      ? meant
      : undefined;
  // What is there already was not what is wrong.
  if (by === undefined || by === value) return undefined;
  return { ...problem, fix: { kind: 'replace', by } };
}

/** Replaces an unknown field in a query; undefined where it does not occur exactly once. */
function withField(query: string, words: string, meant: string): string | undefined {
  const [, wrong] = /^.{0,40}\bthere is no field "([\w-]{1,60})"/.exec(words) ?? [];
  if (wrong === undefined || !/^[\w-]+:$/.test(meant)) return undefined;
  if (!isNear(wrong, meant.slice(0, -1))) return undefined;
  const [before, after, ...more] = query.split(new RegExp(`(?<![\\w"-])${wrong}:`));
  if (before === undefined || after === undefined || more.length > 0) return undefined;
  return `${before}${meant}${after}`;
}

function isNear(given: string, meant: string): boolean {
  return suggestSpelling(given, [meant]) === meant;
}

/** The keys of a path such as `files[2].name`. Names with a dot are not supported. */
function keysOf(path: string): string[] {
  return path.split(/\.|\[(\d+)\]/).filter((key) => key !== undefined && key !== '');
}

/** The value at a path; undefined: there is none. */
function memberAt(root: unknown, path: string): unknown {
  return keysOf(path).reduce(memberOf, root);
}
