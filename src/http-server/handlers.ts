// One handler per operation of a family: a missing one does not compile.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer, Input, Operation, Parameters } from '../contract/operation.ts';
import type { RoutedMethod } from './router.ts';

export type Operations = Readonly<Record<string, Operation>>;

/** What a handler knows of the request beside its input. */
export interface Call<Principal> {
  readonly principal: Principal;
  /** The address under which the caller reached this service, for links back to it. */
  readonly origin: string;
  /** Aborts when the caller goes away. */
  readonly signal: AbortSignal;
}

/** An answer with another 2xx status than the operation's `success`. */
export class Answered<Body> {
  readonly status: number;
  readonly body: Body;

  constructor(status: number, body: Body) {
    this.status = status;
    this.body = body;
  }
}

export type Handler<O extends Operation, Principal> = (
  input: Input<O>,
  call: Call<Principal>,
) => Promise<Answer<O> | Answered<Answer<O>>>;

/**
 * A handler that is first given a short JSON body as it came, before anybody has read it, where
 * there are no parameters beside it. Undefined: it is handled as any other. Only for a service
 * whose gate authorizes whatever the input is.
 */
export class TextFirst<O extends Operation, Principal> {
  readonly handleText: TextHandler<O>;
  readonly handle: Handler<O, Principal>;

  constructor(handleText: TextHandler<O>, handle: Handler<O, Principal>) {
    this.handleText = handleText;
    this.handle = handle;
  }
}

type TextHandler<O extends Operation> = (text: string) => Promise<Answer<O> | undefined>;

/**
 * A handler that takes in the body by itself, as it comes. Its input has the parameters alone; it
 * is called before anything of the body was read.
 */
export class Streamed<O extends Operation, Principal> {
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
  | TextFirst<O, Principal>
  | Streamed<O, Principal>;

/**
 * An address beside the operations: bytes in or out. Where its first segment is a text, no path
 * that begins so means an operation whose path begins with a parameter.
 */
export interface Route<Principal = unknown> {
  readonly method: RoutedMethod;
  /** As in an operation, for example `/blobs/{hash}`. */
  readonly path: string;
  /** True: answered without a credential; whoever knows the address may use it. */
  readonly open?: boolean;
  /**
   * True: shares its address with an operation, and answers whoever prefers HTML (RFC 9110 section
   * 12.5.1).
   */
  readonly byAccept?: boolean;
  /**
   * Answers by itself, and resolves when it has. What it throws before the first byte becomes an
   * error answer. `principal` is undefined for an open route.
   */
  handle(
    request: IncomingMessage,
    response: ServerResponse,
    parameters: Readonly<Record<string, string>>,
    principal?: Principal,
  ): Promise<void>;
}
