// Imports one image of an archive with its annotation; idempotent.

import type { AnnotatedImage } from '../../annotation-formats/annotation-file.ts';
import type { FindClassList } from '../../annotation-formats/class-lists.ts';
import type { ReadAnnotation } from '../../annotation-formats/parse-annotation.ts';
import { baseName, extensionOf } from '../../annotation-formats/path-hints.ts';
import { readLabel } from '../../annotation-formats/value-checks.ts';
import { type ComparedLabels, compareLabels } from '../../annotations/compare-labels.ts';
import { writeAnnotation } from '../../annotations/serialized-annotation.ts';
import type { SplitName } from '../../contract/fields.ts';
import { FoveaError } from '../../errors.ts';
import { recogniseImage } from '../../imaging/image-format.ts';
import { checkImageFile } from '../../imaging/image-thread-pool.ts';
import { limits } from '../../limits.ts';
import { HashedBytes } from '../../storage/content-hash.ts';
import type { ZipAnnotationReader } from '../annotation-threads/zip-annotation-reader.ts';
import type { TaskDependencies } from '../background-tasks/background-task.ts';
import { newId } from '../ids-and-slugs.ts';
import { labelOf } from '../images/upload-image.ts';
import type { AddedImage } from '../store/images.ts';
import type { Project } from '../store/projects.ts';
import { fileProblemOf, type ImportSource, type SourceFile } from './import-source.ts';
import type { PlannedImage } from './plan-import.ts';

/** What an upload says of all its images. */
export interface ZipSettings {
  readonly split: SplitName;
  readonly batchName: string;
  readonly tags: readonly string[];
  /** When its task was made: what is there since then was taken by it. */
  readonly since: number;
}

export interface ImportDependencies extends Pick<TaskDependencies, 'store' | 'blobs' | 'clock'> {
  readonly zip: ImportSource;
  readonly reader: ZipAnnotationReader;
  readonly project: Project;
  readonly settings: ZipSettings;
  readonly findClassList: FindClassList;
  /** What to say where it finds none. */
  readonly whyNoNames: string;
  /** By the bytes of an image: the first that has them, which counts, and the end of taking it. */
  readonly first: Map<string, { readonly path: string; readonly done: Promise<void> }>;
  /** Whether an attempt before this one may have taken images: those are found as if by others. */
  readonly hasBegun: boolean;
  /** Ids of images that this attempt has annotated: each counts once. */
  readonly annotated: Set<string>;
}

/** Images are read at the same time, and still come in the order of the archive. */
export interface Turn {
  /** Resolves once all images before this one were read. */
  readonly before: Promise<void>;
  /** This one was; a second call does nothing. */
  end(): void;
}

export type AnnotationOutcome = 'added' | 'already_there' | 'none' | 'refused';

/** The image whose bytes a file has, and how its labels compare with those of the file. */
export interface ExactDuplicate {
  /** The file of the archive, or the name of the image that was there before. */
  readonly of: string;
  readonly labels: ComparedLabels | 'taken' | 'none' | 'refused';
}

export interface ImportedImage {
  readonly path: string;
  readonly outcome: 'added' | 'duplicate' | 'failed';
  readonly imageId: string | undefined;
  /** Undefined for the same file once more, with the same labels or without. */
  readonly duplicate: ExactDuplicate | undefined;
  readonly split: SplitName | undefined;
  readonly annotation: AnnotationOutcome;
  /** Boxes, or classes of the whole image, that were added. */
  readonly boxes: number;
  readonly warnings: number;
  /** The first of what is wrong or odd. */
  readonly problems: readonly string[];
}

/** Throws only what is not the fault of this image. */
export async function importImage(
  dependencies: ImportDependencies,
  planned: PlannedImage,
  turn: Turn,
): Promise<ImportedImage> {
  const { path } = planned.entry;
  const done = Promise.withResolvers<void>();
  try {
    const content = new HashedBytes(await readImage(dependencies, planned, turn));
    const { hash } = content;
    const first = dependencies.first.get(hash);
    const isFirst = first === undefined;
    if (isFirst) dependencies.first.set(hash, { path, done: done.promise });
    turn.end();
    await first?.done;
    const { image, size } = await addImage(dependencies, planned, content);
    const { isNew, isAnnotated } = await taken(dependencies, image);
    const toAnnotate = { ...image, ...size, isAnnotated };
    const { labels, ...annotation } = await annotate(dependencies, planned, toAnnotate);
    const { splitProblem } = planned;
    const isAdded = isNew && isFirst;
    const of = first?.path ?? image.name;
    const isKnown = of === nameOf(path) && labels !== 'conflicting';
    return {
      path,
      imageId: image.id,
      split: image.split,
      outcome: isAdded ? 'added' : 'duplicate',
      duplicate: isAdded || isKnown ? undefined : { of, labels },
      ...annotation,
      problems: [...(splitProblem ? [splitProblem] : []), ...annotation.problems],
    };
  } catch (thrown) {
    const problems = [fileProblemOf(thrown)];
    return {
      path,
      outcome: 'failed',
      imageId: undefined,
      duplicate: undefined,
      split: undefined,
      annotation: 'none',
      boxes: 0,
      warnings: 0,
      problems,
    };
  } finally {
    turn.end();
    done.resolve();
  }
}

/**
 * What this work did of an image. Attempts before this one left no other trace than the time: of
 * two such imports at once both may count an image.
 */
async function taken(
  { store, settings, hasBegun }: ImportDependencies,
  { id, duplicate }: AddedImage,
) {
  const { isNew, isAnnotated } = hasBegun
    ? await store.uploads.since(id, settings.since)
    : { isNew: false, isAnnotated: false };
  return { isNew: isNew || !duplicate, isAnnotated };
}

interface Size {
  readonly width: number;
  readonly height: number;
}

async function readImage(
  { zip }: ImportDependencies,
  { entry }: PlannedImage,
  turn: Turn,
): Promise<Uint8Array> {
  const options = { bytesMax: limits.imageBytesMax, checkStart: refuseOthers };
  const bytes = await zip.read(entry, options);
  await turn.before;
  return bytes;
}

async function addImage(
  { store, blobs, clock, project, settings }: ImportDependencies,
  { entry, split }: PlannedImage,
  content: HashedBytes,
): Promise<{ readonly image: AddedImage; readonly size: Size }> {
  const { bytes, hash } = content;
  const known = await store.images.findByHash(project.id, hash);
  const found = known && (await store.images.find(project.id, known.id));
  if (known && found) {
    // A file that was lost on the disk is there again.
    await blobs.put(content);
    await store.search.lookAgain([known.id]);
    return { image: known, size: found };
  }
  const file = await checkImageFile(bytes);
  await blobs.put(content);
  const image = await store.images.add({
    id: newId(),
    projectId: project.id,
    name: nameOf(entry.path),
    hash,
    bytes: bytes.length,
    format: file.format,
    width: file.width,
    height: file.height,
    split: split ?? settings.split,
    batchName: settings.batchName,
    tags: settings.tags,
    metadata: {},
    sequenceNumber: undefined,
    sequenceSize: undefined,
    inferenceId: undefined,
    created: clock.now(),
  });
  return { image, size: file };
}

/** What begins as something else is not unpacked to its end. */
function refuseOthers(start: Uint8Array): void {
  const found = start.length < signatureBytes ? { format: 'jpeg' } : recogniseImage(start);
  if ('format' in found) return;
  throw new FoveaError(
    'unsupported_media',
    `is ${found.other}; accepted are JPEG, PNG, WebP, BMP, TIFF and AVIF`,
  );
}

const signatureBytes = 64;

function nameOf(path: string): string {
  return labelOf(baseName(path));
}

interface ToAnnotate extends Size {
  readonly id: string;
  /** Since the task was made. */
  readonly isAnnotated: boolean;
}

type Annotated = Pick<ImportedImage, 'annotation' | 'boxes' | 'warnings' | 'problems'> &
  Pick<ExactDuplicate, 'labels'>;

const nothing = {
  annotation: 'none',
  labels: 'none',
  boxes: 0,
  warnings: 0,
  problems: [],
} as const;

const refused = { ...nothing, annotation: 'refused', labels: 'refused' } as const;

async function annotate(
  dependencies: ImportDependencies,
  planned: PlannedImage,
  { id, width, height, isAnnotated }: ToAnnotate,
): Promise<Annotated> {
  if (planned.problem !== undefined) {
    return { ...refused, problems: [planned.problem] };
  }
  const image = { name: baseName(planned.entry.path), width, height };
  const read = await readAnnotation(dependencies, planned, image);
  if (read === undefined) return nothing;
  if ('problem' in read) return { ...refused, problems: [read.problem] };
  const { annotation, warnings, warningsTotal } = read;
  const options = { overwrite: false, isPredicted: false };
  const outcome = await dependencies.store.images.annotate(
    id,
    annotation,
    options,
    dependencies.clock.now(),
  );
  const isOurs = outcome === 'annotated' || (isAnnotated && !dependencies.annotated.has(id));
  if (!isOurs) {
    const { project, store } = dependencies;
    const kept = await store.images.find(project.id, id);
    const labels = compareLabels(kept?.annotation, annotation);
    return { ...nothing, annotation: 'already_there', labels };
  }
  dependencies.annotated.add(id);
  return {
    annotation: 'added',
    labels: 'taken',
    boxes: annotation.objects,
    warnings: warningsTotal,
    problems: warnings.slice(0, problemsKeptMax).map(({ message }) => message),
  };
}

/** Of one image: an annotation file can be odd in every one of its boxes. */
const problemsKeptMax = 20;

type Found = ReadAnnotation | { readonly problem: string } | undefined;

async function readAnnotation(
  dependencies: ImportDependencies,
  { source, className }: PlannedImage,
  image: AnnotatedImage,
): Promise<Found> {
  if (dependencies.project.type === 'text-image-pairs') return undefined;
  if (source?.kind === 'document') {
    const found = await dependencies.reader.ofDocument(source.entry, source.name, image);
    return 'read' in found ? found.read : found;
  }
  if (source?.kind === 'file') return readOwn(dependencies, source.entry, image);
  return className === undefined ? undefined : readClassName(className);
}

function readClassName(className: string): Found {
  try {
    const labels = [readLabel(className, 'the name of its folder')];
    const annotation = writeAnnotation({ kind: 'classification', labels });
    return { annotation, warnings: [], warningsTotal: 0 };
  } catch (thrown) {
    return { problem: fileProblemOf(thrown) };
  }
}

async function readOwn(
  { project, reader, findClassList, whyNoNames }: ImportDependencies,
  entry: SourceFile,
  image: AnnotatedImage,
): Promise<Found> {
  const extension = extensionOf(entry.path);
  const isText = extension === 'txt';
  const labelmap = isText ? findClassList(entry.path)?.labelmap : undefined;
  const found = await reader.own(entry, {
    image,
    labelmap,
    projectType: project.type,
    bytesMax: extension === 'json' ? limits.annotationBytesMax : limits.zipOwnBytesMax,
  });
  if ('read' in found) return found.read;
  const problem = `${baseName(entry.path)}: ${found.problem}`;
  const lacksNames = found.isMisread && isText && labelmap === undefined;
  return { problem: lacksNames ? `${problem}; ${whyNoNames}` : problem };
}
