// Storing an event: what the contract cannot say is checked, its images go to the disk, then it.

import type { events } from '../contract/events.ts';
import type { Answer } from '../contract/operation.ts';
import { FoveaError, invalidArgument } from '../errors.ts';
import { noticingFullDisk, writeRow } from './file-before-row.ts';
import { newFileId } from './ids.ts';
import { type DecodedImage, decodeImage } from './intake/images.ts';
import type { Parts } from './parts.ts';
import type { EventImage, NewEvent, NewFile } from './store/store.ts';
import { type EventInput, type ImageInput, storedImage } from './store/stored-body.ts';
import { isoMicroseconds } from './times.ts';

/**
 * Stores an event with its images; all of it is on the disk when this resolves, and nothing when it
 * throws: `bad_request`, `invalid_input`, or `full` (second document, Errors). `request`: the JSON
 * that the input was read from, if nothing of it was changed.
 */
export async function createEvent(
  parts: Parts,
  input: EventInput,
  request: string | undefined,
): Promise<Answer<typeof events.events_create>> {
  const { store, schemas, settings, capacity } = parts;
  schemas.check(input.event_schema, input.event_data);
  checkSolution(input, settings);
  checkDisplayPosition(input);
  const decoded = await decodeImages(input.images ?? []);
  await capacity.admit({ bytes: bytesOf(decoded) });
  const { images, written } = await noticingFullDisk(capacity, () => writeImages(parts, decoded));
  const ids = written.map(({ id }) => id);
  const event = {
    ...newEvent(input, images, written),
    request: written.length === 0 ? request : undefined,
  };
  const created = await writeRow(parts, ids, () => store.create(event));
  return {
    id: created.id,
    image_ids: ids,
    created_at: isoMicroseconds(created.arrival),
    draft: input.draft === true,
    message: input.draft ? 'Stored as a draft: finalize it once its files are there.' : 'Stored.',
  };
}

/** Second document, Event, solution. */
function checkSolution(input: EventInput, { cloud, defaultSolutionId }: Parts['settings']): void {
  if (cloud === undefined || defaultSolutionId !== undefined || input.solution) return;
  throw new FoveaError('bad_request', 'solution: is missing, and cloud upload needs one.', {
    hint: 'Send it, or set DEFAULT_SOLUTION_ID on the service.',
  });
}

/** Clients that send no image may still say that the first one is to be shown. */
function checkDisplayPosition({ displayImagePosition, images = [] }: EventInput): void {
  const last = Math.max(0, images.length - 1);
  if ((displayImagePosition ?? 0) <= last) return;
  throw invalidArgument('displayImagePosition', `must be the index of an image, at most ${last}`);
}

interface DecodedEntry {
  readonly entry: ImageInput;
  readonly output: DecodedImage | undefined;
  readonly input: DecodedImage | undefined;
}

/** All of them before anything is written. */
async function decodeImages(entries: readonly ImageInput[]): Promise<readonly DecodedEntry[]> {
  const decoded: DecodedEntry[] = [];
  for (const [index, entry] of entries.entries()) {
    const { base64Image, inputBase64Image } = entry;
    const decode = (text: string, name: string) => decodeImage(text, `images[${index}].${name}`);
    decoded.push({
      entry,
      output: isText(base64Image) ? await decode(base64Image, 'base64Image') : undefined,
      input: isText(inputBase64Image)
        ? await decode(inputBase64Image, 'inputBase64Image')
        : undefined,
    });
  }
  return decoded;
}

function isText(value: string | null | undefined): value is string {
  return typeof value === 'string';
}

/** Undefined where there are no images: an event of average size then. */
function bytesOf(decoded: readonly DecodedEntry[]): number | undefined {
  const images = decoded.flatMap(({ output, input }) => [output, input]);
  const bytes = images.reduce((sum, image) => sum + (image?.bytes.length ?? 0), 0);
  return bytes === 0 ? undefined : bytes;
}

interface WrittenImages {
  readonly images: readonly EventImage[];
  readonly written: readonly NewFile[];
}

/** Side by side, so that they share what the disk does for each of them. */
async function writeImages(parts: Parts, decoded: readonly DecodedEntry[]): Promise<WrittenImages> {
  if (decoded.every(({ output, input }) => output === undefined && input === undefined)) {
    const images = decoded.map(({ entry }) => storedImage(entry, undefined, undefined));
    return { images, written: [] };
  }
  const writes = decoded.map(({ entry, output, input }) => ({
    entry,
    output: output && writeImage(parts, output, entry.label),
    input: input && writeImage(parts, input, entry.label),
  }));
  const all = writes.flatMap(({ output, input }) =>
    [output, input].filter((it) => it !== undefined),
  );
  const settled = await Promise.allSettled(all);
  const written = settled.flatMap((it) => (it.status === 'fulfilled' ? [it.value] : []));
  const failed = settled.find((it) => it.status === 'rejected');
  if (failed) {
    await parts.files.remove(written.map(({ id }) => id)).catch(() => {});
    throw failed.reason;
  }
  const images = await Promise.all(
    writes.map(async ({ entry, output, input }) =>
      storedImage(entry, (await output)?.id, (await input)?.id),
    ),
  );
  return { images, written };
}

async function writeImage(
  { files, clock }: Parts,
  { bytes, contentType }: DecodedImage,
  label: string | null | undefined,
): Promise<NewFile> {
  const id = newFileId(clock);
  const onDisk = await files.write(id, bytes);
  return { id, kind: 'image', label: label ?? undefined, contentType, ...onDisk };
}

function newEvent(
  input: EventInput,
  images: readonly EventImage[],
  files: readonly NewFile[],
): NewEvent {
  const { externalId, external_id, relatedEventId, related_event_id } = input.event_data;
  return {
    draft: input.draft === true,
    solution: input.solution ?? undefined,
    workflowId: input.workflow_id ?? undefined,
    workflowVersion: input.workflow_version ?? undefined,
    deviceId: input.device_id ?? undefined,
    streamId: input.stream_id ?? undefined,
    imageId: input.image_id ?? undefined,
    inferenceTimestamp: input.inference_timestamp,
    eventSchema: input.event_schema,
    eventData: input.event_data,
    externalId: textOf(externalId ?? external_id),
    relatedEventId: textOf(relatedEventId ?? related_event_id),
    customMetadata: input.custom_metadata ?? undefined,
    displayImagePosition: input.displayImagePosition ?? undefined,
    images,
    files,
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}
