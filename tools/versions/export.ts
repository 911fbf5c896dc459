// Exports a version: waits for the file, then downloads it.

import type { Input } from '../../src/contract/operation.ts';
import { versions } from '../../src/contract/versions.ts';
import { FoveaError } from '../../src/errors.ts';
import { limits } from '../../src/limits.ts';
import type { NextCall, ToolContext, ToolResult } from '../../src/mcp/tool.ts';
import { linkEnds, refuseExisting, saveLink, saveTarget } from '../download-link.ts';
import { asGiven, fileSize, quoted } from '../format.ts';
import { poll } from '../polling.ts';

type ExportInput = Input<typeof versions.versions_export> & {
  readonly save_to?: string | undefined;
  readonly overwrite?: boolean | undefined;
};

/**
 * Asks for an export until it is ready or a host waits no longer; with `save_to`, downloads it.
 * Throws `conflict` before anything is sent where the file exists and must not be replaced.
 */
export async function exportVersion(
  { save_to, overwrite = false, ...wanted }: ExportInput,
  context: ToolContext,
): Promise<ToolResult> {
  const { project, version, format } = wanted;
  const fileName = `${project.split('/').at(-1)}-v${version}-${format}.zip`;
  const path = save_to === undefined ? undefined : await saveTarget(save_to, fileName, context);
  if (path !== undefined && !overwrite) await refuseExisting(path, 'overwrite');
  const what = `Version ${version} of ${quoted(project)} as ${quoted(format)}`;
  const again = {
    ...wanted,
    ...(save_to !== undefined && { save_to }),
    ...(overwrite && { overwrite }),
  };
  const answer = await untilReady(wanted, context);
  if (answer === 'generating') return generating(again);
  if (!answer.export) return notReady(what, answer.progress, again);
  const { link, ...facts } = answer.export;
  if (path === undefined && context.linksEnd) {
    return { summary: `${what} is ready; ${linkEnds}.`, data: { ready: true, ...facts } };
  }
  if (path === undefined) {
    const data = { ready: true, ...facts, link };
    return { summary: `${what} is ready; the link expires soon.`, data };
  }
  const { bytes } = await saveLink(link, path, overwrite, context);
  return {
    summary: `${what} is saved to ${asGiven(path)} (${fileSize(bytes)}).`,
    data: { ready: true, path, bytes, format },
    files: [{ path, mimeType: 'application/zip', description: what }],
  };
}

/** The last answer; `generating` where the version itself is not ready yet. */
async function untilReady(wanted: Input<typeof versions.versions_export>, context: ToolContext) {
  const { client, signal } = context;
  try {
    return await poll(
      async () => {
        const input = { ...wanted, nocache: true };
        const { body } = await client.call(versions.versions_export, input, { signal });
        const { progress } = body;
        if (typeof progress === 'number') context.progress(progress, 1, 'Exporting');
        return body;
      },
      (body) => body.export !== undefined,
      { waitMs: limits.toolWaitMsMax, context },
    );
  } catch (thrown) {
    if (!(thrown instanceof FoveaError) || thrown.code !== 'conflict') throw thrown;
    const { workspace, project, version } = wanted;
    const input = { workspace, project, version, nocache: true };
    const { body } = await client.call(versions.versions_get, input, { signal });
    if (body.version.generating !== true) throw thrown;
    return 'generating';
  }
}

function generating(again: Input<typeof versions.versions_export>): ToolResult {
  const { workspace, project, version } = again;
  return {
    summary: `Version ${version} of ${quoted(project)} is still being generated; it can be exported then.`,
    data: { ready: false, generating: true },
    next: [
      {
        tool: 'tasks_wait',
        arguments: { workspace, project, version },
        why: 'Waits until the version is ready.',
      },
      exportAgain(again, 'Then exports it.'),
    ],
  };
}

function notReady(
  what: string,
  progress: unknown,
  again: Readonly<Record<string, unknown>>,
): ToolResult {
  return {
    summary: `${what} is not ready yet.`,
    data: { ready: false, progress: progress ?? null },
    next: [exportAgain(again, 'Goes on waiting.')],
  };
}

function exportAgain(again: Readonly<Record<string, unknown>>, why: string): NextCall {
  return { tool: 'versions_export', arguments: again, why };
}
