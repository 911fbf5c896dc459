// The worker thread of a group commit: runs the commands that wait together in one transaction.

import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { asFoveaError, FoveaError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { Database } from './database.ts';
import {
  type CommandBatch,
  endOfBatches,
  type Failure,
  type Result,
} from './group-commit-queue.ts';
import { isBusy } from './sqlite-errors.ts';

/** A running transaction. */
export interface Session<Command, Outcome> {
  /** Throws `not_found` or `conflict` before it has written anything. */
  apply(command: Command): Outcome;
  /** Writes what the commands have in common, once. */
  finish(): void;
}

export interface BatchServer<Command, Outcome> {
  /** Called for the first batch, and again after it threw. */
  open(): Database;
  /** Begins in the transaction; `now` in milliseconds since 1970. */
  begin(database: Database, now: number): Session<Command, Outcome>;
  /** Called after a batch was answered, for background work. Errors are ignored. */
  afterwards?(database: Database): void;
}

/** Answers all commands of the port with their results until the port says that it is over. */
export function serveBatches<Command, Outcome>(
  port: MessagePort,
  server: BatchServer<Command, Outcome>,
): void {
  let database: Database | undefined;

  function run(batch: Batch<Command>): readonly Result<Outcome>[] {
    try {
      database ??= server.open();
    } catch (thrown) {
      return batch.commands.map(() => failure(thrown));
    }
    return runBatch(database, server, batch);
  }

  /** Background work that fails is tried again after the next batch. */
  function afterwards(): void {
    try {
      if (database) server.afterwards?.(database);
    } catch {}
  }

  port.on('message', (first: Message<Command>) => {
    for (let message = first; message !== endOfBatches; ) {
      const { batch, next } = collect(port, message);
      port.postMessage(run(batch));
      afterwards();
      if (next === undefined) return;
      message = next;
    }
    database?.close();
    port.close();
  });
}

type Message<Command> = CommandBatch<Command> | typeof endOfBatches;

interface Batch<Command> {
  readonly now: number;
  readonly commands: readonly Command[];
}

/** A batch merged with those that wait behind it, within the bounds of one transaction. */
function collect<Command>(
  port: MessagePort,
  { commands, now, bytes }: CommandBatch<Command>,
): { readonly batch: Batch<Command>; readonly next: Message<Command> | undefined } {
  const batch = { now, commands: [...commands] };
  let total = bytes;
  for (;;) {
    const next: Message<Command> | undefined = receiveMessageOnPort(port)?.message;
    if (next === undefined || next === endOfBatches) return { batch, next };
    total += next.bytes;
    const count = batch.commands.length + next.commands.length;
    if (count > limits.groupCommitCommandsMax || total > limits.groupCommitBytesMax) {
      return { batch, next };
    }
    batch.commands.push(...next.commands);
    batch.now = next.now;
  }
}

/**
 * Runs a batch in one transaction. A command that is refused leaves the others alone; when one
 * fails otherwise, each runs in a transaction of its own, so that only those fail that must. What
 * fails for want of the disk or of the lock fails for all that are left.
 */
function runBatch<Command, Outcome>(
  database: Database,
  { begin }: BatchServer<Command, Outcome>,
  { now, commands }: Batch<Command>,
): readonly Result<Outcome>[] {
  const together = (part: readonly Command[]): readonly Result<Outcome>[] =>
    database.transaction(() => {
      const session = begin(database, now);
      const results = part.map((command) => attempt(session, command));
      session.finish();
      return results;
    });
  try {
    return together(commands);
  } catch (thrown) {
    let sharedFailure = commands.length === 1 || isForAll(thrown) ? failure(thrown) : undefined;
    return commands.flatMap((command) => {
      if (sharedFailure) return sharedFailure;
      try {
        return together([command]);
      } catch (alone) {
        if (isForAll(alone)) sharedFailure = failure(alone);
        return failure(alone);
      }
    });
  }
}

/** Whether all other commands would fail likewise: a full disk, or a lock that is held. */
function isForAll(thrown: unknown): boolean {
  return asFoveaError(thrown).code === 'full' || isBusy(thrown);
}

function attempt<Command, Outcome>(
  session: Session<Command, Outcome>,
  command: Command,
): Result<Outcome> {
  try {
    return session.apply(command);
  } catch (thrown) {
    if (isRefusal(thrown)) return failure(thrown);
    throw thrown;
  }
}

function isRefusal(thrown: unknown): boolean {
  return (
    thrown instanceof FoveaError && (thrown.code === 'not_found' || thrown.code === 'conflict')
  );
}

function failure(thrown: unknown): Failure {
  const { code, message, hint, retry } = asFoveaError(thrown);
  const known = { code, message, retry };
  return { failure: hint === undefined ? known : { ...known, hint } };
}
