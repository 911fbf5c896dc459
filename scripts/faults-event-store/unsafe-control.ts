// A writer that cuts corners, before the same power cuts: if it loses nothing, nothing is proved.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { type FileSystem, Machine, run } from './linux-disks.ts';
import type { Result } from './trial.ts';

export interface Corners {
  readonly fileSystem: FileSystem;
  /** Of SQLite. */
  readonly synchronous: 'NORMAL' | 'FULL';
  readonly syncsFiles: boolean;
}

export async function tryControl(folder: string, corners: Corners): Promise<Result> {
  const { fileSystem, synchronous, syncsFiles } = corners;
  const machine = new Machine(folder);
  try {
    const image = await machine.makeImage(fileSystem, 512);
    const path = await machine.mountImage(fileSystem, image);
    await run('sync', '-f', path);
    machine.delayWriteBack();
    const written = await writeFor(1_500, path, [synchronous, String(syncsFiles)], () =>
      run('cp', '--sparse=always', image, `${image}.copy`),
    );
    await machine.unmount(path);
    const copy = await machine.mountImage(fileSystem, `${image}.copy`);
    const findings = { ...readBack(copy, written), ghosts: [], stray: [] };
    rmSync(image);
    const files = syncsFiles ? 'files synced' : 'files not synced';
    return {
      name: `control on ${fileSystem}: synchronous=${synchronous}, ${files}`,
      acknowledged: written.length,
      findings,
      wrongAnswers: [],
      note: 'must lose something',
      failures:
        findings.lost.length + findings.torn.length > 0 ? [] : ['lost nothing: it is blind'],
    };
  } finally {
    await machine.restore();
  }
}

/** Runs the writer, stops it, lets the disk be copied, and ends it; gives what it acknowledged. */
async function writeFor(
  milliseconds: number,
  folder: string,
  words: readonly string[],
  copyDisk: () => Promise<void>,
): Promise<readonly string[]> {
  const script = join(import.meta.dirname, 'unsafe-control-process.ts');
  const child = spawn(process.execPath, [script, folder, ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  while (lines.length === 0 && child.exitCode === null) await wait(20);
  await wait(milliseconds);
  child.kill('SIGSTOP');
  await copyDisk();
  child.kill('SIGKILL');
  await ended;
  return lines;
}

function readBack(folder: string, written: readonly string[]) {
  const names = new Set(rowsIn(join(folder, 'control.db')));
  const lost = written.filter((name) => !names.has(name));
  const torn = written.filter((name) => names.has(name) && !isWhole(join(folder, name)));
  return { lost, torn };
}

function rowsIn(path: string): readonly string[] {
  if (!existsSync(path)) return [];
  const database = new DatabaseSync(path);
  try {
    return database
      .prepare('SELECT name FROM files')
      .all()
      .map(({ name }) => String(name));
  } catch {
    // Even the table is gone.
    return [];
  } finally {
    database.close();
  }
}

function isWhole(path: string): boolean {
  return existsSync(path) && readFileSync(path).equals(Buffer.alloc(20_000, 'x'));
}
