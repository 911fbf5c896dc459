// The call that would have been right, made of what is known about each mistake in its arguments.

import type { CorrectedCall, FoveaError, Problem } from '../../errors.ts';
import { memberOf } from '../members.ts';
import type { Arguments, OperationCall } from '../tool-profiles.ts';
import { keysOf, memberAt } from './argument-paths.ts';
import { serviceCorrections } from './service-corrections.ts';

/** A longer one is not repeated: the model has it, and the problems say what to change. */
const charactersMax = 2_000;

/** Mending one mistake may show another, such as a value under a name that was misspelt. */
const roundsMax = 3;

/** What a call comes to before anything is sent. */
export interface Checked {
  /** The operation that it means, with its own arguments. */
  readonly call: OperationCall;
  /** Undefined: nothing is wrong with it. */
  readonly wrong?: FoveaError;
}

/**
 * The call with all its mistakes mended; undefined where one of them is not certain, where what
 * comes out would be refused as well, or where it is too long to be said again. Arguments never
 * hold credentials, so nothing secret is repeated.
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
  // From the end: what is removed from a list must not move what is mended after it.
  for (const problem of [...fixable].reverse()) if (!mend(mended, problem)) return undefined;
  // What was missed is there where it only had a wrong name.
  const open = problems.filter(({ fix }) => fix === undefined);
  if (!open.every(({ path }) => !isThere(args, path) && isThere(mended, path))) return undefined;
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
