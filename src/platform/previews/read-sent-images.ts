// Reads the images and annotation files that were sent with a preview.

import { createHash } from 'node:crypto';
import type { AnnotationFile } from '../../annotation-formats/annotation-file.ts';
import type { ReadAnnotation } from '../../annotation-formats/parse-annotation.ts';
import { tooLarge } from '../../annotation-formats/value-checks.ts';
import type { Annotation } from '../../annotations/annotation.ts';
import type { FilePart, Input } from '../../contract/operation.ts';
import type { previews } from '../../contract/previews.ts';
import { asFoveaError, FoveaError, invalidArgument } from '../../errors.ts';
import { readImageHeader } from '../../imaging/image-thread-pool.ts';
import { limits } from '../../limits.ts';
import type { ChosenImages } from './select-project-images.ts';
import type { PreviewSource } from './shrink-large-images.ts';

type Sent = Input<typeof previews.versions_preview_files>;

/**
 * The images with their annotations, which are read as those of uploads are. Throws the errors of
 * readImageHeader and parseAnnotation; they name `images[0]`, `annotations[0]` and so on.
 */
export async function readSentImages(
  { images, annotations = [], annotated = [], labelmap }: Sent,
  read: ReadFile,
): Promise<ChosenImages> {
  checkPlaces(images.length, annotations.length, annotated);
  const warnings: string[] = [];
  const sources = await Promise.all(
    images.map(async (part, place): Promise<PreviewSource> => {
      const bytes = bytesOf(part, `images[${place}]`);
      const { name } = part;
      const readHeader = () => readImageHeader(bytes);
      const { width, height } = await renamed(`images[${place}]`, name, readHeader);
      const at = annotated.indexOf(place);
      const file = annotations[at];
      const hash = createHash('sha256').update(bytes).digest('hex');
      if (file === undefined) return { name, bytes, hash, annotation: undefined };
      const image = { name, width, height };
      const parse = () => readAnnotation(read, file, at, { image, labelmap });
      const { annotation, problems } = await renamed(`annotations[${at}]`, file.name, parse);
      warnings.push(...problems.map((problem) => `${name}: ${problem}`));
      return { name, bytes, hash, annotation };
    }),
  );
  return { sources, warnings: warnings.sort().slice(0, limits.uploadProblemsShownMax) };
}

function checkPlaces(images: number, annotations: number, annotated: readonly number[]): void {
  const isWrong =
    annotated.length !== annotations ||
    new Set(annotated).size !== annotations ||
    annotated.some((place) => place >= images);
  if (!isWrong) return;
  const right = `the places of ${annotations} of the ${images} images, each once, from 0`;
  throw invalidArgument('annotated', `must have one number for each annotation file: ${right}`);
}

/** Reads an annotation file, without holding up others. */
export type ReadFile = (file: AnnotationFile) => Promise<ReadAnnotation>;

async function readAnnotation(
  read: ReadFile,
  file: FilePart,
  at: number,
  about: Pick<AnnotationFile, 'image' | 'labelmap'>,
): Promise<{ readonly annotation: Annotation; readonly problems: readonly string[] }> {
  const text = textOf(bytesOf(file, `annotations[${at}]`));
  const { annotation, warnings } = await read({
    ...about,
    text,
    fileName: file.name,
    projectType: 'object-detection',
  });
  return { annotation: JSON.parse(annotation.json), problems: warnings.map(messageOf) };
}

function messageOf({ message }: { readonly message: string }): string {
  return message;
}

/** Errors of a file say which one it is. */
async function renamed<Result>(
  member: string,
  name: string,
  read: () => Promise<Result>,
): Promise<Result> {
  try {
    return await read();
  } catch (thrown) {
    const { code, message, hint, problems } = asFoveaError(thrown);
    if (problems.length === 0) throw thrown;
    const known = problems.map((problem) => ({
      path: problem.path.replace(/^(file|annotationFile)/, member),
      message: `"${name}": ${problem.message}`,
    }));
    throw new FoveaError(code, message.replace(/^(file|annotationFile)/, `${member} "${name}"`), {
      problems: known,
      ...(hint !== undefined && { hint }),
    });
  }
}

function bytesOf({ content }: FilePart, path: string): Uint8Array {
  if (content instanceof Uint8Array) return content;
  throw invalidArgument(path, 'must be the bytes of a file');
}

function textOf(bytes: Uint8Array): string {
  if (bytes.length > limits.annotationBytesMax) {
    throw tooLarge('', `has ${bytes.length} bytes; at most ${limits.annotationBytesMax} are read`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalidArgument('annotationFile', 'is no UTF-8 text');
  }
}
