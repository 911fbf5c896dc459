// Handlers of the toolset "vision-events": events, and the images that they refer to; beside them
// what vision-events/ has.

import { dayMs } from '../clock.ts';
import type { Input } from '../contract/operation.ts';
import type { visionEventExtensions, visionEvents } from '../contract/vision-events.ts';
import { FoveaError, invalidArgument, invalidInput, type Problem } from '../errors.ts';
import type { Handlers } from '../http-server/handlers.ts';
import { imageContentTypes, recogniseImage } from '../imaging/image-format.ts';
import { limits } from '../limits.ts';
import { requireWholeWorkspace } from './access-control/accessible-projects.ts';
import type { Principal } from './access-control/authorization.ts';
import type { PlatformDependencies } from './dependencies.ts';
import { newId } from './ids-and-slugs.ts';
import { labelOf, readMetadata } from './images/upload-image.ts';
import type { NewInference } from './store/inferences.ts';
import type { Store } from './store/store.ts';
import type { EventImage, VisionEvent } from './store/vision-events.ts';
import type { Workspace } from './store/workspaces.ts';
import { type EventInput, modelNameOf, offerImages } from './vision-events/collect-event-images.ts';
import { millisecondsOf } from './vision-events/event-time.ts';
import { orderedJson } from './vision-events/ordered-json.ts';
import { eventReadHandlers } from './vision-events/read-events.ts';
import { useCaseHandlers } from './vision-events/use-cases.ts';

type ImageInput = Input<typeof visionEvents.vision_events_upload_image>;

export function visionEventHandlers(
  dependencies: PlatformDependencies,
): Handlers<typeof visionEvents & typeof visionEventExtensions, Principal> {
  return {
    ...eventReadHandlers(dependencies),
    ...useCaseHandlers(dependencies),
    vision_events_create: async (event, { principal }) => {
      const { added, newUseCases } = await addEvents(dependencies, principal, [event], () => '');
      return { eventId: event.eventId, created: added[0], ...newOnes(newUseCases) };
    },
    vision_events_create_batch: async ({ events }, { principal }) => {
      const { added, newUseCases } = await addEvents(
        dependencies,
        principal,
        events,
        (index) => `events[${index}].`,
      );
      return {
        created: added.filter(Boolean).length,
        eventIds: events.map(({ eventId }) => eventId),
        ...newOnes(newUseCases),
      };
    },
    vision_events_upload_image: async (input, { principal, origin }) => {
      const { id, hash, name, contentType } = await keepImage(dependencies, principal, input);
      const url = dependencies.links.make(origin, { hash, name, contentType });
      return { sourceId: id, url, success: true };
    },
  };
}

function newOnes(newUseCases: readonly string[]) {
  return newUseCases.length === 0 ? {} : { newUseCases };
}

/** Atomic. `placeOf` gives the place of an event in the input, for errors. */
async function addEvents(
  dependencies: PlatformDependencies,
  principal: Principal,
  sent: readonly EventInput[],
  placeOf: (index: number) => string,
): Promise<{ readonly added: readonly boolean[]; readonly newUseCases: readonly string[] }> {
  requireWholeWorkspace(principal, 'Recording events');
  const { store, clock } = dependencies;
  const { workspace } = principal;
  checkSeen(sent);
  const { events, newUseCases } = await withUseCaseIds(store, workspace.id, sent);
  const sources = events.flatMap((event, index) => sourcesOf(event, placeOf(index)));
  const ids = sources.map(({ id }) => id);
  const missing = new Set(
    ids.length === 0 ? [] : await store.visionEvents.missingImages(workspace.id, ids),
  );
  const problems = [
    ...events.flatMap((event, index) => timeProblems(event, placeOf(index), dependencies)),
    ...sources.filter(({ id }) => missing.has(id)).map(noSuchImage),
  ];
  if (problems.length > 0) throw invalidInput(problems.slice(0, limits.problemsShownMax));
  const kept = events.map((event) => keptEvent(event, workspace));
  const added = await store.visionEvents.add(workspace.id, kept, clock.now());
  await offerImages(
    dependencies,
    workspace,
    events.filter((_, index) => added[index] === true),
  );
  return { added, newUseCases };
}

/**
 * An event may name its use case, and is the same event as under its id. An unknown one is made,
 * and told: it may be misspelt.
 */
async function withUseCaseIds(
  { useCases }: Pick<Store, 'useCases'>,
  workspaceId: string,
  events: readonly EventInput[],
): Promise<{ readonly events: readonly EventInput[]; readonly newUseCases: readonly string[] }> {
  const names = [...new Set(events.map(({ useCaseId }) => useCaseId))];
  const ids = new Map(
    await Promise.all(
      names.map(async (name) => {
        const found = await useCases.find(workspaceId, name);
        return [name, found?.id] as const;
      }),
    ),
  );
  return {
    events: events.map((event) => ({
      ...event,
      useCaseId: ids.get(event.useCaseId) ?? event.useCaseId,
    })),
    newUseCases: names.filter((name) => ids.get(name) === undefined),
  };
}

interface Source {
  readonly id: string;
  readonly path: string;
}

/** The images that an event refers to, and where it does. */
function sourcesOf({ images = [] }: EventInput, place: string): readonly Source[] {
  return images.flatMap(({ sourceId, inputSourceId }, index) => {
    const path = `${place}images[${index}]`;
    const input = { id: inputSourceId, path: `${path}.inputSourceId` };
    const { id } = input;
    return [{ id: sourceId, path: `${path}.sourceId` }, ...(id ? [{ ...input, id }] : [])];
  });
}

function noSuchImage({ path }: Source): Problem {
  return { path, message: 'no image was uploaded under this id: give what the upload answered' };
}

/** Facts of the hosted platform: a year back to tomorrow; and no longer than events are kept. */
function timeProblems(
  { timestamp }: EventInput,
  place: string,
  { clock, visionEventDays: days }: Pick<PlatformDependencies, 'clock' | 'visionEventDays'>,
): readonly Problem[] {
  const ageMs = clock.now() - millisecondsOf(timestamp);
  const path = `${place}timestamp`;
  if (days !== undefined && ageMs > days * dayMs) {
    return [{ path, message: `lies more than ${days} days back, and events are kept so long` }];
  }
  if (ageMs > limits.visionEventAgeMsMax) {
    return [{ path, message: 'lies more than a year back, which is too long ago' }];
  }
  const message = 'lies more than a day ahead: check the clock that it comes from';
  return ageMs < -limits.visionEventAheadMsMax ? [{ path, message }] : [];
}

function keptEvent(event: EventInput, workspace: Workspace): VisionEvent {
  const { useCaseId, eventId, eventType, timestamp } = event;
  const imageIds = sourcesOf(event, '').map(({ id }) => id);
  const occurred = millisecondsOf(timestamp);
  const content = orderedJson(event);
  const inference = inferenceOf(event, workspace, occurred);
  return { useCaseId, eventId, eventType, occurred, content, imageIds, inference };
}

/**
 * An event with what was seen in its images is a record of an inference, under the id of the event
 * where no other has that. What a person says of another event is none.
 */
function inferenceOf(
  event: EventInput,
  { id: workspaceId }: Workspace,
  occurred: number,
): NewInference | undefined {
  const { eventId, eventType } = event;
  const lists = seenLists(event);
  const isSeen = lists.some((list) => list !== undefined);
  if (eventType === 'operator_feedback' || !isSeen) return undefined;
  return {
    id: eventId,
    workspaceId,
    projectId: undefined,
    modelName: modelNameOf(event),
    source: 'vision_event',
    created: occurred,
    responseMs: undefined,
    error: undefined,
    seen: lists.flatMap((list) => list ?? []),
  };
}

/** What models saw in the images of an event. */
function seenLists({ images = [] }: EventInput) {
  return images.flatMap((image) => [
    image.objectDetections,
    image.classifications,
    image.instanceSegmentations,
    image.keypoints,
  ]);
}

function checkSeen(events: readonly EventInput[]): void {
  const lists = events.flatMap(seenLists);
  const count = lists.reduce((sum, list) => sum + (list?.length ?? 0), 0);
  if (count <= limits.visionEventSeenMax) return;
  const path = events.length === 1 ? 'images' : 'events';
  const most = limits.visionEventSeenMax;
  throw invalidArgument(path, `has ${count} detections; one call takes at most ${most}`);
}

/** Keeps the bytes as they came: an image is evidence, so nothing of it is decoded or changed. */
async function keepImage(
  { store, blobs, clock }: PlatformDependencies,
  principal: Principal,
  { file, name, metadata }: ImageInput,
): Promise<EventImage> {
  requireWholeWorkspace(principal, 'Recording events');
  const { workspace } = principal;
  const content = file.content;
  if (!(content instanceof Uint8Array)) throw invalidArgument('file', 'has no bytes');
  const contentType = contentTypeOf(content);
  const kept = {
    id: newId(),
    workspaceId: workspace.id,
    contentType,
    name: labelOf(name ?? file.name),
    metadata: readMetadata(metadata),
    created: clock.now(),
  };
  const { hash, bytes } = await blobs.put(content);
  return store.visionEvents.addImage({ ...kept, hash, bytes });
}

/** The server has seen to it that a file is neither empty nor too large. */
function contentTypeOf(bytes: Uint8Array): string {
  const found = recogniseImage(bytes);
  if ('format' in found) return imageContentTypes[found.format];
  const type = keptOnly.get(found.other);
  if (type !== undefined) return type;
  const message = `is ${found.other}; accepted are JPEG, PNG, WebP, GIF, TIFF, BMP, HEIC and AVIF`;
  const problems = [{ path: 'file', message }];
  throw new FoveaError('unsupported_media', `file: ${message}`, { problems });
}

/** Formats that no dataset takes, since nothing here decodes them; an event only keeps them. */
const keptOnly: ReadonlyMap<string, string> = new Map([
  ['a GIF image', 'image/gif'],
  ['a HEIC image', 'image/heic'],
]);
