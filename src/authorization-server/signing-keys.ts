// Keys that sign id_tokens, and their rotation.

import { generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import type { JWKS } from 'oidc-provider';
import { type Clock, dayMs, hourMs } from '../clock.ts';
import type { KeyStore, SigningKey } from './store/authorization-store.ts';

/** Time for which a key signs. */
const signsMs = 90 * dayMs;
/** Published this long before it signs, since clients cache the key set. */
const publishedBeforeMs = dayMs;
/** Published this long after it signed: longer than any id_token lives. */
const publishedAfterMs = 7 * dayMs;
/** Other processes may add keys. */
const readAgainMs = hourMs;

export interface KeySet {
  readonly jwks: JWKS;
  /** When to read the keys again, in milliseconds since 1970. */
  readonly until: number;
  /** Equal for equal sets. */
  readonly name: string;
}

/** The keys to publish, the signing key first. Creates and removes keys where due. */
export async function currentKeys(keys: KeyStore, clock: Clock): Promise<KeySet> {
  const now = clock.now();
  await addWhereDue(keys, now);
  await removeEnded(keys, now);
  const all = await keys.signing();
  const signer = all.findLast(({ signsFrom }) => signsFrom <= now) ?? all[0];
  const ordered = all.toSorted((a, b) => Number(b.id === signer?.id) - Number(a.id === signer?.id));
  const changes = all.map(({ signsFrom }) => signsFrom).filter((at) => at > now);
  return {
    jwks: { keys: ordered.map(({ id, jwk }) => ({ ...jwk, kid: id, use: 'sig', alg: 'RS256' })) },
    until: Math.min(now + readAgainMs, ...changes),
    name: ordered.map(({ id }) => id).join(' '),
  };
}

async function addWhereDue(keys: KeyStore, now: number): Promise<void> {
  const newest = (await keys.signing()).at(-1);
  if (newest !== undefined && now < newest.signsFrom + signsMs - publishedBeforeMs) return;
  const signsFrom = newest === undefined ? now : now + publishedBeforeMs;
  const key = { id: randomBytes(16).toString('base64url'), jwk: await makeKey() };
  await keys.addSigning({ ...key, created: now, signsFrom }, newest?.id);
}

async function removeEnded(keys: KeyStore, now: number): Promise<void> {
  const all = await keys.signing();
  const ended = all.filter((_key, index) => {
    const next = all[index + 1];
    return next !== undefined && next.signsFrom + publishedAfterMs <= now;
  });
  if (ended.length > 0) await keys.removeSigning(ended.map(({ id }) => id));
}

async function makeKey(): Promise<SigningKey['jwk']> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  return Object.fromEntries(
    Object.entries(privateKey.export({ format: 'jwk' })).map(([name, value]) => [
      name,
      String(value),
    ]),
  );
}
