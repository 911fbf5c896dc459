// Reads a resource: the answer of the tool that it belongs to, with the pictures of that answer.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
} from '@modelcontextprotocol/server';
import type { Client } from '../../http-client/client.ts';
import { limits } from '../../limits.ts';
import { readApp } from '../app/resource.ts';
import type { CallTool } from '../calls.ts';
import { membersOf } from '../members.ts';
import type { Reach } from '../reach.ts';
import { readingScope } from '../reading-scope.ts';
import { readingCall } from './uris.ts';

/** What fetches a picture into a file, which is gone with the answer. */
export type FollowLinks = (signal: AbortSignal) => Promise<Pick<Client, 'download'>>;

export interface ResourceReader {
  /** Undefined: there is no such resource, or this caller may not see it. */
  read(uri: string, signal: AbortSignal): Promise<ReadResourceResult | undefined>;
}

interface ReaderParts {
  readonly callTool: CallTool;
  /** Follows links of the service, to which the caller has got. */
  readonly followLinks: FollowLinks;
  readonly reach: Reach;
}

type Contents = ReadResourceResult['contents'];

/** Reads with the credential that calls of tools have. Sends nothing until something is read. */
export function resourceReader(parts: ReaderParts): ResourceReader {
  return {
    read: async (uri, signal) => {
      const reading = readingCall(uri);
      const call = reading && parts.reach.callFor(reading);
      if (call === undefined) return readApp(uri);
      const scope = readingScope(signal);
      const { result } = await parts.callTool(call.tool, call.arguments, scope, false);
      if (result.isError === true) return refused(result);
      const pictures = picturesOf(result, uri);
      const preview = pictures.length === 0 ? await thumbOf(result, uri, parts, signal) : [];
      const contents = [...textOf(result, uri), ...pictures, ...preview];
      return { contents, ...(result._meta && { _meta: result._meta }) };
    },
  };
}

/** What is missing, or named wrongly, is no resource; all else may be there all the same. */
function refused({ structuredContent }: CallToolResult): undefined {
  const { code, message } = membersOf(membersOf(structuredContent).error);
  if (code === 'not_found' || code === 'invalid_input') return undefined;
  throw new ProtocolError(ProtocolErrorCode.InternalError, `${String(code)}: ${String(message)}`);
}

function textOf({ content }: CallToolResult, uri: string): Contents {
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  return [{ uri, mimeType: 'text/plain', text: texts.join('\n') }];
}

function picturesOf({ content }: CallToolResult, uri: string): Contents {
  return content.flatMap((block) =>
    block.type === 'image' ? [{ uri, mimeType: block.mimeType, blob: block.data }] : [],
  );
}

/** The small picture that the platform has of an image; nothing where it cannot be had. */
async function thumbOf(
  { structuredContent }: CallToolResult,
  uri: string,
  { followLinks }: ReaderParts,
  signal: AbortSignal,
): Promise<Contents> {
  const { thumb } = membersOf(membersOf(membersOf(structuredContent).image).urls);
  if (typeof thumb !== 'string') return [];
  const folder = await mkdtemp(join(tmpdir(), 'fovea-preview-'));
  try {
    const path = join(folder, 'preview');
    const tooLarge = new AbortController();
    const { contentType = '' } = await (await followLinks(signal)).download(thumb, path, {
      signal: AbortSignal.any([signal, tooLarge.signal]),
      timeoutMs: limits.eventPreviewMsMax,
      onProgress: (bytes) => bytes > limits.resultImageBytesMax && tooLarge.abort(),
    });
    if (!contentType.startsWith('image/')) return [];
    return [{ uri, mimeType: contentType, blob: (await readFile(path)).toString('base64') }];
  } catch {
    signal.throwIfAborted();
    return [];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
