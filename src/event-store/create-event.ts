// Creates an event: validates it, writes its images to the disk, then its row.

import type { events } from '../contract/events.ts';
import type { Answer } from '../contract/operation.ts';
import { FoveaError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { EventStoreDependencies } from './dependencies.ts';
import { keptFor } from './event-response.ts';
import { newFileId } from './ids.ts';
import type { Created, EventImage, NewFile } from './store/store.ts';
import { type EventInput, type ImageInput, storedImage } from './store/stored-body.ts';
import { isoMicroseconds } from './timestamps.ts';
import { type DecodedImage, decodeImage } from './validation/base64-image.ts';
import { checkEvent, checkTexts, newEvent } from './validation/check-event.ts';
import { reportingFullDisk, writeRowAfterFiles } from './write-row-after-files.ts';

/**
 * Stores an event with its images. Everything is on the disk when this resolves, and nothing when
 * it throws: `bad_request`, `invalid_input`, or `full` (Event Store 15.3, 15.14, 15.22).
 */
export async function createEvent(
  dependencies: EventStoreDependencies,
  input: EventInput,
): Promise<CreateAnswer> {
  const { store, schemas, settings, admission } = dependencies;
  checkTexts(input);
  checkEvent(input, { schemas, needsSolution: needsSolution(settings) });
  const decoded = await decodeImages(input.images ?? []);
  await admission.admit({ bytes: bytesOf(decoded) });
  const { images, written } = await reportingFullDisk(admission, () =>
    writeImages(dependencies, decoded),
  );
  const ids = written.map(({ id }) => id);
  const event = newEvent(input, images, written);
  const created = await writeRowAfterFiles(dependencies, ids, () => store.create(event));
  return answerFor(dependencies, created, event.draft, ids);
}

/**
 * Fast path for a JSON body without images, validated by the writing thread. Undefined: nothing was
 * stored, and `createEvent` must take the parsed body: so also while the store is full, since what
 * is wrong with an event is said first.
 */
export async function createEventFrom(
  dependencies: EventStoreDependencies,
  request: string,
): Promise<CreateAnswer | undefined> {
  const { store, admission } = dependencies;
  const bringsBytes = request.includes('ase64');
  if (bringsBytes || !store.takesRequests) return undefined;
  if (admission.blocked !== undefined || !(await admitsEvent(admission))) return undefined;
  const created = await reportingFullDisk(admission, () => store.createFrom(request));
  return created && answerFor(dependencies, created, created.draft, []);
}

/** False: the store has no room for an event. */
async function admitsEvent(admission: EventStoreDependencies['admission']): Promise<boolean> {
  try {
    await admission.admit({ bytes: 0 });
    return true;
  } catch (thrown) {
    if (thrown instanceof FoveaError && thrown.code === 'full') return false;
    throw thrown;
  }
}

type CreateAnswer = Answer<typeof events.events_create>;

function answerFor(
  { uploader, settings }: EventStoreDependencies,
  { id, arrival }: Created,
  draft: boolean,
  imageIds: readonly string[],
): CreateAnswer {
  if (!draft) uploader.wake();
  const event = { arrival, hold: undefined, upload: draft ? 'draft' : 'waiting' } as const;
  return {
    id,
    image_ids: [...imageIds],
    created_at: isoMicroseconds(arrival),
    draft,
    ...keptFor(event, settings),
    message: draft ? 'Stored as a draft: finalize it once its files are there.' : 'Stored.',
  };
}

/** Whether events must name a solution (Event Store 3.2). */
export function needsSolution({
  cloud,
  defaultSolutionId,
}: Pick<EventStoreDependencies['settings'], 'cloud' | 'defaultSolutionId'>): boolean {
  return cloud !== undefined && defaultSolutionId === undefined;
}

interface DecodedEntry {
  readonly entry: ImageInput;
  readonly output: DecodedImage | undefined;
  readonly input: DecodedImage | undefined;
}

/** Decodes all images before any is written. */
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

/** Bytes of the images. */
function bytesOf(decoded: readonly DecodedEntry[]): number {
  const images = decoded.flatMap(({ output, input }) => [output, input]);
  return images.reduce((sum, image) => sum + (image?.bytes.length ?? 0), 0);
}

interface WrittenImages {
  readonly images: readonly EventImage[];
  readonly written: readonly NewFile[];
}

/**
 * Writes images concurrently, so that they share disk syncs, but only so many at once that other
 * requests can still open files.
 */
async function writeImages(
  dependencies: EventStoreDependencies,
  decoded: readonly DecodedEntry[],
): Promise<WrittenImages> {
  const images: EventImage[] = [];
  const written: NewFile[] = [];
  for (let start = 0; start < decoded.length; start += limits.imagesWrittenAtOnceMax) {
    const some = decoded.slice(start, start + limits.imagesWrittenAtOnceMax);
    const settled = await Promise.allSettled(
      some.flatMap(({ entry, output, input }) =>
        [output, input].map(async (image) => image && writeImage(dependencies, image, entry.label)),
      ),
    );
    const files = settled.map((it) => (it.status === 'fulfilled' ? it.value : undefined));
    written.push(...files.filter((file) => file !== undefined));
    const failed = settled.find((it) => it.status === 'rejected');
    if (failed) {
      await dependencies.files.remove(written.map(({ id }) => id)).catch(() => {});
      throw failed.reason;
    }
    for (const [place, { entry }] of some.entries()) {
      images.push(storedImage(entry, files[2 * place]?.id, files[2 * place + 1]?.id));
    }
  }
  return { images, written };
}

async function writeImage(
  { files, clock }: EventStoreDependencies,
  { bytes, contentType }: DecodedImage,
  label: string | null | undefined,
): Promise<NewFile> {
  const id = newFileId(clock);
  const onDisk = await files.write(id, bytes);
  return { id, kind: 'image', label: label ?? undefined, contentType, ...onDisk };
}
