// Tools of the inference toolset: running a model on images.

import { stat } from 'node:fs/promises';
import { extname } from 'node:path';
import * as z from 'zod';
import { inference } from '../src/contract/inference.ts';
import type { Answer } from '../src/contract/operation.ts';
import { asFoveaError, FoveaError, invalidArgument, problemsText } from '../src/errors.ts';
import { asRecord } from '../src/json-object.ts';
import { limits } from '../src/limits.ts';
import { toolFor } from '../src/mcp/operation-tool.ts';
import type { Tool, ToolContext, ToolResult } from '../src/mcp/tool.ts';
import { asGiven, count, countFound, tally } from './format.ts';
import {
  type AnsweredClasses,
  answeredClasses,
  summaryOfClasses,
} from './inference/answered-classes.ts';
import { type Source, withSources } from './inference/image-sources.ts';
import {
  type FoundBox,
  type Matches,
  matchBoxes,
  overlappingPairs,
} from './inference/match-boxes.ts';
import { omissionsText } from './inference/prediction-omissions-text.ts';
import { savePredictions } from './inference/save-predictions.ts';
import { type SheetTarget, saveSheet, sheetTarget } from './previews/save-sheet.ts';

const { inference_run: run, inference_draw: draw } = inference;
const { project } = run.pathParameters.shape;
const { image, confidence, overlap, classes } = run.query.shape;
const text = z.string().min(1).optional();

const input = z.strictObject({
  project,
  // Some models send numbers as strings.
  version: z.coerce
    .string()
    .optional()
    .describe('Version number, or "local"; default: the deployed model.'),
  file: text.describe('Local image; for .json a folder too.'),
  url: image.describe('Or: URL of an image.'),
  imageId: text.describe('Or: id of an image.'),
  query: text.describe('Or: a search; its first 8 images.'),
  save_to: text.describe('Path of a .jpg to write, or .json: COCO results of all.'),
  confidence,
  overlap,
  classes,
});

type RunInput = z.output<typeof input>;

const runTool = toolFor(run, {
  title: 'Run model',
  description:
    'Runs a model on an image, or on some that a search finds. Gives boxes (x, y: centre, in pixels) and a picture beside the labels, or classes. For a video use video_inference_start.',
  fileArguments: ['file', 'save_to'],
  repeated: 'made',
  input,
  run: runModel,
});

export const inferenceTools: readonly Tool[] = [
  {
    ...runTool,
    prepare: (args) => {
      refuseModelId(args);
      return runTool.prepare(args);
    },
  },
];

const modelIdNames: readonly string[] = ['modelId', 'model_id', 'model'];

/** Other tools take a model id, such as `cells/3`: here it is a project and a version. */
function refuseModelId(args: unknown): void {
  const given = Object.entries(asRecord(args));
  const [name, modelId] = given.find(([one]) => modelIdNames.includes(one)) ?? [];
  const [, project, version] =
    /(?:^|\/)([^/]+)\/([1-9]\d*|[0-9a-f]{20})$/.exec(String(modelId)) ?? [];
  if (name === undefined || project === undefined || version === undefined) return;
  const problem = { path: name, message: 'is not known; a model is given by project and version' };
  const rest = given.filter(([one]) => one !== name);
  throw new FoveaError('invalid_input', problemsText([problem]), {
    problems: [problem],
    corrected: { tool: run.id, arguments: { ...Object.fromEntries(rest), project, version } },
  });
}

async function runModel(given: RunInput, context: ToolContext): Promise<ToolResult> {
  const { save_to, project } = given;
  if (save_to !== undefined && /\.json$/i.test(save_to)) {
    return savePredictions({ ...given, save_to }, context);
  }
  await refuseManyFiles(given, context);
  const target = save_to === undefined ? undefined : await pictureTarget(save_to, context);
  return withSources(given, context, async ({ list, found }) => {
    const seen: Seen[] = [];
    for (const source of list) {
      context.progress(seen.length, list.length, 'Running the model');
      seen.push(await runOn(source, given, context));
    }
    const title = `${project} ${given.version ?? 'deployed'}`;
    const { sheet, notes } = await drawAll(seen, title, context);
    const path = sheet && target && (await saveSheet(sheet.data, target));
    const [only] = seen;
    const isOne = found === undefined && only !== undefined;
    const facts = isOne
      ? { ...only.facts, ...factsOf(only) }
      : {
          images_found: found?.total,
          ...(found?.isExact === false && { totalIsExact: false }),
          images: seen.map((one) => ({ name: one.source.name, ...factsOf(one) })),
        };
    const saved = path === undefined ? '' : ` Drawn in ${asGiven(path)}.`;
    const where = found ? `${seen.length} of ${countFound(found)}` : (only?.source.shown ?? '');
    return {
      summary: `${summaryOf(seen, where)}${saved}`,
      data: { ...facts, ...(path !== undefined && { path }), ...notes },
      ...(path === undefined
        ? { images: sheet ? [sheet] : [] }
        : {
            files: [{ path, mimeType: 'image/jpeg', description: 'The images with their boxes' }],
          }),
    };
  });
}

/** A picture shows one file; what is found in many goes into a file of results. */
async function refuseManyFiles({ file }: RunInput, { files }: ToolContext): Promise<void> {
  if (file === undefined) return;
  const isFile = await files.readable(file, 'file').then(isPlainFile, () => false);
  if (isFile || !(/[*?[{]/.test(file) || (await isFolder(file, files)))) return;
  throw invalidArgument(
    'save_to',
    'must end in .json where file is a folder or a glob: what is found in all images goes there',
  );
}

async function pictureTarget(save_to: string, context: ToolContext): Promise<SheetTarget> {
  const ending = extname(save_to).toLowerCase();
  const isKnown = ['', '.jpg', '.jpeg'].includes(ending);
  if (!(isKnown || (await isFolder(save_to, context.files)))) {
    throw invalidArgument('save_to', 'must end in .jpg (a picture) or .json (COCO results of all)');
  }
  return sheetTarget({ save_to }, 'inference.jpg', context);
}

async function isPlainFile(real: string): Promise<boolean> {
  return (await stat(real)).isFile();
}

async function isFolder(path: string, files: ToolContext['files']): Promise<boolean> {
  const real = await files.readable(path, 'file').catch(() => undefined);
  return real !== undefined && (await stat(real)).isDirectory();
}

interface Prediction extends FoundBox {
  readonly class: string;
  readonly detection_id?: string | undefined;
  readonly points?: Told['points'];
  readonly keypoints?: Told['keypoints'];
}

type Keypoint = NonNullable<Told['keypoints']>[number];

interface Seen {
  readonly source: Source;
  /** Boxes. */
  readonly predictions: readonly Prediction[];
  readonly classes: AnsweredClasses | undefined;
  /** Undefined: the true boxes are not known. */
  readonly matches: Matches | undefined;
  readonly lacks: Pick<Answer<typeof run>, 'more_found' | 'without_outline' | 'cut_outlines'>;
  readonly facts: Readonly<Record<string, unknown>>;
}

async function runOn(
  source: Source,
  { project, version = 'deployed', confidence, overlap, classes }: RunInput,
  { client, signal }: ToolContext,
): Promise<Seen> {
  const call = { project, version, confidence, overlap, classes, ...source.sent };
  const { body } = await client.call(run, call, { signal });
  const { predictions, more_found, without_outline, cut_outlines, ...facts } = body;
  const lacks = {
    ...(more_found === true && { more_found }),
    ...(without_outline !== undefined && { without_outline }),
    ...(cut_outlines !== undefined && { cut_outlines }),
  };
  const boxes = Array.isArray(predictions) ? predictions.flatMap(boxOf) : [];
  const matches = source.truth && matchBoxes(boxes, source.truth);
  return { source, predictions: boxes, classes: answeredClasses(body), matches, lacks, facts };
}

type Told = Extract<Answer<typeof run>['predictions'], readonly unknown[]>[number];

/** None of a class of the whole image. */
function boxOf(told: Told): readonly Prediction[] {
  const { x, y, width, height } = told;
  if (x === undefined || y === undefined || width === undefined || height === undefined) return [];
  return [{ ...told, label: told.class, x, y, width, height }];
}

function toBox({ label, x, y, width, height, confidence }: Prediction) {
  return { label, x, y, width, height, confidence };
}

/** With as much of its outline as is drawn. */
function toDrawn(prediction: Prediction) {
  const { points, keypoints } = prediction;
  return {
    ...toBox(prediction),
    ...(points && { points: shownCorners(points).map(pairOf) }),
    ...(keypoints && { keypoints: keypoints.filter(isSeen).map(({ x, y }) => ({ x, y })) }),
  };
}

/** As the platform keeps it of Auto Label. */
function isSeen({ confidence = 1 }: Keypoint): boolean {
  return confidence >= 0.5;
}

function shownCorners(points: NonNullable<Prediction['points']>) {
  const every = Math.ceil(points.length / (2 * limits.maskDrawnColumnsMax));
  return points.filter((_, at) => at % every === 0);
}

function pairOf({ x, y }: { readonly x: number; readonly y: number }): [number, number] {
  return [rounded(x, 1), rounded(y, 1)];
}

/** What is told of one image. */
function factsOf({ source, predictions, classes, matches, lacks }: Seen) {
  const image = source.imageId !== undefined && { imageId: source.imageId };
  if (classes) return { ...image, ...classes.told };
  return {
    ...image,
    ...lacks,
    predictions: predictions.map(inShort),
    ...(matches && { truth: matches }),
  };
}

/** `Found 3 objects ("red" 3) in "a.jpg". 2 of 4 labels are matched, 1 box matches none.` */
function summaryOf(seen: readonly Seen[], where: string): string {
  const classified = seen.flatMap(({ classes }) => classes ?? []);
  if (classified.length > 0) return summaryOfClasses(classified, where);
  const all = seen.flatMap(({ predictions }) => predictions);
  const counts = new Map<string, number>();
  for (const { class: name } of all) counts.set(name, (counts.get(name) ?? 0) + 1);
  const found = all.length === 0 ? '' : ` (${tally(Object.fromEntries(counts))})`;
  const pairs = seen.reduce((sum, one) => sum + overlappingPairs(one.predictions.map(toBox)), 0);
  const twice = pairs === 0 ? '' : ` ${count(pairs, 'pair')} of boxes cover one another by half.`;
  const known = seen.flatMap(({ matches }) => matches ?? []);
  const sum = (name: 'labelled' | 'matched' | 'extra') =>
    known.reduce((figure, one) => figure + one[name], 0);
  const truth =
    known.length === 0
      ? ''
      : ` ${sum('matched')} of ${count(sum('labelled'), 'label')} matched, ${count(sum('extra'), 'box', 'boxes')} beside${comparedWords(known)}.`;
  return `Found ${count(all.length, 'object')}${found} in ${where}.${leftOut(seen)}${truth}${twice}`;
}

/** What an answer lacks. */
function leftOut(seen: readonly Seen[]): string {
  const more = seen.filter(({ lacks }) => lacks.more_found === true).length;
  const sum = (name: 'without_outline' | 'cut_outlines') =>
    seen.reduce((figure, { lacks }) => figure + (lacks[name] ?? 0), 0);
  return omissionsText({
    ofImages: seen.length,
    moreFound: more,
    withoutOutline: sum('without_outline'),
    cutOutlines: sum('cut_outlines'),
  });
}

/** Empty where there are boxes alone. */
function comparedWords(known: readonly Matches[]): string {
  const ways = new Set(known.flatMap(({ compared_by: by }) => by ?? []));
  const [way] = ways;
  if (way === undefined) return '';
  if (ways.size > 1 || way === 'some_outlines') {
    return ' (masks were compared where both have an outline, else only boxes)';
  }
  return way === 'outlines' ? ' (masks were compared)' : ' (only boxes were compared)';
}

/** The picture of all; what prevents it fails nothing. */
async function drawAll(seen: readonly Seen[], title: string, { client, signal }: ToolContext) {
  const drawn = seen.flatMap(({ source: { sent, name, truth }, predictions, classes }) => {
    const entitled = classes === undefined ? name : `${name}: ${classes.title}`;
    return 'file' in sent ? [{ image: sent.file, name: entitled, truth, predictions }] : [];
  });
  if (drawn.length === 0) return { notes: { preview_notes: ['an image at a URL is not drawn'] } };
  const most = limits.drawnBoxesMax;
  try {
    const { body } = await client.call(
      draw,
      {
        images: drawn.map(({ image }) => image),
        title,
        drawn: drawn.map(({ name, truth, predictions }) => ({
          name,
          found: predictions.slice(0, most).map(toDrawn),
          ...(truth && { labelled: truth.slice(0, most).map(boxAlone) }),
        })),
      },
      { signal },
    );
    const data = Buffer.from(body.sheet, 'base64');
    return { sheet: { data, mimeType: body.contentType }, notes: {} };
  } catch (thrown) {
    signal.throwIfAborted();
    return {
      notes: { preview_notes: [`the boxes cannot be drawn (${asFoveaError(thrown).code})`] },
    };
  }
}

/** Labels have members of their own, such as outlines. */
function boxAlone({ label, x, y, width, height }: NonNullable<Source['truth']>[number]) {
  return { label, x, y, width, height };
}

/** More digits, all corners, and an id that nothing takes, would be most of the answer. */
function inShort({ detection_id: _, label: __, points, keypoints, ...prediction }: Prediction) {
  const { x, y, width, height, confidence } = prediction;
  const box = { x: rounded(x, 1), y: rounded(y, 1) };
  const size = { width: rounded(width, 1), height: rounded(height, 1) };
  const corners = points && shownCorners(points);
  const isWhole = corners?.length === points?.length;
  return {
    ...prediction,
    ...box,
    ...size,
    confidence: rounded(confidence, 3),
    ...(corners && { points: corners.map(pairOf) }),
    ...(points && !isWhole && { corners: points.length }),
    ...(keypoints && { keypoints: keypoints.map(keypointInShort) }),
  };
}

function keypointInShort({ x, y, confidence, class: name }: Keypoint) {
  const sure = confidence === undefined ? {} : { confidence: rounded(confidence, 2) };
  return { class: name, x: rounded(x, 1), y: rounded(y, 1), ...sure };
}

function rounded(figure: number, digits: number): number {
  return Number(figure.toFixed(digits));
}
