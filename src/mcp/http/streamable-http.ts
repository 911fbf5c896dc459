// MCP over Streamable HTTP: one listener, a fresh server for each request, no state between
// requests.

import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  createMcpHandler,
  type McpHttpHandler,
  type McpServer,
  type Server,
  type ServerEventBus,
} from '@modelcontextprotocol/server';
import type { Clock } from '../../clock.ts';
import { asFoveaError, type FoveaError } from '../../errors.ts';
import { platformCredentials } from '../../http-server/credentials.ts';
import type { Route } from '../../http-server/handlers.ts';
import { createRateLimiter } from '../../http-server/rate-limiter.ts';
import { type ErrorAnswer, sendAnswer } from '../../http-server/responses.ts';
import { type Service, serve } from '../../http-server/serve.ts';
import { limits } from '../../limits.ts';
import type { Log } from '../../log.ts';
import type { TrustedProxies } from '../../network/client-address.ts';
import {
  type AuthorizationPolicy,
  authenticate,
  type Caller,
  challengeHeader,
  metadataPaths,
  type ProtectedResource,
  protectedResourceAt,
  requireScopes,
  resourceMetadata,
} from './authorization.ts';
import { readMessages } from './message-body.ts';
import { rememberTokens, type VerifyPresented } from './token-cache.ts';
import { goneSignal, sendWebResponse, toWebRequest } from './web-request.ts';

export interface StreamableHttpOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Values of the Host header that are accepted beside the local ones. */
  readonly allowedHosts?: readonly string[];
  /** The public origin of this server behind a proxy. */
  readonly publicUrl?: string;
  /** Proxies whose word on the address of a client is taken. */
  readonly trustedProxies?: TrustedProxies;
  /** Further routes of the listener, for example those of an authorization server. */
  readonly routes?: readonly Route[];
  /** Undefined: everybody may call, which is for fixtures of tests alone. */
  readonly authorization?: AuthorizationPolicy;
  /** A server for one request. `caller` is undefined only without an admission. */
  readonly makeServer: (caller: Caller | undefined) => Server | McpServer;
  /** Where a server tells of changes of its lists. */
  readonly events?: ServerEventBus;
  /** Told of the origin once it is known; no call is answered before it resolves. */
  readonly onListening?: (origin: string) => Promise<void>;
  readonly log: Log;
  readonly clock: Clock;
}

/** Where the protocol is spoken. */
export const mcpPath = '/mcp';

/**
 * Listens, and serves both eras of the protocol at `/mcp`. Throws `conflict` when the port is
 * taken, and as `onListening` does.
 */
export async function startStreamableHttp(options: StreamableHttpOptions): Promise<Service> {
  const { host, port, publicUrl, authorization: admission, log, clock } = options;
  const publicHost = publicUrl === undefined ? [] : [new URL(publicUrl).host];
  const ready = Promise.withResolvers<ProtectedResource>();
  ready.promise.catch(() => {});
  const endpoint = createEndpoint(options, ready.promise);
  const service = await serve({
    operations: {},
    handlers: {},
    routes: [
      { method: 'POST', path: mcpPath, open: true, handle: endpoint.answer },
      ...(admission ? metadataRoutes(admission, ready.promise) : []),
      ...(options.routes ?? []),
    ],
    // All routes are open: the endpoint has a door of its own.
    credentials: platformCredentials,
    authenticate: async () => undefined,
    authorize: async (caller) => caller,
    errorBody: rpcErrorBody,
    allowedHosts: [...(options.allowedHosts ?? []), ...publicHost],
    trustedProxies: options.trustedProxies ?? [],
    host,
    port,
    log,
    clock,
  });
  const close = async () => {
    await service.close();
    await endpoint.close();
  };
  try {
    const origin = publicUrl === undefined ? service.url : new URL(publicUrl).origin;
    await options.onListening?.(origin);
    ready.resolve(protectedResourceAt(origin, mcpPath));
  } catch (thrown) {
    ready.reject(thrown);
    await close();
    throw thrown;
  }
  return { url: service.url, close };
}

/** The endpoint of the protocol. */
function createEndpoint(options: StreamableHttpOptions, ready: Promise<ProtectedResource>) {
  const { clock } = options;
  const callers = new WeakMap<Request, Caller>();
  const handler = createHandler(options, callers);
  const rateLimit = createRateLimiter(clock, {
    callsPerMinuteMax: limits.httpCallsPerMinuteMax,
    callsAtOnceMax: limits.httpCallsAtOnceMax,
  });
  const { authorization: admission } = options;
  const verify = admission && rememberTokens(admission.verify, clock);
  const answerOpen = async (
    request: IncomingMessage,
    response: ServerResponse,
    protectedResource: ProtectedResource,
  ) => {
    const gone = goneSignal(response);
    const { value } = await readMessages(request);
    const asked = toWebRequest(request, protectedResource.resource, gone);
    await sendWebResponse(await handler.fetch(asked, { parsedBody: value }), response);
  };
  const answerKnown = async (
    request: IncomingMessage,
    response: ServerResponse,
    protectedResource: ProtectedResource,
    door: AuthorizationPolicy,
    verify: VerifyPresented,
  ) => {
    const gone = goneSignal(response);
    const caller = await authenticate(request, verify, protectedResource, clock);
    const counted = rateLimit.begin(caller.token.subject);
    try {
      const { value, messages } = await readMessages(request);
      counted.count(messages.length);
      requireScopes(messages, caller.token, door.scopeOf);
      const asked = toWebRequest(request, protectedResource.resource, gone);
      callers.set(asked, caller);
      await sendWebResponse(await handler.fetch(asked, { parsedBody: value }), response);
    } finally {
      counted.end();
    }
  };
  return {
    close: handler.close,
    answer: async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const protectedResource = await ready;
      if (!admission || !verify) return answerOpen(request, response, protectedResource);
      try {
        await answerKnown(request, response, protectedResource, admission, verify);
      } catch (thrown) {
        const challenge = challengeHeader(
          asFoveaError(thrown),
          protectedResource,
          admission.scopes,
        );
        if (challenge && !response.headersSent) response.setHeader('www-authenticate', challenge);
        throw thrown;
      }
    },
  };
}

function createHandler(
  { authorization: admission, makeServer, events, log }: StreamableHttpOptions,
  callers: WeakMap<Request, Caller>,
): McpHttpHandler {
  return createMcpHandler(
    ({ requestInfo }) => {
      const caller = requestInfo && callers.get(requestInfo);
      // A server is never made for an unknown caller.
      if (admission && !caller) throw new Error('a request has lost its caller');
      return makeServer(caller);
    },
    {
      onerror: (error) => log.debug('A message was refused.', { error: error.name }),
      ...(events && { bus: events }),
    },
  );
}

function metadataRoutes(
  admission: AuthorizationPolicy,
  ready: Promise<ProtectedResource>,
): readonly Route[] {
  return metadataPaths(mcpPath).map((path) => ({
    method: 'GET',
    path,
    open: true,
    handle: async (_request, response) =>
      sendAnswer(response, 200, resourceMetadata(await ready, admission)),
  }));
}

/** JSON-RPC 2.0 codes for invalid messages; our own codes are in `data`. */
const rpcCodes: Readonly<Record<string, number>> = {
  bad_request: -32_700,
  invalid_input: -32_600,
  too_large: -32_600,
};

/** For scripts of the management API that were pointed here. */
const otherAddress = `MCP is spoken at ${mcpPath}; fovea platform serves the management API.`;

/** Refused before JSON-RPC was parsed, so there is no request id. */
function rpcErrorBody(error: FoveaError): ErrorAnswer {
  const { status, code, message, retryAfterSeconds } = error;
  const { hint = code === 'not_found' ? otherAddress : undefined } = error;
  return {
    status,
    headers: retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) },
    body: {
      jsonrpc: '2.0',
      id: null,
      error: {
        code: rpcCodes[code] ?? -32_000,
        message,
        data: { type: code, ...(hint !== undefined && { hint }) },
      },
    },
  };
}
