// images_upload: turns the arguments into a plan, and the report into a result.

import * as z from 'zod';
import { flatMetadata, project, splitName, tagName } from '../../src/contract/fields.ts';
import { images } from '../../src/contract/images.ts';
import { invalidArgument } from '../../src/errors.ts';
import type { LeftOut } from '../../src/file-access/file-roots.ts';
import { limits } from '../../src/limits.ts';
import { isOwnPlatform, type ToolContext, type ToolResult } from '../../src/mcp/tool.ts';
import { count, fileAt, nameList, quoted } from '../format.ts';
import { type Annotations, openAnnotations } from './annotation-files.ts';
import { findUnreadClasses } from './class-folders.ts';
import { type FoundNames, findClassNames, namesWords, readClassNames } from './class-names.ts';
import { duplicateFigures, duplicatesNamed } from './duplicate-words.ts';
import type { Labelmap } from './file-messages.ts';
import { findSplits } from './find-splits.ts';
import { type ImageList, listImages } from './image-list.ts';
import { labelmapFinder } from './labelmaps.ts';
import { keptWords, placedWords } from './placement-words.ts';
import { type Failure, runUpload, type UploadReport } from './run-upload.ts';
import { findUnreadAnnotations } from './unread-annotations.ts';
import type { ImageFacts } from './upload-image.ts';
import { objectsUrlIn, uploadObjects } from './upload-objects.ts';

const path = z.string().min(1);

const { sequence_number, sequence_size, inference_id } = images.images_upload.query.shape;

/** What single images have. */
const ofOneImage = {
  sequence_number: sequence_number.describe('Place in a sequence; single image only.'),
  sequence_size: sequence_size.describe('Length of that sequence.'),
  inference_id: inference_id.describe('Its inference; single image only.'),
};

export const uploadInput = z.strictObject({
  project,
  files: z.array(path).min(1).optional().describe('Paths, folders or globs such as data/**/*.jpg.'),
  url: path.optional().describe('Instead: URL of one image, or s3://bucket/prefix.'),
  name: images.images_upload.query.shape.name.describe('Its name; one image only.'),
  split: splitName.optional().describe('Split of new images; default: folder, else train.'),
  batch: images.images_upload.query.shape.batch,
  tags: z.array(tagName).optional().describe('Tags that all images get.'),
  metadata: flatMetadata
    .optional()
    .describe('Key to text, number or boolean; search: metadata:key=value.'),
  annotations: path
    .optional()
    .describe('Their annotations: VOC or YOLO folder, or COCO or CreateML .json.'),
  labelmap: z.record(z.string(), z.string()).optional().describe('For YOLO: number to class name.'),
  labelmap_file: path.optional().describe('For YOLO: class names or data.yaml.'),
  list: path.optional().describe('Text file of image names: only these.'),
  ...ofOneImage,
  offset: z.int().min(0).optional().describe('Images to skip: where a call stopped.'),
});

type UploadInput = z.output<typeof uploadInput>;

/** Sends the images that the input stands for, as far as the time allows. */
export async function uploadImages(input: UploadInput, context: ToolContext): Promise<ToolResult> {
  checkTogether(input);
  const objects = objectsUrlIn(input);
  if (objects !== undefined) return uploadObjects(input, objects, context);
  if (input.url !== undefined) return uploadUrl(input, input.url, context);
  const { files = [], name, offset = 0 } = input;
  const list = await listImages(context.files, files, input.list);
  const { paths } = list;
  checkSingle(input, paths.length);
  if (offset > 0 && offset >= paths.length) {
    throw invalidArgument('offset', `must be less than ${paths.length}, the number of images`);
  }
  const given = await labelmapOf(input, context);
  const annotations =
    input.annotations === undefined
      ? undefined
      : await openAnnotations(context.files, input.annotations, paths, context.signal);
  try {
    const { project } = input;
    const listed =
      input.split === undefined
        ? await findSplits({ patterns: files, paths, annotations }, context.files, context.signal)
        : undefined;
    const findAnnotation = annotations?.find;
    const splitOf = listed?.splitOf ?? (() => undefined);
    const isOurs = isOwnPlatform(context.settings);
    const found = given === undefined ? await foundNames(input, annotations, context) : undefined;
    const plan = {
      project,
      name,
      labelmapOf: labelmapFinder(given, found),
      findAnnotation,
      realOf: list.realOf,
      splitOf,
      facts: factsOf(input),
      takesBoth: isOurs,
    };
    const report = await runUpload(paths, offset, plan, context);
    const { uploaded, duplicates } = report;
    const words = {
      placed: uploaded > 0 ? placedWords(input, listed !== undefined) : '',
      kept: duplicates > 0 ? keptWords(input, listed !== undefined, isOurs) : '',
    };
    const { imagesMissing = 0, strays = 0, unclear = [] } = annotations ?? {};
    const counted = { imagesMissing, strays, unclear };
    const described = describeUpload(input, { list, report, words, ...counted });
    const unread = await findUnreadAnnotations(input, paths, context.files);
    const classes = await findUnreadClasses(input, paths, context);
    const { next = [] } = nextOf(input, report, context);
    return {
      ...described,
      summary:
        described.summary +
        linkedWords(list.left) +
        (found ? namesWords(found, annotations?.texts ?? []) : '') +
        unclearWords(unclear) +
        beatenWords(annotations?.beaten ?? []) +
        (listed?.words ?? '') +
        unread.words +
        classes.words,
      next: [...unread.next, ...classes.next, ...next],
    };
  } finally {
    annotations?.close();
  }
}

/** Class names that lie with YOLO labels. */
async function foundNames(
  { annotations: path }: UploadInput,
  annotations: Annotations | undefined,
  { files, signal }: ToolContext,
): Promise<FoundNames | undefined> {
  if (path === undefined || !annotations?.texts.length) return undefined;
  return findClassNames(files, path, 'annotations', signal);
}

/** Throws `invalid_input` where several images would get what one image has. */
function checkSingle(input: UploadInput, count: number): void {
  const { name, sequence_number, sequence_size, inference_id } = input;
  const single = Object.entries({ name, sequence_number, sequence_size, inference_id });
  const [given] = single.find(([, value]) => value !== undefined) ?? [];
  if (given === undefined || count <= 1) return;
  throw invalidArgument(given, `is for one image; "files" stands for ${count}`);
}

/** What is stored with each image. */
function factsOf(input: UploadInput): ImageFacts {
  const { split, batch, tags, metadata, sequence_number, sequence_size, inference_id } = input;
  const given = {
    split,
    batch,
    tag: tags,
    metadata: metadata && JSON.stringify(metadata),
    sequence_number,
    sequence_size,
    inference_id,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** Arguments that exclude each other. */
function checkTogether(input: UploadInput): void {
  if ((input.files === undefined) === (input.url === undefined)) {
    throw invalidArgument('files', 'give either files or url');
  }
  const { annotations, list, labelmap, labelmap_file, offset, url } = input;
  const forFiles = Object.entries({ annotations, list, offset });
  const [stray] = forFiles.find(([, value]) => url !== undefined && value !== undefined) ?? [];
  if (stray !== undefined) throw invalidArgument(stray, 'goes with files, not with url');
  if (labelmap && labelmap_file !== undefined) {
    throw invalidArgument('labelmap_file', 'give either labelmap or labelmap_file');
  }
}

async function labelmapOf(
  { labelmap, labelmap_file }: UploadInput,
  { files, signal }: ToolContext,
): Promise<Labelmap | undefined> {
  if (labelmap_file === undefined) return labelmap;
  return readClassNames(files, labelmap_file, 'labelmap_file', signal);
}

async function uploadUrl(
  input: UploadInput,
  url: string,
  { client, signal, settings }: ToolContext,
): Promise<ToolResult> {
  const { project, name } = input;
  const sent = { project, image: url, ...(name !== undefined && { name }), ...factsOf(input) };
  const { body } = await client.call(images.images_upload, sent, { signal });
  const isThere = body.duplicate === true;
  return {
    summary: isThere
      ? `Was there already: image ${quoted(body.id)}.${keptWords(input, false, isOwnPlatform(settings))}`
      : `Uploaded: image ${quoted(body.id)}${placedWords(input, false)}.`,
    data: { uploaded: isThere ? 0 : 1, duplicates: isThere ? 1 : 0, id: body.id },
  };
}

interface Outcome {
  readonly list: ImageList;
  readonly report: UploadReport;
  readonly words: { readonly placed: string; readonly kept: string };
  readonly imagesMissing: number;
  readonly strays: number;
  readonly unclear: readonly string[];
}

function describeUpload(input: UploadInput, outcome: Outcome): ToolResult {
  const { list, report, imagesMissing, strays, unclear } = outcome;
  const { uploaded, duplicates, annotated, alreadyAnnotated, boxes, remaining } = report;
  const { failed, warnings, ids, stoppedBy, inOtherSplit, unannotatedFiles, copies } = report;
  const { annotationsRefused } = report;
  const reasons = reasonsOf(failed);
  const shown = limits.uploadProblemsShownMax;
  const isTruncated = [failed, warnings, list.missing, copies].some(({ length }) => length > shown);
  const unannotated = input.annotations === undefined ? undefined : report.unannotated;
  return {
    summary: summaryOf(outcome, unannotated),
    data: {
      uploaded,
      duplicates,
      ...(inOtherSplit > 0 && { inOtherSplit }),
      ...(copies.length > 0 && {
        exactDuplicatesTotal: copies.length,
        exactDuplicates: copies.slice(0, shown),
      }),
      annotated,
      boxes,
      alreadyAnnotated,
      ...(unannotated !== undefined && { withoutAnnotation: unannotated }),
      ...(unannotated && { withoutAnnotationFirst: unannotatedFiles.slice(0, namesShownMax) }),
      ...(imagesMissing > 0 && { annotatedImagesWithoutFile: imagesMissing }),
      ...(strays > 0 && { annotationsOfUnknownImages: strays }),
      ...(unclear.length > 0 && {
        unclearTotal: unclear.length,
        unclear: unclear.slice(0, namesShownMax),
      }),
      remaining,
      ...(stoppedBy && { stoppedBy: stoppedBy.message }),
      ...(isTruncated && { truncated: `at most ${shown} of each list are shown` }),
      failedTotal: failed.length,
      ...(reasons.length < failed.length && { failedReasons: reasons.slice(0, shown) }),
      ...(annotationsRefused > 0 && { annotationsRefused }),
      failed: failed.slice(0, shown),
      warningsTotal: warnings.length,
      warnings: warnings.slice(0, shown),
      ...(list.missing.length > 0 && {
        missingTotal: list.missing.length,
        missing: list.missing.slice(0, shown),
      }),
      ...(list.left.outside > 0 && { outsideFileRoots: list.left.outside }),
      ...(ids.length <= limits.uploadIdsShownMax && { images: ids }),
    },
  };
}

function unclearWords(unclear: readonly string[]): string {
  if (unclear.length === 0) return '';
  const what = `Which labels belong to which images is not clear of ${nameList(unclear)}`;
  return ` ${what}: nothing was taken of these. Upload each folder with its own annotations.`;
}

function linkedWords({ linkedFolders }: LeftOut): string {
  if (linkedFolders.length === 0) return '';
  const folders = count(linkedFolders.length, 'folder');
  const shown = linkedFolders.slice(0, namesShownMax).map(fileAt).join(', ');
  return ` ${folders} behind links left out (such as ${shown}): name each in "files".`;
}

function beatenWords(beaten: readonly string[]): string {
  if (beaten.length === 0) return '';
  const files = `${count(beaten.length, 'annotation file')} (${nameList(beaten)})`;
  const why = 'another one is about the same image: VOC goes before JSON, and JSON before YOLO';
  return ` Not taken: ${files}, as ${why}.`;
}

/** The most frequent first. */
function reasonsOf(failed: readonly Failure[]) {
  const files = Map.groupBy(failed, ({ problem }) => problem);
  const reasons = [...files].map(([problem, { length }]) => ({ problem, count: length }));
  return reasons.sort((a, b) => b.count - a.count);
}

/** Enough names to see what is wrong with them. */
const namesShownMax = 5;

function summaryOf(
  { report, list: { missing, left }, words: { placed, kept }, strays }: Outcome,
  unannotated: number | undefined,
): string {
  const { uploaded, duplicates, annotated, boxes, alreadyAnnotated, remaining } = report;
  const { failed, annotationsRefused, warnings, stoppedBy, inOtherSplit, copies } = report;
  const conflicts = copies.filter(({ labels }) => labels === 'conflicting').length;
  const figures: readonly (readonly [number, string])[] = [
    [duplicates, 'there already'],
    [inOtherSplit, 'of them in another split, where they stay'],
    ...duplicateFigures(copies.length, conflicts),
    [annotated, `annotated with ${count(boxes, 'box', 'boxes')}`],
    [alreadyAnnotated, 'annotated already'],
    [unannotated ?? 0, 'without an annotation'],
    [failed.length - annotationsRefused, 'failed'],
    [annotationsRefused, annotationsRefused === 1 ? 'annotation refused' : 'annotations refused'],
    [warnings.length, warnings.length === 1 ? 'warning' : 'warnings'],
    [missing.length, 'of the list without a file'],
    [left.outside, 'left out, as a link leads out of the file roots'],
    [strays, 'boxes of images that their file does not list'],
  ];
  const said = figures
    .filter(([figure]) => figure > 0)
    .map(([figure, what]) => `${figure} ${what}`);
  const lead = [`Uploaded ${count(uploaded, 'image')}${placed}`, ...said].join(', ');
  const rest = remaining > 0 ? ` ${remaining} remain.` : '';
  return `${lead}.${rest}${kept}${duplicatesNamed(copies)}${stoppedBy ? ` Stopped: ${stoppedBy.message}` : ''}`;
}

function nextOf(
  input: UploadInput,
  { remaining, offset }: UploadReport,
  { settings: { workspace } }: ToolContext,
): Pick<ToolResult, 'next'> {
  if (remaining > 0) {
    const rest = { ...input, offset };
    return { next: [{ tool: 'images_upload', arguments: rest, why: 'Uploads the rest.' }] };
  }
  if (workspace === undefined) return {};
  const where = { workspace, project: input.project };
  return { next: [{ tool: 'projects_health', arguments: where, why: 'Checks the dataset.' }] };
}
