// Reads what all threads of all processes of a run have left: one tree for each kind of thread.

import { readdirSync, readFileSync } from 'node:fs';
import type { Runtime } from 'node:inspector';
import { join } from 'node:path';
import { type CallTree, emptyTree, type Place } from './call-tree.ts';
import type { Measure, Sampled } from './measures.ts';

/** Says where a function of a profile stands in the sources. */
export type Locate = (frame: Runtime.CallFrame) => Place;

/** The kind with most first. */
export function readThreads(
  { extension, read }: Measure,
  folder: string,
  locate: Locate,
): readonly CallTree[] {
  const trees = new Map<string, CallTree>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith(extension))) {
    const sampled = read(readFileSync(join(folder, file), 'utf8'));
    const kind = kindOf(file, scriptsOf(sampled));
    const tree = trees.get(kind) ?? emptyTree(kind);
    trees.set(kind, tree);
    add(sampled, tree, locate);
  }
  return [...trees.values()].sort((a, b) => b.total - a.total);
}

function add({ children }: Sampled, into: CallTree, locate: Locate): void {
  for (const child of children) {
    const callee = into.callee(locate(child.callFrame));
    callee.self += child.self;
    add(child, callee, locate);
  }
}

function scriptsOf({ callFrame, children }: Sampled): readonly string[] {
  return [callFrame.url, ...children.flatMap(scriptsOf)];
}

/** Process and thread are in the name; the scripts at which threads start have their own names. */
function kindOf(file: string, scripts: readonly string[]): string {
  if (/\.\d+\.0\.(\d+\.)?\w+$/.test(file)) return 'main thread';
  const named = scripts.flatMap((url) => /\/parts\/([a-z-]+)\.js$/.exec(url)?.[1] ?? []);
  if (named[0] !== undefined) return named[0];
  return scripts.some((url) => url.endsWith('.cjs')) ? 'threads of sharp' : 'other threads';
}
