// The export of a search: its progress, its link, or its file on disk.

import type { Input } from '../../src/contract/operation.ts';
import { search } from '../../src/contract/search.ts';
import { FoveaError } from '../../src/errors.ts';
import type { ToolContext, ToolResult } from '../../src/mcp/tool.ts';
import { linkEnds, refuseExisting, saveLink, saveTarget } from '../download-link.ts';
import { asGiven, fileSize, quoted } from '../format.ts';

type Wanted = Input<typeof search.search_export_get> & { readonly save_to?: string | undefined };

/**
 * With `save_to`, downloads a finished export. Throws `conflict` for an existing file before
 * anything is sent.
 */
export async function getExport(
  { save_to, ...wanted }: Wanted,
  context: ToolContext,
): Promise<ToolResult> {
  const path =
    save_to === undefined ? undefined : await saveTarget(save_to, 'search-export.zip', context);
  if (path !== undefined) await refuseExisting(path);
  const { signal } = context;
  const { body } = await context.client.call(search.search_export_get, wanted, { signal });
  const { ready, link, error } = body;
  if (error !== undefined) {
    return { summary: 'The export failed: "error" says why.', data: body };
  }
  if (!ready) {
    const again = { ...wanted, ...(save_to !== undefined && { save_to }) };
    const next = { tool: 'search_export_get', arguments: again, why: 'Asks again.' };
    return { summary: 'The export is not ready yet.', data: body, next: [next] };
  }
  if (path === undefined && context.linksEnd) {
    return { summary: `The export is ready; ${linkEnds}.`, data: { ready } };
  }
  if (path === undefined) return { summary: 'The export is ready.', data: body };
  if (link === undefined) {
    throw new FoveaError('upstream_failed', 'The platform gave no link to the export.');
  }
  const { bytes } = await saveLink(link, path, false, context);
  return {
    summary: `The export is saved to ${asGiven(path)} (${fileSize(bytes)}).`,
    data: { ready, path, bytes },
    files: [{ path, mimeType: 'application/zip', description: `Export ${quoted(wanted.taskId)}` }],
  };
}
