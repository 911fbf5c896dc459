// Presents results and errors in the form of the caller's tool profile, with a new fence tag for
// each.

import type { CallToolResult } from '@modelcontextprotocol/server';
import { asFoveaError } from '../../errors.ts';
import type { ToolResult } from '../tool.ts';
import { type Checked, correctedCall } from '../tool-call/corrected-call.ts';
import type { ListedTool, ToolListSettings } from '../tool-list.ts';
import {
  type Arguments,
  type OperationCall,
  presentCall,
  presentNext,
  withWays,
} from '../tool-profiles.ts';
import { type MakeTag, randomTag } from '../untrusted-text.ts';
import { toErrorResult } from './error-result.ts';
import type { SaveResult } from './saved-results.ts';
import { factsOf, toCallResult, tooLong } from './tool-result.ts';

export interface PresenterOptions {
  readonly settings: ToolListSettings;
  /** Saves results that are too long to be shown; undefined: they are only truncated. */
  readonly saveResult?: SaveResult;
  /** Random by default. */
  readonly makeTag?: MakeTag;
}

export interface Presenter {
  /** `settings`: those of this call, which its host may add to. */
  result(
    tool: string,
    result: ToolResult,
    host: { readonly knowsLinks: boolean; readonly settings: ToolListSettings },
  ): Promise<CallToolResult>;
  /** With the call that would be right, where that is known and `checkCall` takes it. */
  failure(
    thrown: unknown,
    made: { readonly operation: OperationCall; readonly settings: ToolListSettings },
    checkCall: (call: OperationCall) => Promise<Checked>,
  ): Promise<CallToolResult>;
}

/** Which images or classes are meant is said by the caller alone, where they are changed or go. */
const whatIsMeant = ['query', 'rename', 'remove'];

function isSame(one: Arguments = {}, other: Arguments, name: string): boolean {
  return JSON.stringify(one[name]) === JSON.stringify(other[name]);
}

export function createPresenter(
  { saveResult: keepAnswer, makeTag = randomTag }: Omit<PresenterOptions, 'settings'>,
  listed: ReadonlyMap<string, ListedTool>,
): Presenter {
  return {
    result: async (tool, result, { knowsLinks, settings }) => {
      const next = result.next?.flatMap((call) => presentNext(call, listed, settings) ?? []);
      const facts = factsOf(result.data);
      const kept = tooLong(facts) ? await keepAnswer?.(tool, facts.json) : undefined;
      const form = { knowsLinks, tag: makeTag(), kept };
      const summary = withWays(result.summary, listed, settings);
      return toCallResult({ ...result, summary, ...(next && { next }) }, form, facts);
    },
    failure: async (thrown, { operation: made, settings }, checkCall) => {
      const right = await correctedCall(asFoveaError(thrown), made, checkCall);
      const entry = listed.get(right?.tool ?? '');
      const meansOthers = whatIsMeant.some((name) => !isSame(right?.arguments, made.args, name));
      const isKept = entry?.effect === 'reads' || !meansOthers;
      const shown = right && entry ? presentCall(entry, right.arguments, settings) : right;
      const corrected = isKept ? shown : undefined;
      const withWay = (sentence: string) => withWays(sentence, listed, settings);
      return toErrorResult(thrown, { tag: makeTag(), corrected, withWay });
    },
  };
}
