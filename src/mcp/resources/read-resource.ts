// Reads a resource: the result of its tool, with images.

import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
} from '@modelcontextprotocol/server';
import { membersOf } from '../../json-object.ts';
import { readApp } from '../app/resource.ts';
import { readSkill } from '../skills/resource.ts';
import { type CallTool, readOnlyScope } from '../tool-call/pipeline.ts';
import type { AvailableTools } from '../tool-profiles.ts';
import { readingCall } from './uris.ts';

export interface ResourceReader {
  /** Undefined: no resource has an address of this form, or this caller may not see it. */
  read(uri: string, signal: AbortSignal): Promise<ReadResourceResult | undefined>;
}

interface ReaderOptions {
  readonly callTool: CallTool;
  readonly available: AvailableTools;
}

type Contents = ReadResourceResult['contents'];

/** Reads with the credential that calls of tools have. Sends nothing until something is read. */
export function resourceReader(options: ReaderOptions): ResourceReader {
  return {
    read: async (uri, signal) => {
      const reading = readingCall(uri);
      const call = reading && options.available.callFor(reading);
      if (call === undefined) return (await readSkill(uri)) ?? readApp(uri);
      const scope = readOnlyScope(signal);
      const { result } = await options.callTool(call.tool, call.arguments, scope, false);
      if (result.isError === true) throw refused(result, uri);
      const contents = [...textOf(result, uri), ...imagesOf(result, uri)];
      return { contents, ...(result._meta && { _meta: result._meta }) };
    },
  };
}

/** Missing or invalid names are unknown resources; other errors say nothing about the resource. */
function refused(result: CallToolResult, uri: string): Error {
  const { code, message } = membersOf(membersOf(result.structuredContent).error);
  if (code === 'not_found' || code === 'invalid_input') {
    // The text of the tool, in which words by others are fenced.
    const [text] = textOf(result, uri);
    return new ResourceNotFoundError(uri, text && 'text' in text ? text.text : undefined);
  }
  return new ProtocolError(ProtocolErrorCode.InternalError, `${String(code)}: ${String(message)}`);
}

function textOf({ content }: CallToolResult, uri: string): Contents {
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  return [{ uri, mimeType: 'text/plain', text: texts.join('\n') }];
}

function imagesOf({ content }: CallToolResult, uri: string): Contents {
  return content.flatMap((block) =>
    block.type === 'image' ? [{ uri, mimeType: block.mimeType, blob: block.data }] : [],
  );
}
