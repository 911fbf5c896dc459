// images_upload of s3://bucket/prefix: the platform reads it, and no byte passes this machine.

import type { SplitName } from '../../src/contract/fields.ts';
import { imageExtensions } from '../../src/contract/images.ts';
import { asFoveaError, FoveaError, invalidArgument } from '../../src/errors.ts';
import { limits } from '../../src/limits.ts';
import type { ToolContext, ToolResult } from '../../src/mcp/tool.ts';
import { quoted } from '../format.ts';
import { describeImport, untilDone } from '../zip-upload/upload-zip.ts';

/** Of the input of images_upload. */
interface ObjectsInput {
  readonly project: string;
  readonly files?: readonly string[] | undefined;
  readonly url?: string | undefined;
  readonly split?: SplitName | undefined;
  readonly batch?: string | undefined;
  readonly tags?: string[] | undefined;
}

/** Undefined where the input names no place of an object store. Throws where it names more. */
export function objectsUrlIn({ files = [], url }: ObjectsInput): string | undefined {
  const [first] = [url, ...files].filter((path) => path?.startsWith('s3://'));
  if (first === undefined || url === first || files.length === 1) return first;
  throw invalidArgument('files', 'has other files beside an s3:// address: give that alone');
}

/** What a call about an object store may say beside it. */
const taken: ReadonlySet<string> = new Set(['project', 'files', 'url', 'split', 'batch', 'tags']);

export async function uploadObjects(
  input: ObjectsInput,
  from: string,
  context: ToolContext,
): Promise<ToolResult> {
  const [stray] =
    Object.entries(input).find(([name, value]) => value !== undefined && !taken.has(name)) ?? [];
  if (stray !== undefined) {
    throw invalidArgument(stray, reasonOf(stray));
  }
  const { project, split, batch, tags } = input;
  const { client, signal, clock, settings } = context;
  const end = clock.monotonic() + limits.toolWaitMsMax;
  const sent = { project, from, split, batchName: batch, tags };
  const { body } = await client
    .call(imageExtensions.images_import_objects, sent, { signal })
    .catch((thrown: unknown) => {
      throw withHint(asFoveaError(thrown), from, settings.baseUrl === undefined);
    });
  const { taskId, workspace } = body;
  const waitMs = Math.max(0, end - clock.monotonic());
  const task = await untilDone({ workspace, taskId }, waitMs, context);
  const what = { what: `The images below ${quoted(from)} go` };
  return describeImport({ workspace, project }, what, { ...task, taskId });
}

function reasonOf(stray: string): string {
  if (stray === 'metadata') {
    return 'is not taken with an s3:// address: images_set_metadata_bulk sets it afterwards';
  }
  return besideObjects.has(stray)
    ? 'is for files of this machine: annotations and class names beside the objects are found'
    : 'is not taken with an s3:// address';
}

const besideObjects: ReadonlySet<string> = new Set(['annotations', 'labelmap', 'labelmap_file']);

/**
 * A place that may not be read is no question of the credential. Other platforms may not have this
 * operation, and say so as of any unknown path.
 */
function withHint(error: FoveaError, from: string, isEmbedded: boolean): FoveaError {
  const { status, message = '' } = error.upstream ?? {};
  if (status === 403 && message.startsWith('This platform may not read images from ')) {
    const who = isEmbedded ? 'Set' : 'Whoever runs the platform sets';
    return new FoveaError('forbidden', `The platform may not read ${quoted(from)}.`, {
      hint: `${who} FOVEA_IMPORT_OBJECTS to what imports may read, such as ${placeOf(from)}.`,
      cause: error,
    });
  }
  if (isEmbedded || (status !== 404 && status !== 405)) return error;
  return new FoveaError(error.code, error.message, {
    ...(error.upstream && { upstream: error.upstream }),
    hint: 'Check the project. Not every platform reads object stores: else upload from this machine.',
    cause: error,
  });
}

/** The bucket, without what is in it. */
function placeOf(from: string): string {
  const [bucket = ''] = from.slice('s3://'.length).split('/');
  return quoted(`s3://${bucket}`);
}
