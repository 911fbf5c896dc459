// Offers the images of vision events to Active Learning.

import type { Input } from '../../contract/operation.ts';
import type { visionEvents } from '../../contract/vision-events.ts';
import { asFoveaError } from '../../errors.ts';
import { readImageHeader } from '../../imaging/image-thread-pool.ts';
import type { PlatformDependencies } from '../dependencies.ts';
import type { Workspace } from '../store/workspaces.ts';

export type EventInput = Input<typeof visionEvents.vision_events_create>;
type EventImageInput = NonNullable<EventInput['images']>[number];

/** What ran: the workflow of an event, or else its use case. */
export function modelNameOf({ workflowId, useCaseId }: EventInput): string {
  return workflowId ?? useCaseId;
}

/** Offers the images of recorded events to projects. Never throws: the events are recorded. */
export async function offerImages(
  dependencies: PlatformDependencies,
  workspace: Workspace,
  events: readonly EventInput[],
): Promise<void> {
  const { activeLearning } = dependencies.store;
  const wanting = new Map<string, boolean>();
  for (const event of events) {
    const images = (event.images ?? []).filter(({ objectDetections }) => objectDetections);
    if (images.length === 0 || event.eventType === 'operator_feedback') continue;
    const modelName = modelNameOf(event);
    const isWanted =
      wanting.get(modelName) ??
      (await activeLearning.enabledFor(workspace.id, modelName).catch(() => [])).length > 0;
    wanting.set(modelName, isWanted);
    if (!isWanted) continue;
    for (const image of images) await offerImage(dependencies, workspace, event, image);
  }
}

async function offerImage(
  { store, blobs, collect, log }: PlatformDependencies,
  { id: workspaceId }: Workspace,
  event: EventInput,
  { sourceId, inputSourceId, objectDetections = [] }: EventImageInput,
): Promise<void> {
  try {
    // What is shown may have boxes drawn in it; the input has not.
    const source = await store.visionEvents.findImage(workspaceId, inputSourceId ?? sourceId);
    if (source === undefined) return;
    const image = await blobs.get(source.hash);
    const { width, height } = await readImageHeader(image);
    const detections = objectDetections.map(({ class: label, ...box }) => ({ label, ...box }));
    const inferenceId = event.eventId;
    const modelName = modelNameOf(event);
    const seen = { workspaceId, modelName, image, inferenceId, width, height };
    await collect({ ...seen, task: 'detection', detections });
  } catch (thrown) {
    // Events keep images that no dataset takes.
    log.info('An image of an event was not collected.', { code: asFoveaError(thrown).code });
  }
}
