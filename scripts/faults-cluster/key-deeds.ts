// Deeds with API keys: whatever was acknowledged of one holds at once, whichever process is asked.

import { below } from '../../src/seeded-random.ts';
import { type Answered, call } from './calls.ts';
import type { Deed, Worker } from './deed.ts';
import type { DeskKey } from './desk.ts';
import { workspace } from './sign-in.ts';

const keysPath = `/${workspace}/api-keys`;

/** Asks with a key for what it may read. */
export function tryKey(worker: Pick<Worker, 'url' | 'key' | 'sight'>, secret: string) {
  const path = `/${workspace}/asynctasks`;
  return call(worker, { method: 'GET', path, key: secret, also: [401] });
}

export const makeKey: Deed = async (worker) => {
  const { desk } = worker;
  const body = { name: desk.project, scopes: ['workspace:read'] };
  const answer = await call(worker, { method: 'POST', path: keysPath, body });
  if (answer === undefined) return;
  const made = madeKey(answer);
  desk.keys.push(made);
  await expectWork(worker, made);
};

/** Stops it, or enables it again. */
export const changeKey: Deed = async (worker) => {
  const { desk, random } = worker;
  const key = desk.keys[below(random, desk.keys.length)];
  if (key === undefined) return;
  const disabled = !key.isDisabled;
  const path = `${keysPath}/${key.keyId}`;
  if (!(await call(worker, { method: 'PATCH', path, body: { disabled } }))) return;
  key.isDisabled = disabled;
  if (disabled) await expectRefused(worker, key, 'disabled');
  else await expectWork(worker, key);
};

export const rollKey: Deed = async (worker) => {
  const { desk } = worker;
  const place = desk.keys.findLastIndex(({ isDisabled }) => !isDisabled);
  const [old] = place === -1 ? [] : desk.keys.splice(place, 1);
  if (old === undefined) return;
  const path = `${keysPath}/${old.keyId}/roll`;
  // The one that was not answered may have put another key in its place, whose secret is lost.
  const answer = await call(worker, { method: 'POST', path, also: [404, 409] });
  if (answer === undefined) return;
  const isRolled = answer.status === 201;
  if (!isRolled && answer.unknown === 0) {
    worker.sight.wrong.push(`a key cannot be rolled: ${answer.status}`);
  }
  desk.revoked.push(old);
  await expectRefused(worker, old, 'rolled');
  if (!isRolled) return;
  const made = madeKey(answer);
  desk.keys.push(made);
  await expectWork(worker, made);
};

export const revokeKey: Deed = async (worker) => {
  const { desk } = worker;
  const gone = desk.keys.pop();
  if (gone === undefined) return;
  const path = `${keysPath}/${gone.keyId}`;
  // The one that was not answered may have revoked it.
  if (!(await call(worker, { method: 'DELETE', path, also: [404] }))) return;
  desk.revoked.push(gone);
  await expectRefused(worker, gone, 'revoked');
};

function madeKey({ body }: Answered): DeskKey {
  return { keyId: String(body.keyId), secret: String(body.key), isDisabled: false };
}

async function expectWork(worker: Worker, { secret }: DeskKey): Promise<void> {
  const answer = await tryKey(worker, secret);
  if (answer?.status === 401) worker.sight.wrong.push('a key that was just made or enabled: 401');
}

async function expectRefused(worker: Worker, { secret }: DeskKey, how: string): Promise<void> {
  const answer = await tryKey(worker, secret);
  if (answer && answer.status !== 401) worker.sight.wrong.push(`a ${how} key: ${answer.status}`);
}
