// Reads files below the file roots for the body of a call.

import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { FilePart } from '../src/contract/operation.ts';
import { FoveaError, invalidArgument } from '../src/errors.ts';
import { openRealFile } from '../src/file-access/open-real-file.ts';
import type { ToolContext } from '../src/mcp/tool.ts';
import { fileAt, fileSize } from './format.ts';

/** The file at a path as a part of a multipart body; its bytes are read only while it is sent. */
export async function openPart(
  path: string,
  argument: string,
  { files }: Pick<ToolContext, 'files'>,
): Promise<FilePart> {
  const real = await files.readable(path, argument);
  const handle = await openFile(real, path, argument);
  try {
    checkSize((await handle.stat()).size, path, argument);
  } finally {
    await handle.close();
  }
  return { name: basename(real), content: { path: real } };
}

/** The bytes of the file at a path, as base64. Throws `too_large` beyond `bytesMax`. */
export async function readBase64(
  path: string,
  argument: string,
  bytesMax: number,
  { files }: Pick<ToolContext, 'files'>,
): Promise<string> {
  const real = await files.readable(path, argument);
  const bytes = await readRealFile(real, argument, (size) => {
    checkSize(size, path, argument);
    if (size <= bytesMax) return;
    const sizes = `${fileSize(size)}; at most ${fileSize(bytesMax)} are taken`;
    throw new FoveaError('too_large', `${argument}: ${fileAt(path)} has ${sizes}.`);
  });
  return bytes.toString('base64');
}

/**
 * The bytes of a file after a check of its size. `real`: from the file roots. Throws
 * `invalid_input` for a folder, `conflict` where the path was swapped, and what the check throws.
 */
export async function readRealFile(
  real: string,
  argument: string,
  checkBytes: (size: number) => void,
): Promise<Buffer> {
  const handle = await openFile(real, real, argument);
  try {
    checkBytes((await handle.stat()).size);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/** What is no plain file is refused as one that was swapped: a folder is named as one. */
async function openFile(real: string, path: string, argument: string) {
  try {
    return await openRealFile(real);
  } catch (thrown) {
    const isFolder = await stat(real).then((found) => found.isDirectory());
    if (isFolder) throw invalidArgument(argument, `${fileAt(path)} is a folder; name a file`);
    throw thrown;
  }
}

function checkSize(size: number, path: string, argument: string): void {
  if (size === 0) throw invalidArgument(argument, `${fileAt(path)} is empty`);
}
