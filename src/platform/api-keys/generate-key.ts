// Generates the secrets of API keys: their format, and the prefix that lists show.

import { randomBytes } from 'node:crypto';
import { Secret } from '../../secret.ts';

/** What keys begin with, so that people and secret scanners know them. */
export const secretPrefix = 'fvk_';
export const publishablePrefix = 'fvp_';

/** 256 random bits: not to be guessed, and safe under a plain hash. */
const secretBytes = 32;

/** Characters that lists show: the prefix and 24 of the 256 bits. */
const shownCharacters = 8;

/** A new secret: `fvk_` and 43 characters of base64url. */
export function generateSecretKey(): Secret {
  return new Secret(secretPrefix + randomBytes(secretBytes).toString('base64url'));
}

/** A new publishable key: `fvp_` and 43 characters of base64url. It is no secret. */
export function generatePublishableKey(): string {
  return publishablePrefix + randomBytes(secretBytes).toString('base64url');
}

/** The first characters, for people to recognise a key by. */
export function shownPrefixOf(key: Secret): string {
  return key.reveal().slice(0, shownCharacters);
}
