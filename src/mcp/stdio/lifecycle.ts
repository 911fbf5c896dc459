// Ends a stdio server in order and soon: when its host goes away, or asks it to.

import type { EventEmitter } from 'node:events';
import { limits } from '../../limits.ts';
import type { Log } from '../../log.ts';
import { watchParent } from './parent-process.ts';
import type { Output } from './protocol-output.ts';

export interface Lifecycle {
  /** Closers run one after another when the process ends, the last registered first. */
  onEnd(name: string, close: () => Promise<void> | void): void;
}

/**
 * Ends the process with code 0 after its closers when `input` ends, `output` breaks, SIGTERM,
 * SIGINT or SIGHUP comes, or the parent process ends. What is still open after `stdioShutdownMsMax`
 * is ended by SIGKILL. An unhandled failure is logged and ends nothing.
 */
export function startLifecycle(
  input: EventEmitter<{ end: []; close: [] }>,
  output: Output,
  log: Log,
): Lifecycle {
  const closers: { readonly name: string; readonly close: () => Promise<void> | void }[] = [];
  let isEnding = false;
  const end = (reason: string) => {
    if (isEnding) return;
    isEnding = true;
    process.exitCode = 0;
    log.debug('Ending.', { reason });
    const hardStop = setTimeout(killSelf, limits.stdioShutdownMsMax);
    void runClosers(closers, log).finally(() => {
      process.stdin.destroy();
      // What the closers left open gets the rest of the time; else the process ends now.
      hardStop.unref();
    });
  };
  input.once('end', () => end('stdin ended'));
  input.once('close', () => end('stdin closed'));
  output.on('error', () => end('stdout broke'));
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, () => end(name));
  watchParent(() => end('the parent is gone'));
  surviveStrayFailures(log);
  return { onEnd: (name, close) => closers.push({ name, close }) };
}

/** Not `process.exit`: that waits for threads inside SQLite, libvips or a slow name service. */
export function killSelf(): void {
  process.kill(process.pid, 'SIGKILL');
}

async function runClosers(
  closers: readonly { readonly name: string; readonly close: () => Promise<void> | void }[],
  log: Log,
): Promise<void> {
  for (const { name, close } of closers.toReversed()) {
    try {
      await close();
    } catch (thrown) {
      log.error('A service could not be closed.', { service: name, error: nameOf(thrown) });
    }
  }
}

function surviveStrayFailures(log: Log): void {
  process.on('unhandledRejection', (thrown) => {
    log.error('Unhandled promise rejection.', { error: nameOf(thrown) });
  });
  process.on('uncaughtException', (thrown) => {
    log.error('Uncaught exception.', { error: nameOf(thrown) });
  });
}

function nameOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.name : typeof thrown;
}
