// Access tokens for the tests of the platform, kept in a Map in place of a sign-in service.

import type { AccessToken, VerifyAccessToken } from '../../src/contract/access-token.ts';

export interface TestTokens {
  readonly verify: VerifyAccessToken;
  /** A new token for the workspace `acme` that is good for an hour, with these changes. */
  issue(changes?: Partial<AccessToken>): string;
  revoke(token: string): void;
  /** How often somebody asked. */
  readonly asked: () => number;
}

export function createTestTokens(): TestTokens {
  const tokens = new Map<string, AccessToken>();
  let asked = 0;
  return {
    verify: async (token) => {
      asked += 1;
      return tokens.get(token.reveal());
    },
    issue: (changes = {}) => {
      const token = `token-${tokens.size + 1}`;
      tokens.set(token, {
        subject: 'ada',
        clientId: 'a-client',
        workspace: 'acme',
        scopes: new Set(),
        audience: undefined,
        expiresAt: Date.now() + 3_600_000,
        ...changes,
      });
      return token;
    },
    revoke: (token) => void tokens.delete(token),
    asked: () => asked,
  };
}
