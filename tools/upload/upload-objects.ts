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
    throw invalidArgument(
      stray,
      'is for files of this machine: annotations beside the objects are found by themselves',
    );
  }
  const { project, split, batch, tags } = input;
  const { client, signal, clock, settings } = context;
  const end = clock.monotonic() + limits.toolWaitMsMax;
  const sent = { project, from, split, batchName: batch, tags };
  const { body } = await client
    .call(imageExtensions.images_import_objects, sent, { signal })
    .catch((thrown: unknown) => {
      throw settings.baseUrl === undefined ? thrown : withHint(asFoveaError(thrown));
    });
  const { taskId, workspace } = body;
  const waitMs = Math.max(0, end - clock.monotonic());
  const task = await untilDone({ workspace, taskId }, waitMs, context);
  const what = { what: `The images below ${quoted(from)} go` };
  return describeImport({ workspace, project }, what, { ...task, taskId });
}

/** Other platforms may not have this operation, and say so as of any unknown path. */
function withHint(error: FoveaError): FoveaError {
  const { status } = error.upstream ?? {};
  if (status !== 404 && status !== 405) return error;
  return new FoveaError(error.code, error.message, {
    ...(error.upstream && { upstream: error.upstream }),
    hint: 'Check the project. Not every platform reads object stores: else upload from this machine.',
    cause: error,
  });
}
