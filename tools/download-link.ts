// Downloads a link of a service to a file below the file roots.

import { randomUUID } from 'node:crypto';
import { rename, rm, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { asFoveaError, FoveaError, invalidArgument } from '../src/errors.ts';
import { checkRealFolder } from '../src/file-access/open-real-file.ts';
import type { Downloaded } from '../src/http-client/client.ts';
import type { ToolContext } from '../src/mcp/tool.ts';
import { fileAt } from './format.ts';

/** How tools call the path of a file that they save. */
const argument = 'save_to';

/** Of a ready file without `save_to`, where `linksEnd`. */
export const linkEnds =
  'its link would end with this command: give save_to, or ask a running `fovea platform`';

/** Throws `conflict` when there is a file, naming the argument that allows it, if any. */
export async function refuseExisting(path: string, allowing?: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (!found) return;
  const hint = allowing
    ? `Choose another path, or pass ${allowing}: true.`
    : 'Choose another path.';
  throw new FoveaError('conflict', `${argument}: ${fileAt(path)} exists already.`, { hint });
}

/**
 * Where a file is saved: a path with one of these endings is the file; any other is a folder, made
 * where it is not there, and gets it under this name. Throws as the file roots do.
 */
export async function saveTarget(
  path: string,
  fileName: string,
  { files }: Pick<ToolContext, 'files'>,
  endings: readonly string[] = [extname(fileName)],
): Promise<string> {
  if (endings.includes(extname(path).toLowerCase())) return files.writable(path, argument);
  const wrong = invalidArgument(argument, `must end in ${endings[0]}, or be a folder`);
  const found = await files.readable(path, argument).catch(() => undefined);
  // A folder that is not there yet is made.
  if (found === undefined && extname(path) === '') {
    return files.writable(join(path, fileName), argument);
  }
  if (found === undefined || !(await stat(found)).isDirectory()) throw wrong;
  return files.writable(join(found, fileName), argument);
}

/** Puts a download at `path`. A file that is there is replaced only where `overwrite` says so. */
export async function saveLink(
  link: string,
  path: string,
  overwrite: boolean,
  context: ToolContext,
): Promise<Downloaded> {
  const name = basename(path);
  if (!overwrite) return download(link, path, name, context);
  // The existing file stays until the download is complete.
  const fresh = `${path}.${randomUUID()}.new`;
  try {
    const downloaded = await download(link, fresh, name, context);
    await checkRealFolder(path);
    await rename(fresh, path);
    return downloaded;
  } finally {
    await rm(fresh, { force: true });
  }
}

async function download(
  link: string,
  path: string,
  name: string,
  { client, signal, progress }: ToolContext,
): Promise<Downloaded> {
  const onProgress = (bytes: number, total: number | undefined) =>
    progress(bytes, total, `Downloading ${name}`);
  try {
    return await client.download(link, path, { signal, onProgress });
  } catch (thrown) {
    // The client does not know by which name the path was asked for.
    const [problem] = asFoveaError(thrown).problems;
    throw problem?.path === 'path' ? invalidArgument(argument, problem.message) : thrown;
  }
}
