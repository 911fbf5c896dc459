// The images that a search found, kept in files of one task: an export goes over them several
// times, and with their labels 100,000 of them would take hundreds of megabytes of memory.

import { createReadStream } from 'node:fs';
import { appendFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type SplitName, splitName } from '../../contract/fields.ts';
import type { FoundImage } from '../store/search.ts';

/** What an export takes of an image. */
export type KeptImage = Pick<
  FoundImage,
  'name' | 'hash' | 'width' | 'height' | 'split' | 'annotation'
>;

export class FoundImagesFile {
  readonly #folder: string;
  readonly #splits = new Set<SplitName>();
  readonly #classes = new Set<string>();
  #count = 0;
  #newest = 0;

  /** `folder`: of its own; not there yet. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  get count(): number {
    return this.#count;
  }

  /** When the last of them came, in milliseconds since 1970. */
  get newest(): number {
    return this.#newest;
  }

  get classes(): readonly string[] {
    return [...this.#classes];
  }

  /** Those of one call after the other. */
  async add(images: readonly FoundImage[]): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    for (const [split, own] of Map.groupBy(images, (image) => image.split)) {
      const lines = own.map(lineOf);
      await appendFile(this.#path(split), lines.join(''), { mode: 0o600 });
      this.#splits.add(split);
    }
    for (const { labels, created } of images) {
      for (const label of labels) this.#classes.add(label);
      this.#newest = Math.max(this.#newest, created);
    }
    this.#count += images.length;
  }

  /** Those of a split or all, split by split; always in the same order. */
  async *read(split?: SplitName): AsyncGenerator<KeptImage> {
    const wanted = splitName.options.filter((each) => split === undefined || each === split);
    for (const each of wanted) if (this.#splits.has(each)) yield* readLines(this.#path(each));
  }

  #path(split: SplitName): string {
    return join(this.#folder, `${split}.jsonl`);
  }
}

/** Without the separators of lines in texts, which JSON lets stand and which end a line here. */
function lineOf({ name, hash, width, height, split, annotation }: FoundImage): string {
  const kept: KeptImage = { name, hash, width, height, split, annotation };
  const text = JSON.stringify(kept).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
  return `${text}\n`;
}

async function* readLines(path: string): AsyncGenerator<KeptImage> {
  const lines = createInterface({
    input: createReadStream(path),
    crlfDelay: Number.POSITIVE_INFINITY,
  });
  for await (const line of lines) {
    const image: KeptImage = JSON.parse(line);
    yield image;
  }
}
