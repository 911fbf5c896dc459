// The journal of calls that change something, in a file that the processes of a machine share.

import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../clock.ts';
import { asFoveaError, FoveaError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { Log } from '../../log.ts';
import type { ToolContext, ToolResult } from '../tool.ts';
import { type CallIdentity, identityOf } from './call-identity.ts';
import type { Idempotency, IdempotentCall, Reconciler } from './idempotency.ts';
import {
  type Claim,
  type IdempotencyRecord,
  openRecordStore,
  type RecordStore,
} from './record-store.ts';
import { type Ended, fromKept, outcomeOf, toKept } from './stored-outcome.ts';

export interface IdempotencyOptions {
  readonly path: string;
  readonly clock: Clock;
  readonly log: Log;
  /** For so long an equal call gets the first result; 0: never. */
  readonly windowSeconds: number;
  /** How to find out whether a call of a tool was done; undefined: nobody can. */
  readonly reconcilerOf: (tool: string) => Promise<Reconciler | undefined>;
}

/** Opens the file, or makes it. Throws where that fails. */
export function openIdempotency(options: IdempotencyOptions): Idempotency {
  const { path, clock, windowSeconds } = options;
  const rows = openRecordStore({ path, clock, windowMs: windowSeconds * 1_000 });
  return new FileIdempotency(rows, options);
}

class FileIdempotency implements Idempotency {
  readonly #rows: RecordStore;
  readonly #options: IdempotencyOptions;
  #isOpen = true;
  #hasWarned = false;

  constructor(rows: RecordStore, options: IdempotencyOptions) {
    this.#rows = rows;
    this.#options = options;
  }

  async run(
    call: IdempotentCall,
    context: ToolContext,
    make: () => Promise<ToolResult>,
  ): Promise<ToolResult> {
    // A dry run changes nothing.
    if (call.args.dry_run === true) return make();
    const identity = await identityOf(call);
    for (;;) {
      const claim = this.#claim(identity);
      if (claim === undefined) return runWithoutRecord(call, make);
      if (claim.kind === 'other') throw otherCall();
      if (claim.kind === 'done') return this.#given(claim.row, identity);
      if (claim.kind === 'make') return this.#made(claim, { call, identity, context, make });
      const ended = await this.#end(claim.id, context);
      if (ended?.state === 'done') return this.#given(ended, identity);
    }
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    this.#rows.close();
  }

  /** Undefined: the file fails. */
  #claim(identity: CallIdentity): Claim | undefined {
    try {
      return this.#rows.claim(identity);
    } catch {
      this.#warn();
      return undefined;
    }
  }

  async #made({ id, lost }: Extract<Claim, { kind: 'make' }>, run: Run): Promise<ToolResult> {
    const { call, identity, make } = run;
    try {
      const result = lost === undefined ? await make() : await this.#reconciled(lost, run);
      const isWanted = identity.key !== undefined || identity.rule === 'replayed';
      if (result.ask) this.#keep(() => this.#rows.remove(id));
      else this.#finish(id, 'done', isWanted ? toKept(call.tool, result) : undefined);
      return result;
    } catch (thrown) {
      this.#finish(id, outcomeOf(thrown), undefined);
      throw thrown;
    }
  }

  /** The result of a call whose answer was lost, or of the call where it was not done. */
  async #reconciled(lost: IdempotencyRecord, run: Run): Promise<ToolResult> {
    const { tool } = run.call;
    // A second time changes nothing, so that nobody needs to know.
    if (run.identity.rule !== 'never') return (await this.#readBack(lost, run)) ?? run.make();
    try {
      return await run.make();
    } catch (thrown) {
      throw tool.effect === 'removes' ? perhapsRemoved(asFoveaError(thrown)) : thrown;
    }
  }

  /** The result of a call whose answer was lost; undefined: it was not done. */
  async #readBack(lost: IdempotencyRecord, { call, identity, context }: Run) {
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

  /** The row of a call that runs elsewhere, once it has ended. */
  async #end(
    id: number,
    { signal, progress }: ToolContext,
  ): Promise<IdempotencyRecord | undefined> {
    const started = this.#options.clock.monotonic();
    for (;;) {
      const row = this.#find(id);
      if (row?.state !== 'running') return row;
      const waited = Math.round((this.#options.clock.monotonic() - started) / 1_000);
      progress(waited, undefined, 'The same call is under way already; waiting for its result.');
      await delay(limits.journalWaitMs, undefined, { signal });
    }
  }

  #given(row: IdempotencyRecord, { key }: CallIdentity): ToolResult {
    const { clock, windowSeconds } = this.#options;
    const { result, ids } = fromKept(row.kept);
    const ageMs = clock.now() - row.endedAt;
    const again =
      key === undefined
        ? `To do it once more, call it after ${seconds(windowSeconds * 1_000 - ageMs)}.`
        : 'To do it once more, use another idempotency key.';
    if (result === undefined) throw notKept(ageMs, ids, again);
    const said = `This is the result of the same call ${seconds(ageMs)} ago: nothing was done again.`;
    return { ...result, summary: `${result.summary} ${said} ${again}` };
  }

  /** Undefined where the file fails: the next claim says so. */
  #find(id: number): IdempotencyRecord | undefined {
    try {
      return this.#rows.find(id);
    } catch {
      return undefined;
    }
  }

  #finish(id: number, state: Ended, kept: string | undefined): void {
    this.#keep(() => this.#rows.finish(id, state, kept));
  }

  /** What was done is done, whether the file takes it or not. */
  #keep(write: () => void): void {
    try {
      if (this.#isOpen) write();
    } catch {
      this.#warn();
    }
  }

  /** Once: a disk that is full stays so for a while. */
  #warn(): void {
    if (!this.#hasWarned) this.#options.log.warn(recordsFail);
    this.#hasWarned = true;
  }
}

/** For the log. */
export const recordsFail =
  'The journal of calls cannot be written: repeated calls are not noticed.';

/**
 * A call while the file fails: a full disk must keep nobody from deleting. Throws `conflict` where
 * the host gave a key: it counts on the call to be made once.
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

interface Run {
  readonly call: IdempotentCall;
  readonly identity: CallIdentity;
  readonly context: ToolContext;
  readonly make: () => Promise<ToolResult>;
}

/** It may never have been there, or be nothing that this credential may see. */
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
