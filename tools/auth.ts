// Who is signed in. Signing in itself comes with the sign-in service.

import * as z from 'zod';
import { workspace } from '../src/contract/workspace.ts';
import { asFoveaError } from '../src/errors.ts';
import { limits } from '../src/limits.ts';
import { type Tool, type ToolContext, type ToolResult, tool } from '../src/mcp/tool.ts';
import { quoted } from './words.ts';

interface AuthStatus {
  readonly status: 'signed_in' | 'pending' | 'signed_out';
  /** Null: a workspace API key does not expire. */
  readonly expires_at: string | null;
  /** Null: whatever the key allows. */
  readonly scopes: readonly string[] | null;
  readonly workspace_url: string | null;
  readonly store: string;
  readonly error?: string;
}

export const authTools: readonly Tool[] = [
  tool({
    name: 'auth_status',
    family: 'auth',
    title: 'Show sign-in status',
    description: 'After a refused call: who is signed in, to which workspace.',
    effect: 'reads',
    recoverable: false,
    idempotent: true,
    openWorld: true,
    input: z.strictObject({}),
    run: async (_input, context) => {
      const status = await statusOf(context);
      return { summary: sentenceOf(status), data: { ...status } } satisfies ToolResult;
    },
  }),
];

const signInHint = 'Set FOVEA_API_KEY to a key of the workspace and restart.';

/**
 * Asks a hosted platform, because a key that is set proves nothing; the embedded one need not even
 * start. Throws where the platform gave no answer: then nothing is known.
 */
async function statusOf({ client, settings, signal }: ToolContext): Promise<AuthStatus> {
  const nobody = { expires_at: null, scopes: null, workspace_url: null };
  if (settings.baseUrl === undefined) {
    const workspace_url = settings.workspace ?? null;
    return { ...nobody, status: 'signed_in', workspace_url, store: 'embedded platform' };
  }
  if (!settings.apiKey) {
    return { ...nobody, status: 'signed_out', store: 'none', error: signInHint };
  }
  const store = 'environment';
  try {
    const timeoutMs = limits.doctorTimeoutMs;
    const { body } = await client.call(workspace.workspace_whoami, {}, { signal, timeoutMs });
    return { ...nobody, status: 'signed_in', workspace_url: body.workspace, store };
  } catch (thrown) {
    const { code } = asFoveaError(thrown);
    if (code !== 'unauthenticated' && code !== 'forbidden') throw thrown;
    return { ...nobody, status: 'signed_out', store, error: 'The platform refuses the key.' };
  }
}

function sentenceOf({ status, workspace_url, store, error }: AuthStatus): string {
  if (status === 'signed_in') return `Signed in to ${quoted(workspace_url ?? '')} (${store}).`;
  return `Not signed in. ${error ?? ''}`.trim();
}
