// Formats stored events in short.

import type { events } from '../../src/contract/events.ts';
import type { Answer } from '../../src/contract/operation.ts';
import { limits } from '../../src/limits.ts';
import { bare, count, fileSize, quoted, tally } from '../format.ts';

export type StoredEvent = Answer<typeof events.events_get>;
type Image = NonNullable<StoredEvent['images']>[number];

/** `Event "…" (quality_check) of 2026-…: 2 images, 3 detections ("RBC" 3), 1 video (12.3 MB).` */
export function describeEvent(event: StoredEvent): string {
  const { id, draft, event_schema, created_at, images = [] } = event;
  const { videos = [], local_only_files: files = [] } = event;
  const classes = classesOf(images);
  const detections = Object.values(classes).reduce((sum, figure) => sum + figure, 0);
  const parts = [
    images.length > 0 ? count(images.length, 'image') : 'no image',
    ...(detections > 0 ? [`${count(detections, 'detection')} (${tally(classes)})`] : []),
    ...(videos.length > 0 ? [`${count(videos.length, 'video')} (${sizeOf(videos)})`] : []),
    ...(files.length > 0 ? [`${count(files.length, 'local file')} (${sizeOf(files)})`] : []),
  ];
  const kind = draft ? 'Draft' : 'Event';
  const what = `${kind} ${quoted(id)} (${quoted(event_schema)}) of ${bare(created_at)}`;
  return [`${what}: ${parts.join(', ')}.`, ...stateWords(event)].join(' ');
}

/**
 * The rows of a list, without empty members, and with counts in place of detections. As many as fit
 * the bound; `left` are the others.
 */
export function briefEvents(events: readonly StoredEvent[]) {
  const rows = events.map(briefEvent);
  let characters = 0;
  const fitting = rows.findIndex((row, index) => {
    characters += JSON.stringify(row).length;
    return index > 0 && characters > limits.eventRowsCharactersMax;
  });
  const shown = fitting === -1 ? rows.length : fitting;
  return { rows: rows.slice(0, shown), left: events.slice(shown) };
}

/** Whether there is a picture of it. */
export function hasPicture({ images = [] }: StoredEvent): boolean {
  return images.some(({ file_id, input_file_id }) => Boolean(file_id ?? input_file_id));
}

function stateWords({ auto_finalized_at, upload_status }: StoredEvent): readonly string[] {
  return [
    ...(auto_finalized_at ? ['Finalized by the store: its producer never came back.'] : []),
    ...(upload_status === 'refused' ? ['The cloud refused it.'] : []),
  ];
}

function briefEvent({ images = [], original_file_count: _, ...event }: StoredEvent) {
  const { api_version: __, current_file_count: ___, ...members } = event;
  const given = Object.entries(members).filter(
    ([name, value]) => !isEmpty(value) && !(name === 'kept_reason' && value === 'age'),
  );
  const brief = images.map(({ file_id, input_file_id, label, ...image }) => ({
    ...(file_id && { file_id }),
    ...(input_file_id && { input_file_id }),
    ...(label && { label }),
    detections: classesOf([image]),
  }));
  return { ...Object.fromEntries(given), ...(brief.length > 0 && { images: brief }) };
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}

/** Class to detections, outlines, keypoint objects and classifications. */
function classesOf(images: readonly Partial<Image>[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  const found = images.flatMap((image) => [
    ...(image.object_detections ?? []),
    ...(image.instance_segmentations ?? []),
    ...(image.keypoints ?? []),
    ...(image.classifications ?? []),
  ]);
  for (const { class: name } of found) {
    if (typeof name === 'string') counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}

function sizeOf(files: readonly { readonly size_bytes?: number | null | undefined }[]): string {
  return fileSize(files.reduce((sum, { size_bytes }) => sum + (size_bytes ?? 0), 0));
}
