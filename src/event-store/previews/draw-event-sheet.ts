// Draws images of events with their detections on one contact sheet.

import type { deviceOperations } from '../../contract/device-operations.ts';
import type { Answer } from '../../contract/operation.ts';
import { asFoveaError, FoveaError } from '../../errors.ts';
import { contactSheet, type SheetCell } from '../../imaging/contact-sheet.ts';
import { decodeSmall, encodeImage } from '../../imaging/image-thread-pool.ts';
import { limits } from '../../limits.ts';
import type { FileStore } from '../../storage/file-store.ts';
import type { EventImage, StoredEvent } from '../store/store.ts';
import { isoMicroseconds } from '../timestamps.ts';
import { type Detections, readDetections } from './detections.ts';

/** One image of an event. */
export interface EventImageSource {
  readonly event: StoredEvent;
  readonly image: EventImage;
  readonly index: number;
  readonly fileId: string;
}

type Preview = Answer<typeof deviceOperations.events_preview>;

/**
 * Draws the images one after the other; the warnings name those that cannot be drawn. Throws
 * `unsupported_media` where none can be drawn, and the reason of the signal.
 */
export async function drawEventSheet(
  sources: readonly EventImageSource[],
  files: FileStore,
  signal: AbortSignal,
): Promise<Preview> {
  const isOneEvent = new Set(sources.map(({ event }) => event.id)).size === 1;
  const side = sides[sources.length] ?? smallSide;
  const cells: SheetCell[] = [];
  const images: Preview['images'] = [];
  const warnings: string[] = [];
  const classes = new Map<string, number>();
  for (const source of sources) {
    signal.throwIfAborted();
    const detections = readDetections(source.image);
    for (const [name, count] of detections.classes)
      classes.set(name, (classes.get(name) ?? 0) + count);
    const drawn = await readCell(source, detections, files, side, isOneEvent);
    if ('warning' in drawn) {
      warnings.push(drawn.warning);
      continue;
    }
    cells.push(drawn.cell);
    const { width, height } = drawn.cell;
    const { event, index, image } = source;
    images.push({
      event_id: event.id,
      index,
      label: image.label,
      width,
      height,
      boxes: detections.count,
    });
    if (detections.count > detections.boxes.length) {
      const [drawnCount, all] = [detections.boxes.length, detections.count];
      warnings.push(`images[${index}]: ${drawnCount} of ${all} detections are drawn, the surest`);
    }
  }
  if (cells.length === 0) throw new FoveaError('unsupported_media', `${warnings.join('; ')}.`);
  const sheet = await contactSheet({
    ...headOf(sources, isOneEvent),
    rows: rowsOf(cells),
    counted: 'all',
    side,
  });
  const { bytes, contentType, width, height } = await encodeImage(
    sheet,
    limits.eventPreviewBytesMax,
  );
  return {
    sheet: Buffer.from(bytes).toString('base64'),
    contentType,
    width,
    height,
    classes: Object.fromEntries(classes),
    images,
    warnings,
  };
}

/** The longer side of each image by their number: more images are smaller. */
const sides: Readonly<Record<number, number>> = { 1: 640, 2: 480 };
const smallSide = 320;
const columns = 3;
const enlargementMax = 4;

type Cell = { readonly cell: SheetCell } | { readonly warning: string };

async function readCell(
  { event, image, index, fileId }: EventImageSource,
  detections: Detections,
  files: FileStore,
  side: number,
  isOneEvent: boolean,
): Promise<Cell> {
  try {
    const { file, image: small } = await decodeSmall(
      await files.read(fileId),
      side,
      enlargementMax,
    );
    const { width, height } = file;
    const label = image.label ?? `image ${index + 1}`;
    const title = isOneEvent ? label : `${event.eventSchema} ${timeOf(event.arrival)}`;
    const name = isOneEvent ? [] : [`id …${event.id.slice(-6)}`];
    const words = [`${width} × ${height}`, ...name, ...detections.words].join(', ');
    return { cell: { image: small, width, height, boxes: detections.boxes, title, words } };
  } catch (thrown) {
    const { code, problems } = asFoveaError(thrown);
    const [problem] = problems;
    const reason = problem && code !== 'internal' ? problem.message : 'cannot be shown';
    return { warning: `images[${index}] of ${event.id}: ${reason}` };
  }
}

function headOf(sources: readonly EventImageSource[], isOneEvent: boolean) {
  const [first] = sources;
  if (!isOneEvent || first === undefined) {
    return { title: `${sources.length} events`, subtitle: 'by arrival, UTC', note: '' };
  }
  const { eventSchema, arrival, deviceId, id } = first.event;
  const subtitle = [timeOf(arrival), ...(deviceId === undefined ? [] : [deviceId]), id].join(' · ');
  return { title: eventSchema, subtitle, note: '' };
}

/** To the second: `2026-11-21 06:29:50`. */
function timeOf(arrival: number): string {
  return isoMicroseconds(arrival).slice(0, 19).replace('T', ' ');
}

function rowsOf(cells: readonly SheetCell[]): readonly (readonly SheetCell[])[] {
  const count = Math.ceil(cells.length / columns);
  return Array.from({ length: count }, (_, row) => cells.slice(row * columns, (row + 1) * columns));
}
