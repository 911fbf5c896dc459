// Encrypts row values under the row's id, which is not stored: a stolen file reveals nothing.

import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto';
import { FoveaError } from '../errors.ts';

const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** Each purpose has its own key under the same id. */
export type Purpose = 'payload' | 'successor';

/** The key of a row: SHA-256 of its kind and id, in base64url. */
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

/** Throws `internal` for a value that was not sealed under this id, or was changed. */
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
