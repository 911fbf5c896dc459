// A link that a service gave, downloaded to a file below the file roots.

import { randomUUID } from 'node:crypto';
import { rename, rm, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { FoveaError } from '../src/errors.ts';
import type { Downloaded } from '../src/http-client/client.ts';
import type { ToolContext } from '../src/mcp/tool.ts';

/** Throws `conflict` when there is a file, naming the argument and the one that allows it. */
export async function refuseExisting(
  path: string,
  argument: string,
  allowing?: string,
): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (!found) return;
  const hint = allowing
    ? `Choose another path, or pass ${allowing}: true.`
    : 'Choose another path.';
  throw new FoveaError('conflict', `${argument}: "${path}" exists already.`, { hint });
}

/** Puts a download at `path`. A file that is there is replaced only where `overwrite` says so. */
export async function saveLink(
  link: string,
  path: string,
  overwrite: boolean,
  { client, signal, progress }: ToolContext,
): Promise<Downloaded> {
  const onProgress = (bytes: number, total: number | undefined) =>
    progress(bytes, total, `Downloading ${basename(path)}`);
  if (!overwrite) return client.download(link, path, { signal, onProgress });
  // What was there stays whole until the download is.
  const fresh = `${path}.${randomUUID()}.new`;
  try {
    const downloaded = await client.download(link, fresh, { signal, onProgress });
    await rename(fresh, path);
    return downloaded;
  } finally {
    await rm(fresh, { force: true });
  }
}
