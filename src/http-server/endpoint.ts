// One request from its credential to its answer, for an operation and for a raw route.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { systemClock } from '../clock.ts';
import { check, checkParts, coerceText, type UncheckedParts } from '../contract/check.ts';
import type { Operation } from '../contract/operation.ts';
import { asFoveaError, FoveaError, invalidArgument } from '../errors.ts';
import { limits } from '../limits.ts';
import type { Secret } from '../secret.ts';
import type { Caller } from '../semaphore.ts';
import type { BodyMemory, BodyReservation } from './body-memory.ts';
import { clientNetwork } from './client-address.ts';
import {
  type CredentialPlace,
  type CredentialPlaces,
  credentialInBody,
  credentialPlace,
  withoutKey,
} from './credentials.ts';
import type { Departure } from './departure.ts';
import {
  Answered,
  type AnyHandler,
  type Call,
  type Route,
  Streamed,
  TextFirst,
} from './handlers.ts';
import type { Visit } from './rate-limit.ts';
import { type Body, isJson, readBody, type Texts, UnreadBody } from './request-body.ts';
import { sendAnswer } from './responses.ts';
import type { Routed } from './router.ts';

/** The flat, checked input of an operation. */
export type CheckedInput = Readonly<Record<string, unknown>>;

/** Who may do what. Asked for every request but those to open routes. */
export interface Gate<Principal> {
  readonly credentials: CredentialPlaces;
  /** Whose credential this is; undefined when it is missing or unknown. `address` presents it. */
  authenticate(
    presented: Secret | undefined,
    place: CredentialPlace,
    address: string,
  ): Promise<Principal | undefined>;
  /**
   * In whose name the bodies of a principal count. Without it, all principals are one to us, and
   * an address is what tells callers apart.
   */
  callerOf?(principal: Principal, address: string): Caller;
  /** One call of this caller, left when it is answered. Throws `rate_limited`. */
  visit?(principal: Principal): Visit;
  /** Throws `forbidden` when the credential is not for this operation, before its body is read. */
  permit?(principal: Principal, operation: Operation): void;
  /** Throws `forbidden` or `not_found` when the principal may not make this call. */
  authorize(principal: Principal, operation: Operation, input: CheckedInput): Promise<void>;
  /** Puts the parts of a request into the spelling of the contract, before they are checked. */
  prepare?(operation: Operation, parts: UncheckedParts): UncheckedParts;
  /** The most bytes of a JSON body, where its operation would take more. */
  readonly jsonBytesMax?: number;
  /** The address under which callers reach the service, where a proxy stands before it. */
  readonly publicUrl?: string;
  /** Whether answers are held against the schema of the operation: for tests. */
  readonly checkAnswers?: boolean;
}

/** A request that found its endpoint. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: Texts;
  readonly origin: string;
  readonly departure: Departure;
}

/** What answers a method and a path. */
export interface Endpoint extends Routed {
  /** For the log. */
  readonly id: string;
  /** Undefined for a raw route. */
  readonly operation?: Operation;
  /** Answers, or throws before it has written anything. */
  answer(exchange: Exchange): Promise<void>;
}

export function operationEndpoint<O extends Operation, Principal>(
  operation: O,
  handler: AnyHandler<O, Principal>,
  gate: Gate<Principal>,
  memory: BodyMemory,
): Endpoint {
  const answer = async (
    exchange: Exchange,
    reservation: BodyReservation,
    gate: Gate<Principal>,
  ) => {
    const { principal, body } =
      handler instanceof Streamed
        ? { principal: await enter(exchange, gate, operation), body: noBody }
        : await admit(exchange, operation, gate, reservation);
    const origin = gate.publicUrl ?? exchange.origin;
    const call = new CallOf(principal, origin, exchange.departure);
    const text = handler instanceof TextFirst ? loneText(exchange, body) : undefined;
    if (handler instanceof TextFirst && text !== undefined) {
      await gate.authorize(principal, operation, {});
      const early = await handler.handleText(text);
      if (early !== undefined) return send(exchange, operation, gate, early);
    }
    const parts = partsOf(operation, exchange, body, gate.credentials);
    const prepared = gate.prepare?.(operation, parts) ?? parts;
    const input = checkParts(
      handler instanceof Streamed ? withoutBody(operation) : operation,
      prepared,
    );
    await gate.authorize(principal, operation, inputRecord(input));
    const handle = handler instanceof TextFirst ? handler.handle : handler;
    const result =
      handle instanceof Streamed
        ? await handle.handle(input, exchange.request, call)
        : await handle(input, call);
    send(exchange, operation, gate, result);
  };
  return {
    id: operation.id,
    operation,
    method: operation.method,
    path: operation.path,
    // A body is in memory until the answer.
    answer: (exchange) => {
      const visit = counted(gate);
      const reservation = memory.reservation();
      // Who does not read an answer is still being answered.
      exchange.response.on('close', visit.leave);
      return answer(exchange, reservation, visit.gate).finally(() => reservation.release());
    },
  };
}

/** The body as it came, where there is nothing beside it. */
function loneText({ parameters, query }: Exchange, body: Body): string | undefined {
  if (Object.keys(parameters).length + Object.keys(query).length > 0) return undefined;
  return body instanceof UnreadBody ? body.shortText : undefined;
}

function send<Principal>(
  { response }: Exchange,
  operation: Operation,
  { checkAnswers }: Gate<Principal>,
  result: unknown,
): void {
  const status = result instanceof Answered ? result.status : operation.success;
  const body: unknown = result instanceof Answered ? result.body : result;
  if (checkAnswers && status !== 204) checkAnswer(operation, body);
  sendAnswer(response, status, body);
}

class CallOf<Principal> implements Call<Principal> {
  readonly principal: Principal;
  readonly origin: string;
  readonly #departure: Departure;

  constructor(principal: Principal, origin: string, departure: Departure) {
    this.principal = principal;
    this.origin = origin;
    this.#departure = departure;
  }

  get signal(): AbortSignal {
    return this.#departure.signal;
  }
}

const noBody: Body = { members: {}, parameters: {} };

/** The same operation with its parameters alone. */
function withoutBody<O extends Operation>(operation: O): O {
  return { ...operation, body: operation.body.pick({}) };
}

export function routeEndpoint<Principal>(route: Route<Principal>, gate: Gate<Principal>): Endpoint {
  const { method, path } = route;
  return {
    id: `${method} ${path}`,
    method,
    path,
    reserves: true,
    answer: async (exchange) => {
      const { request, response, parameters } = exchange;
      if (route.open) return route.handle(request, response, parameters);
      const visit = counted(gate);
      response.on('close', visit.leave);
      await route.handle(request, response, parameters, await enter(exchange, visit.gate));
    },
  };
}

/** The gate for one request: whoever it lets in is counted once, until `leave`. */
function counted<Principal>(gate: Gate<Principal>): { gate: Gate<Principal>; leave: () => void } {
  if (gate.visit === undefined) return { gate, leave: () => {} };
  let visit: Visit | undefined;
  const authenticate: Gate<Principal>['authenticate'] = async (...presented) => {
    const principal = await gate.authenticate(...presented);
    if (principal !== undefined) visit ??= gate.visit?.(principal);
    return principal;
  };
  return { gate: { ...gate, authenticate }, leave: () => visit?.leave() };
}

/** Who calls, by the headers and the query alone. */
async function enter<Principal>(
  { request, query }: Exchange,
  { credentials, authenticate, permit }: Gate<Principal>,
  operation?: Operation,
): Promise<Principal> {
  const presented = credentials.presented(request, query);
  const place = credentialPlace(credentials, query);
  const principal = await authenticate(presented, place, clientNetwork(request));
  if (principal === undefined) throw credentials.refusal(presented);
  if (operation) permit?.(principal, operation);
  return principal;
}

/**
 * Who calls, and the body without the credential. The body is read before the caller is known only
 * where it may carry the credential itself.
 */
async function admit<Principal>(
  { request, query }: Exchange,
  operation: Operation,
  { credentials, authenticate, permit, callerOf, jsonBytesMax }: Gate<Principal>,
  reservation: BodyReservation,
): Promise<{ principal: Principal; body: Body }> {
  const presented = credentials.presented(request, query);
  const place = credentialPlace(credentials, query);
  const address = clientNetwork(request);
  const early = await authenticate(presented, place, address);
  const mayCarryKey =
    credentials.parameter !== undefined && operation.method === 'POST' && isJson(request);
  if (early === undefined && (presented || !mayCarryKey)) throw credentials.refusal(presented);
  if (early !== undefined) permit?.(early, operation);
  if (early === undefined) refuseLarge(request);
  reservation.caller = (early && callerOf?.(early, address)) ?? { name: address };
  const startMs = systemClock.monotonic();
  const bytesMax = early === undefined ? limits.unknownBodyBytesMax : jsonBytesMax;
  const body = await readBody(operation, request, reservation, bytesMax);
  const isLate = systemClock.monotonic() - startMs > limits.credentialRecheckMs;
  if (early !== undefined && isLate) {
    const still = await authenticate(presented, place, address);
    if (still === undefined) throw credentials.refusal(presented);
    permit?.(still, operation);
  }
  if (!mayCarryKey && early !== undefined) return { principal: early, body };
  const inBody = credentialInBody(credentials, presented, body.members);
  const principal = inBody === undefined ? early : await authenticate(inBody, 'parameter', address);
  if (principal === undefined) throw credentials.refusal(inBody ?? presented);
  if (principal !== early) permit?.(principal, operation);
  return { principal, body: { ...body, members: withoutKey(credentials, body.members) } };
}

/** Nobody whom we do not know has us keep a large body, and others wait for it. */
function refuseLarge({ headers }: IncomingMessage): void {
  if (Number(headers['content-length'] ?? 0) <= limits.unknownBodyBytesMax) return;
  throw new FoveaError('unauthenticated', 'A body of this size needs a credential before it.', {
    hint: 'Send the API key as "Authorization: Bearer", or in the query.',
  });
}

function partsOf(
  operation: Operation,
  { parameters, query }: Exchange,
  body: Body,
  credentials: CredentialPlaces,
): UncheckedParts {
  const given = withoutKey(credentials, query);
  for (const [name, values] of Object.entries(body.parameters)) {
    const inQuery = given[name];
    if (inQuery && inQuery.join('\n') !== values.join('\n')) {
      throw invalidArgument(name, 'the query and the body give different values, send one');
    }
  }
  const path = Object.entries(parameters).map(([name, value]): [string, string[]] => [
    name,
    [value],
  ]);
  return {
    path: coerceText(operation.pathParameters, Object.fromEntries(path)),
    query: coerceText(operation.query, { ...given, ...body.parameters }),
    body: body.members,
  };
}

function checkAnswer(operation: Operation, answer: unknown): void {
  try {
    check(operation.answer, answer ?? {});
  } catch (thrown) {
    const { message } = asFoveaError(thrown);
    throw new FoveaError('internal', `${operation.id} gave a wrong answer: ${message}`);
  }
}

/** An input is an object with members, which its type cannot say for all operations at once. */
function inputRecord(input: unknown): CheckedInput {
  return { ...(typeof input === 'object' ? input : {}) };
}
