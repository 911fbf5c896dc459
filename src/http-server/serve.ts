// serve(operations, handlers): an HTTP service of our own, from its first request to its last.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { TrustedProxies } from '../boundary/client-address.ts';
import { localRequests } from '../boundary/local-requests.ts';
import type { Clock } from '../clock.ts';
import { asFoveaError, FoveaError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { Log } from '../log.ts';
import { BodyMemory } from './body-memory.ts';
import { answerBrokenRequests } from './broken-requests.ts';
import { joinByAccept } from './by-accept.ts';
import { noteAddresses } from './client-address.ts';
import { answerConnections } from './connections.ts';
import { Departure } from './departure.ts';
import { type Endpoint, type Gate, operationEndpoint, routeEndpoint } from './endpoint.ts';
import type { ErrorBody } from './error-body.ts';
import type { Handlers, Operations, Route } from './handlers.ts';
import { headerValues } from './header-values.ts';
import { lingerAfterAnswer } from './linger.ts';
import type { Texts } from './request-body.ts';
import { sendError } from './responses.ts';
import { createRouter, type Match, type Router } from './router.ts';
import type { Service } from './service.ts';

export interface ServeOptions<Ops extends Operations, Principal> extends Gate<Principal> {
  readonly operations: Ops;
  readonly handlers: Handlers<Ops, Principal>;
  readonly routes?: readonly Route<Principal>[];
  /** The shape in which this service answers an error. */
  readonly errorBody: ErrorBody;
  /** The address to listen on; 127.0.0.1 unless given. */
  readonly host?: string;
  /** 0: any free port. */
  readonly port: number;
  /** Values of the Host header that are ours beside the local ones, with their ports. */
  readonly allowedHosts?: readonly string[];
  /** Whose word on the address of a client is taken; nobody's unless given. */
  readonly trustedProxies?: TrustedProxies;
  /** Time for a whole request; that of `limits` unless given. */
  readonly requestMsMax?: number;
  /** Told of every answer: whose it was (undefined: of no path), and how long it took. */
  readonly onAnswer?: OnAnswer;
  readonly log: Log;
  readonly clock: Clock;
}

type OnAnswer = (endpoint: string | undefined, status: number, seconds: number) => void;

/**
 * Listens, and answers every operation with its handler. What a handler throws becomes an error
 * answer; what nobody foresaw a 500 without details. Throws `conflict` when the port is taken.
 */
export async function serve<Ops extends Operations, Principal>(
  options: ServeOptions<Ops, Principal>,
): Promise<Service> {
  const { host = '127.0.0.1', allowedHosts = [], errorBody, log, clock } = options;
  const router = createRouter(endpointsOf(options));
  const server = createServer({
    headersTimeout: limits.requestHeadersMsMax,
    requestTimeout: options.requestMsMax ?? limits.requestMsMax,
    connectionsCheckingInterval: 1_000,
    maxHeaderSize: limits.headerBytesMax,
    // Ours is checked for every request, and answered in the service's shape.
    requireHostHeader: false,
  });
  const running = new Set<Promise<void>>();
  answerBrokenRequests(server, errorBody);
  const port = await listen(server, host, options.port);
  const url = urlOf(host, port);
  const checkSource = localRequests({ port, host: new URL(url).hostname, allowedHosts });
  const service = { checkSource, router, errorBody, onAnswer: options.onAnswer, log, clock };
  const noteAddress = noteAddresses(options.trustedProxies ?? []);
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
  return {
    url,
    close: () => {
      closed ??= shutDown(server, running);
      return closed;
    },
  };
}

interface Running {
  readonly checkSource: ReturnType<typeof localRequests>;
  readonly router: Router<Endpoint>;
  readonly errorBody: ErrorBody;
  readonly onAnswer: OnAnswer | undefined;
  readonly log: Log;
  readonly clock: Clock;
}

function endpointsOf<Ops extends Operations, Principal>(
  options: ServeOptions<Ops, Principal>,
): Endpoint[] {
  const { operations, handlers, routes = [] } = options;
  const endpoints: Endpoint[] = [];
  const memory = new BodyMemory();
  for (const name in operations) {
    const endpoint = operationEndpoint<Ops[typeof name], Principal>;
    endpoints.push(endpoint(operations[name], handlers[name], options, memory));
  }
  const pages = routes.filter(({ byAccept }) => byAccept);
  const others = routes.filter(({ byAccept }) => !byAccept);
  const made = (list: readonly Route<Principal>[]) =>
    list.map((route) => routeEndpoint(route, options));
  return [...joinByAccept(endpoints, made(pages)), ...made(others)];
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

/** Answers one request, whatever happens in its handler. */
async function respond(
  service: Running,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { router, log, clock } = service;
  const departure = new Departure();
  const startMs = clock.monotonic();
  let endpoint: Endpoint | undefined;
  response.on('error', () => {});
  lingerAfterAnswer(request, response);
  response.on('close', () => {
    if (!response.writableFinished) departure.happen();
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
    await endpoint.answer({ request, response, parameters, query, origin, departure });
  } catch (thrown) {
    const error = asFoveaError(thrown);
    if (error.code === 'internal') {
      const reason = error.cause instanceof Error ? error.cause.message : error.message;
      log.error('a request failed', { operation: endpoint?.id, reason });
    }
    sendError(response, service.errorBody(error, endpoint?.operation));
  }
}

/** Nobody was answered. Others that count requests have this number for it too. */
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

/** Counted before they are read. */
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
  if (allowed === '') throw new FoveaError('not_found', 'There is nothing at this path.');
  response.setHeader('allow', allowed);
  throw new FoveaError('method_not_allowed', `This path has only the methods ${allowed}.`);
}

/** Running handlers end before their service does: its owner closes the store next. */
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
