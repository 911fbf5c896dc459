// Runs a model on all images that a search finds, or that lie in a folder, and writes what it finds
// as COCO results.

import { type FileHandle, rm } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { inference } from '../../src/contract/inference.ts';
import type { Answer } from '../../src/contract/operation.ts';
import { asFoveaError, type ErrorCode, FoveaError, invalidArgument } from '../../src/errors.ts';
import { limits } from '../../src/limits.ts';
import type { ToolContext, ToolResult } from '../../src/mcp/tool.ts';
import { refuseExisting } from '../download-link.ts';
import { asGiven, count } from '../format.ts';
import { searchPages } from '../images/image-selection.ts';
import { queryWithin } from '../images/project-query.ts';
import { openPart } from '../local-file.ts';
import { replaceFile } from '../replace-file.ts';
import { withScratchFolder } from '../scratch-folder.ts';
import { slashed } from '../upload/dataset-folders.ts';
import { imageExtensions } from '../upload/image-list.ts';
import { bringImage, type Given, noImageFound, type Source, workspaceOf } from './image-sources.ts';
import { type Omissions, omissionsText } from './prediction-omissions-text.ts';

export interface WantedPredictions extends Given {
  readonly version?: string | undefined;
  readonly save_to: string;
  readonly confidence?: number | undefined;
  readonly overlap?: number | undefined;
  readonly classes?: string | undefined;
}

/** Below any threshold that is of use, and enough for the tail of a curve. */
const confidenceDefault = 0.01;

/**
 * The file is there when all images are done, and not at all otherwise. Throws `invalid_input`
 * without a query or files, `conflict` for a file that is there, `not_found` where the search finds
 * nothing.
 */
export async function savePredictions(
  given: WantedPredictions,
  context: ToolContext,
): Promise<ToolResult> {
  const { query, file, save_to, project } = given;
  if (query !== undefined && file !== undefined) {
    throw invalidArgument('file', 'and query are given both: give one of them');
  }
  if (query === undefined && file === undefined) {
    throw invalidArgument(
      'query',
      'is needed where save_to ends in .json, or a folder as file: what to run the model on',
    );
  }
  const path = await context.files.writable(save_to, 'save_to');
  await refuseExisting(path);
  const images =
    file === undefined
      ? imagesFound({ project, query: query ?? '', workspace: await workspaceOf(context) }, context)
      : imagesIn(file, context);
  const counts = await replaceFile(path, (handle) => writeAll(handle, images, given, context));
  const asked = given.confidence ?? confidenceDefault;
  // Above 1 it is percent.
  const confidence = asked > 1 ? asked / 100 : asked;
  return {
    summary: summaryOf(counts, path, confidence),
    data: { path, confidence, ...counts },
    files: [{ path, mimeType: 'application/json', description: 'Predictions (COCO results)' }],
    next:
      query === undefined
        ? []
        : [
            {
              tool: 'evaluations_create',
              arguments: { project, query, predictions: path },
              why: 'Judges them by the labels of these images.',
            },
          ],
  };
}

interface Counts {
  readonly images: number;
  readonly predictions: number;
  readonly unreadable: { readonly count: number; readonly examples: readonly string[] };
  /** What the model found and the file does not have. */
  readonly lacks: Omissions;
}

function summaryOf(
  { images, predictions, unreadable, lacks }: Counts,
  path: string,
  confidence: number,
) {
  const unread =
    unreadable.count === 0 ? '' : ` ${count(unreadable.count, 'image')} cannot be read.`;
  const found = `${count(predictions, 'prediction')} in ${count(images, 'image')}`;
  return `Wrote ${found}, from a confidence of ${confidence} on, to ${asGiven(path)}.${omissionsText(lacks)}${unread}`;
}

/** An image to run the model on. */
interface Listed {
  /** By which it is known: its id, or its path. */
  readonly id: string;
  /** How many there are. */
  readonly total: number;
  /** `path`: where a copy may lie while it is used. */
  bring(path: string): Promise<Source>;
}

async function writeAll(
  handle: FileHandle,
  listed: AsyncIterable<Listed>,
  wanted: WantedPredictions,
  context: ToolContext,
): Promise<Counts> {
  let [images, predictions, failures] = [0, 0, 0];
  const lacks = { ofImages: 0, moreFound: 0, withoutOutline: 0, cutOutlines: 0 };
  const examples: string[] = [];
  await handle.writeFile('[');
  await withScratchFolder(context, async (folder) => {
    for await (const { id, total, bring } of listed) {
      context.signal.throwIfAborted();
      context.progress(images + failures, total, 'Running the model');
      // A download never replaces a file.
      const path = join(folder, `image-${images + failures}`);
      const answer = await answerOf(() => bring(path), wanted, context, images > 0);
      await rm(path, { force: true });
      if (answer === undefined) {
        failures += 1;
        if (examples.length < examplesMax) examples.push(id);
        continue;
      }
      images += 1;
      addLacks(lacks, answer.body);
      for (const entry of cocoEntries(answer.source, answer.body)) {
        await handle.writeFile(`${predictions === 0 ? '' : ','}\n${JSON.stringify(entry)}`);
        predictions += 1;
      }
    }
  });
  await handle.writeFile('\n]\n');
  return { images, predictions, unreadable: { count: failures, examples }, lacks };
}

function addLacks(lacks: Omissions, body: RunAnswer): void {
  lacks.ofImages += 1;
  if (body.more_found === true) lacks.moreFound += 1;
  lacks.withoutOutline += body.without_outline ?? 0;
  lacks.cutOutlines += body.cut_outlines ?? 0;
}

const examplesMax = 5;

/** In pages. Throws `not_found` where there is none, and `too_large` for more than are taken. */
async function* imagesFound(
  { workspace, project, query }: Record<'workspace' | 'project' | 'query', string>,
  context: ToolContext,
): AsyncGenerator<Listed> {
  const asked = {
    workspace,
    query: queryWithin(project, query),
    pageSize: limits.searchPageMax,
    fields: ['id'],
  };
  for await (const { results, total = results.length } of searchPages(asked, context)) {
    if (total === 0) throw noImageFound(project);
    checkTotal('query', total);
    for (const { id } of results) {
      if (id === undefined) continue;
      const bring = (path: string) => bringImage({ workspace, project, id, path }, context);
      yield { id, total, bring };
    }
  }
}

/**
 * The images of a folder and all below it, by their paths in it; those of a glob by their paths in
 * the folder before its first wildcard; or a file.
 */
async function* imagesIn(given: string, context: ToolContext): AsyncGenerator<Listed> {
  const found = await context.files.find([given], 'file', { extensions: imageExtensions });
  checkTotal('file', found.length);
  const around = folderBeforeWildcard(given);
  const folder = await context.files.readable(around, 'file').catch(() => undefined);
  for (const { path, real } of found) {
    const within = folder === undefined ? '' : slashed(relative(folder, real));
    const name = within === '' || within.startsWith('..') ? basename(path) : within;
    const sent = { file: { name: 'image', content: { path: real } } };
    yield {
      id: name,
      total: found.length,
      bring: async () => {
        // As of any other file: it may be too large.
        await openPart(real, 'file', context);
        return { shown: asGiven(path), name, sent };
      },
    };
  }
}

/** What has no wildcard stays as it is. */
function folderBeforeWildcard(given: string): string {
  const parts = slashed(given).split('/');
  const first = parts.findIndex((part) => /[*?[{]/.test(part));
  return first < 0 ? given : parts.slice(0, first).join('/') || (first === 0 ? '.' : '/');
}

function checkTotal(argument: string, total: number): void {
  const most = limits.evaluationImagesMax;
  if (total <= most) return;
  throw new FoveaError('too_large', `${argument}: finds ${total} images; at most ${most} are run.`);
}

/** What is wrong with one image, once others went well. */
const ofImage: readonly ErrorCode[] = [
  'not_found',
  'invalid_input',
  'unsupported_media',
  'too_large',
];

/** Undefined: the image cannot be read. */
async function answerOf(
  bring: () => Promise<Source>,
  { project, version = 'deployed', overlap, classes, confidence }: WantedPredictions,
  context: ToolContext,
  isCallRight: boolean,
): Promise<{ readonly source: Source; readonly body: RunAnswer } | undefined> {
  const { client, signal } = context;
  const least = confidence ?? confidenceDefault;
  try {
    const source = await bring();
    const call = { project, version, confidence: least, overlap, classes, ...source.sent };
    const { body } = await client.call(inference.inference_run, call, { signal });
    return { source, body };
  } catch (thrown) {
    const { code } = asFoveaError(thrown);
    const isUnreadable = code === 'unsupported_media' || (isCallRight && ofImage.includes(code));
    if (signal.aborted || !isUnreadable) throw thrown;
    return undefined;
  }
}

type RunAnswer = Answer<typeof inference.inference_run>;
type Told = Extract<RunAnswer['predictions'], readonly unknown[]>[number];

function cocoEntries({ imageId, name }: Source, { predictions = [] }: RunAnswer) {
  const image = imageId === undefined ? { image_id: name } : { image_id: imageId, name };
  if (Array.isArray(predictions)) {
    return predictions.map((one) => ({ ...image, ...cocoEntry(one) }));
  }
  return Object.entries(predictions).map(([category_id, { confidence }]) => ({
    ...image,
    category_id,
    score: confidence,
  }));
}

/** A class of the whole image has no box. */
function cocoEntry(told: Told) {
  const { x, y, width, height, points, keypoints } = told;
  const isBox = x !== undefined && y !== undefined && width !== undefined && height !== undefined;
  return {
    category_id: told.class,
    score: told.confidence,
    ...(isBox && { bbox: [x - width / 2, y - height / 2, width, height].map(rounded) }),
    ...(points && { segmentation: [points.flatMap((one) => [rounded(one.x), rounded(one.y)])] }),
    ...(keypoints && {
      keypoints: keypoints.flatMap((one) => [
        ...[rounded(one.x), rounded(one.y)],
        rounded(one.confidence ?? 1),
      ]),
      // No member of COCO: by these an evaluation knows which is which.
      keypoint_names: keypoints.map((one) => one.class),
    }),
  };
}

function rounded(figure: number): number {
  return Number(figure.toFixed(3));
}
