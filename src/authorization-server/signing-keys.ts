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
  removeEnded(keys, now);
  const all = keys.signing();
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
  const newest = keys.signing().at(-1);
  if (newest !== undefined && now < newest.signsFrom + signsMs - publishedBeforeMs) return;
  const signsFrom = newest === undefined ? now : now + publishedBeforeMs;
  const key = { id: randomBytes(16).toString('base64url'), jwk: await makeKey() };
  keys.addSigning({ ...key, created: now, signsFrom }, newest?.id);
}

function removeEnded(keys: KeyStore, now: number): void {
  const all = keys.signing();
  for (const [index, { id }] of all.entries()) {
    const next = all[index + 1];
    if (next && next.signsFrom + publishedAfterMs <= now) keys.removeSigning(id);
  }
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
