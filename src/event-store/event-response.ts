// Events in responses (Event Store 6.1 to 6.18)).

import type { deviceOperations } from '../contract/device-operations.ts';
import type { Answer } from '../contract/operation.ts';
import { isJsonObject } from '../json-object.ts';
import type { EventStoreDependencies } from './dependencies.ts';
import type { EventPage, StoredEvent, StoredFile } from './store/store.ts';
import { isoMicroseconds } from './timestamps.ts';

type EventAnswer = Answer<typeof deviceOperations.events_get>;

type Settings = Pick<EventStoreDependencies['settings'], 'cloud' | 'retentionDays'>;

export function eventResponse(event: StoredEvent, settings: Settings): EventAnswer {
  return {
    id: event.id,
    solution: event.solution ?? null,
    workflow_id: event.workflowId ?? null,
    workflow_version: event.workflowVersion ?? null,
    inference_timestamp: event.inferenceTimestamp,
    device_id: event.deviceId ?? null,
    stream_id: event.streamId ?? null,
    image_id: event.imageId ?? null,
    images: event.images.map((image) => ({
      ...image,
      object_detections: image.object_detections.filter(isJsonObject),
      classifications: image.classifications.filter(isJsonObject),
      instance_segmentations: image.instance_segmentations.filter(isJsonObject),
      keypoints: image.keypoints.filter(isJsonObject),
    })),
    videos: event.videos.map(attachmentResponse),
    local_only_files: event.localOnlyFiles.map(attachmentResponse),
    display_image_position: event.displayImagePosition ?? null,
    event_schema: event.eventSchema,
    event_data: event.eventData,
    custom_metadata: event.customMetadata ?? null,
    created_at: isoMicroseconds(event.arrival),
    api_version: event.apiVersion,
    original_file_count: event.originalFileCount,
    current_file_count: event.currentFileCount,
    draft: event.upload === 'draft',
    finalized_at: timeOrNull(event.finalizedAt),
    auto_finalized_at: timeOrNull(event.autoFinalizedAt),
    upload_status: uploadStatus(event, settings),
    upload_error: event.uploadError ?? null,
    uploaded_at: timeOrNull(event.uploadedAt),
    hold: event.hold ?? null,
    ...keptFor(event, settings),
  };
}

export function pageResponse({ events, next, scanned }: EventPage, settings: Settings) {
  return {
    events: events.map((event) => eventResponse(event, settings)),
    count: events.length,
    next_timestamp: timeOrNull(next),
    ...(scanned !== undefined && { scanned }),
  };
}

/** `off`: nothing takes it to the cloud, so it does not wait for that. */
export function uploadStatus(
  { upload }: Pick<StoredEvent, 'upload'>,
  { cloud }: Pick<Settings, 'cloud'>,
): string {
  return upload === 'waiting' && cloud === undefined ? 'off' : upload;
}

/**
 * When its age removes an event, by the wall clock; null: its age does not. And why. Where space
 * runs out it may go earlier, unless it is held or waits for the cloud.
 */
export function keptFor(
  { arrival, hold, upload }: Pick<StoredEvent, 'arrival' | 'hold' | 'upload'>,
  { cloud, retentionDays }: Settings,
): Pick<EventAnswer, 'kept_until' | 'kept_reason'> {
  const isUnsent = upload === 'draft' || upload === 'waiting';
  if (hold !== undefined) return { kept_until: null, kept_reason: 'hold' };
  if (cloud !== undefined && isUnsent) return { kept_until: null, kept_reason: 'upload' };
  const until = arrival + Math.round(retentionDays * dayMicroseconds);
  if (until > latestMicroseconds) return { kept_until: null, kept_reason: 'retention' };
  return { kept_until: isoMicroseconds(until), kept_reason: 'age' };
}

const dayMicroseconds = 24 * 60 * 60 * 1_000_000;
/** The end of the year 9999: ISO 8601 has no later time with four digits. */
const latestMicroseconds = 253_402_300_799_000_000;

/** Microseconds since 1970 as ISO 8601; null for undefined. */
export function timeOrNull(microseconds: number | undefined): string | null {
  return microseconds === undefined ? null : isoMicroseconds(microseconds);
}

function attachmentResponse({ id, label, contentType, bytes }: StoredFile) {
  return { file_id: id, label: label ?? null, content_type: contentType, size_bytes: bytes };
}
