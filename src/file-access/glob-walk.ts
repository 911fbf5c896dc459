// Walks only the folders that glob patterns need: never upwards, and through links only to folders
// that may be read.

import { lstat, opendir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { limits } from '../limits.ts';
import { type GlobPart, PatternProblem } from './glob-pattern.ts';

/** Whether a real path may be read. */
export type IsAllowed = (real: string) => boolean;

/** What a walk finds below a real path. */
export interface Found {
  readonly path: string;
  /** A plain file: the path has no link, and lies where the walk may read. */
  readonly isPlain: boolean;
  readonly isLink: boolean;
  /** False: a link that is only passed by, as one to a folder would be. */
  readonly isMatch: boolean;
}

/** All files and links below a folder, hidden ones included; no link to a folder is followed. */
export function walkAll(folder: string): AsyncGenerator<Found> {
  return walk(folder, new Set([everything]), () => false);
}

/**
 * Paths below a folder that match one of the patterns: of files, of links, and of folders. Each
 * folder is read once for all patterns. Throws `PatternProblem` where there is too much to look at.
 */
export function walkGlob(
  folder: string,
  patterns: readonly (readonly GlobPart[])[],
  isAllowed: IsAllowed,
): AsyncGenerator<Found> {
  return walk(folder, new Set(patterns.flatMap(statesOf)), isAllowed);
}

/** One file, folder or link in a folder. */
interface Entry {
  readonly name: string;
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

/** The part of a pattern that is still to match, in a folder. */
interface State {
  readonly part: GlobPart;
  /** After it; undefined: it was the last. */
  readonly next: State | undefined;
  readonly takesHidden: boolean;
}

const everything: State = {
  part: { kind: 'any folders' },
  next: { part: { kind: 'match', matches: () => true }, next: undefined, takesHidden: true },
  takesHidden: true,
};

function statesOf(parts: readonly GlobPart[]): readonly State[] {
  const first = parts.reduceRight<State | undefined>(
    (next, part) => ({ part, next, takesHidden: false }),
    undefined,
  );
  return first ? [first] : [];
}

async function* walk(
  top: string,
  states: ReadonlySet<State>,
  isAllowed: IsAllowed,
): AsyncGenerator<Found> {
  const open: { readonly folder: string; readonly states: ReadonlySet<State> }[] = [
    { folder: top, states: withZeroFolders(states) },
  ];
  let looks = 0;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for await (const entry of entriesOf(at.folder, at.states)) {
      looks += at.states.size;
      if (looks > limits.globLooksMax) {
        throw new PatternProblem(
          'stands for more folders and files than are looked at: name a folder further down',
        );
      }
      const path = join(at.folder, entry.name);
      const { isMatch, below } = step(at.states, entry);
      const isLink = entry.isSymbolicLink();
      const isPassed = isLink && [...at.states].some(isAnyFolders);
      if (isMatch || isPassed) yield { path, isPlain: entry.isFile(), isLink, isMatch };
      if (below.size === 0) continue;
      const folder = await folderAt(path, entry, isAllowed);
      if (folder !== undefined) open.push({ folder, states: withZeroFolders(below) });
    }
  }
}

function isAnyFolders({ part }: State): boolean {
  return part.kind === 'any folders';
}

/** "Any folders" also stands for none. */
function withZeroFolders(states: ReadonlySet<State>): ReadonlySet<State> {
  const all = new Set<State>();
  const open = [...states];
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    if (all.has(state)) continue;
    all.add(state);
    if (state.part.kind === 'any folders' && state.next) open.push(state.next);
  }
  return all;
}

function step(states: ReadonlySet<State>, entry: Entry) {
  const below = new Set<State>();
  let isMatch = false;
  for (const state of states) {
    const { part, next, takesHidden } = state;
    if (part.kind === 'any folders') {
      const isPlain = entry.isDirectory() && (takesHidden || !entry.name.startsWith('.'));
      if (isPlain) below.add(state);
      if (!next && (takesHidden || !entry.name.startsWith('.'))) isMatch = true;
    } else if (part.kind === 'name' ? part.name === entry.name : part.matches(entry.name)) {
      if (next) below.add(next);
      else isMatch = true;
    }
  }
  return { isMatch, below };
}

/** Where only names are asked for, they are looked up, and the folder is not read. */
async function* entriesOf(folder: string, states: ReadonlySet<State>): AsyncGenerator<Entry> {
  const names = new Set<string>();
  for (const { part } of states) if (part.kind === 'name') names.add(part.name);
  if ([...states].every(({ part }) => part.kind === 'name')) {
    for (const name of names) {
      const found = await lstat(join(folder, name)).catch(() => undefined);
      if (found) yield Object.assign(found, { name });
    }
    return;
  }
  const opened = await opendir(folder, { bufferSize: entriesAtOnce }).catch(() => undefined);
  if (opened) yield* opened;
}

/** Read from the disk in one go: some 20 KB. */
const entriesAtOnce = 256;

/** The real path of a folder to walk; undefined if it is no folder, or not allowed. */
async function folderAt(
  path: string,
  entry: Entry,
  isAllowed: IsAllowed,
): Promise<string | undefined> {
  if (entry.isDirectory()) return path;
  if (!entry.isSymbolicLink()) return undefined;
  const real = await realpath(path).catch(() => undefined);
  return real !== undefined && isAllowed(real) ? real : undefined;
}
