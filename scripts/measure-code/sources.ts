// Finds and reads the source files of a code base.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { readSource, type Source } from '../../test/architecture/source.ts';

export interface CodeBase {
  /** Paths are relative to the folder that was asked for. */
  readonly sources: readonly Source[];
  /** How many packages the nearest package.json installs for its users; optional ones included. */
  readonly dependencies: number;
  /** Whether it is this repository, whose floors are known. */
  readonly hasFloors: boolean;
}

/** `assembly` is AssemblyScript, which looks like TypeScript. */
const leftOutFolders =
  /^(node_modules|dist|\..*|tests?|__tests__|test-utils|mocks|fixtures|scripts|bench|docs|examples?|certification|sample|assembly)$/;
const leftOutFiles = /\.d\.[cm]?ts$|[.-](test|spec|bench)\.|\.config\.|^jest\./;
const generatedMark = /@generated|auto-?generated|generated (code|file|by)|do not (edit|modify)/i;

/** Throws where the folder does not exist or a file does not parse. */
export function findSources(folder: string): CodeBase {
  const files = listFiles(folder, '').map((path) => ({
    path,
    text: readFileSync(join(folder, path), 'utf8'),
  }));
  return {
    sources: files
      .filter(({ text }) => !generatedMark.test(text.slice(0, 300)))
      .map(({ path, text }) => readSource(path, text)),
    dependencies: countDependencies(folder),
    hasFloors: folder === join(import.meta.dirname, '../..'),
  };
}

function listFiles(folder: string, below: string): readonly string[] {
  return readdirSync(join(folder, below), { withFileTypes: true }).flatMap((entry) => {
    const path = below ? `${below}/${entry.name}` : entry.name;
    if (entry.isDirectory()) {
      return leftOutFolders.test(entry.name) ? [] : listFiles(folder, path);
    }
    const isSource = /\.[cm]?[jt]sx?$/.test(entry.name) && !leftOutFiles.test(basename(path));
    return entry.isFile() && isSource ? [path] : [];
  });
}

const Manifest = z.object({
  dependencies: z.record(z.string(), z.string()).default({}),
  optionalDependencies: z.record(z.string(), z.string()).default({}),
});

function countDependencies(folder: string): number {
  const file = join(folder, 'package.json');
  if (!existsSync(file)) {
    return dirname(folder) === folder ? 0 : countDependencies(dirname(folder));
  }
  const { dependencies, optionalDependencies } = Manifest.parse(
    JSON.parse(readFileSync(file, 'utf8')),
  );
  return Object.keys({ ...dependencies, ...optionalDependencies }).length;
}
