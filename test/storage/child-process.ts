// What the storage tests work with: a folder, a clock that can be set, and processes to kill.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A process that tells what it does, one line after the other. */
export interface Child {
  /** The complete lines so far. */
  readonly lines: readonly string[];
  /** Waits until there is such a line. */
  says(start: string): Promise<string>;
  /** Kills it at once, as if the machine had no mercy, and waits for its end. */
  kill(): Promise<void>;
  /** Its exit code. */
  readonly ended: Promise<unknown>;
}

/** Starts a script of `test/storage/processes/`. It is killed after the test. */
export function startChild(script: string, ...words: readonly string[]): Child {
  const path = join(import.meta.dirname, 'processes', script);
  const child = spawn(process.execPath, [path, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close').then(([code]) => code);
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  onTestFinished(kill);
  const lines = collectLines(child);
  const says = async (start: string) => {
    for (;;) {
      const line = lines.find((text) => text.startsWith(start));
      if (line !== undefined) return line;
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`${script} ended and never said ${start}`);
      await Promise.race([once(child.stdout ?? child, 'data'), ended]);
    }
  };
  return { lines, says, kill, ended };
}

function collectLines(child: ChildProcess): readonly string[] {
  const lines: string[] = [];
  let rest = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const parts = `${rest}${text}`.split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
  });
  return lines;
}
