// Which source file imports which, and where such imports form a cycle.

import { posix } from 'node:path';
import type { Source } from './source.ts';

type ImportGraph = ReadonlyMap<string, ReadonlySet<string>>;

/** The groups of files that import each other in a cycle, type imports included; each sorted. */
export function importCycles(sources: readonly Source[]): readonly (readonly string[])[] {
  const graph = importGraph(sources);
  const reachable = new Map([...graph.keys()].map((path) => [path, reachableFrom(path, graph)]));
  const cycles = new Map<string, readonly string[]>();
  for (const [path, targets] of reachable) {
    if (!targets.has(path)) continue;
    const group = [...targets].filter((other) => reachable.get(other)?.has(path)).sort();
    cycles.set(group.join(' '), group);
  }
  return [...cycles.values()];
}

/** Imports of files that are not among the sources (packages, JSON) are left out. */
function importGraph(sources: readonly Source[]): ImportGraph {
  const paths = new Set(sources.map(({ path }) => path));
  return new Map(
    sources.map(({ path, imports }) => {
      const targets = imports.flatMap(({ text }) => importedFile(path, text, paths) ?? []);
      return [path, new Set(targets)];
    }),
  );
}

/** Also finds `./a` and `./a.js` where the source is `a.ts`, and a folder's index. */
function importedFile(from: string, specifier: string, paths: ReadonlySet<string>) {
  if (!specifier.startsWith('.')) return undefined;
  const path = posix.join(posix.dirname(from), specifier);
  const stem = path.replace(/\.[cm]?js$/, '');
  const candidates = [stem, posix.join(path, 'index')].flatMap((name) =>
    ['.ts', '.tsx', '.mts', '.js', '.mjs'].map((extension) => name + extension),
  );
  return [path, ...candidates].find((candidate) => paths.has(candidate));
}

function reachableFrom(start: string, graph: ImportGraph): ReadonlySet<string> {
  const reached = new Set<string>();
  const open = [start];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    for (const target of graph.get(path) ?? []) {
      if (reached.has(target)) continue;
      reached.add(target);
      open.push(target);
    }
  }
  return reached;
}
