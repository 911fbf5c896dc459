// The beginning of a connection: `initialize` and `tools/list` are answered before the package of
// the protocol is loaded, which takes longer than all else of a start. Many starts are over with
// that list.

import type { JsonObject } from '../../json-object.ts';
import type { ServerDescription } from '../server-description.ts';
import { firstRequestIn, shortMessageIn } from './first-request.ts';
import { type Line, type LineInput, type LineReader, TooLongLine } from './line-input.ts';
import type { Output } from './protocol-output.ts';
import type { Id } from './request-id.ts';

/** Reads the lines of `input` until the server has to be there. */
export class EarlyAnswers implements LineReader {
  /** True: the list was answered, or something else was asked. False: before, stdin has ended. */
  readonly needsServer: Promise<boolean>;
  readonly #input: LineInput;
  readonly #output: Output;
  readonly #description: ServerDescription;
  readonly #decided = Promise.withResolvers<boolean>();
  /** What the server has to read too. */
  readonly #kept: Line[] = [];
  #answered: Id | undefined;
  #isFirst = true;
  #showsApps = false;
  #isOver = false;

  constructor(input: LineInput, output: Output, description: ServerDescription) {
    this.#input = input;
    this.#output = output;
    this.#description = description;
    this.needsServer = this.#decided.promise;
    input.once('close', () => this.#decided.resolve(false));
    input.serve(this);
    input.resume();
  }

  /** The id of `initialize`, where it was answered here; the server gets that request too. */
  get answered(): Id | undefined {
    return this.#answered;
  }

  onLine(line: Line): void {
    const message = line instanceof TooLongLine ? undefined : shortMessageIn(line);
    const request = message && firstRequestIn(message);
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    if (request?.method === 'tools/list' && this.#answered !== undefined) {
      const { tools, toolsWithApps } = this.#description;
      this.#answer(request.id, { tools: this.#showsApps ? toolsWithApps : tools });
      this.#makeWay();
      return;
    }
    this.#kept.push(line);
    if (request?.method === 'initialize' && isFirst) {
      const { introduction } = this.#description;
      this.#answer(request.id, { protocolVersion: request.revision, ...introduction });
      this.#answered = request.id;
      this.#showsApps = request.showsApps;
    } else if (this.#isOver || message === undefined || !isInitialized(message)) this.#makeWay();
  }

  async settled(): Promise<void> {}

  #answer(id: Id, result: object): void {
    this.#output.write(`${JSON.stringify({ result, jsonrpc: '2.0', id })}\n`);
  }

  #makeWay(): void {
    this.#isOver = true;
    this.#decided.resolve(true);
    this.#input.makeWay(this.#kept.splice(0));
  }
}

/** Nothing is to be done for it. */
function isInitialized(message: JsonObject): boolean {
  return message.method === 'notifications/initialized' && !('id' in message);
}
