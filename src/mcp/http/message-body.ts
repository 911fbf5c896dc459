// Reads the JSON-RPC messages of one HTTP request within bounds.

import type { IncomingMessage } from 'node:http';
import { FoveaError, invalidArgument } from '../../errors.ts';
import { readBytes } from '../../http-server/body-limits.ts';
import { refuseExcess } from '../../http-server/json-body.ts';
import { hasPrototypeName, type JsonBounds, JsonScanner } from '../../json-scanner.ts';
import { limits } from '../../limits.ts';

export interface MessageBody {
  /** One message, or the list of a batch. */
  readonly value: unknown;
  /** The messages, not checked yet. */
  readonly messages: readonly unknown[];
}

/**
 * Reads and parses the body. Throws `unsupported_media` for another content type, `too_large` for
 * too many bytes or members, `bad_request` for invalid JSON or a body that does not arrive, and
 * `invalid_input` for deep nesting and `__proto__` members.
 */
export async function readMessages(request: IncomingMessage): Promise<MessageBody> {
  requireJson(request);
  const scanner = new JsonScanner(bounds);
  const bytes = await readBytes(request, limits.httpBodyBytesMax, undefined, (piece) =>
    refuseExcess(scanner.push(piece), bounds),
  );
  const value = parse(bytes);
  if (hasPrototypeName(value)) {
    throw invalidArgument('__proto__', 'is not allowed as the name of a member');
  }
  return { value, messages: Array.isArray(value) ? value : [value] };
}

const bounds: JsonBounds = {
  elementsMax: limits.httpToolArgumentElementsMax,
  membersMax: limits.httpToolArgumentElementsMax,
  depthMax: limits.jsonDepthMax,
};

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
