// serve(operations, handlers): an HTTP service that answers the operations of the contract.

import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Clock } from '../clock.ts';
import type { HandleInProcess } from '../contract/in-process.ts';
import type { NotServed } from '../contract/not-served.ts';
import type { Operation } from '../contract/operation.ts';
import { asFoveaError, FoveaError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { Log } from '../log.ts';
import type { TrustedProxies } from '../network/client-address.ts';
import { createHostCheck } from '../network/host-check.ts';
import { http } from '../network/http-module.ts';
import { BodyMemory } from './body-memory-budget.ts';
import type { Texts } from './body-parsing.ts';
import { recordAddresses } from './client-address.ts';
import { ClientDisconnect } from './client-disconnect.ts';
import { answerConnections } from './connections.ts';
import { negotiateContent } from './content-negotiation.ts';
import { type AccessPolicy, type Endpoint, operationEndpoint, routeEndpoint } from './endpoint.ts';
import type { Handlers, Operations, Route } from './handlers.ts';
import { headerValues } from './header-values.ts';
import { inProcessHandler, type LocalOperations } from './in-process.ts';
import { closeLingering } from './lingering-close.ts';
import { answerMalformedRequests } from './malformed-requests.ts';
import { type ErrorAnswer, type ErrorBody, sendError } from './responses.ts';
import { explainAddress } from './route-mismatch-errors.ts';
import { createRouter, type Match, type Router } from './router.ts';

export interface ServeOptions<
  Ops extends Operations,
  Principal,
  Local extends Operations = Record<never, Operation>,
> extends AccessPolicy<Principal> {
  readonly operations: Ops;
  readonly handlers: Handlers<Ops, Principal>;
  /** Answered to callers in this process alone. */
  readonly local?: LocalOperations<Local, Principal>;
  readonly routes?: readonly Route<Principal>[];
  /** What clients may ask for, and this service does not have. */
  readonly notServed?: readonly NotServed[];
  /** The shape in which this service answers an error. */
  readonly errorBody: ErrorBody;
  /** The address to listen on; 127.0.0.1 unless given. */
  readonly host?: string;
  /** 0: any free port. */
  readonly port: number;
  /** Host headers, with ports, that are accepted beside the local ones. */
  readonly allowedHosts?: readonly string[];
  /** Proxies whose word on the address of a client is taken; none unless given. */
  readonly trustedProxies?: TrustedProxies;
  /** Milliseconds for a whole request; `limits.requestMsMax` unless given. */
  readonly requestMsMax?: number;
  /** Called for every answer, with its endpoint (undefined: no such path) and duration. */
  readonly onAnswer?: OnAnswer;
  readonly log: Log;
  readonly clock: Clock;
}

type OnAnswer = (endpoint: string | undefined, status: number, seconds: number) => void;

/**
 * Listens, and answers every operation with its handler. A FoveaError of a handler becomes an error
 * answer, any other error a 500 without details. Throws `conflict` if the port is taken.
 */
export async function serve<
  Ops extends Operations,
  Principal,
  Local extends Operations = Record<never, Operation>,
>(options: ServeOptions<Ops, Principal, Local>): Promise<CallableService> {
  const { host = '127.0.0.1', allowedHosts = [], errorBody, log, clock } = options;
  const router = createRouter(endpointsOf(options));
  const server = http.createServer({
    headersTimeout: limits.requestHeadersMsMax,
    requestTimeout: options.requestMsMax ?? limits.requestMsMax,
    connectionsCheckingInterval: 1_000,
    maxHeaderSize: limits.headerBytesMax,
    // createHostCheck checks it, so that the answer has the error shape of the service.
    requireHostHeader: false,
  });
  const running = new Set<Promise<void>>();
  answerMalformedRequests(server, errorBody);
  const port = await listen(server, host, options.port);
  const url = urlOf(host, port);
  const checkSource = createHostCheck({ port, host: new URL(url).hostname, allowedHosts });
  const { notServed = [], onAnswer } = options;
  const service = { checkSource, router, notServed, errorBody, onAnswer, log, clock };
  const noteAddress = recordAddresses(options.trustedProxies ?? []);
  server.on('error', ({ message }) => log.error('the service failed', { reason: message }));
  answerConnections(server, (request, response, ended) => {
    noteAddress(request);
    const work = respond(service, request, response).catch(() => {
      response.destroy();
    });
    running.add(work);
    work.then(() => running.delete(work));
    response.on('close', () => {
      ended();
      if (!server.listening) server.closeIdleConnections();
    });
  });
  let closed: Promise<void> | undefined;
  const handle = answerErrors(service, inProcessHandler(options, url));
  return {
    url,
    handle: (request) => {
      const answer = handle(request);
      const work = answer.then(ignore, ignore);
      running.add(work);
      work.then(() => running.delete(work));
      return answer;
    },
    close: () => {
      closed ??= shutDown(server, running);
      return closed;
    },
  };
}

interface Running {
  readonly checkSource: ReturnType<typeof createHostCheck>;
  readonly router: Router<Endpoint>;
  readonly notServed: readonly NotServed[];
  readonly errorBody: ErrorBody;
  readonly onAnswer: OnAnswer | undefined;
  readonly log: Log;
  readonly clock: Clock;
}

function endpointsOf<Ops extends Operations, Principal>(
  options: Omit<ServeOptions<Ops, Principal>, 'local'>,
): Endpoint[] {
  const { operations, handlers, routes = [] } = options;
  const endpoints: Endpoint[] = [];
  const memory = new BodyMemory();
  for (const name in operations) {
    const endpoint = operationEndpoint<Ops[typeof name], Principal>;
    const made = endpoint(operations[name], handlers[name], options, memory);
    const { operation } = made;
    endpoints.push(made, ...(operation?.alsoAt ?? []).map((address) => ({ ...made, ...address })));
  }
  const pages = routes.filter(({ isHtmlVariant }) => isHtmlVariant);
  const others = routes.filter(({ isHtmlVariant }) => !isHtmlVariant);
  const made = (list: readonly Route<Principal>[]) =>
    list.map((route) => routeEndpoint(route, options));
  return [...negotiateContent(endpoints, made(pages)), ...made(others)];
}

async function listen(server: Server, host: string, port: number): Promise<number> {
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (cause) {
    throw new FoveaError('conflict', `Cannot listen on port ${port} of ${host}.`, {
      hint: 'Choose another port, or 0 for any free one.',
      cause,
    });
  }
  const address = server.address();
  return typeof address === 'object' && address ? address.port : port;
}

function urlOf(host: string, port: number): string {
  const isEverywhere = host === '0.0.0.0' || host === '::';
  const name = isEverywhere ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

/** Answers one request, also if its handler throws. */
async function respond(
  service: Running,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { router, notServed, log, clock } = service;
  const disconnect = new ClientDisconnect();
  const startMs = clock.monotonic();
  let endpoint: Endpoint | undefined;
  response.on('error', () => {});
  closeLingering(request, response);
  response.on('close', () => {
    if (!response.writableFinished) disconnect.happened();
    const ms = clock.monotonic() - startMs;
    const status = response.headersSent ? response.statusCode : clientWentAway;
    service.onAnswer?.(endpoint?.id, status, ms / 1_000);
    log.debug('answered', { operation: endpoint?.id, status, ms: Math.round(ms) });
  });
  try {
    const host = service.checkSource({
      host: headerValues(request, 'host'),
      origin: headerValues(request, 'origin'),
    });
    const { path, query } = splitTarget(request.url ?? '');
    const match = route(router, request.method ?? '', path, response);
    endpoint = match.endpoint;
    const { parameters } = match;
    const origin = `http://${host}`;
    await endpoint.answer({ request, response, parameters, query, origin, disconnect });
  } catch (thrown) {
    const { id, operation } = endpoint ?? {};
    const error = explainAddress(asFoveaError(thrown), request.url ?? '', notServed, operation);
    sendError(response, errorAnswer(service, error, id, operation));
  }
}

function errorAnswer(
  { log, errorBody }: Pick<Running, 'log' | 'errorBody'>,
  thrown: unknown,
  id: string | undefined,
  operation: Operation | undefined,
): ErrorAnswer {
  const error = asFoveaError(thrown);
  if (error.code === 'internal') {
    const reason = error.cause instanceof Error ? error.cause.message : error.message;
    log.error('a request failed', { operation: id, reason });
  }
  return errorBody(error, operation);
}

/** Turns errors into answers, except that a file of the caller cannot be read. */
function answerErrors(service: Running, handle: HandleInProcess): HandleInProcess {
  return async (request) => {
    const { operation } = request;
    const startMs = service.clock.monotonic();
    const answer = await handle(request).catch((thrown: unknown) => {
      if (thrown instanceof DOMException && thrown.name === 'NotReadableError') throw thrown;
      return { headers: {}, ...errorAnswer(service, thrown, operation.id, operation) };
    });
    const ms = service.clock.monotonic() - startMs;
    service.onAnswer?.(operation.id, answer.status, ms / 1_000);
    service.log.debug('answered', {
      operation: operation.id,
      status: answer.status,
      ms: Math.round(ms),
    });
    return answer;
  };
}

const ignore = () => undefined;

/** nginx logs this status for a client that closed the connection before its answer. */
const clientWentAway = 499;

function splitTarget(target: string): { path: string; query: Texts } {
  const end = target.indexOf('?');
  if (end < 0) return { path: target, query: {} };
  const path = target.slice(0, end);
  refuseMany(target, end);
  const query = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(target.slice(end + 1))) {
    const values = query.get(name);
    if (values) values.push(value);
    else query.set(name, [value]);
  }
  return { path, query: Object.fromEntries(query) };
}

/** Counts the parameters before they are parsed. */
function refuseMany(target: string, start: number): void {
  let count = 1;
  for (let at = target.indexOf('&', start); at >= 0; at = target.indexOf('&', at + 1)) count += 1;
  if (count <= limits.queryParametersMax) return;
  const most = `at most ${limits.queryParametersMax} are taken`;
  throw new FoveaError('bad_request', `The query has ${count} parameters; ${most}.`);
}

function route(
  router: Router<Endpoint>,
  method: string,
  path: string,
  response: ServerResponse,
): Match<Endpoint> {
  const match = router.match(method, path);
  if (match) return match;
  const allowed = router.allowed(path).join(', ');
  if (allowed === '') throw new FoveaError('not_found', 'There is no operation at this path.');
  response.setHeader('allow', allowed);
  throw new FoveaError('method_not_allowed', `This path has only the methods ${allowed}.`);
}

/** Handlers end before the service does: its owner closes the store next. */
async function shutDown(server: Server, running: ReadonlySet<Promise<void>>): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  await within(limits.shutdownMsMax, Promise.all([closed, ...running]));
  server.closeAllConnections();
  await closed;
  await within(limits.abortedMsMax, Promise.all(running));
}

async function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  await Promise.race([work, late]);
  clearTimeout(timer);
}

export interface Service {
  /** For example `http://127.0.0.1:8000`. */
  readonly url: string;
  /** Stops listening, lets running requests end for a moment, then cuts them. */
  close(): Promise<void>;
}

/** A service that its own process can call without HTTP. */
export interface CallableService extends Service {
  readonly handle: HandleInProcess;
}
