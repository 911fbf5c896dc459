// Converts a stored event to the cloud's format (API, Vision events).

import { check } from '../../contract/check.ts';
import type { Input } from '../../contract/operation.ts';
import { withStorableTexts } from '../../contract/unstorable-text.ts';
import { visionEvents } from '../../contract/vision-events.ts';
import { FoveaError } from '../../errors.ts';
import type { JsonObject } from '../../json-object.ts';
import type { EventImage, StoredEvent } from '../store/store.ts';
import { isoMicroseconds, parseMicroseconds } from '../timestamps.ts';
import { withCamelCaseNames } from '../validation/event-schemas.ts';

export type CloudEvent = Input<typeof visionEvents.vision_events_create>;

/** The converted event, or why the cloud can never accept it. */
export type CloudEventResult = { readonly event: CloudEvent } | { readonly invalid: string };

/**
 * `sourceOf` returns the cloud's source id of an image file. The event keeps its id, so sending it
 * again is idempotent. Videos, local-only files and image metadata are not part of the cloud's
 * format and are left out.
 */
export function toCloudEvent(
  event: StoredEvent,
  sourceOf: (fileId: string) => string,
  defaultSolutionId: string | undefined,
): CloudEventResult {
  const useCaseId = event.solution || defaultSolutionId;
  if (!useCaseId) return { invalid: 'solution: is missing, and DEFAULT_SOLUTION_ID is not set' };
  const occurred = parseMicroseconds(event.inferenceTimestamp);
  if (occurred === undefined) return { invalid: 'inference_timestamp: is no ISO 8601 time' };
  try {
    return {
      event: check(visionEvents.vision_events_create.body, {
        eventId: event.id,
        eventType: event.eventSchema,
        useCaseId,
        timestamp: isoMicroseconds(occurred),
        eventData: withStorableTexts(withCamelCaseNames(event.eventData)),
        ...(event.customMetadata && {
          customMetadata: withStorableTexts(flattened(event.customMetadata)),
        }),
        ...imagesOf(event, sourceOf),
        ...(event.deviceId && { deviceId: event.deviceId }),
        ...(event.streamId && { streamId: event.streamId }),
        ...(event.workflowId && { workflowId: event.workflowId }),
      }),
    };
  } catch (thrown) {
    if (thrown instanceof FoveaError) return { invalid: thrown.message };
    throw thrown;
  }
}

/** The cloud stores scalars only: nested values become JSON text, nulls are left out. */
function flattened(metadata: JsonObject): JsonObject {
  const pairs = Object.entries(metadata)
    .filter(([, value]) => value !== null)
    .map(([name, value]): [string, unknown] => [
      name,
      typeof value === 'object' ? JSON.stringify(value) : value,
    ]);
  return Object.fromEntries(pairs);
}

/** The cloud identifies an image by its source, so entries without an image file are left out. */
function imagesOf({ images, displayImagePosition }: StoredEvent, sourceOf: SourceOf): JsonObject {
  const sent = images
    .map((image, index) => ({ index, image: cloudImage(image, sourceOf) }))
    .filter(({ image }) => image !== undefined);
  if (sent.length === 0) return {};
  const position = sent.findIndex(({ index }) => index === displayImagePosition);
  return {
    images: sent.map(({ image }) => image),
    ...(position >= 0 && { displayImagePosition: position }),
  };
}

type SourceOf = (fileId: string) => string;

/** An image with an input file only shows that one. */
function cloudImage(image: EventImage, sourceOf: SourceOf): JsonObject | undefined {
  const { file_id: output, input_file_id: input } = image;
  const shown = output ?? input;
  if (shown === null) return undefined;
  const lists = {
    objectDetections: image.object_detections,
    classifications: image.classifications,
    instanceSegmentations: image.instance_segmentations,
    keypoints: image.keypoints.map(withoutDefaults),
  };
  return {
    sourceId: sourceOf(shown),
    ...(output !== null && input !== null && { inputSourceId: sourceOf(input) }),
    ...(image.label !== null && { label: image.label }),
    ...Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)),
  };
}

/** Public clients of the cloud do not send `occluded`, so `false` is left out. */
function withoutDefaults(seen: unknown): unknown {
  const { keypoints, ...rest } = Object(seen);
  if (!Array.isArray(keypoints)) return seen;
  return {
    ...rest,
    keypoints: keypoints.map((point: unknown) => {
      const { occluded, ...place } = Object(point);
      return occluded === true ? point : place;
    }),
  };
}
