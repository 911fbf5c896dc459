// A file below the file roots, as the body of a call.

import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { FilePart } from '../src/contract/operation.ts';
import { FoveaError, invalidArgument } from '../src/errors.ts';
import type { ToolContext } from '../src/mcp/tool.ts';
import { fileAt, fileSize } from './words.ts';

/** The file at a path as a part of a multipart body; its bytes are read only while it is sent. */
export async function openPart(
  path: string,
  argument: string,
  { files }: Pick<ToolContext, 'files'>,
): Promise<FilePart> {
  const real = await files.readable(path, argument);
  await sizeOf(real, path, argument);
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
  const size = await sizeOf(real, path, argument);
  if (size > bytesMax) {
    const sizes = `${fileSize(size)}; at most ${fileSize(bytesMax)} are taken`;
    throw new FoveaError('too_large', `${argument}: ${fileAt(path)} has ${sizes}.`);
  }
  return readFile(real, 'base64');
}

async function sizeOf(real: string, path: string, argument: string): Promise<number> {
  const found = await stat(real);
  if (!found.isFile()) throw invalidArgument(argument, `${fileAt(path)} is a folder; name a file`);
  if (found.size === 0) throw invalidArgument(argument, `${fileAt(path)} is empty`);
  return found.size;
}
