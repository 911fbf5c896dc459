// The pictures of the bench: the whole BCCD dataset where its archive is, else the sample again and
// again.

import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { bccdArchive } from '../../test/fixtures/bccd.ts';
import { unzip } from '../../test/fixtures/read-zip.ts';

export interface Images {
  /** Where they come from. */
  readonly said: string;
  /** Paths; without the archive some come more than once. */
  readonly train: readonly string[];
  readonly others: readonly string[];
}

/** At most that many images, in the dataset's ratio of train images to others. */
export async function findImages(folder: string, countMax: number): Promise<Images> {
  const { said, train, others } = existsSync(bccdArchive)
    ? await unpackArchive(folder)
    : repeatSample();
  const share = Math.min(1, countMax / (train.length + others.length));
  const some = (paths: readonly string[]) => paths.slice(0, Math.ceil(paths.length * share));
  return { said, train: some(train), others: some(others) };
}

/**
 * Writes copies of pictures into a new folder: the same pixels, no two of the same bytes, in no
 * two folders of other names either.
 */
export function writeCopies(paths: readonly string[], folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const [number, path] of paths.entries()) {
    const bytes = readFileSync(path);
    // A comment behind the start of the file.
    const words = Buffer.from(`${basename(folder)} ${number}`);
    const marker = Buffer.from([0xff, 0xfe, 0, words.length + 2]);
    const parts = [bytes.subarray(0, 2), marker, words, bytes.subarray(2)];
    writeFileSync(join(folder, `${number}-${basename(path)}`), Buffer.concat(parts));
  }
}

async function unpackArchive(folder: string): Promise<Images> {
  await unzip(bccdArchive, folder);
  const read = (list: string) =>
    readFileSync(join(folder, `BCCD/ImageSets/Main/${list}.txt`), 'utf8')
      .split(/\s+/)
      .filter((name) => name !== '')
      .map((name) => join(folder, `BCCD/JPEGImages/${name}.jpg`));
  return { said: 'BCCD', train: read('train'), others: [...read('val'), ...read('test')] };
}

function repeatSample(): Images {
  const files = globSync('sample/blood-cells/JPEGImages/*.jpg').map((path) => resolve(path));
  const repeat = (length: number) =>
    Array.from({ length }, (_, index) => files[index % files.length] ?? '');
  const said = 'BCCD is not here (FOVEA_BCCD names its archive): 12 images of the sample, repeated';
  return { said, train: repeat(205), others: repeat(159) };
}
