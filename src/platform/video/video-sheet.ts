// Draws chosen frames of a video, with what was found in them, on one contact sheet.

import { contactSheet, type SheetCell, scaleToCell } from '../../imaging/contact-sheet.ts';
import { encodeImage } from '../../imaging/image-thread-pool.ts';
import { sheetRows, sheetSide } from '../previews/sheet-layout.ts';
import type { VideoModel } from '../store/video-jobs.ts';
import type { ChosenFrame } from './frame-choice.ts';

export interface SheetWords {
  /** All frames that were looked at. */
  readonly frames: number;
  readonly models: readonly VideoModel[];
}

/** A JPEG file. */
export async function drawVideoSheet(
  chosen: readonly ChosenFrame[],
  { frames, models }: SheetWords,
): Promise<Uint8Array> {
  const side = sheetSide(chosen.length);
  const cells: SheetCell[] = [];
  for (const frame of chosen) cells.push(await cellOf(frame, side));
  const sheet = await contactSheet({
    title: `${chosen.length} of ${frames} ${frames === 1 ? 'frame' : 'frames'}`,
    subtitle: models.map(({ modelId, confidence }) => `${modelId} from ${confidence}`).join(', '),
    note: '',
    rows: sheetRows(cells),
    counted: 'all',
    side,
  });
  return (await encodeImage(sheet)).bytes;
}

async function cellOf(
  { image, width, height, seconds, seen }: ChosenFrame,
  side: number,
): Promise<SheetCell> {
  const boxes = seen
    .flatMap(({ detections }) => detections)
    .map(({ label, confidence, x, y, width, height }) => {
      const tag = `${label} ${confidence.toFixed(2)}`;
      return { label, tag, x, y, width, height };
    });
  return {
    image: await scaleToCell(image, side),
    width,
    height,
    boxes,
    title: `${seconds.toFixed(1)} s`,
    words: `${boxes.length} ${boxes.length === 1 ? 'box' : 'boxes'}`,
  };
}
