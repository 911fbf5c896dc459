// Signed links to blobs: short-lived, and worth nothing on another instance.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { limits } from '../limits.ts';

export interface LinkTarget {
  /** The blob. */
  readonly hash: string;
  /** The name under which a browser saves it. */
  readonly name: string;
  readonly contentType: string;
}

export interface Links {
  /** A link on `origin` that works without a credential until it expires. */
  make(origin: string, target: LinkTarget): string;
  /** What a request's query points at; undefined when it is not ours, changed or too old. */
  read(hash: string, query: URLSearchParams): LinkTarget | undefined;
}

/** Links with a key of their own, which ends with the process. */
export function createLinks(clock: Clock): Links {
  const key = randomBytes(32);
  const sign = (target: LinkTarget, expires: string) =>
    createHmac('sha256', key)
      .update(JSON.stringify([target.hash, target.name, target.contentType, expires]))
      .digest();
  return {
    make(origin, target) {
      const expires = String(clock.now() + limits.linkLifetimeMs);
      const query = new URLSearchParams({
        name: target.name,
        type: target.contentType,
        expires,
        signature: sign(target, expires).toString('base64url'),
      });
      return `${origin}/blobs/${target.hash}?${query}`;
    },
    read(hash, query) {
      const expires = query.get('expires') ?? '';
      const target = {
        hash,
        name: query.get('name') ?? '',
        contentType: query.get('type') ?? '',
      };
      const given = Buffer.from(query.get('signature') ?? '', 'base64url');
      const right = sign(target, expires);
      if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined;
      return Number(expires) > clock.now() ? target : undefined;
    },
  };
}
