// What the tests of keys share: calls with a key over plain HTTP, and keys made by the API itself.

import * as z from 'zod';
import type { TestPlatform } from '../fixtures/platform.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** One call with this credential; a body is sent as JSON. */
export async function send(
  { url }: Pick<TestPlatform, 'url'>,
  key: string | undefined,
  line: string,
  body?: unknown,
): Promise<Reply> {
  const [method, path = '/'] = line.split(' ', 2);
  const answer = await fetch(url + path, {
    ...(method !== undefined && { method }),
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  const isJson = answer.headers.get('content-type')?.includes('json') === true;
  return {
    status: answer.status,
    headers: answer.headers,
    body: isJson && text !== '' ? JSON.parse(text) : text,
  };
}

const Made = z.looseObject({
  keyId: z.string(),
  key: z.string(),
  prefix: z.string(),
  publishableKey: z.string(),
});
export type MadeKey = z.output<typeof Made>;

/** A new key in `acme`, made with `by` (the platform's own key unless given). */
export async function makeKey(
  platform: Pick<TestPlatform, 'url' | 'key'>,
  settings: unknown = {},
  by: string = platform.key,
): Promise<MadeKey> {
  const { status, body } = await send(platform, by, 'POST /acme/api-keys', settings);
  if (status !== 201) throw new Error(`no key was made: ${status} ${JSON.stringify(body)}`);
  return Made.parse(body);
}

/** A new folder in `acme`, with these projects. */
export async function makeFolder(
  platform: Pick<TestPlatform, 'url' | 'key'>,
  folder: { readonly name: string; readonly projects?: string[]; readonly parent_id?: string },
): Promise<string> {
  const { body } = await send(platform, platform.key, 'POST /acme/groups', folder);
  return z.object({ id: z.string() }).parse(body).id;
}

/** A new project in `acme`; its slug is the name in small letters. */
export async function makeProject(
  platform: Pick<TestPlatform, 'url' | 'key'>,
  name: string,
): Promise<void> {
  const project = { name, type: 'object-detection', annotation: 'things' };
  const { status } = await send(platform, platform.key, 'POST /acme/projects', project);
  if (status !== 201) throw new Error(`no project was made: ${status}`);
}

/** `error.type` of an answer. */
export function typeOf({ body }: Reply): string {
  return z.object({ error: z.object({ type: z.string() }) }).parse(body).error.type;
}

/** `error.message` of an answer. */
export function messageOf({ body }: Reply): string {
  return z.object({ error: z.object({ message: z.string() }) }).parse(body).error.message;
}
