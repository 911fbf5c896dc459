// Groups the source images of a version into batches, each rendered by one thread.

import type { SplitName } from '../contract/fields.ts';
import type { VersionSettings } from '../contract/version-settings.ts';
import { limits } from '../limits.ts';
import { pixelsAfter, pixelsOnTheWay } from './resize.ts';
import type { Size } from './transform-boxes.ts';

/** What is known of a frozen image without its labels. */
export interface SourceOutline {
  readonly ordinal: number;
  readonly hash: string;
  readonly split: SplitName;
  readonly width: number;
  readonly height: number;
  /** Its images are there already. */
  readonly isDone: boolean;
}

/** What batches are made by. */
export type PlannedSource = Omit<SourceOutline, 'hash'>;

/**
 * Batches of all sources, the same for the same sources whatever is done already: the partners of
 * a mosaic come from its batch. Then train images are mixed by their content, whose hash is as good
 * as a random number.
 */
export function batchSources(
  sources: readonly SourceOutline[],
  settings: VersionSettings,
): readonly (readonly SourceOutline[])[] {
  const train = sources.filter(({ split }) => split === 'train');
  const others = sources.filter(({ split }) => split !== 'train');
  const isMixed = settings.augmentation.mosaic;
  const mixed = isMixed ? train.toSorted((a, b) => (a.hash < b.hash ? -1 : 1)) : train;
  const batches: (readonly SourceOutline[])[] = [];
  const plan = new BatchPlan<SourceOutline>(settings, sources.length, (batch) =>
    batches.push(batch),
  );
  for (const source of [...mixed, ...others]) plan.add(source);
  plan.end();
  return batches;
}

/**
 * The same for sources that come one after the other: those of train first, for a mosaic in the
 * order of their hashes; then all others. Few of them are in memory at a time.
 */
export class BatchPlan<Source extends PlannedSource> {
  readonly #settings: VersionSettings;
  readonly #take: (batch: readonly Source[]) => void;
  readonly #countMax: { readonly train: number; readonly others: number };
  #isTrain = true;
  #batch: Source[] = [];
  #pixels = 0;
  /** The batch before, of train images of a mosaic: the last few may join it. */
  #before: readonly Source[] | undefined;

  /** `count`: of all sources that will come. */
  constructor(settings: VersionSettings, count: number, take: (batch: readonly Source[]) => void) {
    this.#settings = settings;
    this.#take = take;
    const { mosaic, image } = settings.augmentation;
    const most = countOf(count);
    const train = Math.min(most, countFor(settings, image?.versions ?? 1));
    this.#countMax = {
      train: Math.max(mosaic ? 4 : 1, train),
      others: Math.max(1, Math.min(most, countFor(settings, 1))),
    };
  }

  add(source: Source): void {
    if (this.#isTrain && source.split !== 'train') this.#endTrain();
    const own = this.#pixelsOf(source);
    const countMax = this.#isTrain ? this.#countMax.train : this.#countMax.others;
    const hasRoom = this.#batch.length < countMax && this.#pixels + own <= limits.renderPixelsMax;
    if (!hasRoom) this.#endBatch();
    this.#batch.push(source);
    this.#pixels += own;
  }

  /** No more will come. */
  end(): void {
    if (this.#isTrain) this.#endTrain();
    else this.#endBatch();
  }

  #endBatch(): void {
    const batch = this.#batch;
    this.#batch = [];
    this.#pixels = 0;
    if (batch.length === 0) return;
    if (!this.#isTrain || !this.#settings.augmentation.mosaic) {
      this.#take(batch);
      return;
    }
    if (this.#before) this.#take(this.#before);
    this.#before = batch;
  }

  /** An image and three others: the last few would have only themselves. */
  #endTrain(): void {
    const before = this.#before;
    const joined = [...(before ?? []), ...this.#batch];
    const pixels = joined.reduce((sum, source) => sum + this.#pixelsOf(source), 0);
    const isRest = before !== undefined && this.#batch.length < 4;
    if (isRest && pixels <= limits.renderPixelsMax) {
      this.#before = undefined;
      this.#batch = joined;
    }
    this.#endBatch();
    if (this.#before) this.#take(this.#before);
    this.#before = undefined;
    this.#isTrain = false;
  }

  #pixelsOf(source: Source): number {
    return pixelsOnTheWay(source, this.#settings.preprocessing.resize);
  }
}

/** Pixels that are in memory at a time while the batch is in work: partners of a mosaic all are. */
export function pixelsInWork(
  batch: readonly Size[],
  { preprocessing: { resize }, augmentation: { mosaic } }: VersionSettings,
): number {
  const largest = Math.max(...batch.map((source) => pixelsOnTheWay(source, resize)));
  const all = batch.reduce((sum, source) => sum + pixelsAfter(source, resize), 0);
  return largest + (mosaic ? all : 0);
}

/** Small versions are cut finer, so that every thread has work and progress shows. */
function countOf(total: number): number {
  return Math.max(4, Math.min(limits.renderSourcesMax, Math.ceil(total / 16)));
}

/** A thread is free again after so many images, as far as settings tell. */
function countFor({ preprocessing: { tile } }: VersionSettings, copies: number): number {
  const tiles = tile && 'rows' in tile ? tile.rows * tile.columns : 1;
  return Math.floor(limits.renderImagesMax / (tiles * copies));
}
