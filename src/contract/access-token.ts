// Access tokens, and the answer of the validation endpoint (API 24.4).

import * as z from 'zod';
import type { Secret } from '../secret.ts';

/** What the authorization server knows of a valid access token. */
export interface AccessToken {
  readonly subject: string;
  readonly clientId: string;
  /** The slug; `workspace_url` on the wire. */
  readonly workspace: string;
  readonly scopes: ReadonlySet<string>;
  /** Undefined: the management API. */
  readonly audience: string | undefined;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Undefined: unknown, expired or revoked. */
export type VerifyAccessToken = (token: Secret) => Promise<AccessToken | undefined>;

/** The answer of `/oauth/validate`. Unknown members are allowed: other servers may add some. */
export const validateAnswer = z.object({
  active: z.boolean(),
  /** Seconds since 1970. */
  exp: z.number().int().nullable(),
  workspace_url: z.string(),
  scopes: z.array(z.string()),
});

export type ValidateAnswer = z.output<typeof validateAnswer>;
