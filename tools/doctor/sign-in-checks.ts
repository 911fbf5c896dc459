// Checks of the credential: where it is kept, whether it is good, and what it allows.

import { asFoveaError } from '../../src/errors.ts';
import type { ToolContext } from '../../src/mcp/tool.ts';
import type { SignInStatus } from '../../src/sign-in/sign-in-flow.ts';
import { asGiven } from '../format.ts';
import type { Finding, Run } from './check.ts';

export const signInFix = 'Call auth_sign_in, or run fovea sign-in; or set FOVEA_API_KEY.';

/** Only where tokens are used is anything of it loaded, and the place that keeps them opened. */
export function credentialRows(context: ToolContext): Readonly<Record<string, Run>> {
  const { settings } = context;
  const why =
    settings.baseUrl === undefined
      ? 'The embedded platform needs none.'
      : settings.apiKey && 'FOVEA_API_KEY is used, before any sign-in.';
  if (why !== undefined) {
    const row = () => ({ ok: true, detail: why });
    return { keychain: row, 'sign-in': row, scopes: row };
  }
  const status = context.signIn().then((flow) => flow.status());
  // The checks that await it report the error.
  status.catch(() => undefined);
  return {
    keychain: checkKeychain,
    'sign-in': () => checkSignIn(context, status),
    scopes: () => checkScopes(context, status),
  };
}

async function checkKeychain(context: ToolContext): Promise<Finding> {
  try {
    const kind = await (await context.machine()).secretStore();
    return { ok: true, detail: storeWords[kind] ?? 'Secrets go to the keychain.' };
  } catch (thrown) {
    context.signal.throwIfAborted();
    const { message, hint } = asFoveaError(thrown);
    const fix = hint ?? 'Unlock the keychain, or set FOVEA_CREDENTIALS=file.';
    return { ok: false, detail: message, fix };
  }
}

const storeWords: Readonly<Record<string, string>> = {
  file: 'There is no keychain, or none is wanted: secrets go to an encrypted file.',
  memory: 'Secrets are kept in memory, and gone with this process.',
};

async function checkSignIn(context: ToolContext, status: Promise<SignInStatus>): Promise<Finding> {
  try {
    const found = await status;
    const where = `Profile ${asGiven(found.profile)}, kept in ${asGiven(found.store)}`;
    if (found.status === 'signed_in') {
      return { ok: true, detail: `${where}: signed in${until(found.expiresAt)}.` };
    }
    const state = found.status === 'pending' ? 'under way' : 'not signed in';
    const detail = `${where}: ${state}. ${found.error ?? ''}`;
    return { ok: false, detail: detail.trim(), fix: signInFix };
  } catch (thrown) {
    context.signal.throwIfAborted();
    const { message, hint } = asFoveaError(thrown);
    const fix = hint ?? 'Unlock the keychain, or set FOVEA_CREDENTIALS=file.';
    return { ok: false, detail: message, fix };
  }
}

function until(expiresAt: number | undefined): string {
  if (expiresAt === undefined) return '';
  return `, with a token until ${new Date(expiresAt).toISOString()} that renews itself`;
}

/** A call without its scope is refused; better to know before. */
async function checkScopes(
  { machine }: ToolContext,
  status: Promise<SignInStatus>,
): Promise<Finding> {
  const found = await status;
  if (found.status !== 'signed_in' || found.scopes.length === 0) {
    return { ok: true, detail: 'Known after a sign-in.' };
  }
  const { scopes } = await (await machine()).offered();
  const missing = scopes.filter((scope) => !found.scopes.includes(scope));
  if (missing.length === 0) {
    return { ok: true, detail: 'The token allows everything that the offered tools do.' };
  }
  const detail = `The token does not allow ${missing.join(', ')}, which offered tools need.`;
  const fix =
    'Sign out and in again (auth_sign_out, auth_sign_in), or offer less: FOVEA_READ_ONLY, FOVEA_TOOLSETS.';
  return { ok: false, detail, fix };
}
