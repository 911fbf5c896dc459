// A stored event in the words of the cloud (first document, Vision events).

import { check } from '../../contract/check.ts';
import type { Input } from '../../contract/operation.ts';
import { visionEvents } from '../../contract/vision-events.ts';
import { FoveaError } from '../../errors.ts';
import type { JsonObject } from '../../json-object.ts';
import { inCamelCase } from '../intake/event-schemas.ts';
import type { EventImage, StoredEvent } from '../store/store.ts';
import { isoMicroseconds, parseMicroseconds } from '../times.ts';

export type CloudEvent = Input<typeof visionEvents.vision_events_create>;

/** The event, or why the cloud will never take it, in our own words. */
export type Described = { readonly event: CloudEvent } | { readonly unfit: string };

/**
 * What is sent of an event; `sourceOf` gives the id under which the cloud has an image file. The
 * id of the event stays the same, so that sending it again adds nothing. Videos, local-only files
 * and the metadata of images have no place in the cloud's event: they stay here.
 */
export function describeForCloud(
  event: StoredEvent,
  sourceOf: (fileId: string) => string,
  defaultSolutionId: string | undefined,
): Described {
  const useCaseId = event.solution || defaultSolutionId;
  if (!useCaseId) return { unfit: 'solution: is missing, and DEFAULT_SOLUTION_ID is not set' };
  const occurred = parseMicroseconds(event.inferenceTimestamp);
  if (occurred === undefined) return { unfit: 'inference_timestamp: is no ISO 8601 time' };
  try {
    return {
      event: check(visionEvents.vision_events_create.body, {
        eventId: event.id,
        eventType: event.eventSchema,
        useCaseId,
        timestamp: isoMicroseconds(occurred),
        eventData: inCamelCase(event.eventData),
        ...(event.customMetadata && { customMetadata: flat(event.customMetadata) }),
        ...imagesOf(event, sourceOf),
        ...(event.deviceId && { deviceId: event.deviceId }),
        ...(event.streamId && { streamId: event.streamId }),
        ...(event.workflowId && { workflowId: event.workflowId }),
      }),
    };
  } catch (thrown) {
    if (thrown instanceof FoveaError) return { unfit: thrown.message };
    throw thrown;
  }
}

/** The cloud keeps scalars only: deeper values become their JSON text, and null is no value. */
function flat(metadata: JsonObject): JsonObject {
  const pairs = Object.entries(metadata)
    .filter(([, value]) => value !== null)
    .map(([name, value]): [string, unknown] => [
      name,
      typeof value === 'object' ? JSON.stringify(value) : value,
    ]);
  return Object.fromEntries(pairs);
}

/** The cloud knows an image by its source alone: entries without a picture stay here. */
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

/** Where there is an input alone, it is also what is shown. */
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

/** Public clients of the cloud do not send `occluded`, so it goes only where it says something. */
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
