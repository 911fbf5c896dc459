// Signed download links to blobs: short-lived, and accepted by this platform only.

import type { Clock } from '../../clock.ts';
import { limits } from '../../limits.ts';
import type { SigningKey } from './signing-key.ts';

export interface LinkTarget {
  /** The blob. */
  readonly hash: string;
  /** The name under which a browser saves it. */
  readonly name: string;
  readonly contentType: string;
}

export interface DownloadLinks {
  /** A link on `origin` that works without a credential until it expires. */
  make(origin: string, target: LinkTarget): string;
  /** The target of a request; undefined for a signature that is not ours, or expired. */
  read(hash: string, query: URLSearchParams): LinkTarget | undefined;
  /** Signs other links and tokens of this platform. */
  readonly key: SigningKey;
}

/** Links that all processes with the same key accept. */
export function createDownloadLinks(clock: Clock, key: SigningKey): DownloadLinks {
  const values = ({ hash, name, contentType }: LinkTarget, expires: string) => [
    hash,
    name,
    contentType,
    expires,
  ];
  return {
    key,
    make(origin, target) {
      const expires = String(clock.now() + limits.linkLifetimeMs);
      const query = new URLSearchParams({
        name: target.name,
        type: target.contentType,
        expires,
        signature: key.sign('blob', values(target, expires)),
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
      const signature = query.get('signature') ?? '';
      if (!key.isSigned('blob', values(target, expires), signature)) return undefined;
      return Number(expires) > clock.now() ? target : undefined;
    },
  };
}
