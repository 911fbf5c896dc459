// Uploads one image, from a file or a URL: checks it, stores the bytes, then adds its row, with the
// labels that came along.

import type { AnnotatedImage } from '../../annotation-formats/annotation-file.ts';
import type { ReadAnnotation } from '../../annotation-formats/parse-annotation.ts';
import { isoTime } from '../../clock.ts';
import { check } from '../../contract/check.ts';
import { images } from '../../contract/images.ts';
import type { Answer, Input } from '../../contract/operation.ts';
import { unstorableTexts } from '../../contract/unstorable-text.ts';
import { FoveaError, invalidArgument, invalidInput } from '../../errors.ts';
import type { Call } from '../../http-server/handlers.ts';
import { checkImageFile } from '../../imaging/image-thread-pool.ts';
import { limits } from '../../limits.ts';
import { HashedBytes } from '../../storage/content-hash.ts';
import type { Principal } from '../access-control/authorization.ts';
import type { PlatformDependencies } from '../dependencies.ts';
import { newId } from '../ids-and-slugs.ts';
import type { AddedImage, Metadata } from '../store/images.ts';
import type { Project } from '../store/projects.ts';
import { faultOf } from './file-fault.ts';

type UploadInput = Input<typeof images.images_upload>;

export interface UploadedImage {
  readonly image: AddedImage;
  /** Those that it was stored with. */
  readonly labels: ReadAnnotation | undefined;
}

/**
 * Adds one image to a project, with the labels that came along if they can be read. The same bytes
 * again give the image that is there already, as it is. A file that is no image, or a truncated
 * one, is refused, and kept in mind for the health of the project.
 */
export async function uploadImage(
  dependencies: PlatformDependencies,
  project: Project,
  input: UploadInput,
  call: Pick<Call<Principal>, 'principal' | 'signal'>,
): Promise<UploadedImage> {
  const { principal, signal } = call;
  const { store, blobs, clock } = dependencies;
  const metadata = readMetadata(input.metadata);
  const { bytes, name } = await readSource(dependencies, input, signal);
  const content = new HashedBytes(bytes);
  const { hash } = content;
  const known = await store.images.findByHash(project.id, hash);
  if (known !== undefined) {
    // A file that was lost on the disk is there again.
    await blobs.put(content);
    await store.search.lookAgain([known.id]);
    return { image: known, labels: undefined };
  }
  const file = await checkImageFile(bytes).catch(async (thrown) => {
    const reason = faultOf(thrown);
    if (reason !== undefined) {
      const refused = { file: name, name, identity: `${hash} ${name}`, reason, at: clock.now() };
      await store.refusedFiles.add(project.id, [{ ...refused, who: principal.name }]);
    }
    throw input.image === undefined ? thrown : aboutUrl(thrown);
  });
  const { format, width, height } = file;
  const labels = await readLabels(dependencies, project, input, { name, width, height }, call);
  await blobs.put(content);
  const created = clock.now();
  const image = await store.images.add(
    {
      id: newId(),
      projectId: project.id,
      name,
      hash,
      bytes: bytes.length,
      format,
      width,
      height,
      split: input.split ?? 'train',
      batchName: input.batch ?? batchNameAt(created),
      tags: input.tag ?? [],
      metadata,
      sequenceNumber: input.sequence_number,
      sequenceSize: input.sequence_size,
      inferenceId: input.inference_id,
      created,
    },
    labels?.annotation,
  );
  return { image, labels: image.duplicate ? undefined : labels };
}

/** Of images for which none was given. */
export function batchNameAt(created: number): string {
  return `Uploaded on ${isoTime(created).slice(0, 10)}`;
}

/** `cameLabels`: whether there was an annotation with the image. */
export function describeUpload(
  { image, labels }: UploadedImage,
  cameLabels: boolean,
): Answer<typeof images.images_upload> {
  const { id, duplicate, split, name } = image;
  const of = duplicate ? { duplicate, split, name } : {};
  if (!cameLabels) return { id, success: true, ...of };
  const annotated = labels !== undefined;
  return { id, success: true, ...of, annotated, ...(labels && describeFindings(labels)) };
}

/** What is said of an annotation that was taken. */
export function describeFindings({ annotation, warnings, warningsTotal }: ReadAnnotation) {
  const more = warningsTotal - warnings.length;
  const told = warnings.map((warning) => ({ ...warning }));
  return {
    boxes: annotation.objects,
    warnings: more > 0 ? [...told, { message: `and ${more} more warnings` }] : told,
  };
}

/** The labels that a request sends for an image. Throws as `read` of the reader does. */
export function readSentAnnotation(
  { annotationReader }: PlatformDependencies,
  { project, image: { name, width, height }, input }: SentAnnotation,
  { principal, signal }: Pick<Call<Principal>, 'principal' | 'signal'>,
): Promise<ReadAnnotation> {
  const file = {
    text: input.annotationFile,
    fileName: input.name,
    image: { name, width, height },
    labelmap: input.labelmap ?? undefined,
    projectType: project.type,
  };
  return annotationReader.read(file, principal.workspace.id, signal);
}

interface SentAnnotation {
  readonly project: Project;
  readonly image: AnnotatedImage;
  readonly input: Pick<Input<typeof images.images_annotate>, 'annotationFile' | 'labelmap'> & {
    readonly name: string | undefined;
  };
}

/** Undefined: there are none, or they cannot be read. Only an abort throws. */
async function readLabels(
  dependencies: PlatformDependencies,
  project: Project,
  { annotationFile, annotationName: name, labelmap }: UploadInput,
  image: AnnotatedImage,
  call: Pick<Call<Principal>, 'principal' | 'signal'>,
): Promise<ReadAnnotation | undefined> {
  if (annotationFile === undefined) return undefined;
  const { body, bodyLimits } = images.images_annotate;
  try {
    const input = { ...check(body, { annotationFile, labelmap }, bodyLimits), name };
    return await readSentAnnotation(dependencies, { project, image, input }, call);
  } catch {
    call.signal.throwIfAborted();
    return undefined;
  }
}

async function readSource(
  dependencies: PlatformDependencies,
  { file, image, name }: UploadInput,
  signal: AbortSignal,
): Promise<{ readonly bytes: Uint8Array; readonly name: string }> {
  if ((file === undefined) === (image === undefined)) {
    throw invalidInput([{ path: 'file', message: 'give either a file or an image URL' }]);
  }
  if (image !== undefined) {
    const bytes = await dependencies.fetchImage(image, signal);
    return { bytes, name: labelOf(name ?? lastSegment(image)) };
  }
  const content = file?.content;
  if (!(content instanceof Uint8Array)) throw invalidArgument('file', 'has no bytes');
  return { bytes: content, name: labelOf(name ?? file?.name ?? '') };
}

function lastSegment(url: string): string {
  const { pathname } = new URL(url);
  const segment = pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** A name is a label for people, in one line; its end tells the most. */
export function labelOf(name: string): string {
  const line = name.toWellFormed().replaceAll(/\p{Cc}/gu, '');
  return line.slice(-limits.imageNameCharactersMax) || 'image';
}

/** The `metadata` part of an upload: JSON text of flat metadata. Throws `invalid_input`. */
export function readMetadata(text: string | undefined): Metadata {
  if (text === undefined) return {};
  if (text.includes('"__proto__"')) {
    throw invalidArgument('metadata', 'has a member __proto__, which is not allowed as a name');
  }
  const { metadata } = check(images.images_set_metadata.body, { metadata: text });
  const problems = unstorableTexts({ metadata });
  if (problems.length > 0) throw invalidInput(problems);
  return metadata ?? {};
}

/** What was wrong with a file, said of the URL that it came from. */
function aboutUrl(thrown: unknown): unknown {
  if (!(thrown instanceof FoveaError) || thrown.problems.length === 0) return thrown;
  const problems = thrown.problems.map(({ message }) => ({ path: 'image', message }));
  const message = problems.map((problem) => `image: ${problem.message}`).join('; ');
  return new FoveaError(thrown.code, message, { problems, cause: thrown });
}
