// Wrong credentials, by which others must not be locked out, and right ones that ask too much.

import { type Attack, single, type Target } from './attack.ts';
import { repeated } from './dense-bodies.ts';
import { json, type Request } from './raw-request.ts';

/** Asks again and again with what `make` gives, and then once with a good key not used before. */
function flood(name: string, times: number, make: (at: number) => Request): Attack {
  return {
    name,
    target: 'platform',
    restarts: true,
    prepare: async (target: Target) => {
      const key = await freshKey(target);
      return async () => {
        await Promise.all(repeated(8, (worker) => inTurn(target, times / 8, worker, make)));
        await target.bystander({ path: '/local', key });
      };
    },
  };
}

async function inTurn(
  target: Target,
  times: number,
  worker: number,
  make: (at: number) => Request,
): Promise<void> {
  for (let at = 0; at < times; at += 1) await target.send(make(worker * 1_000_000 + at));
}

/** A key that the service has not seen in a request. */
export async function freshKey(target: Target): Promise<string> {
  const made = await target.ask(json('/local/api-keys', { name: 'another' }));
  return String(Object(made).key);
}

export const credentialAttacks: readonly Attack[] = [
  flood('credentials: 80 garbage tokens, then a key not seen yet', 80, (at) => ({
    path: '/local',
    key: `garbage-${at}`,
  })),
  flood('credentials: 4,000 garbage tokens', 4_000, (at) => ({
    path: '/local',
    key: `garbage-${at}`,
  })),
  flood('credentials: 400 garbage keys in the query', 400, (at) => ({
    path: `/local?api_key=garbage-${at}`,
    key: '',
  })),
  flood('credentials: 400 garbage keys in bodies of 200 KB', 400, (at) => ({
    ...json('/local/search/v1', `{"api_key":"garbage-${at}","query":"${'a'.repeat(200_000)}"}`),
    key: '',
  })),
  flood('credentials: 80 garbage tokens at /oauth/validate', 80, (at) => ({
    path: '/oauth/validate',
    key: `garbage-${at}`,
  })),
  single('platform', 'credentials: 15 KB of token', () => ({
    path: '/local',
    key: 'a'.repeat(15_000),
  })),
  {
    name: 'credentials: 400 requests at once with one key',
    target: 'platform',
    prepare: async (target) => () =>
      Promise.all(repeated(400, () => target.send({ path: '/local' }))),
  },
];
