// A caller of the platform: every request with one credential, or with none.

import { type Call, type Reply, send } from '../../conformance/http.ts';

export interface Client {
  readonly url: string;
  send(call: Call): Promise<Reply>;
}

/** With `credential` every request carries it as Bearer. */
export function createClient(url: string, credential?: string): Client {
  const base = url.replace(/\/+$/, '');
  const own = credential === undefined ? {} : { authorization: `Bearer ${credential}` };
  return { url: base, send: (call) => send(base, own, call) };
}
