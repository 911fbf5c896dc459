// Uploads many images, a few at a time, in order, for as long as a host waits.

import { basename } from 'node:path';
import { type ErrorCode, FoveaError } from '../../src/errors.ts';
import { limits } from '../../src/limits.ts';
import type { ToolContext } from '../../src/mcp/tool.ts';
import { bare, count } from '../format.ts';
import { uploadInBulk } from './bulk-upload.ts';
import {
  type BoxWarning,
  type ComparedLabels,
  type Failed,
  problemOf,
  type SentImage,
  type Uploaded,
  type UploadPlan,
  uploadOne,
} from './upload-image.ts';

export interface Failure {
  readonly file: string;
  readonly problem: string;
}

export interface Copy {
  readonly file: string;
  /** Name or id of the image that is there. */
  readonly of: string;
  /** Those of the file, compared with those of the image. */
  readonly labels: ComparedLabels | 'taken' | 'none' | 'refused';
}

/** The report of an upload. Images from `offset` on are still to be sent. */
export interface UploadReport {
  readonly uploaded: number;
  readonly duplicates: number;
  /** Duplicates that stay in another split than the one asked for. */
  readonly inOtherSplit: number;
  /** Files with the bytes of an image of another name, or with other labels than it has. */
  readonly copies: readonly Copy[];
  readonly annotated: number;
  readonly alreadyAnnotated: number;
  readonly unannotated: number;
  /** The file names of the unannotated images. */
  readonly unannotatedFiles: readonly string[];
  readonly boxes: number;
  readonly ids: readonly { readonly file: string; readonly id: string }[];
  /** Images that are not there, then images whose annotation was refused. */
  readonly failed: readonly Failure[];
  /** How many of these are there all the same. */
  readonly annotationsRefused: number;
  readonly warnings: readonly BoxWarning[];
  readonly remaining: number;
  readonly offset: number;
  /** Why sending ended early, where it was no file's fault. */
  readonly stoppedBy: FoveaError | undefined;
}

type Outcomes = Map<number, Uploaded | Failed>;

/**
 * Sends the images from `offset` on. One bad file does not stop the rest; a service that refuses
 * all does. Throws where no image could be sent.
 */
export async function runUpload(
  paths: readonly string[],
  offset: number,
  plan: UploadPlan,
  context: ToolContext,
): Promise<UploadReport> {
  const end = context.clock.monotonic() + limits.toolWaitMsMax;
  const outcomes: Outcomes = new Map();
  let next = offset;
  let isStopped = false;
  const unfinished = new Set<Promise<void>>();
  const isTimeLeft = () => !isStopped && context.clock.monotonic() < end;
  const isOpen = () => next < paths.length && isTimeLeft();
  const send = async (index: number, sent?: SentImage) => {
    const path = paths[index] ?? '';
    const own = Promise.withResolvers<void>();
    unfinished.add(own.promise);
    const finish = () => {
      unfinished.delete(own.promise);
      own.resolve();
    };
    // A duplicate is nobody's first: it keeps no other one waiting.
    const firstsAreDone = () => {
      finish();
      return Promise.all(unfinished);
    };
    const outcome = await uploadOne(path, plan, context, firstsAreDone, sent).finally(finish);
    outcomes.set(index, outcome);
    if (generalError(outcome)) isStopped = true;
    context.progress(offset + outcomes.size, paths.length, bare(basename(path)));
  };
  const oneByOne = async () => {
    while (isOpen()) await send(next++);
  };
  // What refuses all images refuses the first.
  const first = Promise.withResolvers<void>();
  const together = async () => {
    while (isOpen()) {
      const from = next;
      next = Math.min(from + limits.diskImagesAtOnceMax, paths.length);
      const sent = await uploadInBulk(paths.slice(from, next), plan, context);
      const all = sent.map((body, at) => ({ index: from + at, body }));
      if (from === offset) await send(offset, all.shift()?.body).finally(first.resolve);
      else await first.promise;
      const rest = all.sort(byOrder);
      const finish = async () => {
        for (let one = rest.shift(); one; one = rest.shift()) {
          if (one.body !== undefined || isTimeLeft()) await send(one.index, one.body);
        }
      };
      await inLanes(limits.togetherUploadConcurrency, finish);
    }
  };
  const isEmbedded = context.settings.baseUrl === undefined;
  if (isEmbedded && paths.length - offset > limits.togetherUploadMin) {
    await inLanes(limits.togetherUploadLanes, together);
  } else {
    if (isOpen()) await send(next++);
    const lanes = isEmbedded ? limits.embeddedUploadConcurrency : limits.uploadConcurrency;
    await inLanes(lanes, oneByOne);
  }
  return report(paths, offset, outcomes);
}

async function inLanes(count: number, lane: () => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: count }, lane));
}

interface Sent {
  readonly body: SentImage | undefined;
}

/** What a duplicate waits for comes before it. */
function byOrder(a: Sent, b: Sent): number {
  return Number(a.body?.duplicate ?? false) - Number(b.body?.duplicate ?? false);
}

/** Failures that the next image would meet too. */
const generalCodes: readonly ErrorCode[] = [
  'unauthenticated',
  'forbidden',
  'rate_limited',
  'not_implemented',
  'unreachable',
  'full',
];

/** A project or an endpoint that is not there is missing for all images. */
function generalError({ kind, error }: Uploaded | Failed): FoveaError | undefined {
  if (!error) return undefined;
  const isMissing = kind === 'failed' && error.code === 'not_found';
  return isMissing || generalCodes.includes(error.code) ? error : undefined;
}

function report(paths: readonly string[], offset: number, outcomes: Outcomes): UploadReport {
  const sorted = [...outcomes].sort(([a], [b]) => a - b);
  const stopped = sorted.find(([, outcome]) => generalError(outcome));
  // Images after the first one that has to be sent again are sent again too, as duplicates.
  const stop = Math.min(stopped?.[0] ?? paths.length, firstLeft(offset, outcomes));
  const kept = sorted
    .filter(([index]) => index < stop)
    .map(([index, outcome]) => ({ file: basename(paths[index] ?? ''), outcome }));
  const stoppedBy = stopped && generalError(stopped[1]);
  const done = kept.flatMap(({ file, outcome }) =>
    outcome.kind === 'uploaded' ? [{ file, ...outcome }] : [],
  );
  const refused = kept.flatMap(({ file, outcome }) =>
    outcome.error ? [{ file, kind: outcome.kind, error: outcome.error }] : [],
  );
  const isThere = ({ kind }: (typeof refused)[number]) => kind === 'uploaded';
  const inOrder = refused.toSorted((a, b) => Number(isThere(a)) - Number(isThere(b)));
  const first = stoppedBy ?? refused[0]?.error;
  if (done.length === 0 && first) throw nothingSent(first, refused);
  const figure = (annotation: Uploaded['annotation']) =>
    done.filter((one) => one.annotation === annotation).length;
  return {
    uploaded: done.filter(({ duplicate }) => !duplicate).length,
    duplicates: done.filter(({ duplicate }) => duplicate).length,
    inOtherSplit: done.filter(({ otherSplit }) => otherSplit !== undefined).length,
    copies: copiesOf(done),
    annotated: figure('added'),
    alreadyAnnotated: figure('already there'),
    unannotated: figure('none'),
    unannotatedFiles: done.flatMap(({ file, annotation }) => (annotation === 'none' ? [file] : [])),
    boxes: done.reduce((sum, { boxes }) => sum + boxes, 0),
    ids: done.map(({ file, id }) => ({ file, id })),
    failed: inOrder.map(({ file, kind, error }) => ({ file, problem: failureOf(kind, error) })),
    annotationsRefused: refused.filter(isThere).length,
    warnings: done.flatMap(({ warnings }) => warnings),
    remaining: paths.length - stop,
    offset: stop,
    stoppedBy,
  };
}

function firstLeft(offset: number, outcomes: Outcomes): number {
  let index = offset;
  while (outcomes.has(index)) index += 1;
  return index;
}

function copiesOf(done: readonly (Uploaded & { readonly file: string })[]): readonly Copy[] {
  const firsts = done.filter(({ duplicate }) => !duplicate);
  const names = new Map(firsts.map(({ id, file }) => [id, file]));
  const words = { added: 'taken', none: 'none', refused: 'refused' } as const;
  return done
    .filter(({ duplicate }) => duplicate)
    .map(({ id, file, keptName, annotation, labels }) => ({
      file,
      of: keptName ?? names.get(id) ?? id,
      isNamed: keptName !== undefined || names.has(id),
      labels: annotation === 'already there' ? labels : words[annotation],
    }))
    .filter(({ file, of, isNamed, labels }) => (isNamed && of !== file) || labels === 'conflicting')
    .map(({ file, of, labels }) => ({ file, of, labels }));
}

function failureOf(kind: 'uploaded' | 'failed', error: FoveaError): string {
  const problem = problemOf(error);
  return kind === 'failed' ? problem : `The image is there, its annotation not: ${problem}`;
}

/** The first error stands for all, with every file's problem in our words. */
function nothingSent(
  first: FoveaError,
  refused: readonly { readonly file: string; readonly error: FoveaError }[],
): FoveaError {
  const { code, hint, retry, retryAfterSeconds, upstream } = first;
  const isSeveral = refused.length > 1;
  const message = isSeveral
    ? `None of ${count(refused.length, 'image')} was accepted. The first: ${first.message}`
    : first.message;
  const problems = refused
    .slice(0, limits.uploadProblemsShownMax)
    .map(({ file, error }) => ({ path: file, message: error.message }));
  return new FoveaError(code, message, {
    problems,
    retry,
    cause: first,
    ...(hint !== undefined && { hint }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...(upstream && { upstream }),
  });
}
