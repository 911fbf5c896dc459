// The JSON-RPC messages of one request, bounded before anything else walks through them.

import type { IncomingMessage } from 'node:http';
import { FoveaError, invalidArgument } from '../../errors.ts';
import { collectBytes } from '../../http-server/receive.ts';
import { limits } from '../../limits.ts';

export interface MessageBody {
  /** What the body holds: one message, or the list of a batch. */
  readonly value: unknown;
  /** The messages, not checked yet. */
  readonly messages: readonly unknown[];
}

/**
 * Reads and parses the body. Throws `unsupported_media` for another type, `too_large` for too many
 * bytes or members, `bad_request` for what is no JSON or does not come, and `invalid_input` for too
 * deep nesting and `__proto__` members.
 */
export async function readMessages(request: IncomingMessage): Promise<MessageBody> {
  requireJson(request);
  const bytes = await collectBytes(request, limits.httpBodyBytesMax);
  const value = parse(bytes);
  checkMembers(value);
  return { value, messages: Array.isArray(value) ? value : [value] };
}

function requireJson({ headers }: IncomingMessage): void {
  const type = headers['content-type'] ?? '';
  const encoding = headers['content-encoding'] ?? 'identity';
  const isJson = /^\s*application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i.test(type);
  if (isJson && encoding.toLowerCase() === 'identity') return;
  throw new FoveaError('unsupported_media', 'The body must be application/json in UTF-8.', {
    hint: 'Send "Content-Type: application/json", not compressed.',
  });
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The parser needs no stack for depth, and the bytes are bounded. */
function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    throw new FoveaError('bad_request', 'The body is not valid JSON in UTF-8.');
  }
}

/** Level by level: needs no stack either. */
function checkMembers(value: unknown): void {
  const { httpToolArgumentElementsMax: elementsMax, jsonDepthMax: depthMax } = limits;
  let elements = 0;
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    elements += level.length;
    if (elements > elementsMax) {
      throw new FoveaError('too_large', `The body has more than ${elementsMax} members.`);
    }
    if (depth > depthMax) throw invalidArgument('', `The body is deeper than ${depthMax} levels.`);
    level = level.flatMap((member) => {
      if (typeof member !== 'object' || member === null) return [];
      if (!Object.hasOwn(member, '__proto__')) return Object.values(member);
      throw invalidArgument('__proto__', 'is not allowed as the name of a member');
    });
  }
}
