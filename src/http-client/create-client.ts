// The client itself: finds the service, asks it, repeats where that is allowed.

import { Agent } from 'undici';
import type { Clock } from '../clock.ts';
import type { Input, Operation } from '../contract/operation.ts';
import { FoveaError } from '../errors.ts';
import { limits } from '../limits.ts';
import { readBody, typedBody } from './answer.ts';
import { type Attempt, type AttemptPolicy, repeat } from './attempts.ts';
import type { CallOptions, Client, ClientOptions, Reply, Upstreams } from './client.ts';
import { type Deadline, startDeadline, untilAborted } from './deadline.ts';
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
import { createRemembered } from './remembered.ts';
import { type PreparedRequest, prepareRequest, rememberedKey } from './request.ts';

/** A client of the services in `upstreams`. It opens nothing before the first call. */
export function createClient(options: ClientOptions): Client {
  const { upstreams, clock } = options;
  const agent = lazyAgent();
  const policy = attemptPolicy(options);
  const remembered = createRemembered<Answer2xx>(clock);
  const downloader = createDownloader(options, policy);
  const answerOf = async (call: PreparedCall, deadline: Deadline) => {
    const attempt = async () => attemptOnce(options, agent.get(), call, deadline);
    const facts = { ...call, deadline };
    return repeat(policy, deadline, attempt, () => endedFailure(facts, false));
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
      const reply = ({ status, body }: Answer2xx, ageMs: number): Reply<O> => ({
        status,
        body: typedBody(operation, status, body, prepared.secret),
        ageMs,
      });
      if (operation.intervalMs <= 0) return reply(await answerOf(prepared, deadline), 0);
      const ask = withDeadline(clock, timeoutMs, (shared) => answerOf(prepared, shared));
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
    close: async () => {
      await Promise.all([agent.close(), downloader.close()]);
    },
  };
}

/** A 2xx answer with its JSON body. */
interface Answer2xx {
  readonly status: number;
  readonly body: unknown;
}

interface PreparedCall extends Omit<CallFacts, 'deadline'> {
  readonly request: PreparedRequest;
  readonly onSent?: CallOptions['onSent'];
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
  const request = prepareRequest(operation, input, upstream);
  return { operation, request, origin: request.origin, secret: upstream.credential };
}

async function attemptOnce(
  { clock, answerBytesMax: bytesMax = limits.answerBytesMax }: ClientOptions,
  agent: Agent,
  call: PreparedCall,
  deadline: Deadline,
): Promise<Attempt<Answer2xx>> {
  const { operation, secret, request, onSent } = call;
  const facts = { ...call, deadline };
  const sizeOf = (status: number) => answerBytesMax(status, bytesMax);
  const answered = await exchange(agent, await request.build(onSent), sizeOf, deadline.signal);
  if (!('status' in answered)) return { failure: unansweredFailure(facts, answered) };
  const { status, end } = answered;
  if (status < 200 || status > 299) {
    return { failure: statusFailure(facts, answered, clock.now()) };
  }
  if (end === 'cut') return { failure: cutFailure(facts, status) };
  return { done: { status, body: readBody(operation, answered, secret) } };
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

/** One pool of connections for all calls, opened with the first. */
function lazyAgent() {
  let agent: Agent | undefined;
  let isClosed = false;
  return {
    get: (): Agent => {
      if (isClosed) throw new FoveaError('cancelled', 'The client is closed.');
      agent ??= new Agent();
      return agent;
    },
    close: async (): Promise<void> => {
      isClosed = true;
      await agent?.destroy();
    },
  };
}
