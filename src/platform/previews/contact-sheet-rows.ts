// One image of a preview and its variants: as cells of the contact sheet, and as data.

import type { Answer } from '../../contract/operation.ts';
import type { previews } from '../../contract/previews.ts';
import type { VersionSettings } from '../../contract/version-settings.ts';
import type { Box } from '../../imaging/box.ts';
import type { SheetCell } from '../../imaging/contact-sheet.ts';
import type { RawImage } from '../../imaging/raw-image.ts';

export type Preview = Answer<typeof previews.versions_preview>;

/** An image in work, scaled to its cell. */
export interface Shown {
  readonly image: RawImage;
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Box[];
  readonly piece: string;
  /** 0: without augmentation. */
  readonly copy: number;
  readonly words: readonly string[];
}

export interface Row {
  readonly name: string;
  /** Classes of the whole image; undefined: it has boxes. */
  readonly labels: readonly string[] | undefined;
  readonly original: Shown;
  /** The preprocessed image and its copies; empty where the settings drop the image. */
  readonly made: readonly Shown[];
}

/** The image in the first row, its pieces in further rows; tiles as they lie in it. */
export function pieceRows(row: Row, columns: number): readonly (readonly SheetCell[])[] {
  const byLine = Map.groupBy(row.made, ({ piece }, index) => {
    const [, line] = /^(.*tile-\d+)-\d+$/.exec(piece) ?? [];
    return line ?? String(Math.floor(index / columns));
  });
  const lines = [...byLine.values()].flatMap((line) =>
    Array.from({ length: Math.ceil(line.length / columns) }, (_, index) =>
      line.slice(index * columns, (index + 1) * columns),
    ),
  );
  const toPiece = (shown: Shown): SheetCell => {
    const figures = [sizeOf(shown), countBoxes(shown)];
    return { ...toCell(shown, shown.piece || 'preprocessed', figures), isCounted: false };
  };
  return [[originalCell(row)], ...lines.map((line) => line.map(toPiece))];
}

/** The original, the preprocessed image, its copies. */
export function sheetRow(row: Row, settings: VersionSettings): readonly SheetCell[] {
  return [
    originalCell(row),
    ...row.made.map((shown) => {
      const lost = lossOf(droppedOf(row, shown, settings));
      if (shown.copy > 0) return toCell(shown, `sample ${shown.copy}${lost}`, shown.words);
      const piece = shown.piece === '' ? [] : [shown.piece];
      return toCell(shown, `preprocessed${lost}`, [sizeOf(shown), ...piece]);
    }),
  ];
}

function originalCell({ name, labels, original, made }: Row): SheetCell {
  const figures = labels ?? [countBoxes(original)];
  const none = made.length === 0 ? ['gives no image'] : [];
  return toCell(original, name, [sizeOf(original), ...figures, ...none]);
}

function countBoxes({ boxes: { length } }: Shown): string {
  return `${length} ${length === 1 ? 'box' : 'boxes'}`;
}

/** In few characters: it stands in the title of a cell, where it is not cut off. */
function lossOf(dropped: number | undefined): string {
  return dropped ? ` · −${dropped} ${dropped === 1 ? 'box' : 'boxes'}` : '';
}

/** The same in figures and words. */
export function describeRow(
  row: Row,
  settings: VersionSettings,
  pieces: 'first' | 'all',
): Preview['images'][number] {
  const { name, labels, original, made } = row;
  const described = made.map((shown) => describeShown(row, shown, settings));
  const [preprocessed, ...others] = described;
  const samples = pieces === 'all' ? [] : others;
  const { width, height, boxes } = original;
  return {
    name,
    width,
    height,
    boxes: boxes.length,
    ...(labels && { labels }),
    ...(preprocessed && { preprocessed }),
    samples,
    ...(pieces === 'all' && { pieces: described }),
  };
}

function describeShown(row: Row, shown: Shown, settings: VersionSettings) {
  const { width, height, boxes, words, piece } = shown;
  const dropped = droppedOf(row, shown, settings);
  return {
    width,
    height,
    boxes: boxes.length,
    ...(dropped !== undefined && { dropped }),
    ...(piece !== '' && { piece }),
    words,
  };
}

/**
 * How many boxes fewer than the step before has. Undefined where boxes are not the same ones: in
 * pieces of an image, and in mosaics.
 */
function droppedOf(
  { original, made }: Row,
  { copy, boxes }: Shown,
  { preprocessing: { isolate, tile }, augmentation: { mosaic } }: VersionSettings,
): number | undefined {
  if (copy === 0 ? isolate || tile : mosaic) return undefined;
  const before = copy === 0 ? original : made[0];
  return before && Math.max(0, before.boxes.length - boxes.length);
}

function toCell(shown: Shown, title: string, words: readonly string[]): SheetCell {
  const { image, width, height, boxes } = shown;
  return { image, width, height, boxes, title, words: words.map(unbroken).join(', ') };
}

/** Lines break between the words that belong together, and minus signs are seen as such. */
function unbroken(words: string): string {
  return words.replaceAll(' ', '\u00a0').replaceAll(/-(?=\d)/g, '−');
}

function sizeOf({ width, height }: Shown): string {
  return `${width} × ${height}`;
}
