// One call of an operation, from its flat or multipart input, over plain HTTP.

import type { Operation } from '../../../src/contract/operation.ts';

/** What goes where; files of a multipart body are bytes. */
export interface Input {
  readonly path?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

export interface Reply {
  readonly status: number;
  readonly text: string;
  readonly challenge: string | null;
}

export async function callOperation(
  url: string,
  key: string | undefined,
  operation: Operation,
  { path = {}, query = {}, body }: Input,
): Promise<Reply> {
  const address = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = path[name];
    if (value === undefined) throw new Error(`${operation.id} needs ${name}`);
    return encodeURIComponent(value);
  });
  const search = new URLSearchParams(query).toString();
  const answer = await fetch(url + address + (search && `?${search}`), {
    method: operation.method,
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(body && operation.bodyType === 'json' && { 'content-type': 'application/json' }),
    },
    ...(body && { body: operation.bodyType === 'json' ? JSON.stringify(body) : form(body) }),
  });
  const challenge = answer.headers.get('www-authenticate');
  return { status: answer.status, text: await answer.text(), challenge };
}

function form(body: Readonly<Record<string, unknown>>): FormData {
  const parts = new FormData();
  for (const [name, value] of Object.entries(body)) {
    for (const member of Array.isArray(value) ? value : [value]) {
      if (member instanceof Uint8Array) parts.append(name, new File([member.slice()], 'one.png'));
      else parts.append(name, typeof member === 'string' ? member : JSON.stringify(member));
    }
  }
  return parts;
}
