// The workspace that tools work in where nobody names one: that of the credential.

import { asFoveaError } from '../../errors.ts';
import type { Account } from '../../sign-in/session.ts';
import type { ToolContext } from '../tool.ts';
import type { ListedTool, ToolListSettings } from '../tool-list.ts';
import { fillDefaults } from '../tool-list.ts';

type Arguments = Readonly<Record<string, unknown>>;

interface At extends Pick<ToolContext, 'client' | 'signal'> {
  /** Whose credential it is; undefined: it cannot change. */
  readonly account: Account | undefined;
}

export interface OwnWorkspace {
  /**
   * Runs a call with its arguments filled: the defaults of the settings, and the workspace of the
   * credential where the tool needs one. The credential is asked for it once; again after somebody
   * signed in, and after it was refused: the call is made anew then.
   */
  call<Result>(
    tool: ListedTool,
    args: Arguments,
    at: At,
    run: (filled: Arguments) => Promise<Result>,
  ): Promise<Result>;
}

/** A credential belongs to exactly one workspace (first document, Authentication). */
export function createOwnWorkspace(settings: ToolListSettings): OwnWorkspace {
  let known: { readonly workspace: string; readonly signIn: string | undefined } | undefined;
  return {
    call: async (tool, args, at, run) => {
      const filled = fillDefaults(tool, args, settings);
      const isNeeded = tool.inputSchema.required?.includes('workspace') ?? false;
      if (!isNeeded || (filled.workspace ?? undefined) !== undefined) return run(filled);
      const signIn = at.account?.signIn;
      const isSame = known?.signIn === signIn;
      const own = (isSame && known?.workspace) || (await ask(at));
      known = { workspace: own, signIn };
      try {
        return await run({ ...filled, workspace: own });
      } catch (thrown) {
        if (asFoveaError(thrown).code !== 'forbidden') throw thrown;
        known = undefined;
        const now = await ask(at).catch(() => own);
        if (now === own) throw thrown;
        known = { workspace: now, signIn };
        return run({ ...filled, workspace: now });
      }
    },
  };
}

/** The contract is loaded with the first call that needs it. */
async function ask({ client, signal }: Pick<ToolContext, 'client' | 'signal'>): Promise<string> {
  const { workspace } = await import('../../contract/workspace.ts');
  const { body } = await client.call(workspace.workspace_whoami, {}, { signal });
  return body.workspace;
}
