// The least that the store wants of an event.

import type { NewEvent, NewFile } from '../../../src/event-store/store/store.ts';

/** An event whose images are these files. */
export function plainEvent(files: readonly NewFile[]): NewEvent {
  return {
    draft: false,
    solution: undefined,
    workflowId: undefined,
    workflowVersion: undefined,
    deviceId: undefined,
    streamId: undefined,
    imageId: undefined,
    inferenceTimestamp: '2026-11-20T00:00:00Z',
    eventSchema: 'custom',
    eventData: { value: 'seen' },
    externalId: undefined,
    relatedEventId: undefined,
    customMetadata: undefined,
    displayImagePosition: undefined,
    images: files.map(({ id }) => ({
      file_id: id,
      input_file_id: null,
      label: null,
      metadata: null,
      object_detections: [],
      classifications: [],
      instance_segmentations: [],
      keypoints: [],
    })),
    files,
  };
}
