// images_upload_zip: sends a folder or a zip file, then waits for the outcome.

import * as z from 'zod';
import { images } from '../../src/contract/images.ts';
import type { Input } from '../../src/contract/operation.ts';
import { FoveaError } from '../../src/errors.ts';
import { limits } from '../../src/limits.ts';
import type { ToolContext, ToolResult } from '../../src/mcp/tool.ts';
import { taskWork, waitForTask } from '../follow-up-calls.ts';
import { count, fileSize, quoted } from '../format.ts';
import { poll } from '../polling.ts';
import { differingNames } from '../upload/class-names.ts';
import { duplicateFigures, duplicatesNamed } from '../upload/duplicate-words.ts';
import { openToSend } from './pack-folder.ts';

type ZipInput = Input<typeof images.images_upload_zip> & { readonly path?: string | undefined };

/** Without a path, the result has the URL for a PUT by another program. */
export async function uploadZip(
  { path, ...input }: ZipInput,
  context: ToolContext,
): Promise<ToolResult> {
  const { client, signal, clock } = context;
  const end = clock.monotonic() + limits.toolWaitMsMax;
  const source = path === undefined ? undefined : await openToSend(path, context);
  const { body } = await client.call(images.images_upload_zip, input, { signal });
  const { taskId, signedUrl } = body;
  if (source === undefined) return waiting(body, input);
  if (signedUrl === undefined) {
    throw new FoveaError('upstream_failed', 'The platform gave no address for the zip file.');
  }
  await client.upload(signedUrl, source, {
    contentType: 'application/zip',
    signal,
    onSent: (bytes, total) => context.progress(bytes / total, 2, `Sending ${fileSize(total)}`),
  });
  const waitMs = Math.max(0, end - clock.monotonic());
  const task = await untilDone({ workspace: input.workspace, taskId }, waitMs, context);
  const { files, bytes } = source;
  const what = files === undefined ? `A zip file (${fileSize(bytes)})` : count(files, 'file');
  return describeImport(input, { what: `${what} went`, sentBytes: bytes }, { ...task, taskId });
}

function waiting(body: { readonly taskId: string }, { workspace }: ZipInput): ToolResult {
  const { taskId } = body;
  const why = 'Shows how far it is.';
  return {
    summary: `Zip upload ${quoted(taskId)} waits for the file.`,
    data: { ...body },
    next: [{ tool: 'images_upload_zip_status', arguments: { workspace, taskId }, why }],
  };
}

export interface Standing {
  readonly taskId: string;
  readonly status?: string | undefined;
  readonly result?: Readonly<Record<string, unknown>> | undefined;
  readonly error?: string | undefined;
}

/** Until the task of an import is over, or the time is. */
export function untilDone(
  where: { readonly workspace: string; readonly taskId: string },
  waitMs: number,
  context: ToolContext,
) {
  const { client, signal } = context;
  return poll(
    async () => {
      const { body } = await client.call(images.images_upload_zip_status, where, { signal });
      const { current = 0, total = 0 } = body.progress ?? {};
      if (total > 0) context.progress(1 + current / total, 2, `${current} of ${total} images`);
      return body;
    },
    ({ status }) => isOver(status),
    { waitMs, context },
  );
}

function isOver(status: string | undefined): boolean {
  return status === 'completed' || status === 'failed';
}

/** `what`: the beginning of a sentence, such as "12 files went". */
export function describeImport(
  { workspace, project }: { readonly workspace: string; readonly project: string },
  { what, ...sent }: { readonly what: string; readonly sentBytes?: number },
  { taskId, status, result, error }: Standing,
): ToolResult {
  const data = { taskId, status: status ?? 'running', ...sent, ...result };
  if (!isOver(status)) {
    return {
      summary: `${what} to ${quoted(project)}; task ${quoted(taskId)} takes them in.`,
      data,
      next: [waitForTask(workspace, taskId)],
      work: taskWork(workspace, taskId),
    };
  }
  if (status === 'failed') {
    return {
      summary: `${what} to ${quoted(project)}, but the task that takes in what it holds failed.`,
      data: { ...data, error },
    };
  }
  const why = 'Checks the dataset.';
  return {
    summary: `${what} to ${quoted(project)}: ${figuresOf(result ?? {})}.${namesWords(result)}${duplicatesNamed(copiesIn(result))}`,
    data,
    next: [{ tool: 'projects_health', arguments: { workspace, project }, why }],
  };
}

function copiesIn({ exactDuplicates }: NonNullable<Standing['result']> = {}) {
  return copies.safeParse(exactDuplicates).data ?? [];
}

function namesWords({ classNameFiles }: NonNullable<Standing['result']> = {}): string {
  const paths = z.array(z.string()).safeParse(classNameFiles).data ?? [];
  return paths.length > 0 ? differingNames(paths) : '';
}

const copies = z.array(z.object({ file: z.string(), of: z.string(), labels: z.string() }));

/** The outcome, which only the embedded platform reports in full. */
function figuresOf(result: Readonly<Record<string, unknown>>): string {
  const figure = (name: string) => (typeof result[name] === 'number' ? result[name] : 0);
  const said: readonly (readonly [number, string])[] = [
    [figure('duplicates'), 'there already'],
    ...duplicateFigures(figure('exactDuplicatesTotal'), figure('conflictingDuplicates')),
    [figure('annotated'), `annotated with ${count(figure('boxes'), 'label')}`],
    [figure('alreadyAnnotated'), 'annotated already'],
    [figure('unannotated'), 'without an annotation'],
    [figure('annotationsRefused'), 'with an annotation that was refused'],
    [figure('inNoSplitList'), 'in no list of splits'],
    [figure('failed'), 'failed'],
    [figure('warnings'), figure('warnings') === 1 ? 'warning' : 'warnings'],
  ];
  const parts = said.filter(([number]) => number > 0).map(([number, word]) => `${number} ${word}`);
  return [`${count(figure('images'), 'image')} added`, ...parts].join(', ');
}
