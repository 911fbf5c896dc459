// One handler per operation of a toolset: a missing one does not compile.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer, Input, Operation, Parameters } from '../contract/operation.ts';
import type { OnShare } from '../work-watcher.ts';
import type { RoutedMethod } from './router.ts';

export type Operations = Readonly<Record<string, Operation>>;

/** What a handler knows of the request besides its input. */
export interface Call<Principal> {
  readonly principal: Principal;
  /** The base URL under which the caller reached this service, for links back to it. */
  readonly origin: string;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /** Told which share of the work is done: callers of this process hear it. */
  readonly onShare?: OnShare | undefined;
}

/** An answer with another 2xx status than the operation's `success`. */
export class AnswerWithStatus<Body> {
  readonly status: number;
  readonly body: Body;

  constructor(status: number, body: Body) {
    this.status = status;
    this.body = body;
  }
}

/** An answer whose JSON text is there already: a large one is not built in the main thread. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Handler<O extends Operation, Principal> = (
  input: Input<O>,
  call: Call<Principal>,
) => Promise<Answer<O> | AnswerWithStatus<Answer<O>> | JsonText>;

/**
 * A handler that is first given the unparsed text of a short JSON body, if the request has no
 * parameters. If it returns undefined, the request takes the usual way. Only for a service whose
 * access policy does not depend on the input.
 */
export class RawTextHandler<O extends Operation, Principal> {
  readonly handleText: TextHandler<O>;
  readonly handle: Handler<O, Principal>;

  constructor(handleText: TextHandler<O>, handle: Handler<O, Principal>) {
    this.handleText = handleText;
    this.handle = handle;
  }
}

type TextHandler<O extends Operation> = (text: string) => Promise<Answer<O> | undefined>;

/**
 * A handler that reads the body by itself, as a stream. Its input has the parameters only; it is
 * called before any of the body was read.
 */
export class StreamingHandler<O extends Operation, Principal> {
  readonly handle: StreamHandler<O, Principal>;

  constructor(handle: StreamHandler<O, Principal>) {
    this.handle = handle;
  }
}

type StreamHandler<O extends Operation, Principal> = (
  input: Parameters<O>,
  body: IncomingMessage,
  call: Call<Principal>,
) => Promise<Answer<O>>;

export type Handlers<Ops extends Operations, Principal> = {
  readonly [Name in keyof Ops]: AnyHandler<Ops[Name], Principal>;
};

export type AnyHandler<O extends Operation, Principal> =
  | Handler<O, Principal>
  | RawTextHandler<O, Principal>
  | StreamingHandler<O, Principal>;

/**
 * An endpoint outside the contract: pages, files, uploads. If its first segment is a literal, no
 * path with that segment matches an operation whose path begins with a parameter.
 */
export interface Route<Principal = unknown> {
  readonly method: RoutedMethod;
  /** As in an operation, for example `/blobs/{hash}`. */
  readonly path: string;
  /** True: answered without a credential. */
  readonly open?: boolean;
  /** True: shares its address with an operation, and answers clients that prefer HTML. */
  readonly isHtmlVariant?: boolean;
  /**
   * Resolves when it has answered. What it throws before the first byte becomes an error answer.
   * `principal` is undefined for an open route.
   */
  handle(
    request: IncomingMessage,
    response: ServerResponse,
    parameters: Readonly<Record<string, string>>,
    principal?: Principal,
  ): Promise<void>;
}
