// Uploads one image: the file, then its annotation.

import { basename } from 'node:path';
import type { SplitName } from '../../src/contract/fields.ts';
import { images } from '../../src/contract/images.ts';
import type { Answer, Input } from '../../src/contract/operation.ts';
import { asFoveaError, type FoveaError } from '../../src/errors.ts';
import type { ToolContext } from '../../src/mcp/tool.ts';
import type { FindAnnotation } from './annotation-files.ts';
import type { Labelmap } from './file-messages.ts';

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
  readonly findAnnotation: FindAnnotation | undefined;
  readonly labelmap: Labelmap | undefined;
}

export interface BoxWarning {
  readonly file: string;
  /** Place of the box in its file, from 1; absent when the whole file is meant. */
  readonly box?: number;
  readonly problem: string;
}

export interface Uploaded {
  readonly kind: 'uploaded';
  readonly id: string;
  readonly duplicate: boolean;
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

/** Sends one image and its annotation. Throws only when the whole call was cancelled. */
export async function uploadOne(
  path: string,
  plan: UploadPlan,
  context: Pick<ToolContext, 'client' | 'signal'>,
): Promise<Uploaded | Failed> {
  try {
    const sent = await sendImage(path, plan, context);
    return { kind: 'uploaded', ...sent, ...(await sendAnnotation(path, sent.id, plan, context)) };
  } catch (thrown) {
    context.signal.throwIfAborted();
    return { kind: 'failed', error: asFoveaError(thrown) };
  }
}

/** The message for a failure: that of the platform, else ours. */
export function problemOf({ upstream, message, hint }: FoveaError): string {
  const said = upstream ? [upstream.message, upstream.hint] : [message, hint];
  return said.filter((part) => part !== undefined && part !== '').join(' ');
}

async function sendImage(
  path: string,
  { project, name, facts }: UploadPlan,
  { client, signal }: Pick<ToolContext, 'client' | 'signal'>,
) {
  const fileName = name ?? basename(path);
  const { body } = await client.call(
    images.images_upload,
    {
      project,
      file: { name: fileName, content: { path } },
      name: fileName,
      ...facts,
    },
    { signal },
  );
  const { split } = facts;
  const kept = body.duplicate === true && body.split !== split ? body.split : undefined;
  const otherSplit = split === undefined ? undefined : kept;
  return { id: body.id, duplicate: body.duplicate === true, otherSplit };
}

type Annotated = Pick<Uploaded, 'annotation' | 'boxes' | 'warnings' | 'error'>;

const nothing = { boxes: 0, warnings: [], error: undefined };

async function sendAnnotation(
  path: string,
  imageId: string,
  { project, findAnnotation, labelmap }: UploadPlan,
  { client, signal }: Pick<ToolContext, 'client' | 'signal'>,
): Promise<Annotated> {
  try {
    const annotation = await findAnnotation?.(path);
    if (!annotation) return { annotation: 'none', ...nothing };
    const { body } = await client.call(
      images.images_annotate,
      {
        project,
        imageId,
        name: annotation.name,
        annotationFile: annotation.text,
        ...(labelmap && { labelmap: { ...labelmap } }),
      },
      { signal },
    );
    return { ...nothing, annotation: 'added', ...readFindings(path, body) };
  } catch (thrown) {
    signal.throwIfAborted();
    const error = asFoveaError(thrown);
    if (error.code === 'conflict') return { annotation: 'already there', ...nothing };
    return { ...nothing, annotation: 'refused', error };
  }
}

/** What the embedded platform reports of an annotation; other platforms report nothing. */
function readFindings(
  path: string,
  { boxes = 0, warnings = [] }: Answer<typeof images.images_annotate>,
): Pick<Uploaded, 'boxes' | 'warnings'> {
  return {
    boxes,
    warnings: warnings.map(({ box, message }) => ({
      file: basename(path),
      ...(typeof box === 'number' && { box }),
      problem: message,
    })),
  };
}
