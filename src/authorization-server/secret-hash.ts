// How a random secret is kept: as its SHA-256, which needs no salt for 256 bits of chance.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { Secret } from '../secret.ts';

/** SHA-256 as 43 characters of base64url. */
export function hashOfSecret(secret: Secret): string {
  return createHash('sha256').update(secret.reveal()).digest('base64url');
}

/** Whether a hash is that of the secret; takes the same time for every wrong secret. */
export function isHashOfSecret(hash: string, secret: Secret): boolean {
  const expected = Buffer.from(hash);
  const found = Buffer.from(hashOfSecret(secret));
  return expected.length === found.length && timingSafeEqual(expected, found);
}
