// Uploads one image and its annotation: in one request where the platform takes both, else in two.

import { basename } from 'node:path';
import type { SplitName } from '../../src/contract/fields.ts';
import { images } from '../../src/contract/images.ts';
import type { Answer, Input } from '../../src/contract/operation.ts';
import { storableText } from '../../src/contract/unstorable-text.ts';
import { asFoveaError, type FoveaError } from '../../src/errors.ts';
import { limits } from '../../src/limits.ts';
import type { ToolContext } from '../../src/mcp/tool.ts';
import type { AnnotationFile, FindAnnotation } from './annotation-files.ts';
import type { Labelmap } from './file-messages.ts';
import { renameImage } from './rename-image.ts';

/** What is stored with an image, as the contract spells it. */
export type ImageFacts = Pick<
  Input<typeof images.images_upload>,
  'split' | 'batch' | 'tag' | 'metadata' | 'sequence_number' | 'sequence_size' | 'inference_id'
>;

/** The options of all images of an upload. */
export interface UploadPlan {
  readonly project: string;
  readonly name: string | undefined;
  readonly facts: ImageFacts;
  /** Where an image is read. */
  realOf(path: string): string;
  /** Of images whose split is not in the facts. */
  splitOf(path: string): SplitName | undefined;
  readonly findAnnotation: FindAnnotation | undefined;
  /** The class names for an annotation. */
  labelmapOf(annotation: AnnotationFile): SentLabelmap | undefined;
  /** Whether the platform takes an annotation with its image. */
  readonly takesBoth: boolean;
}

export interface SentLabelmap {
  readonly labelmap: Labelmap;
  /** As JSON text. */
  readonly text: string;
}

export interface BoxWarning {
  readonly file: string;
  /** Place of the box in its file, from 1; absent when the whole file is meant. */
  readonly box?: number;
  readonly problem: string;
}

export type ComparedLabels = 'same' | 'conflicting' | 'not compared';

export interface Uploaded {
  readonly kind: 'uploaded';
  readonly id: string;
  readonly duplicate: boolean;
  /** Of a duplicate: the name that the image has, where the platform says it. */
  readonly keptName: string | undefined;
  /** Of an annotation that is there already: how this one compares. */
  readonly labels: ComparedLabels;
  /** Where a duplicate stays, when that is not the split that was asked for. */
  readonly otherSplit: SplitName | undefined;
  readonly annotation: 'added' | 'already there' | 'none' | 'refused';
  readonly boxes: number;
  readonly warnings: readonly BoxWarning[];
  /** Why the annotation was refused. */
  readonly error: FoveaError | undefined;
}

export interface Failed {
  readonly kind: 'failed';
  readonly error: FoveaError;
}

/** The answer about an image that was sent. */
export type SentImage = Answer<typeof images.images_upload>;

/**
 * Sends one image and its annotation. Throws only when the whole call was cancelled.
 * `firstsAreDone`: once those that the image may be a duplicate of have their annotations.
 * `sent`: where the image was sent with others.
 */
export async function uploadOne(
  path: string,
  plan: UploadPlan,
  context: Pick<ToolContext, 'client' | 'signal'>,
  firstsAreDone: () => Promise<unknown>,
  sent?: SentImage,
): Promise<Uploaded | Failed> {
  try {
    const annotation = plan.findAnnotation?.(path);
    const body = sent ?? (await sendImage(path, plan, annotation, context));
    const { annotated, ...image } = toldOf(path, plan, body);
    if (annotated) return { kind: 'uploaded', ...image, ...annotated };
    if (image.duplicate) await firstsAreDone();
    const labelled = await sendAnnotation(path, image, annotation, plan, context);
    return { kind: 'uploaded', ...image, ...labelled };
  } catch (thrown) {
    context.signal.throwIfAborted();
    return { kind: 'failed', error: asFoveaError(thrown) };
  }
}

/** The message for a failure: that of the platform, else ours. */
export function problemOf({ upstream, message, hint }: FoveaError): string {
  const [problem, advice] = upstream ? [upstream.message, upstream.hint] : [message, hint];
  if (!problem || !advice) return problem || advice || '';
  return `${problem.replace(/[^.!?]$/, '$&.')} ${advice}`;
}

async function sendImage(
  path: string,
  plan: UploadPlan,
  annotation: AnnotationFile | undefined,
  { client, signal }: Pick<ToolContext, 'client' | 'signal'>,
): Promise<SentImage> {
  const { project, name, facts, splitOf, takesBoth } = plan;
  const real = plan.realOf(path);
  const fileName = name ?? basename(path);
  const split = facts.split ?? splitOf(path);
  const labelmap = annotation && plan.labelmapOf(annotation);
  const isAlong = takesBoth && isPart(labelmap?.text ?? '');
  // Where it cannot be read, that is said once the image is there.
  const along = isAlong ? await annotation?.text().catch(() => undefined) : undefined;
  const { body } = await client.call(
    images.images_upload,
    {
      project,
      file: { name: fileName, content: { path: real } },
      name: fileName,
      ...facts,
      ...(split && { split }),
      ...(annotation &&
        along !== undefined &&
        isPart(along) && {
          annotationFile: along,
          annotationName: annotation.name,
          ...(labelmap && { labelmap: labelmap.text }),
        }),
    },
    { signal },
  );
  return body;
}

function toldOf(path: string, { facts, splitOf }: UploadPlan, body: SentImage) {
  const split = facts.split ?? splitOf(path);
  const duplicate = body.duplicate === true;
  const kept = duplicate && body.split !== split ? body.split : undefined;
  return {
    id: body.id,
    duplicate,
    keptName: duplicate ? body.name : undefined,
    otherSplit: split === undefined ? undefined : kept,
    annotated: body.annotated === true ? added(path, body) : undefined,
  };
}

/**
 * Whether it goes with its image: larger labels go on their own, and so does what would be refused
 * together with the image.
 */
function isPart(text: string): boolean {
  return Buffer.byteLength(text) <= limits.multipartFieldBytesMax && text === storableText(text);
}

type Annotated = Pick<Uploaded, 'annotation' | 'boxes' | 'warnings' | 'error' | 'labels'>;

const nothing = { boxes: 0, warnings: [], error: undefined, labels: 'not compared' } as const;

async function sendAnnotation(
  path: string,
  { id: imageId, keptName }: Pick<Uploaded, 'id' | 'keptName'>,
  annotation: AnnotationFile | undefined,
  { project, name, labelmapOf }: UploadPlan,
  { client, signal }: Pick<ToolContext, 'client' | 'signal'>,
): Promise<Annotated> {
  try {
    if (!annotation) return { annotation: 'none', ...nothing };
    const sentName = name ?? basename(path);
    const labelmap = labelmapOf(annotation)?.labelmap;
    const { body } = await client.call(
      images.images_annotate,
      {
        project,
        imageId,
        name: annotation.name,
        annotationFile: renameImage(await annotation.text(), sentName, keptName ?? sentName),
        ...(labelmap && { labelmap: { ...labelmap } }),
      },
      { signal },
    );
    return added(path, body);
  } catch (thrown) {
    signal.throwIfAborted();
    const error = asFoveaError(thrown);
    if (error.code === 'conflict') {
      return { ...nothing, annotation: 'already there', labels: comparedIn(error) };
    }
    return { ...nothing, annotation: 'refused', error };
  }
}

/** The embedded platform says how the labels compare; others do not. */
function comparedIn({ upstream }: FoveaError): ComparedLabels {
  const said = upstream?.message ?? '';
  if (said.endsWith('with the same labels.')) return 'same';
  return said.endsWith('with other labels.') ? 'conflicting' : 'not compared';
}

/** What the embedded platform reports of an annotation; other platforms report nothing. */
function added(
  path: string,
  { boxes = 0, warnings = [] }: Answer<typeof images.images_annotate>,
): Annotated {
  return {
    ...nothing,
    annotation: 'added',
    boxes,
    warnings: warnings.map(({ box, message }) => ({
      file: basename(path),
      ...(typeof box === 'number' && { box }),
      problem: message,
    })),
  };
}
