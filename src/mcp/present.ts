// What a call gave, as the surface of its caller shows it: each answer has a tag of its own.

import type { CallToolResult } from '@modelcontextprotocol/server';
import { asFoveaError } from '../errors.ts';
import { presentCall, presentNext, type ResolvedCall } from './compact.ts';
import { type Checked, correctedCall } from './corrected-call.ts';
import { toErrorResult } from './error-result.ts';
import { type MakeTag, randomTag } from './foreign-text.ts';
import type { KeepAnswer } from './kept-answers.ts';
import { factsOf, toCallResult, tooLong } from './result.ts';
import type { ListedTool, SurfaceSettings } from './surface.ts';
import type { ToolResult } from './tool.ts';

export interface PresenterParts {
  readonly settings: SurfaceSettings;
  /** Keeps what is too long to be shown; undefined: it is cut alone. */
  readonly keepAnswer?: KeepAnswer;
  /** Random, where nothing is said. */
  readonly makeTag?: MakeTag;
}

export interface Presenter {
  result(tool: string, result: ToolResult, knowsLinks: boolean): Promise<CallToolResult>;
  /** With the call that would be right, where that is known and `checkCall` takes it. */
  failure(
    thrown: unknown,
    made: ResolvedCall,
    checkCall: (call: ResolvedCall) => Promise<Checked>,
  ): Promise<CallToolResult>;
}

export function createPresenter(
  { settings, keepAnswer, makeTag = randomTag }: PresenterParts,
  listed: ReadonlyMap<string, ListedTool>,
): Presenter {
  return {
    result: async (tool, result, knowsLinks) => {
      const next = result.next?.flatMap((call) => presentNext(call, listed, settings) ?? []);
      const facts = factsOf(result.data);
      const kept = tooLong(facts) ? await keepAnswer?.(tool, facts.json) : undefined;
      const form = { knowsLinks, tag: makeTag(), kept };
      return toCallResult({ ...result, ...(next && { next }) }, form, facts);
    },
    failure: async (thrown, made, checkCall) => {
      const right = await correctedCall(asFoveaError(thrown), made, checkCall);
      const entry = listed.get(right?.tool ?? '');
      const corrected = right && entry ? presentCall(entry, right.arguments, settings) : right;
      return toErrorResult(thrown, { tag: makeTag(), corrected });
    },
  };
}
