// The call that would have been right, made of what is known about each mistake in its arguments.

import type { CorrectedCall, FoveaError, Problem } from '../errors.ts';
import type { Arguments, ResolvedCall } from './compact.ts';

/** A longer one is not repeated: the model has it, and the problems say what to change. */
const charactersMax = 2_000;

/**
 * The call with all its mistakes mended; undefined where one of them is not certain, or the call is
 * too long to be said again. Arguments never hold credentials, so nothing secret is repeated.
 */
export function correctedCall(
  { problems, corrected }: Pick<FoveaError, 'problems' | 'corrected'>,
  { name, args }: ResolvedCall,
): CorrectedCall | undefined {
  const call = corrected ?? mendedCall(problems, name, args);
  return call && JSON.stringify(call.arguments).length <= charactersMax ? call : undefined;
}

function mendedCall(problems: readonly Problem[], tool: string, args: Arguments) {
  const fixable = problems.filter(({ fix }) => fix !== undefined);
  if (fixable.length === 0) return undefined;
  const mended: unknown = structuredClone(args);
  // From the end: what is removed from a list must not move what is mended after it.
  for (const problem of [...fixable].reverse()) if (!mend(mended, problem)) return undefined;
  // What was missed is there where it only had a wrong name.
  const open = problems.filter(({ fix }) => fix === undefined);
  if (!open.every(({ path }) => !isThere(args, path) && isThere(mended, path))) return undefined;
  return { tool, arguments: Object.fromEntries(Object.entries(Object(mended))) };
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
  return keysOf(path).reduce(memberOf, root) !== undefined;
}

function removed(list: unknown[], index: number): boolean {
  return list.splice(index, 1).length === 1;
}

function memberOf(holder: unknown, key: string): unknown {
  if (typeof holder !== 'object' || holder === null) return undefined;
  return Object.getOwnPropertyDescriptor(holder, key)?.value;
}

/** `files[2].name`: a member whose own name has a dot is not found, and nothing is mended. */
function keysOf(path: string): string[] {
  return path.split(/\.|\[(\d+)\]/).filter((key) => key !== undefined && key !== '');
}
