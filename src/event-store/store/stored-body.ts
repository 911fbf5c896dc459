// What no query looks for in an event, as JSON in its row: put together here, or the request as it
// came, which saves a tenth of the time that an event takes.

import type { events } from '../../contract/events.ts';
import type { Input } from '../../contract/operation.ts';
import { isJsonObject } from '../../json-object.ts';
import type { EventImage, NewEvent } from './store.ts';

export type EventInput = Input<typeof events.events_create>;
export type ImageInput = NonNullable<EventInput['images']>[number];

export type StoredBody = Pick<
  NewEvent,
  | 'solution'
  | 'workflowVersion'
  | 'streamId'
  | 'imageId'
  | 'inferenceTimestamp'
  | 'eventData'
  | 'displayImagePosition'
  | 'images'
>;

/** The JSON of an event for its row. */
export function bodyText(event: StoredBody): string {
  const { solution, workflowVersion, streamId, imageId, inferenceTimestamp, eventData } = event;
  const { displayImagePosition, images } = event;
  const body: StoredBody = {
    solution,
    workflowVersion,
    streamId,
    imageId,
    inferenceTimestamp,
    eventData,
    displayImagePosition,
    images,
  };
  return JSON.stringify(body);
}

/** The parsed JSON of a row; undefined: neither of the two that we write. */
export function readBody(value: unknown): StoredBody | undefined {
  if (isRequest(value)) return bodyOf(value, imagesOf(value));
  return isBody(value) ? value : undefined;
}

/** We wrote it: what is looked at tells our rows from those of another program. */
function isBody(value: unknown): value is StoredBody {
  if (!isJsonObject(value)) return false;
  const { inferenceTimestamp, eventData, images } = value;
  return typeof inferenceTimestamp === 'string' && isJsonObject(eventData) && Array.isArray(images);
}

/** The same; it was checked against the contract when it came. */
function isRequest(value: unknown): value is EventInput {
  if (!isJsonObject(value)) return false;
  const { inference_timestamp, event_data, images = [] } = value;
  return (
    typeof inference_timestamp === 'string' && isJsonObject(event_data) && Array.isArray(images)
  );
}

/** `images`: those that the images of the request have become. */
export function bodyOf(request: EventInput, images: readonly EventImage[]): StoredBody {
  return {
    solution: request.solution ?? undefined,
    workflowVersion: request.workflow_version ?? undefined,
    streamId: request.stream_id ?? undefined,
    imageId: request.image_id ?? undefined,
    inferenceTimestamp: request.inference_timestamp,
    eventData: request.event_data,
    displayImagePosition: request.displayImagePosition ?? undefined,
    images,
  };
}

/** The images of a request that brings no bytes. */
export function imagesOf({ images }: EventInput): EventImage[] {
  return (images ?? []).map((image) => storedImage(image, undefined, undefined));
}

/** An image with the ids of its files, where it has bytes. */
export function storedImage(
  { label, metadata, ...lists }: ImageInput,
  fileId: string | undefined,
  inputFileId: string | undefined,
): EventImage {
  return {
    file_id: fileId ?? null,
    input_file_id: inputFileId ?? null,
    label: label ?? null,
    object_detections: lists.objectDetections ?? [],
    classifications: lists.classifications ?? [],
    instance_segmentations: lists.instanceSegmentations ?? [],
    keypoints: (lists.keypoints ?? []).map(withOcclusion),
    metadata: metadata ?? null,
  };
}

/** Real clients leave `occluded` out. */
function withOcclusion({
  keypoints,
  ...seen
}: NonNullable<ImageInput['keypoints']>[number]): object {
  return {
    ...seen,
    keypoints: keypoints.map((point) => ({ ...point, occluded: point.occluded ?? false })),
  };
}
