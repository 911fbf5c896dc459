// Calls to a store that may end at any moment.

import type { History } from './request-history.ts';

/** An answer; undefined where none came. */
export type Answer = { readonly status: number; readonly body: unknown } | undefined;

/** One call with a JSON body, or a form, or none. */
export async function call(
  history: History,
  url: string,
  method: 'GET' | 'POST',
  body?: Readonly<Record<string, unknown>> | FormData,
): Promise<Answer> {
  let answer: Answer;
  try {
    const isForm = body instanceof FormData;
    const response = await fetch(url, {
      method,
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
      ...(body !== undefined && !isForm && { headers: { 'content-type': 'application/json' } }),
    });
    const text = await response.text();
    answer = { status: response.status, body: JSON.parse(text) };
  } catch {
    return undefined;
  }
  history.count(answer.status);
  const wrong = wrongWith(answer.status, answer.body);
  if (wrong !== undefined)
    history.wrongAnswers.push(`${method} ${new URL(url).pathname}: ${wrong}`);
  return answer;
}

/** Event Store 15.1 to 15.23. */
function wrongWith(status: number, body: unknown): string | undefined {
  if (status < 400) return undefined;
  const { detail, error } = Object(body);
  if (typeof detail !== 'string') return `${status} without a detail`;
  if (status === 529 && error !== 'capacity_blocked') return '529 without capacity_blocked';
  // Nothing of these trials is malformed; a draft may be finalized or gone by now.
  const isAllowed = status === 404 || status === 409 || status === 529 || status === 500;
  return isAllowed ? undefined : `${status} ${detail}`;
}

/** Bytes of a stored file, or why they cannot be read. */
export async function download(url: string): Promise<Buffer | string> {
  try {
    const response = await fetch(url);
    const bytes = Buffer.from(await response.arrayBuffer());
    return response.status === 200 ? bytes : `status ${response.status}`;
  } catch {
    return 'no answer';
  }
}
