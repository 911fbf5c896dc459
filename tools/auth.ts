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

/** Asks the platform, because a key that is set proves nothing; without one, nobody is asked. */
async function statusOf({ client, settings, signal }: ToolContext): Promise<AuthStatus> {
  const isEmbedded = settings.baseUrl === undefined;
  const store = isEmbedded ? 'embedded platform' : settings.apiKey ? 'environment' : 'none';
  const nobody = { expires_at: null, scopes: null, workspace_url: null, store };
  if (store === 'none') return { status: 'signed_out', ...nobody, error: signInHint };
  try {
    const timeoutMs = limits.doctorTimeoutMs;
    const { body } = await client.call(workspace.workspace_whoami, {}, { signal, timeoutMs });
    return { status: 'signed_in', ...nobody, workspace_url: body.workspace };
  } catch (thrown) {
    signal.throwIfAborted();
    const error = asFoveaError(thrown);
    const isRefused = error.code === 'unauthenticated' || error.code === 'forbidden';
    const explained = isRefused ? 'The platform refuses the key.' : error.message;
    return { status: 'signed_out', ...nobody, error: explained };
  }
}

function sentenceOf({ status, workspace_url, store, error }: AuthStatus): string {
  if (status === 'signed_in') return `Signed in to ${quoted(workspace_url ?? '')} (${store}).`;
  return `Not signed in. ${error ?? ''}`.trim();
}
