// Passes a request to a service of this process, as `sendRequest` sends one over HTTP.

import { untilAborted } from '../abort.ts';
import type { HandleInProcess } from '../contract/in-process.ts';
import type { Operation } from '../contract/operation.ts';
import type { Secret } from '../secret.ts';
import type { OnShare } from '../work-watcher.ts';
import type { HttpRequest, RequestOutcome } from './http-request.ts';
import type { PreparedRequest } from './request.ts';

interface InProcessCall {
  readonly operation: Operation;
  readonly request: PreparedRequest;
  readonly secret: Secret | undefined;
  readonly onShare?: OnShare | undefined;
}

/** Never rejects. When the signal aborts, the service is told, and is not waited for. */
export async function requestInProcess(
  handle: HandleInProcess,
  { operation, request: { parameters }, secret: credential, onShare }: InProcessCall,
  { body }: HttpRequest,
  signal: AbortSignal,
): Promise<RequestOutcome> {
  let sent = false;
  try {
    signal.throwIfAborted();
    sent = true;
    const answer = handle({ operation, ...parameters, body, credential, signal, onShare });
    const { status, headers, body: value } = await untilAborted(answer, signal);
    const bytes = Buffer.from(status === 204 ? '' : JSON.stringify(value ?? {}));
    return { status, headers, bytes, end: 'whole' };
  } catch (cause) {
    return { sent, cause };
  }
}
