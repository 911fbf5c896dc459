// The figures of a code base.

import { isBuiltin } from 'node:module';
import { median } from '../../bench/measure/text-table.ts';
import { importCycles } from '../../test/architecture/import-graph.ts';
import { rules } from '../../test/architecture/rules.ts';
import type { Source } from '../../test/architecture/source.ts';
import type { CodeBase } from './sources.ts';

export const rows = [
  'files',
  'lines',
  'lines of a file: median',
  'lines of a file: maximum',
  'files under 40 lines',
  'named functions',
  'lines of a named function: median',
  'lines of a function: maximum',
  'functions over 70 lines',
  'comment lines',
  'dependencies installed',
  'packages imported',
  'imports that cross floors',
  'import cycles (files in them)',
] as const;

type Figures = Readonly<Record<(typeof rows)[number], string>>;

/** One cell for each of `rows`. */
export function measure({ sources, dependencies, hasFloors }: CodeBase): Figures {
  const lines = sources.map(countLines);
  const total = lines.reduce((sum, count) => sum + count, 0);
  const functions = sources.flatMap((source) => source.functions);
  const named = functions.filter(({ text }) => text !== 'a function');
  const cycles = importCycles(sources);
  return {
    files: String(sources.length),
    lines: String(total),
    'lines of a file: median': String(median(lines)),
    'lines of a file: maximum': String(Math.max(...lines)),
    'files under 40 lines': share(lines.filter((count) => count < 40).length, lines.length),
    'named functions': String(named.length),
    'lines of a named function: median': String(median(named.map(({ lines }) => lines))),
    'lines of a function: maximum': String(Math.max(...functions.map(({ lines }) => lines))),
    'functions over 70 lines': String(functions.filter(({ lines }) => lines > 70).length),
    'comment lines': share(
      sources.reduce((sum, source) => sum + countCommentLines(source), 0),
      total,
    ),
    'dependencies installed': String(dependencies),
    'packages imported': String(importedPackages(sources).size),
    'imports that cross floors': hasFloors ? String(countFloorCrossings(sources)) : '',
    'import cycles (files in them)': `${cycles.length} (${cycles.flat().length})`,
  };
}

function countLines({ lines }: Source): number {
  return lines.at(-1) === '' ? lines.length - 1 : lines.length;
}

function share(count: number, total: number): string {
  return `${((100 * count) / total).toFixed(1)}%`;
}

/** Lines that hold a comment and no code. */
function countCommentLines({ comments, lines }: Source): number {
  return comments
    .filter(({ line }) => /^\s*\/[/*]/.test(lines[line - 1] ?? ''))
    .reduce((sum, { text }) => sum + text.split('\n').length, 0);
}

/** Without those of Node itself and those imported as types alone. */
function importedPackages(sources: readonly Source[]): ReadonlySet<string> {
  const specifiers = sources
    .flatMap(({ imports }) => imports.filter(({ typeOnly }) => !typeOnly))
    .map(({ text }) => /^(@[^/]+\/)?[\w-][^/]*/.exec(text)?.[0] ?? '');
  return new Set(specifiers.filter((name) => name !== '' && !isBuiltin(name)));
}

function countFloorCrossings(sources: readonly Source[]): number {
  const floors = rules.find(({ name }) => name === 'floors');
  return sources.flatMap((source) => floors?.find(source) ?? []).length;
}
