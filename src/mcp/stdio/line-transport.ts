// A transport of one message per line for the server of the package, whose own transport would
// parse and check each message a second time.

import { setTimeout as delay } from 'node:timers/promises';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { isJsonObject } from '../../json-object.ts';
import type { LineInput } from './line-input.ts';
import type { Output } from './protocol-output.ts';
import type { Id } from './request-id.ts';

/** Reads nothing while the host does not read answers. */
export class LineTransport implements Transport {
  onmessage: Transport['onmessage'];
  onerror: Transport['onerror'];
  onclose: Transport['onclose'];
  readonly #input: LineInput;
  readonly #output: Output;
  readonly #open: OpenRequests;
  /** A request whose answer the host has already. */
  #answered: Id | undefined;
  #isClosed = false;
  /** All answers that wait for a slow host wait together. */
  #room: PromiseWithResolvers<void> | undefined;

  constructor(input: LineInput, output: Output, open: OpenRequests, answered?: Id) {
    this.#input = input;
    this.#output = output;
    this.#open = open;
    this.#answered = answered;
  }

  async start(): Promise<void> {
    this.#input.once('close', this.#end);
    this.#output.on('drain', () => {
      this.#room?.resolve();
      this.#room = undefined;
      if (!this.#isClosed) this.#input.resume();
    });
    // Stays registered after the end: an error may still come.
    this.#output.on('error', (error) => {
      this.#room?.reject(error);
      this.#room = undefined;
      if (this.#isClosed) return;
      this.onerror?.(error);
      this.#end();
    });
    this.#input.resume();
  }

  /** A message that came in. */
  receive(message: JSONRPCMessage): void {
    if (this.#isClosed) return;
    this.#open.read(message);
    this.onmessage?.(message);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) throw new Error('The transport is closed.');
    const answers = 'method' in message ? undefined : message.id;
    if (answers !== undefined && answers === this.#answered) this.#answered = undefined;
    else {
      const hasRoom = this.#output.write(`${JSON.stringify(message)}\n`);
      if (!hasRoom) await this.#untilDrained();
    }
    if (answers !== undefined) this.#open.answered(answers);
  }

  async close(): Promise<void> {
    this.#end();
  }

  readonly #end = () => {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#input.pause();
    this.onclose?.();
  };

  #untilDrained(): Promise<void> {
    this.#input.pause();
    this.#room ??= Promise.withResolvers<void>();
    return this.#room.promise;
  }
}

/** The requests that were read and not yet answered. */
export class OpenRequests {
  readonly #ids = new Set<Id>();
  #whenNone: (() => void) | undefined;

  read(message: JSONRPCMessage): void {
    if (!('method' in message)) return;
    if ('id' in message) this.#ids.add(message.id);
    if (message.method === 'notifications/cancelled') this.#cancelled(message.params);
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

  #cancelled(params: unknown): void {
    if (!isJsonObject(params)) return;
    const { requestId } = params;
    if (typeof requestId === 'string' || typeof requestId === 'number') this.answered(requestId);
  }
}
