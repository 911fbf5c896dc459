// Lines of JSON-RPC in and out. What is no message stops here, with a line in the log.

import { isUtf8 } from 'node:buffer';
import { type Readable, Transform, type Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import {
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { limits } from '../limits.ts';
import type { Log } from '../log.ts';
import { isRecord } from './members.ts';
import { excessOf } from './size.ts';

export interface Wire {
  readonly transport: Transport;
  /** Ends after stdin has ended and what was read before has had a moment to be answered. */
  readonly input: Readable;
}

/**
 * Reads messages from `stdin`, one per line within `rpcLineBytesMax`; writes to `stdout`. Where
 * nobody reads `stdout`, requests wait unanswered: answers are a thousand times their size.
 */
export function openWire(stdin: Readable, stdout: Writable, log: Log): Wire {
  const open = new OpenRequests();
  const gate = new Transform({
    // Room for what waits, so that the end of stdin is seen meanwhile.
    writableHighWaterMark: limits.rpcLineBytesMax,
    transform: createSplitter(log, (line) => {
      for (const message of messagesIn(line, log)) pass(message);
    }),
    flush: (done) => {
      void open.settled(limits.stdinGraceMs).then(() => done());
    },
  });
  const transport = new WatchedTransport(gate, stdout, open);
  const pass = (message: object) => {
    const fault = faultOf(message);
    if (fault !== undefined) {
      log.warn('A message on stdin is no JSON-RPC.', { fault });
      const id = idOf(message);
      if (id !== undefined) void transport.send(invalidRequest(id, fault)).catch(() => undefined);
      return;
    }
    open.read(message);
    gate.push(`${JSON.stringify(message)}\n`);
  };
  stdin.on('error', () => gate.end());
  stdin.on('close', () => gate.end());
  stdin.once('end', () => {
    void delay(limits.stdinGraceMs, undefined, { ref: false }).then(() => {
      if (gate.isPaused()) gate.destroy();
    });
  });
  // Each answer that waits for a slow host listens for its turn.
  stdout.setMaxListeners(0);
  stdin.pipe(gate);
  return { transport, input: gate };
}

type Id = string | number;

/** The requests that were read and not yet answered. */
class OpenRequests {
  readonly #ids = new Set<Id>();
  #whenNone: (() => void) | undefined;

  read(message: object): void {
    const id = idOf(message);
    if (id !== undefined && 'method' in message) this.#ids.add(id);
    if ('method' in message && message.method === 'notifications/cancelled')
      this.#cancelled(message);
  }

  answered(id: Id): void {
    this.#ids.delete(id);
    if (this.#ids.size === 0) this.#whenNone?.();
  }

  async settled(timeoutMs: number): Promise<void> {
    if (this.#ids.size === 0) return;
    const none = new Promise<void>((resolve) => {
      this.#whenNone = resolve;
    });
    await Promise.race([none, delay(timeoutMs, undefined, { ref: false })]);
  }

  #cancelled(message: object): void {
    const params = 'params' in message ? message.params : undefined;
    if (!isRecord(params)) return;
    const { requestId } = params;
    if (typeof requestId === 'string' || typeof requestId === 'number') this.answered(requestId);
  }
}

class WatchedTransport extends StdioServerTransport {
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #open: OpenRequests;

  constructor(input: Readable, output: Writable, open: OpenRequests) {
    // Lines come whole: a chunk is never longer than one line and what was pushed with it.
    super(input, output, { maxBufferSize: Number.MAX_SAFE_INTEGER });
    this.#input = input;
    this.#output = output;
    this.#open = open;
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    const sending = super.send(message);
    if (this.#output.writableNeedDrain && !this.#input.isPaused()) {
      this.#input.pause();
      this.#output.once('drain', () => this.#input.resume());
    }
    await sending;
    if (!isJSONRPCResultResponse(message) && !isJSONRPCErrorResponse(message)) return;
    if (message.id !== undefined) this.#open.answered(message.id);
  }
}

type Done = () => void;

/** Cuts chunks into lines. A line that is too long is left out without being kept in memory. */
function createSplitter(log: Log, onLine: (line: Buffer) => void) {
  let parts: Buffer[] = [];
  let bytes = 0;
  const add = (part: Buffer) => {
    bytes += part.length;
    if (bytes > limits.rpcLineBytesMax) parts = [];
    else parts.push(part);
  };
  const end = () => {
    if (bytes > limits.rpcLineBytesMax) {
      log.error('A line on stdin is too long and was left out.', { bytes });
    } else if (bytes > 0) {
      onLine(Buffer.concat(parts));
    }
    parts = [];
    bytes = 0;
  };
  return (chunk: Buffer, _encoding: BufferEncoding, done: Done) => {
    let from = 0;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      add(chunk.subarray(from, at));
      end();
      from = at + 1;
    }
    add(chunk.subarray(from));
    done();
  };
}

/** The messages of a line. Revision 2025-03-26 allows several in one array; each is answered. */
function messagesIn(line: Buffer, log: Log): readonly object[] {
  if (!isUtf8(line)) {
    log.warn('A line on stdin is not UTF-8 and was left out.', { bytes: line.length });
    return [];
  }
  const text = line.toString('utf8').trim();
  if (text === '') return [];
  try {
    const value: unknown = JSON.parse(text);
    const messages: readonly unknown[] = Array.isArray(value) ? value : [value];
    return messages.map((message) => (isRecord(message) ? message : { notAnObject: true }));
  } catch {
    log.warn('A line on stdin is not JSON and was left out.', { bytes: line.length });
    return [];
  }
}

function faultOf(message: object): string | undefined {
  if (!('jsonrpc' in message) || message.jsonrpc !== '2.0') return 'jsonrpc must be "2.0"';
  if (!('method' in message)) {
    return 'result' in message || 'error' in message ? undefined : 'method is missing';
  }
  if (typeof message.method !== 'string') return 'method must be a string';
  if ('id' in message && idOf(message) === undefined) return 'id must be a string or an integer';
  if ('params' in message && !isRecord(message.params)) return 'params must be an object';
  const { jsonElementsMax: elementsMax, jsonDepthMax: depthMax } = limits;
  const excess = excessOf(message, { elementsMax, depthMax });
  if (excess === 'depth') return `nested deeper than ${depthMax} levels`;
  if (excess === 'elements') return `more than ${elementsMax} members`;
  // The package drops a request with a wrong member without an answer.
  return 'id' in message && !isJSONRPCRequest(message) ? wrongMember : undefined;
}

const wrongMember =
  'wrong are params._meta (an object; its progressToken a string or an integer) or members beside jsonrpc, id, method and params';

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
