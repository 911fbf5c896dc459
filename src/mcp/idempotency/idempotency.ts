// Idempotency of calls that change something, by records in a file that the processes of a machine
// share: finds equal calls, replays their results, and reconciles calls whose answer was lost.

import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../clock.ts';
import { asFoveaError, FoveaError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { Log } from '../../log.ts';
import { InputRequired } from '../elicitation/host-elicitation.ts';
import type { PastCalls, WantedPastCalls } from '../past-calls.ts';
import type { ToolContext, ToolResult } from '../tool.ts';
import type { Arguments } from '../tool-profiles.ts';
import { type CallIdentity, type IdempotentCall, identityOf } from './call-identity.ts';
import { hasFailed } from './failed-work.ts';
import {
  type CallEnd,
  type IdempotencyRecord,
  openRecordStore,
  type RecordStore,
  type Verdict,
} from './record-store.ts';
import { fromKept, outcomeOf, toKept } from './stored-outcome.ts';

export interface Idempotency {
  /**
   * Looks for an equal earlier call, and waits while it runs. Throws `conflict` where the key
   * belongs to another call, and where it is unknown whether the earlier call was done.
   */
  identify(call: IdempotentCall, context: ToolContext): Promise<IdentifiedCall>;
  /** Earlier calls that changed something; undefined: the file fails. */
  list(principal: string, wanted: WantedPastCalls): Promise<PastCalls | undefined>;
  close(): Promise<void>;
}

export interface IdentifiedCall {
  /** What an equal earlier call gave; undefined: the call is to be made. */
  readonly recorded: ToolResult | undefined;
  /**
   * Makes the call under a record of its own; gives the result of an equal call that was made since
   * `identify`. Throws what the call itself throws, and as `identify`.
   */
  run(make: () => Promise<ToolResult>): Promise<ToolResult>;
}

/** Reads from the service whether a call whose answer was lost was done. */
export type Reconciler = (
  args: Arguments,
  context: ToolContext,
  since: Date,
) => Promise<
  | { readonly state: 'done'; readonly result: ToolResult }
  | { readonly state: 'not-done' | 'unknown' }
>;

export interface IdempotencyOptions {
  readonly path: string;
  readonly clock: Clock;
  readonly log: Log;
  /** For so long an equal call gets the first result; 0: never. */
  readonly windowSeconds: number;
  /** How to find out whether a call of a tool was done; undefined: it cannot be found out. */
  readonly reconcilerOf: (tool: string) => Promise<Reconciler | undefined>;
}

/** Opens the file, or makes it. Throws where that fails. */
export async function openIdempotency(options: IdempotencyOptions): Promise<Idempotency> {
  const { path, clock, windowSeconds } = options;
  const records = await openRecordStore({ path, clock, windowMs: windowSeconds * 1_000 });
  return new FileIdempotency(records, options);
}

class FileIdempotency implements Idempotency {
  readonly #records: RecordStore;
  readonly #options: IdempotencyOptions;
  #isOpen = true;
  #hasWarned = false;

  constructor(records: RecordStore, options: IdempotencyOptions) {
    this.#records = records;
    this.#options = options;
  }

  async identify(call: IdempotentCall, context: ToolContext): Promise<IdentifiedCall> {
    // A dry run changes nothing.
    if (call.args.dry_run === true) return { recorded: undefined, run: (make) => make() };
    const identified = { call, identity: await identityOf(call), context };
    return {
      recorded: await this.#recorded(identified),
      run: (make) => this.#run({ ...identified, make }),
    };
  }

  async list(principal: string, wanted: WantedPastCalls): Promise<PastCalls | undefined> {
    return this.#ask(() => this.#records.list(principal, wanted));
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    this.#records.close();
  }

  /** The result of an equal call, also of one whose answer was lost; undefined: none was done. */
  async #recorded(attempt: Attempt): Promise<ToolResult | undefined> {
    const { identity } = attempt;
    for (;;) {
      const verdict = await this.#ask(() => this.#records.judge(identity));
      // `run` tells of a file that fails.
      if (verdict === undefined) return undefined;
      if (verdict.kind !== 'new') {
        const given = await this.#resultOf(verdict, attempt);
        if (given !== undefined) return given;
      } else {
        const { lost } = verdict;
        return lost && identity.rule !== 'never' ? this.#reconcile(lost, attempt) : undefined;
      }
    }
  }

  /** Reads whether a lost call was done, and corrects its record. */
  async #reconcile(lost: IdempotencyRecord, attempt: Attempt): Promise<ToolResult | undefined> {
    const result = await this.#readBack(lost, attempt);
    if (result === undefined) await this.#write(() => this.#records.remove(lost.id));
    else await this.#finish(lost.id, endOf(result, attempt));
    return result;
  }

  async #run(attempt: Run): Promise<ToolResult> {
    const { call, identity, make } = attempt;
    for (;;) {
      const claim = await this.#ask(() => this.#records.claim(identity));
      if (claim === undefined) return runWithoutRecord(call, make);
      if (claim.kind === 'new') return this.#made(claim.id, claim.lost, attempt);
      const given = await this.#resultOf(claim, attempt);
      if (given !== undefined) return given;
    }
  }

  /** Of an equal call, once it has ended; undefined: it ended without a result. */
  async #resultOf(
    verdict: Exclude<Verdict, { kind: 'new' }>,
    attempt: Attempt,
  ): Promise<ToolResult | undefined> {
    if (verdict.kind === 'other-call') throw otherCall();
    if (verdict.kind === 'done') return this.#given(verdict.record, attempt);
    const ended = await this.#end(verdict.id, attempt.context);
    return ended?.state === 'done' ? this.#given(ended, attempt) : undefined;
  }

  /** Undefined: the file fails. */
  async #ask<Answer>(read: () => Promise<Answer>): Promise<Answer | undefined> {
    try {
      return await read();
    } catch {
      this.#warn();
      return undefined;
    }
  }

  async #made(id: number, lost: IdempotencyRecord | undefined, attempt: Run): Promise<ToolResult> {
    try {
      const result = await (lost === undefined ? attempt.make() : this.#makeAgain(lost, attempt));
      await this.#finish(id, endOf(result, attempt));
      return result;
    } catch (thrown) {
      if (thrown instanceof InputRequired) await this.#write(() => this.#records.remove(id));
      else
        await this.#finish(id, { state: outcomeOf(thrown), kept: undefined, summary: undefined });
      throw thrown;
    }
  }

  /** After a lost call: a second one changes nothing, or an equal one was lost just now. */
  async #makeAgain(lost: IdempotencyRecord, attempt: Run): Promise<ToolResult> {
    const { call, identity, make } = attempt;
    if (identity.rule !== 'never') return (await this.#readBack(lost, attempt)) ?? make();
    try {
      return await make();
    } catch (thrown) {
      throw call.tool.effect === 'removes' ? perhapsRemoved(asFoveaError(thrown)) : thrown;
    }
  }

  /** The result of a call whose answer was lost; undefined: it was not done. */
  async #readBack(lost: IdempotencyRecord, { call, identity, context }: Attempt) {
    const { clock, windowSeconds, reconcilerOf: readBackOf } = this.#options;
    const age = () => Math.max(0, clock.now() - lost.endedAt);
    await delay(Math.max(0, limits.lostCallSettleMs - age()), undefined, {
      signal: context.signal,
    });
    const readBack = await readBackOf(call.tool.name);
    const since = new Date(lost.startedAt);
    // Set back meanwhile, the clock cannot say that nothing was made since.
    const isBefore = lost.startedAt <= clock.now();
    const found = (await readBack?.(call.args, context, since)) ?? { state: 'unknown' };
    if (found.state === 'done') {
      const said = `The answer to the same call ${seconds(age())} ago was lost; it had been done.`;
      return { ...found.result, summary: `${found.result.summary} ${said}` };
    }
    if (found.state === 'not-done' && isBefore) return undefined;
    const leftMs = windowSeconds * 1_000 - age();
    if (identity.key === undefined && leftMs <= 0) return undefined;
    throw unknownOutcome(age(), identity.key === undefined ? leftMs : undefined);
  }

  /** The record of a call that runs elsewhere, once it has ended. */
  async #end(
    id: number,
    { signal, progress }: ToolContext,
  ): Promise<IdempotencyRecord | undefined> {
    const started = this.#options.clock.monotonic();
    for (;;) {
      const record = await this.#find(id);
      if (record?.state !== 'running') return record;
      const waited = Math.round((this.#options.clock.monotonic() - started) / 1_000);
      progress(waited, undefined, 'The same call is under way already; waiting for its result.');
      await delay(limits.equalCallPollMs, undefined, { signal });
    }
  }

  /** Undefined: the work that it started has failed, so the call is made anew. */
  async #given(record: IdempotencyRecord, attempt: Attempt): Promise<ToolResult | undefined> {
    const { clock, windowSeconds } = this.#options;
    const { key } = attempt.identity;
    const { result, ids } = fromKept(record.kept);
    const isFailed = result?.work !== undefined && (await hasFailed(result.work, attempt.context));
    if (isFailed && key === undefined) {
      const isForgotten = await this.#ask(() => this.#records.forget(record.id));
      if (isForgotten) return undefined;
    }
    const ageMs = clock.now() - record.endedAt;
    const again =
      key === undefined
        ? `To do it once more, call it after ${seconds(windowSeconds * 1_000 - ageMs)}.`
        : 'To do it once more, use another idempotency key.';
    if (result === undefined) throw notKept(ageMs, ids, again);
    const said = `This is the result of the same call ${seconds(ageMs)} ago: nothing was done again.`;
    const since = isFailed ? ' The work that it started has failed since.' : '';
    return { ...result, summary: `${result.summary} ${said}${since} ${again}` };
  }

  /** Undefined where the file fails: the next claim reports it. */
  async #find(id: number): Promise<IdempotencyRecord | undefined> {
    try {
      return await this.#records.find(id);
    } catch {
      return undefined;
    }
  }

  #finish(id: number, end: CallEnd): Promise<void> {
    return this.#write(() => this.#records.finish(id, end));
  }

  /** A call that was made has its result, also where the file fails. */
  async #write(write: () => Promise<void>): Promise<void> {
    try {
      if (this.#isOpen) await write();
    } catch {
      if (this.#isOpen) this.#warn();
    }
  }

  /** Once per process: a full disk stays full for a while. */
  #warn(): void {
    if (!this.#hasWarned) this.#options.log.warn(recordsFail);
    this.#hasWarned = true;
  }
}

/** For the log. */
export const recordsFail =
  'The idempotency records cannot be written: repeated calls are not noticed.';

/**
 * Makes a call while the file fails: a full disk must not keep a user from deleting. Throws
 * `conflict` where the host gave a key: it counts on the call to be made once.
 */
export async function runWithoutRecord(
  { key, args }: IdempotentCall,
  make: () => Promise<ToolResult>,
): Promise<ToolResult> {
  if (key === undefined || args.dry_run === true) return make();
  throw new FoveaError('conflict', 'The idempotency key cannot be written down now.', {
    hint: 'Nothing was sent. Make the same call later, or without a key.',
    retry: 'safe',
  });
}

interface Attempt {
  readonly call: IdempotentCall;
  readonly identity: CallIdentity;
  readonly context: ToolContext;
}

interface Run extends Attempt {
  readonly make: () => Promise<ToolResult>;
}

/** The result itself only where a later call is given it. */
function endOf(result: ToolResult, { call, identity }: Attempt): CallEnd {
  const isReplayed = identity.key !== undefined || identity.rule === 'replayed';
  return {
    state: 'done',
    kept: isReplayed ? toKept(call.tool, result) : undefined,
    summary: call.tool.givesSecret
      ? undefined
      : result.summary.slice(0, limits.pastCallSummaryCharactersMax),
  };
}

/** The target may never have been there, or this credential may not see it. */
function perhapsRemoved(error: FoveaError): FoveaError {
  const { code, message, problems, upstream, hint = 'Look whether the name is right.' } = error;
  if (code !== 'not_found') return error;
  return new FoveaError(code, message, {
    hint: `The same call was sent before, and its answer was lost: it may have removed it. ${hint}`,
    problems,
    cause: error,
    ...(upstream && { upstream }),
  });
}

function otherCall(): FoveaError {
  return new FoveaError('conflict', 'This idempotency key was used for another call.', {
    hint: 'Nothing was done. Each call needs a key of its own.',
  });
}

function notKept(ageMs: number, ids: Readonly<Record<string, string>>, again: string): FoveaError {
  const named = Object.entries(ids).map(([name, id]) => `${name} ${id}`);
  const made = named.length > 0 ? ` It made ${named.join(', ')}.` : '';
  const message = `The same call was done ${seconds(ageMs)} ago; its answer is not kept.${made}`;
  return new FoveaError('conflict', message, { hint: `Nothing was done again. ${again}` });
}

function unknownOutcome(ageMs: number, leftMs: number | undefined): FoveaError {
  const again =
    leftMs === undefined
      ? 'make it with another idempotency key'
      : `make the same call after ${seconds(leftMs)}`;
  const message = `The same call was sent ${seconds(ageMs)} ago and its answer was lost: it may have been done.`;
  return new FoveaError('conflict', message, {
    hint: `Nothing was sent again. Look whether it was done; if it was not, ${again}.`,
  });
}

function seconds(milliseconds: number): string {
  return `${Math.max(1, Math.ceil(milliseconds / 1_000))} s`;
}
