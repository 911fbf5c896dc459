// Watches the program that launched this process. The end of stdin does not always tell that it
// ended: a wrapper or another child of the host may hold the pipe open.

import { readFileSync } from 'node:fs';
import { systemErrorCode } from '../../errors.ts';
import { limits } from '../../limits.ts';

/**
 * Calls `onGone` once, at most `parentCheckMs` after the parent died, or after the host died behind
 * a shell or a package runner (on Linux, where that can be seen). Keeps no process alive.
 */
export function watchParent(onGone: () => void): void {
  const { ppid } = process;
  // Process 1 of a container has no parent, and its children cannot outlive it.
  if (ppid <= 1) return;
  const wrappers = wrappersFrom(ppid);
  const timer = setInterval(() => {
    if (isParent(ppid) && wrappers.every(({ pid, parent }) => parentOf(pid) === parent)) return;
    clearInterval(timer);
    onGone();
  }, limits.parentCheckMs);
  timer.unref();
}

/** An orphan gets another parent; on Windows it keeps the id of the dead one. */
function isParent(pid: number): boolean {
  return process.platform === 'win32' ? lives(pid) : process.ppid === pid;
}

function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (thrown) {
    // EPERM: it runs as another user.
    return systemErrorCode(thrown) === 'EPERM';
  }
}

interface Wrapper {
  readonly pid: number;
  readonly parent: number;
}

/** The shells and package runners between this process and its host. */
function wrappersFrom(first: number): readonly Wrapper[] {
  const wrappers: Wrapper[] = [];
  for (let pid = first; pid > 1 && isWrapper(pid) && wrappers.length < wrappersMax; ) {
    const parent = parentOf(pid);
    if (parent === undefined) break;
    wrappers.push({ pid, parent });
    pid = parent;
  }
  return wrappers;
}

/** A package runner starts a shell, which starts another runner at most. */
const wrappersMax = 4;

/** Matches `sh -c fovea` and npx wrappers, not interactive shells or hosts. */
function isWrapper(pid: number): boolean {
  const words = readProcess(pid, 'cmdline') ?? '';
  const program = words.split(/[\0 ]/, 1)[0]?.split('/').at(-1) ?? '';
  return launchers.has(program.replace(/^-/, '')) && /\bfovea\b/.test(words);
}

const launchers: ReadonlySet<string> = new Set([
  'sh',
  'ash',
  'bash',
  'dash',
  'zsh',
  'fish',
  'env',
  'timeout',
  'npm',
  'npx',
  'pnpm',
  'yarn',
  'bun',
  'bunx',
]);

/** Undefined where it is gone, or this system does not say. */
function parentOf(pid: number): number | undefined {
  // The name of the program stands in brackets, and may have brackets and spaces.
  const fields = readProcess(pid, 'stat')?.split(')').at(-1)?.trim().split(' ');
  const parent = Number(fields?.[1]);
  return Number.isSafeInteger(parent) ? parent : undefined;
}

function readProcess(pid: number, file: 'cmdline' | 'stat'): string | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return undefined;
  }
}
