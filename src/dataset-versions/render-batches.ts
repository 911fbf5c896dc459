// Groups the source images of a version into batches, each rendered by one thread.

import type { SplitName } from '../contract/fields.ts';
import type { VersionSettings } from '../contract/version-settings.ts';
import { limits } from '../limits.ts';
import { pixelsAfter, pixelsOnTheWay } from './resize.ts';

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

/**
 * Batches of all sources, the same for the same sources whatever is done already: the partners of
 * a mosaic come from its batch. Then train images are mixed by their content, whose hash is as good
 * as a random number.
 */
export function batchSources(
  sources: readonly SourceOutline[],
  settings: VersionSettings,
): readonly (readonly SourceOutline[])[] {
  const { mosaic } = settings.augmentation;
  const train = sources.filter(({ split }) => split === 'train');
  const others = sources.filter(({ split }) => split !== 'train');
  const mixed = mosaic ? train.toSorted((a, b) => (a.hash < b.hash ? -1 : 1)) : train;
  const countMax = countOf(sources.length);
  const copies = settings.augmentation.image?.versions ?? 1;
  const trainMax = Math.max(mosaic ? 4 : 1, Math.min(countMax, countFor(settings, copies)));
  const batches = chunks(mixed, settings, trainMax);
  const joined = mosaic ? joinRest(batches, settings) : batches;
  const othersMax = Math.max(1, Math.min(countMax, countFor(settings, 1)));
  return [...joined, ...chunks(others, settings, othersMax)];
}

/** Pixels that are in memory at a time while the batch is in work: partners of a mosaic all are. */
export function pixelsInWork(
  batch: readonly SourceOutline[],
  { preprocessing: { resize }, augmentation: { mosaic } }: VersionSettings,
): number {
  const largest = Math.max(...batch.map((source) => pixelsOnTheWay(source, resize)));
  const all = batch.reduce((sum, source) => sum + pixelsAfter(source, resize), 0);
  return largest + (mosaic ? all : 0);
}

/** An image and three others: the last few would have only themselves. */
function joinRest(
  batches: readonly (readonly SourceOutline[])[],
  settings: VersionSettings,
): readonly (readonly SourceOutline[])[] {
  const [before = [], last = []] = batches.slice(-2);
  const joined = [...before, ...last];
  const pixels = joined.reduce(
    (sum, source) => sum + pixelsOnTheWay(source, settings.preprocessing.resize),
    0,
  );
  const isRest = batches.length > 1 && last.length < 4;
  return isRest && pixels <= limits.renderPixelsMax ? [...batches.slice(0, -2), joined] : batches;
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

function chunks(
  sources: readonly SourceOutline[],
  settings: VersionSettings,
  countMax: number,
): readonly (readonly SourceOutline[])[] {
  const batches: SourceOutline[][] = [];
  let pixels = Number.POSITIVE_INFINITY;
  for (const source of sources) {
    const own = pixelsOnTheWay(source, settings.preprocessing.resize);
    const last = batches.at(-1);
    if (last && last.length < countMax && pixels + own <= limits.renderPixelsMax) {
      last.push(source);
      pixels += own;
    } else {
      batches.push([source]);
      pixels = own;
    }
  }
  return batches;
}
