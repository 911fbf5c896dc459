// Exporting a version: wait for the file, then bring it to disk.

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Input } from '../src/contract/operation.ts';
import { versions } from '../src/contract/versions.ts';
import { limits } from '../src/limits.ts';
import type { ToolContext, ToolResult } from '../src/mcp/tool.ts';
import { poll } from './polling.ts';
import { refuseExisting, saveLink } from './save-link.ts';
import { fileSize, quoted } from './words.ts';

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
  const path = save_to === undefined ? undefined : await target(save_to, fileName, context);
  if (path !== undefined && !overwrite) await refuseExisting(path, 'overwrite');
  const what = `Version ${version} of ${quoted(project)} as ${quoted(format)}`;
  const answer = await poll(
    async () => {
      const input = { ...wanted, nocache: true };
      const { signal } = context;
      const { body } = await context.client.call(versions.versions_export, input, { signal });
      const { progress } = body;
      if (typeof progress === 'number') context.progress(progress, 1, 'Exporting');
      return body;
    },
    (body) => body.export !== undefined,
    { waitMs: limits.toolWaitMsMax, context },
  );
  if (!answer.export) return notReady(what, answer.progress, { save_to, overwrite, ...wanted });
  const { link, ...facts } = answer.export;
  if (path === undefined) {
    const data = { ready: true, ...facts, link };
    return { summary: `${what} is ready; the link expires soon.`, data };
  }
  const { bytes } = await saveLink(link, path, overwrite, context);
  return {
    summary: `${what} is saved to ${quoted(path)} (${fileSize(bytes)}).`,
    data: { ready: true, path, bytes, format },
    files: [{ path, mimeType: 'application/zip', description: what }],
  };
}

function notReady(
  what: string,
  progress: unknown,
  input: Readonly<Record<string, unknown>>,
): ToolResult {
  const given = Object.entries(input).filter(([, value]) => value !== undefined && value !== false);
  return {
    summary: `${what} is not ready yet.`,
    data: { ready: false, progress: progress ?? null },
    next: [
      { tool: 'versions_export', arguments: Object.fromEntries(given), why: 'Goes on waiting.' },
    ],
  };
}

/** A path that ends in .zip is the file; any other has to be a folder that is there. */
async function target(path: string, fileName: string, { files }: ToolContext): Promise<string> {
  if (/\.zip$/i.test(path)) return files.writable(path, 'save_to');
  const folder = await files.readable(path, 'save_to');
  const isFolder = (await stat(folder)).isDirectory();
  return files.writable(isFolder ? join(folder, fileName) : path, 'save_to');
}
