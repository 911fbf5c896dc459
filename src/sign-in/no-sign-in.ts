// Stands in for the sign-in flow where no sign-in is needed: an API key is set, or the platform is
// embedded.

import { FoveaError } from '../errors.ts';
import type { OpenBrowser } from './open-browser.ts';
import type { Session } from './session.ts';
import type { SignInFlow } from './sign-in-flow.ts';

export interface NoSignInOptions {
  readonly why: 'api_key' | 'embedded';
  readonly workspaceUrl: string | undefined;
  readonly profile: string;
  readonly browser: OpenBrowser;
  /** Tokens of an earlier sign-in, which may still be signed out. */
  readonly session?: Session | undefined;
}

export function createNoSignIn(options: NoSignInOptions): SignInFlow {
  const { why, workspaceUrl, profile, session } = options;
  const refuse = async (): Promise<never> => {
    throw new FoveaError('conflict', `No sign-in is under way: ${reasons[why]}.`);
  };
  return {
    start: async () => ({ status: 'signed_in', workspaceUrl, why }),
    finished: async () => undefined,
    finishWith: refuse,
    openBrowser: options.browser,
    status: async () => ({
      status: 'signed_in',
      why,
      workspaceUrl,
      profile,
      store: stores[why],
      expiresAt: undefined,
      scopes: [],
      error: undefined,
      authorizationUrl: undefined,
    }),
    signOut: async (signal) => session?.end(signal) ?? { revoked: false, wasSignedIn: false },
    userinfo: async () => {
      throw new FoveaError('unauthenticated', `Nobody is signed in: ${reasons[why]}.`, {
        hint: 'A workspace API key stands for no person. To sign in, leave FOVEA_API_KEY unset.',
      });
    },
    close: async () => undefined,
  };
}

const stores = { api_key: 'environment (FOVEA_API_KEY)', embedded: 'embedded platform' } as const;

const reasons = {
  api_key: 'FOVEA_API_KEY is set, and is used in place of a sign-in',
  embedded: 'the embedded platform needs none',
} as const;
