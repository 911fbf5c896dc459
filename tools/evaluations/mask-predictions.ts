// Predictions as masks: a PNG for each image, whose values are classes, in the layout of the
// export `png-mask-semantic`. They are sent as runs of COCO results, which are smaller.

import { basename, dirname, relative } from 'node:path';
import { invalidArgument } from '../../src/errors.ts';
import { runsOfMask } from '../../src/evaluation/masks/class-runs.ts';
import { decodeMask } from '../../src/imaging/image-thread-pool.ts';
import { limits } from '../../src/limits.ts';
import type { ToolContext } from '../../src/mcp/tool.ts';
import { fileAt, quoted } from '../format.ts';
import { readRealFile } from '../local-file.ts';
import { readText } from '../upload/read-text.ts';

const argument = 'predictions';

/** Those that are called so; else all PNG files, where nothing else tells what is predicted. */
export function masksAmong(files: readonly string[], hasOthers: boolean): readonly string[] {
  const named = files.filter((file) => /_mask\.png$/i.test(file));
  if (named.length > 0 || hasOthers) return named;
  return files.filter((file) => /\.png$/i.test(file));
}

export function isClassTable(file: string): boolean {
  return basename(file).toLowerCase() === '_classes.csv';
}

export interface MaskFiles {
  /** All are real paths. */
  readonly folder: string;
  readonly masks: readonly string[];
  readonly tables: readonly string[];
}

/**
 * JSON of COCO results. Values are classes by `_classes.csv` beside the masks or in the folder,
 * else by their numbers. Throws `invalid_input` for a file that is no such mask, and for a value
 * that the table does not have. `checkSize`: throws where so many characters are too many.
 */
export async function maskResults(
  { folder, masks, tables: known }: MaskFiles,
  { signal }: Pick<ToolContext, 'signal'>,
  checkSize: (characters: number) => void,
): Promise<string> {
  const tables = new Map<string, ClassTable>();
  for (const path of known) tables.set(dirname(path), await readTable(path));
  const entries: string[] = [];
  let characters = 0;
  for (const path of masks) {
    signal.throwIfAborted();
    const table = tables.get(dirname(path)) ?? tables.get(folder);
    const name = relative(folder, path)
      .replaceAll('\\', '/')
      .replace(/(_mask)?\.png$/i, '');
    const bytes = await readRealFile(path, argument, () => {});
    const mask = await decodeMask(bytes).catch((thrown) => {
      throw invalidArgument(argument, `${fileAt(path)} ${wordsOf(thrown)}`, maskForm);
    });
    for (const [value, counts] of await runsOfMask(mask.data, mask)) {
      const category = table === undefined ? value : table.get(value);
      if (category === undefined) throw unknownValue(path, value, table);
      const segmentation = { size: [mask.height, mask.width], counts };
      const entry = { file_name: name, category_id: category, score: 1, segmentation };
      const text = JSON.stringify(entry);
      characters += text.length + 1;
      checkSize(characters);
      entries.push(text);
    }
  }
  return `[${entries.join(',')}]`;
}

type ClassTable = ReadonlyMap<number, string>;

const maskForm = 'A mask is a PNG of 8-bit grey whose values are classes, without a palette.';

function wordsOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : 'cannot be read';
}

async function readTable(path: string): Promise<ClassTable> {
  const text = await readText(path, argument, limits.nameListBytesMax);
  const rows = text.split(/\r?\n/).flatMap((line): readonly (readonly [number, string])[] => {
    const [, value, quotedName, plain] = /^(\d+),(?:"((?:[^"]|"")*)"|([^"]*))$/.exec(line) ?? [];
    const name = quotedName?.replaceAll('""', '"') ?? plain;
    return value === undefined || name === undefined ? [] : [[Number(value), name.trim()]];
  });
  const table = new Map(rows);
  const background = table.get(0);
  if (background === undefined || background.toLowerCase() === 'background') return table;
  throw invalidArgument(
    argument,
    `${fileAt(path)} calls the value 0 ${quoted(background)}; 0 is the background`,
  );
}

function unknownValue(path: string, value: number, table: ClassTable | undefined) {
  const known = [...(table ?? [])].map(([one, name]) => `${one} ${quoted(name)}`).slice(0, 20);
  return invalidArgument(
    argument,
    `${fileAt(path)} has pixels of the value ${value}, which _classes.csv does not name`,
    `It has ${known.join(', ')}. Pixels of no class are 0.`,
  );
}
