// The two sides of a move of datasets, each of which is a data folder or a PostgreSQL database.

import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../clock.ts';
import { FoveaError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { AsyncDatabase, AsyncReader } from '../../storage/async-database.ts';
import type { Values } from '../../storage/ordered-rows.ts';
import { platformMigrations } from '../database/migrations.ts';
import type { ImageIndex } from '../store/image-index.ts';
import type { MovedTable } from './tables.ts';

/** From where rows are read: one state, that nobody changes before it is closed. */
export interface Source {
  readonly reader: AsyncReader;
  readonly index: ImageIndex;
  /** The key of signed links: it tells this platform from all others. */
  readonly key: Buffer;
  /** The highest number that a numbered table ever gave; 0: none. */
  lastNumber(table: MovedTable): Promise<number>;
  close(): Promise<void>;
}

/** Where rows come to. No platform opens it before it is finished. */
export interface Target {
  readonly database: AsyncDatabase;
  readonly index: ImageIndex;
  /** Adds rows that are not there. */
  insert(table: MovedTable, rows: readonly Values[]): Promise<void>;
  /** Makes it the platform's: wholly or not at all. `numbers`: see `lastNumber`. */
  finish(numbers: ReadonlyMap<MovedTable, number>): Promise<void>;
  close(): Promise<void>;
}

/** A target that this process alone works on. */
export interface ClaimedTarget {
  /** Goes on with what an earlier move left. */
  open(): Promise<Target>;
  /** Removes what an earlier move left. */
  discard(): Promise<void>;
  release(): Promise<void>;
}

/** Until it gives something, or the time is up in which what a killed process held becomes free. */
export async function patiently<T>(attempt: () => Promise<T | undefined>): Promise<T | undefined> {
  const endMs = systemClock.monotonic() + limits.moveWaitMs;
  for (;;) {
    const found = await attempt();
    if (found !== undefined || systemClock.monotonic() > endMs) return found;
    await sleep(limits.moveWaitPollMs);
  }
}

export function inUse(place: string): FoveaError {
  return new FoveaError('conflict', `A process of Fovea uses the datasets in ${place}.`, {
    hint: 'Stop all of them, also MCP servers that a host has started, and run this again.',
  });
}

/** `isMoved`: they are those of the platform that moves. */
export function notEmpty(
  place: string,
  { isMoved, fix }: { readonly isMoved: boolean; readonly fix: string },
): FoveaError {
  if (!isMoved) {
    return new FoveaError('conflict', `There are datasets in ${place} already.`, { hint: fix });
  }
  const message = `There are datasets in ${place} already: they are those of this platform.`;
  return new FoveaError('conflict', message, {
    hint:
      'If they were moved by this command before, there is nothing to do. What the source has ' +
      `changed since is not there: to move that, begin with an empty place. ${fix}`,
  });
}

export function ofAnother(place: string): FoveaError {
  const message = `What is in ${place} belongs to another platform than the one that moves.`;
  return new FoveaError('conflict', message, {
    hint: 'Use another place, or remove what is there.',
  });
}

/** Datasets of another version than ours are not moved. */
export function refuseVersion(version: number, place: string): void {
  const own = platformMigrations.length;
  if (version === own) return;
  const message = `The datasets in ${place} are of version ${version}; this Fovea moves version ${own}.`;
  throw new FoveaError('conflict', message, {
    hint:
      version < own
        ? 'Start "fovea platform" of this release there once: it brings them up to date.'
        : 'Use the newer Fovea that wrote them.',
  });
}
