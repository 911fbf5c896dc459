// JSON-RPC over stdin and stdout, one message per line. Invalid messages are refused and logged.

import { isUtf8 } from 'node:buffer';
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/server';
import { isJsonObject, membersOf } from '../../json-object.ts';
import { excessWords, type JsonBounds, type JsonExcess, jsonExcess } from '../../json-scanner.ts';
import { limits } from '../../limits.ts';
import type { Log } from '../../log.ts';
import { createInvalidLineLog, type InvalidLineLog } from './invalid-line-log.ts';
import { type LineInput, TooLongLine } from './line-input.ts';
import { LineTransport, OpenRequests } from './line-transport.ts';
import type { Output } from './protocol-output.ts';
import { type Id, requestIdIn } from './request-id.ts';

/**
 * Reads messages from the lines of stdin; writes to `stdout`. While the host does not read
 * `stdout`, requests wait: answers are much larger than requests. `answered`: a request whose
 * answer the host has already.
 */
export function openStdioTransport(
  input: LineInput,
  stdout: Output,
  log: Log,
  answered?: Id,
): Transport {
  const open = new OpenRequests();
  const invalidLines = createInvalidLineLog(log);
  input.serve({
    onLine: (line) => {
      if (line instanceof TooLongLine) refuseLine(line);
      else for (const message of messagesIn(line, invalidLines)) pass(message);
    },
    settled: () => open.settled(limits.stdinGraceMs),
  });
  input.once('close', invalidLines.flush);
  const transport = new LineTransport(input, stdout, open, answered);
  const pass = (value: object) => {
    const fault = value instanceof TooLarge ? value.fault : faultOf(value);
    if (fault !== undefined) refuse(value, fault);
    else if (isMessage(value)) transport.receive(value);
    else invalidLines.tell('A message on stdin is neither a notification nor a response.', {});
  };
  const refuse = (value: object, fault: string) => {
    invalidLines.tell('A message on stdin is not valid JSON-RPC.', { fault });
    const id = idOf(value);
    if (id !== undefined) void transport.send(invalidRequest(id, fault)).catch(() => undefined);
  };
  // Without an id JSON-RPC has `null` for it: whoever waits for an answer has one.
  const refuseLine = ({ bytes, id }: TooLongLine) => {
    const fault = `the line has ${bytes} bytes, more than ${limits.rpcLineBytesMax}: files go by path`;
    if (id !== undefined) void transport.send(invalidRequest(id, fault)).catch(() => undefined);
    else stdout.write(`${JSON.stringify({ ...invalidRequest(0, fault), id: null })}\n`);
  };
  return transport;
}

/** A line of which nothing was built. Its id is at its top, as that of a message. */
class TooLarge {
  readonly fault: string;
  readonly id: Id | undefined;

  constructor(excess: JsonExcess, text: string) {
    this.fault = `the message ${excessWords(excess, lineBounds)}`;
    this.id = requestIdIn(text);
  }
}

const lineBounds: JsonBounds = {
  elementsMax: limits.rpcElementsMax,
  membersMax: limits.rpcMembersMax,
  depthMax: limits.jsonDepthMax,
};

/** The messages of a line. Revision 2025-03-26 allows several in one array; each is answered. */
function messagesIn(line: Buffer, invalidLines: InvalidLineLog): readonly object[] {
  const leftOut = (missing: 'UTF-8' | 'JSON') => {
    invalidLines.tell(`A line on stdin is not ${missing} and was left out.`, {
      bytes: line.length,
    });
    return [];
  };
  if (!isUtf8(line)) return leftOut('UTF-8');
  // A parser's error costs more than all else that is done with a line.
  if (!jsonStarts.has(line[0] ?? 0)) return leftOut('JSON');
  const text = line.toString('utf8').trim();
  if (text === '') return [];
  const excess = jsonExcess(line, lineBounds);
  if (excess !== undefined) return [new TooLarge(excess, text)];
  try {
    const value: unknown = JSON.parse(text);
    const messages: readonly unknown[] = Array.isArray(value) ? value : [value];
    return messages.map((message) => (isJsonObject(message) ? message : { notAnObject: true }));
  } catch {
    return leftOut('JSON');
  }
}

/** The bytes with which JSON text begins; the last three are those of a byte order mark. */
const jsonStarts: ReadonlySet<number> = new Set(Buffer.from('{["-0123456789tfn \t\r\ufeff'));

function faultOf(message: object): string | undefined {
  if (!('jsonrpc' in message) || message.jsonrpc !== '2.0') return 'jsonrpc must be "2.0"';
  if (!('method' in message)) {
    return 'result' in message || 'error' in message ? undefined : 'method is missing';
  }
  if (typeof message.method !== 'string') return 'method must be a string';
  if ('id' in message && idOf(message) === undefined) return 'id must be a string or an integer';
  if ('params' in message && !isJsonObject(message.params)) return 'params must be an object';
  // The package drops a request with a wrong member without an answer.
  const isRight = !('id' in message) || isPlain(message) || isJSONRPCRequest(message);
  return isRight ? undefined : wrongMember;
}

const wrongMember =
  'wrong are params._meta (an object; its progressToken a string or an integer) or members beside jsonrpc, id, method and params';

/** Most requests have no member that only the package can judge. */
function isPlain(message: object): boolean {
  const { _meta: meta } = membersOf('params' in message ? message.params : undefined);
  return meta === undefined && Object.keys(message).every((name) => requestMembers.has(name));
}

const requestMembers: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params']);

/** For values without a fault. To a wrong notification or answer nothing is answered. */
function isMessage(value: object): value is JSONRPCMessage {
  if ('method' in value && 'id' in value) return true;
  return [isJSONRPCNotification, isJSONRPCResultResponse, isJSONRPCErrorResponse].some((isOne) =>
    isOne(value),
  );
}

function idOf(message: object): Id | undefined {
  if (!('id' in message)) return undefined;
  const { id } = message;
  return typeof id === 'string' || (typeof id === 'number' && Number.isSafeInteger(id))
    ? id
    : undefined;
}

function invalidRequest(id: Id, fault: string): JSONRPCMessage {
  return { jsonrpc: '2.0', id, error: { code: -32_600, message: `Invalid request: ${fault}.` } };
}
