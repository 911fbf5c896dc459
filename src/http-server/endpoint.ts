// One request from its credential to its answer: authentication, body, validation, handler.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { systemClock } from '../clock.ts';
import { check, checkRequest, type UncheckedRequest } from '../contract/check.ts';
import type { Input, Operation } from '../contract/operation.ts';
import { runFor } from '../current-caller.ts';
import { asFoveaError, FoveaError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { Secret } from '../secret.ts';
import type { Caller } from '../semaphore.ts';
import { announcedBytes, type BodyMemory, type BodyReservation } from './body-memory-budget.ts';
import { type Body, isJson, readBody, type Texts, UnparsedBody } from './body-parsing.ts';
import { clientNetwork } from './client-address.ts';
import type { ClientDisconnect } from './client-disconnect.ts';
import {
  type CredentialPlace,
  type CredentialPlaces,
  credentialInBody,
  credentialPlace,
  withoutKey,
} from './credentials.ts';
import {
  AnswerWithStatus,
  type AnyHandler,
  type Call,
  JsonText,
  RawTextHandler,
  type Route,
  StreamingHandler,
} from './handlers.ts';
import type { CountedCall } from './rate-limiter.ts';
import { readParts } from './request-parts.ts';
import { sendAnswer } from './responses.ts';
import type { Routed } from './router.ts';

/** The flat, checked input of an operation. */
export type CheckedInput = Readonly<Record<string, unknown>>;

/** Who may do what. Asked for every request except those to open routes. */
export interface AccessPolicy<Principal> {
  readonly credentials: CredentialPlaces;
  /** The principal of a credential; undefined if it is missing or unknown. */
  authenticate(
    presented: Secret | undefined,
    place: CredentialPlace,
    address: string,
  ): Promise<Principal | undefined>;
  /**
   * The caller under which the bodies of a principal count. Without it, the address of the client
   * is the caller.
   */
  callerOf?(principal: Principal, address: string): Caller;
  /** Counts a call until it is answered. Throws `rate_limited`. */
  countCall?(principal: Principal): CountedCall;
  /** Before the body is read: throws `forbidden` if the credential does not cover the operation. */
  checkScope?(principal: Principal, operation: Operation): void;
  /**
   * Before a body of so many bytes is read: throws `rate_limited` where no more of the operation is
   * taken now. What it gives is called once the request is answered.
   */
  admit?(caller: Caller, operation: Operation, bytes?: number): (() => void) | undefined;
  /**
   * The principal as which the handler runs, for example with less than it may do elsewhere. Throws
   * `forbidden` or `not_found` when it may not make this call.
   */
  authorize(principal: Principal, operation: Operation, input: CheckedInput): Promise<Principal>;
  /** Normalizes the spelling of a request to that of the contract, before it is validated. */
  prepare?(operation: Operation, parts: UncheckedRequest): UncheckedRequest;
  /** Bytes of a JSON body, if less than the operation allows. */
  readonly jsonBytesMax?: number;
  /** The base URL of the service as its callers see it, if it is behind a proxy. */
  readonly publicUrl?: string;
  /** Whether answers are validated against the schema of the operation: for tests. */
  readonly checkAnswers?: boolean;
}

/** A request, its response, and what its path and query say. */
export interface RequestContext {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: Texts;
  readonly origin: string;
  readonly disconnect: ClientDisconnect;
}

/** Answers the requests of one method and path. */
export interface Endpoint extends Routed {
  /** For the log. */
  readonly id: string;
  /** Undefined for a raw route. */
  readonly operation?: Operation;
  /** Answers, or throws before it has written anything. */
  answer(context: RequestContext): Promise<void>;
}

export function operationEndpoint<O extends Operation, Principal>(
  operation: O,
  handler: AnyHandler<O, Principal>,
  policy: AccessPolicy<Principal>,
  memory: BodyMemory,
): Endpoint {
  const streams = handler instanceof StreamingHandler;
  const read = streams ? authenticateAlone : authenticateAndRead;
  const checked = streams ? withoutBody(operation) : operation;
  const answer = async (
    context: RequestContext,
    reservation: BodyReservation,
    policy: AccessPolicy<Principal>,
  ) => {
    const { principal, body } = await read(context, operation, policy, reservation);
    const { caller } = reservation;
    const origin = policy.publicUrl ?? context.origin;
    const text = handler instanceof RawTextHandler ? rawText(context, body) : undefined;
    if (handler instanceof RawTextHandler && text !== undefined) {
      await policy.authorize(principal, operation, {});
      const early = await handler.handleText(text);
      if (early !== undefined) return send(context, operation, policy, early);
    }
    const { parameters, query } = context;
    const sent = { path: parameters, query: withoutKey(policy.credentials, query), body };
    const parts = readParts(operation, sent);
    const handle = handler instanceof RawTextHandler ? handler.handle : handler;
    const result = await runHandler(checked, policy, { principal, caller, parts }, (input, as) => {
      const call = new HandlerCall(as, origin, context.disconnect);
      return handle instanceof StreamingHandler
        ? handle.handle(input, context.request, call)
        : handle(input, call);
    });
    send(context, operation, policy, result);
  };
  return {
    id: operation.id,
    operation,
    method: operation.method,
    path: operation.path,
    // The body is in memory until the answer.
    answer: (context) => {
      const call = counted(policy);
      const reservation = memory.reservation();
      // A call counts until the client has read its answer.
      context.response.on('close', call.end);
      return answer(context, reservation, call.policy).finally(() => reservation.release());
    },
  };
}

/** Who makes a call, and its parts as they were read. */
export interface ReadCall<Principal> {
  readonly principal: Principal;
  readonly caller: Caller;
  readonly parts: UncheckedRequest;
}

/** Checks and authorizes a call, and runs its handler for the caller. */
export async function runHandler<O extends Operation, Principal, Result>(
  operation: O,
  { prepare, authorize }: AccessPolicy<Principal>,
  { principal, caller, parts }: ReadCall<Principal>,
  handle: (input: Input<O>, as: Principal) => Promise<Result>,
): Promise<Result> {
  const input = checkRequest(operation, prepare?.(operation, parts) ?? parts);
  const authorized = await authorize(principal, operation, inputRecord(input));
  return runFor({ ...caller, action: operation.id }, () => handle(input, authorized));
}

/** The body as text, if the request has no parameters. */
function rawText({ parameters, query }: RequestContext, body: Body): string | undefined {
  if (Object.keys(parameters).length + Object.keys(query).length > 0) return undefined;
  return body instanceof UnparsedBody ? body.shortText : undefined;
}

function send<Principal>(
  { request, response }: RequestContext,
  operation: Operation,
  policy: AccessPolicy<Principal>,
  result: unknown,
): void {
  const { status, body } = answerOf(operation, policy, result);
  const { success, strictClientSuccess = success } = operation;
  const asked = status === success && isStrictClient(request) ? strictClientSuccess : status;
  sendAnswer(response, asked, body);
}

/**
 * The vendor's Python client compares some statuses with one number, which is not the documented
 * one. It sends what the library below it does.
 */
function isStrictClient({ headers }: IncomingMessage): boolean {
  return headers['user-agent']?.startsWith('python-requests/') ?? false;
}

/** The status and the body for the result of a handler. */
export function answerOf<Principal>(
  operation: Operation,
  { checkAnswers }: AccessPolicy<Principal>,
  result: unknown,
): { readonly status: number; readonly body: unknown } {
  const status = result instanceof AnswerWithStatus ? result.status : operation.success;
  const body: unknown = result instanceof AnswerWithStatus ? result.body : result;
  if (checkAnswers && status !== 204) checkAnswer(operation, asValue(body));
  return { status, body };
}

/** The value that a body says. */
export function asValue(body: unknown): unknown {
  return body instanceof JsonText ? JSON.parse(body.text) : body;
}

class HandlerCall<Principal> implements Call<Principal> {
  readonly principal: Principal;
  readonly origin: string;
  readonly #disconnect: ClientDisconnect;

  constructor(principal: Principal, origin: string, disconnect: ClientDisconnect) {
    this.principal = principal;
    this.origin = origin;
    this.#disconnect = disconnect;
  }

  get signal(): AbortSignal {
    return this.#disconnect.signal;
  }
}

const noBody: Body = { members: {}, parameters: {} };

/** The operation without its body members. */
function withoutBody<O extends Operation>(operation: O): O {
  return { ...operation, body: operation.body.pick({}) };
}

export function routeEndpoint<Principal>(
  route: Route<Principal>,
  policy: AccessPolicy<Principal>,
): Endpoint {
  const { method, path } = route;
  return {
    id: `${method} ${path}`,
    method,
    path,
    reserves: true,
    answer: async (context) => {
      const { request, response, parameters } = context;
      if (route.open) return route.handle(request, response, parameters);
      const call = counted(policy);
      response.on('close', call.end);
      await route.handle(
        request,
        response,
        parameters,
        await authenticateHead(context, call.policy),
      );
    },
  };
}

/** The policy for one request, which counts its call once, until `end`. */
export function counted<Principal>(policy: AccessPolicy<Principal>): {
  policy: AccessPolicy<Principal>;
  end: () => void;
} {
  if (policy.countCall === undefined) return { policy, end: () => {} };
  let call: CountedCall | undefined;
  const authenticate: AccessPolicy<Principal>['authenticate'] = async (...presented) => {
    const principal = await policy.authenticate(...presented);
    if (principal !== undefined) call ??= policy.countCall?.(principal);
    return principal;
  };
  return { policy: { ...policy, authenticate }, end: () => call?.end() };
}

/** The principal, by headers and query alone. */
async function authenticateHead<Principal>(
  context: RequestContext,
  policy: AccessPolicy<Principal>,
  operation?: Operation,
): Promise<Principal> {
  const { presented, principal } = await identify(context, policy, operation);
  if (principal === undefined) throw policy.credentials.refusal(presented);
  return principal;
}

/** As far as headers and query tell; undefined: they have no credential that is known. */
async function identify<Principal>(
  { request, query }: RequestContext,
  { credentials, authenticate, checkScope }: AccessPolicy<Principal>,
  operation?: Operation,
): Promise<{ readonly presented: Secret | undefined; readonly principal: Principal | undefined }> {
  const presented = credentials.presented(request, query);
  const place = credentialPlace(credentials, query);
  const principal = await authenticate(presented, place, clientNetwork(request));
  if (operation && principal !== undefined) checkScope?.(principal, operation);
  return { presented, principal };
}

/** Under whose name the work for a request counts. */
function callerOf<Principal>(
  { request }: RequestContext,
  policy: AccessPolicy<Principal>,
  principal: Principal | undefined,
): Caller {
  const address = clientNetwork(request);
  return (principal && policy.callerOf?.(principal, address)) ?? { name: address };
}

/** Whoever has no credential yet is only counted. */
function admit<Principal>(
  context: RequestContext,
  operation: Operation,
  policy: AccessPolicy<Principal>,
  { principal, reservation }: { principal: Principal | undefined; reservation: BodyReservation },
): void {
  const caller = callerOf(context, policy, principal);
  if (principal !== undefined) {
    reservation.leave = policy.admit?.(caller, operation, announcedBytes(context.request));
  }
  reservation.caller = caller;
}

/** The principal alone, for a handler that reads the body itself. */
async function authenticateAlone<Principal>(
  context: RequestContext,
  operation: Operation,
  policy: AccessPolicy<Principal>,
  reservation: BodyReservation,
): Promise<{ principal: Principal; body: Body }> {
  const principal = await authenticateHead(context, policy, operation);
  admit(context, operation, policy, { principal, reservation });
  return { principal, body: noBody };
}

/**
 * The principal, and the body without the credential. The body is read before the principal is
 * known only if it may carry the credential.
 */
async function authenticateAndRead<Principal>(
  context: RequestContext,
  operation: Operation,
  policy: AccessPolicy<Principal>,
  reservation: BodyReservation,
): Promise<{ principal: Principal; body: Body }> {
  const { request } = context;
  const { credentials, authenticate, checkScope, jsonBytesMax } = policy;
  const { presented, principal: early } = await identify(context, policy, operation);
  const mayCarryKey =
    credentials.parameter !== undefined && request.method === 'POST' && isJson(request);
  if (early === undefined && (presented || !mayCarryKey)) throw credentials.refusal(presented);
  if (early === undefined) refuseLarge(request);
  admit(context, operation, policy, { principal: early, reservation });
  const startMs = systemClock.monotonic();
  const bytesMax = early === undefined ? limits.unknownBodyBytesMax : jsonBytesMax;
  const body = await readBody(operation, request, reservation, bytesMax);
  const isLate = systemClock.monotonic() - startMs > limits.credentialRecheckMs;
  if (early !== undefined && isLate) await authenticateHead(context, policy, operation);
  if (!mayCarryKey && early !== undefined) return { principal: early, body };
  const inBody = credentialInBody(credentials, presented, body.members);
  const principal =
    inBody === undefined ? early : await authenticate(inBody, 'parameter', clientNetwork(request));
  if (principal === undefined) throw credentials.refusal(inBody ?? presented);
  if (principal !== early) checkScope?.(principal, operation);
  return { principal, body: { ...body, members: withoutKey(credentials, body.members) } };
}

/** An unknown client must not fill the memory for bodies, for which others wait. */
function refuseLarge({ headers }: IncomingMessage): void {
  if (Number(headers['content-length'] ?? 0) <= limits.unknownBodyBytesMax) return;
  throw new FoveaError('unauthenticated', 'A body of this size needs a credential before it.', {
    hint: 'Send the API key as "Authorization: Bearer", or in the query.',
  });
}

function checkAnswer(operation: Operation, answer: unknown): void {
  try {
    check(operation.answer, answer ?? {});
  } catch (thrown) {
    const { message } = asFoveaError(thrown);
    throw new FoveaError('internal', `${operation.id} gave a wrong answer: ${message}`);
  }
}

/** The input as an object: its type is that of any operation. */
function inputRecord(input: unknown): CheckedInput {
  return { ...(typeof input === 'object' ? input : {}) };
}
