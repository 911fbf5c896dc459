// Creates the client: finds the service of an operation, calls it, and retries.

import { Agent, type Dispatcher } from 'undici';
import { untilAborted } from '../abort.ts';
import type { Clock } from '../clock.ts';
import type { Input, Operation } from '../contract/operation.ts';
import { FoveaError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { Proxies } from '../network/proxies.ts';
import { type Attempt, withRenewal, withRetries } from '../network/retry.ts';
import type { Secret } from '../secret.ts';
import type { CallOptions, Client, ClientOptions, Reply, Upstream, Upstreams } from './client.ts';
import { type Deadline, startDeadline } from './deadline.ts';
import { createDownloader } from './download.ts';
import {
  answerBytesMax,
  type CallContext,
  cutFailure,
  endedFailure,
  statusFailure,
  unansweredFailure,
} from './failures.ts';
import { type RequestOutcome, sendRequest } from './http-request.ts';
import { requestInProcess } from './in-process-request.ts';
import { createProxyPools, type ProxyPools } from './proxy-pools.ts';
import { type PreparedRequest, prepareRequest, responseCacheKey } from './request.ts';
import { ownBody, readBody, typedBody } from './response-body.ts';
import { createResponseCache } from './response-cache.ts';
import { createUploader } from './upload.ts';

/** A client of the services in `upstreams`. It opens nothing before the first call. */
export function createClient(options: ClientOptions): Client {
  const { upstreams, clock } = options;
  const pools = lazyPools(options.proxies);
  const cache = createResponseCache<Answer2xx>(clock);
  const downloader = createDownloader(options);
  const uploader = createUploader(options);
  const answerOf = async (call: PreparedCall, deadline: Deadline) => {
    const attempt = async () => attemptOnce(options, pools, call, deadline);
    const context = { ...call, deadline };
    return withRetries(options, deadline, attempt, () => endedFailure(context, false));
  };
  const answer = (call: PreparedCall, deadline: Deadline) =>
    withRenewal(
      call,
      (current) => answerOf(current, deadline),
      (refused) => renewed(refused, deadline),
    );
  const call = async <O extends Operation>(
    operation: O,
    input: Input<O>,
    { signal, timeoutMs = options.timeoutMs, onSent, onShare }: CallOptions = {},
  ): Promise<Reply<O>> => {
    const deadline = startDeadline(clock, timeoutMs, signal);
    try {
      const found = await prepareCall(upstreams, operation, input, deadline);
      const prepared = { ...found, onSent, onShare };
      const reply = ({ status, body, secret }: Answer2xx, ageMs: number): Reply<O> => ({
        status,
        body: prepared.upstream.handle
          ? ownBody(operation, body)
          : typedBody(operation, status, body, secret),
        ageMs,
      });
      if (operation.intervalMs <= 0) return reply(await answer(prepared, deadline), 0);
      const ask = withDeadline(clock, timeoutMs, (shared) => answer(prepared, shared));
      const key = responseCacheKey(prepared.request, prepared.secret);
      const { value, ageMs } = await cache
        .share(key, operation.intervalMs, deadline.signal, ask)
        .catch((error) => {
          throw deadline.signal.aborted ? endedFailure({ ...prepared, deadline }, true) : error;
        });
      return reply(value, ageMs);
    } finally {
      deadline.clear();
    }
  };
  return {
    call,
    download: downloader.download,
    fetchImage: downloader.fetchImage,
    upload: uploader.upload,
    close: async () => {
      await Promise.all([pools.close(), downloader.close(), uploader.close()]);
    },
  };
}

/** A 2xx answer with its JSON body, and the credential that may be repeated in it. */
interface Answer2xx {
  readonly status: number;
  readonly body: unknown;
  readonly secret: Secret | undefined;
}

interface PreparedCall extends Omit<CallContext, 'deadline'> {
  readonly request: PreparedRequest;
  readonly onSent?: CallOptions['onSent'];
  readonly onShare?: CallOptions['onShare'];
  readonly input: unknown;
  readonly upstream: Upstream;
}

async function prepareCall(
  upstreams: Upstreams,
  operation: Operation,
  input: unknown,
  deadline: Deadline,
): Promise<PreparedCall> {
  const find = upstreams[operation.host] ?? upstreams.base;
  const upstream = await untilAborted(find(), deadline.signal).catch((error) => {
    const context = { operation, origin: '', secret: undefined, deadline };
    throw deadline.signal.aborted ? endedFailure(context, false) : error;
  });
  return callOf(operation, input, upstream);
}

function callOf(operation: Operation, input: unknown, upstream: Upstream): PreparedCall {
  const request = prepareRequest(operation, input, upstream);
  const { credential: secret, isAccessToken, refusedHint } = upstream;
  const { origin } = request;
  return { operation, input, upstream, request, origin, secret, isAccessToken, refusedHint };
}

/** The same call with a renewed credential; undefined if there is none. */
async function renewed(call: PreparedCall, deadline: Deadline): Promise<PreparedCall | undefined> {
  const { operation, input, upstream, secret } = call;
  if (upstream.renew === undefined || secret === undefined) return undefined;
  const renewal = upstream.renew(secret, deadline.signal);
  const credential = await untilAborted(renewal, deadline.signal).catch((error) => {
    throw deadline.signal.aborted ? endedFailure({ ...call, deadline }, false) : error;
  });
  if (credential === undefined) return undefined;
  return {
    ...callOf(operation, input, { ...upstream, credential }),
    onSent: call.onSent,
    onShare: call.onShare,
  };
}

async function attemptOnce(
  { clock, answerBytesMax: bytesMax = limits.answerBytesMax }: ClientOptions,
  pools: ConnectionPools,
  call: PreparedCall,
  deadline: Deadline,
): Promise<Attempt<Answer2xx>> {
  const { operation, secret } = call;
  const context = { ...call, deadline };
  if (pools.closed.aborted) throw new FoveaError('cancelled', 'The client is closed.');
  const response = await respond(pools, call, deadline.signal, bytesMax);
  if (!('status' in response)) return { failure: unansweredFailure(context, response) };
  const { status, end } = response;
  if (status < 200 || status > 299) {
    return { failure: statusFailure(context, response, clock.now()) };
  }
  if (end === 'cut') return { failure: cutFailure(context, status) };
  return { done: { status, body: readBody(operation, response, secret), secret } };
}

/** The response over HTTP, or of a service in this process. */
async function respond(
  pools: ConnectionPools,
  call: PreparedCall,
  signal: AbortSignal,
  bytesMax: number,
): Promise<RequestOutcome> {
  const { request, upstream, onSent } = call;
  const built = await request.build(onSent);
  const { handle } = upstream;
  if (handle) {
    return requestInProcess(handle, call, built, AbortSignal.any([signal, pools.closed]));
  }
  const sizeOf = (status: number) => answerBytesMax(status, bytesMax);
  return sendRequest(pools.find(call), built, sizeOf, signal);
}

/** A shared request with its own deadline: it may outlive the call that started it. */
function withDeadline<T>(clock: Clock, timeoutMs: number, ask: (deadline: Deadline) => Promise<T>) {
  return async (signal: AbortSignal): Promise<T> => {
    const deadline = startDeadline(clock, timeoutMs, signal);
    return ask(deadline).finally(deadline.clear);
  };
}

/** A service may offer to keep connections open for longer than is useful. */
const openPool = () => new Agent({ keepAliveMaxTimeout: limits.pooledConnectionIdleMsMax });

interface ConnectionPools {
  find(call: PreparedCall): Dispatcher;
  /** Aborts when the client is closed. */
  readonly closed: AbortSignal;
  close(): Promise<void>;
}

/** Pools of connections for all calls, opened with the first: a direct one, and through proxies. */
function lazyPools(proxies: Proxies | undefined): ConnectionPools {
  let opened: { readonly direct: Agent; readonly proxied: ProxyPools } | undefined;
  const closed = new AbortController();
  return {
    closed: closed.signal,
    find: ({ origin }: PreparedCall): Dispatcher => {
      opened ??= { direct: openPool(), proxied: createProxyPools(proxies) };
      return opened.proxied.find(new URL(origin)) ?? opened.direct;
    },
    close: async (): Promise<void> => {
      closed.abort();
      await Promise.all([opened?.direct.destroy(), opened?.proxied.close()]);
    },
  };
}
