// The client itself: finds the service, asks it, repeats where that is allowed.

import { Agent, type Dispatcher } from 'undici';
import { untilAborted } from '../abort.ts';
import type { Proxies } from '../boundary/proxies.ts';
import type { Clock } from '../clock.ts';
import type { Input, Operation } from '../contract/operation.ts';
import { FoveaError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { Secret } from '../secret.ts';
import { readBody, typedBody } from './answer.ts';
import { type Attempt, type AttemptPolicy, repeat } from './attempts.ts';
import type { CallOptions, Client, ClientOptions, Reply, Upstream, Upstreams } from './client.ts';
import { type Deadline, startDeadline } from './deadline.ts';
import { createDownloader } from './download.ts';
import { exchange } from './exchange.ts';
import {
  answerBytesMax,
  type CallFacts,
  cutFailure,
  endedFailure,
  statusFailure,
  unansweredFailure,
} from './failures.ts';
import { createProxied, type Proxied } from './proxied.ts';
import { createRemembered } from './remembered.ts';
import { type PreparedRequest, prepareRequest, rememberedKey } from './request.ts';
import { createUploader } from './upload-link.ts';

/** A client of the services in `upstreams`. It opens nothing before the first call. */
export function createClient(options: ClientOptions): Client {
  const { upstreams, clock } = options;
  const pools = lazyPools(options.proxies);
  const policy = attemptPolicy(options);
  const remembered = createRemembered<Answer2xx>(clock);
  const downloader = createDownloader(options, policy);
  const uploader = createUploader(options);
  const answerOf = async (call: PreparedCall, deadline: Deadline) => {
    const attempt = async () => attemptOnce(options, pools.find(call), call, deadline);
    const facts = { ...call, deadline };
    return repeat(policy, deadline, attempt, () => endedFailure(facts, false));
  };
  const answer = async (call: PreparedCall, deadline: Deadline) => {
    try {
      return await answerOf(call, deadline);
    } catch (error) {
      const again = isRefused(error) ? await renewed(call, deadline) : undefined;
      if (again === undefined) throw error;
      return answerOf(again, deadline);
    }
  };
  const call = async <O extends Operation>(
    operation: O,
    input: Input<O>,
    { signal, timeoutMs = options.timeoutMs, onSent }: CallOptions = {},
  ): Promise<Reply<O>> => {
    const deadline = startDeadline(clock, timeoutMs, signal);
    try {
      const found = await prepareCall(upstreams, operation, input, deadline);
      const prepared = { ...found, onSent };
      const reply = ({ status, body, secret }: Answer2xx, ageMs: number): Reply<O> => ({
        status,
        body: typedBody(operation, status, body, secret),
        ageMs,
      });
      if (operation.intervalMs <= 0) return reply(await answer(prepared, deadline), 0);
      const ask = withDeadline(clock, timeoutMs, (shared) => answer(prepared, shared));
      const key = rememberedKey(prepared.request, prepared.secret);
      const { value, ageMs } = await remembered
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
    picture: downloader.picture,
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

interface PreparedCall extends Omit<CallFacts, 'deadline'> {
  readonly request: PreparedRequest;
  readonly onSent?: CallOptions['onSent'];
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
    const facts = { operation, origin: '', secret: undefined, deadline };
    throw deadline.signal.aborted ? endedFailure(facts, false) : error;
  });
  return callOf(operation, input, upstream);
}

function callOf(operation: Operation, input: unknown, upstream: Upstream): PreparedCall {
  const request = prepareRequest(operation, input, upstream);
  const { credential: secret, isAccessToken } = upstream;
  return { operation, input, upstream, request, origin: request.origin, secret, isAccessToken };
}

/** The service did not carry the call out, for its credential alone (RFC 9110 section 15.5.2). */
function isRefused(error: unknown): boolean {
  return error instanceof FoveaError && error.upstream?.status === 401;
}

/** The same call with another credential; undefined: there is none. */
async function renewed(call: PreparedCall, deadline: Deadline): Promise<PreparedCall | undefined> {
  const { operation, input, upstream, secret } = call;
  if (upstream.renew === undefined || secret === undefined) return undefined;
  const renewal = upstream.renew(secret, deadline.signal);
  const credential = await untilAborted(renewal, deadline.signal).catch((error) => {
    throw deadline.signal.aborted ? endedFailure({ ...call, deadline }, false) : error;
  });
  if (credential === undefined) return undefined;
  return { ...callOf(operation, input, { ...upstream, credential }), onSent: call.onSent };
}

async function attemptOnce(
  { clock, answerBytesMax: bytesMax = limits.answerBytesMax }: ClientOptions,
  pool: Dispatcher,
  call: PreparedCall,
  deadline: Deadline,
): Promise<Attempt<Answer2xx>> {
  const { operation, secret, request, onSent } = call;
  const facts = { ...call, deadline };
  const sizeOf = (status: number) => answerBytesMax(status, bytesMax);
  const answered = await exchange(pool, await request.build(onSent), sizeOf, deadline.signal);
  if (!('status' in answered)) return { failure: unansweredFailure(facts, answered) };
  const { status, end } = answered;
  if (status < 200 || status > 299) {
    return { failure: statusFailure(facts, answered, clock.now()) };
  }
  if (end === 'cut') return { failure: cutFailure(facts, status) };
  return { done: { status, body: readBody(operation, answered, secret), secret } };
}

/** A question with a deadline of its own, since it may outlive the call that asked first. */
function withDeadline<T>(clock: Clock, timeoutMs: number, ask: (deadline: Deadline) => Promise<T>) {
  return async (signal: AbortSignal): Promise<T> => {
    const deadline = startDeadline(clock, timeoutMs, signal);
    return ask(deadline).finally(deadline.clear);
  };
}

function attemptPolicy({ random = Math.random, ...options }: ClientOptions): AttemptPolicy {
  const { attemptsMax = limits.callAttemptsMax, retryDelayMs } = options;
  const delayMs = retryDelayMs ?? { min: limits.retryDelayMsMin, max: limits.retryDelayMsMax };
  return { attemptsMax, delayMs, random };
}

/** A service may offer to keep connections for longer than they are of use. */
const openPool = () => new Agent({ keepAliveMaxTimeout: limits.pooledConnectionIdleMsMax });

/** Pools of connections for all calls, opened with the first: a direct one, and through proxies. */
function lazyPools(proxies: Proxies | undefined) {
  let opened: { readonly direct: Agent; readonly proxied: Proxied } | undefined;
  let isClosed = false;
  return {
    find: ({ origin }: PreparedCall): Dispatcher => {
      if (isClosed) throw new FoveaError('cancelled', 'The client is closed.');
      opened ??= { direct: openPool(), proxied: createProxied(proxies) };
      return opened.proxied.find(new URL(origin)) ?? opened.direct;
    },
    close: async (): Promise<void> => {
      isClosed = true;
      await Promise.all([opened?.direct.destroy(), opened?.proxied.close()]);
    },
  };
}
