// The thread's side of a group commit: one transaction for each batch that comes in.

import type { MessagePort } from 'node:worker_threads';
import { asFoveaError, FoveaError } from '../errors.ts';
import type { Database } from './database.ts';
import { type Batch, endOfBatches, type Result } from './group-commit.ts';
import { isBusy } from './sqlite.ts';

/** One transaction that runs. */
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
}

/** Answers every batch of the port with its results until the port says that it is over. */
export function serveBatches<Command, Outcome>(
  port: MessagePort,
  server: BatchServer<Command, Outcome>,
): void {
  let database: Database | undefined;
  port.on('message', (message: Batch<Command> | typeof endOfBatches) => {
    if (message === endOfBatches) {
      database?.close();
      port.close();
      return;
    }
    try {
      database ??= server.open();
    } catch (thrown) {
      port.postMessage(message.commands.map(() => failure(thrown)));
      return;
    }
    port.postMessage(runBatch(database, server, message));
  });
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
    let hopeless = commands.length === 1 || isForAll(thrown) ? failure(thrown) : undefined;
    return commands.flatMap((command) => {
      if (hopeless) return hopeless;
      try {
        return together([command]);
      } catch (alone) {
        if (isForAll(alone)) hopeless = failure(alone);
        return failure(alone);
      }
    });
  }
}

/** A full disk is as full for each command, and each would wait for the lock anew. */
function isForAll(thrown: unknown): boolean {
  return asFoveaError(thrown).code === 'full' || isBusy(thrown);
}

function attempt<Command, Outcome>(
  session: Session<Command, Outcome>,
  command: Command,
): Result<Outcome> {
  try {
    return { outcome: session.apply(command) };
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

function failure(thrown: unknown): Result<never> {
  const { code, message, hint, retry } = asFoveaError(thrown);
  return hint === undefined ? { code, message, retry } : { code, message, retry, hint };
}
