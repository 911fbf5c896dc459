// Calls to the cluster as a careful client sends them: again, until they are answered.

import { setTimeout as wait } from 'node:timers/promises';
import { type JsonObject, membersOf } from '../../src/json-object.ts';

/** All that clients saw of the cluster. */
export class Sight {
  acknowledged = 0;
  /** 503 with Retry-After. */
  unavailable = 0;
  /** Connections that ended without an answer. */
  cut = 0;
  /** The call that waited longest for its answer. */
  slowestMs = 0;
  /** Answers that nobody should get. */
  readonly wrong: string[] = [];
}

export interface Sent {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT';
  readonly path: string;
  readonly body?: JsonObject | FormData | Buffer<ArrayBuffer>;
  /** The one of the cluster unless given. */
  readonly key?: string;
  /** What may be the answer beside a success. */
  readonly also?: readonly number[];
}

export interface Answered {
  readonly status: number;
  readonly body: JsonObject;
  /** How often it was sent without an answer: the service may have done it as often before. */
  readonly unknown: number;
}

export interface Caller {
  readonly url: string;
  readonly key: string;
  readonly sight: Sight;
}

/**
 * One that takes longer is one that hangs: a version is frozen in three turns, and each may wait
 * 30 s for a statement and 10 s for a connection.
 */
const callMsMax = 120_000;
export const pauseMs = 300;

/** Resolves once it is answered; to undefined where the answer is one that nobody should get. */
export async function call(caller: Caller, sent: Sent): Promise<Answered | undefined> {
  const { sight } = caller;
  for (let unknown = 0; ; unknown += 1) {
    const answer = await once(caller, sent);
    if (typeof answer === 'string') {
      sight.wrong.push(`${sent.method} ${sent.path}: ${answer}`);
      return undefined;
    }
    if (answer !== undefined) {
      sight.acknowledged += 1;
      return { ...answer, unknown };
    }
    await wait(pauseMs);
  }
}

/** Undefined: it is to be sent again; a text: what is wrong. */
async function once(
  { url, key: own, sight }: Caller,
  { method, path, body, key = own, also = [] }: Sent,
): Promise<Omit<Answered, 'unknown'> | string | undefined> {
  const headers = new Headers({ authorization: `Bearer ${key}` });
  const isRaw = body instanceof FormData || Buffer.isBuffer(body);
  if (body !== undefined && !isRaw) headers.set('content-type', 'application/json');
  const content = isRaw ? body : ((body && JSON.stringify(body)) ?? null);
  const signal = AbortSignal.timeout(callMsMax);
  const startMs = performance.now();
  try {
    const response = await fetch(new URL(path, url), { method, headers, body: content, signal });
    const text = await response.text();
    sight.slowestMs = Math.max(sight.slowestMs, performance.now() - startMs);
    const { status } = response;
    if (status === 503 && response.headers.has('retry-after')) {
      sight.unavailable += 1;
      return undefined;
    }
    if (!response.ok && !also.includes(status)) return `${status} ${text.slice(0, 300)}`;
    return { status, body: text.startsWith('{') ? membersOf(JSON.parse(text)) : {} };
  } catch (thrown) {
    if (signal.aborted) return `no answer in ${callMsMax / 1000} s`;
    if (thrown instanceof SyntaxError) return 'an answer that is no JSON';
    sight.cut += 1;
    return undefined;
  }
}

export async function download({ url, sight }: Caller, link: string): Promise<Buffer | undefined> {
  for (;;) {
    const { pathname, search } = new URL(link);
    try {
      const signal = AbortSignal.timeout(callMsMax);
      const response = await fetch(new URL(pathname + search, url), { signal });
      const content = Buffer.from(await response.arrayBuffer());
      if (response.ok) return content;
      if (response.status !== 503 || !response.headers.has('retry-after')) {
        sight.wrong.push(`a download: ${response.status} ${content.toString().slice(0, 300)}`);
        return undefined;
      }
      sight.unavailable += 1;
    } catch {
      sight.cut += 1;
    }
    await wait(pauseMs);
  }
}
