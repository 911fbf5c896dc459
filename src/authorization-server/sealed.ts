// Keeps a value so that only who knows the id of its row can read it: a stolen file tells nothing.

import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto';
import { FoveaError } from '../errors.ts';

const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** What is sealed under an id: its keys differ, so that one never opens the other. */
export type Purpose = 'payload' | 'successor';

/** The name of a row: SHA-256 of its kind and its id, in base64url. */
export function hashId(kind: string, id: string): string {
  return hash('sha256', `${kind}:${id}`, 'base64url');
}

/** AES-256-GCM under HKDF-SHA-256 of the id, which has 126 random bits or more; in base64url. */
export function seal(text: string, id: string, purpose: Purpose): string {
  const nonce = randomBytes(nonceBytes);
  const sealing = createCipheriv(cipher, keyOf(id, purpose), nonce);
  const sealed = Buffer.concat([sealing.update(text, 'utf8'), sealing.final()]);
  return Buffer.concat([nonce, sealing.getAuthTag(), sealed]).toString('base64url');
}

/** Throws `internal` for what was not sealed under this id, or was changed since. */
export function unseal(sealed: string, id: string, purpose: Purpose): string {
  const bytes = Buffer.from(sealed, 'base64url');
  const nonce = bytes.subarray(0, nonceBytes);
  const tag = bytes.subarray(nonceBytes, nonceBytes + tagBytes);
  const content = bytes.subarray(nonceBytes + tagBytes);
  try {
    const opening = createDecipheriv(cipher, keyOf(id, purpose), nonce, {
      authTagLength: tagBytes,
    });
    opening.setAuthTag(tag);
    return Buffer.concat([opening.update(content), opening.final()]).toString('utf8');
  } catch {
    throw new FoveaError('internal', 'A row of the sign-in database is damaged.');
  }
}

function keyOf(id: string, purpose: Purpose): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', id, '', `fovea sign-in ${purpose}`, 32));
}
