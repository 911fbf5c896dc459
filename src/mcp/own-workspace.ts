// The workspace that tools work in where nobody names one: that of the credential.

import { asFoveaError } from '../errors.ts';
import type { ListedTool, SurfaceSettings } from './surface.ts';
import { fillDefaults } from './surface.ts';
import type { ToolContext } from './tool.ts';

type Arguments = Readonly<Record<string, unknown>>;

export interface OwnWorkspace {
  /**
   * Runs a call with its arguments filled: the defaults of the settings, and the workspace of the
   * credential where the tool needs one. The credential is asked for it once; again after it was
   * refused, since somebody may have signed in to another one: the call is made anew then.
   */
  call<Result>(
    tool: ListedTool,
    args: Arguments,
    context: Pick<ToolContext, 'client' | 'signal'>,
    run: (filled: Arguments) => Promise<Result>,
  ): Promise<Result>;
}

/** A credential belongs to exactly one workspace (first document, Authentication). */
export function createOwnWorkspace(settings: SurfaceSettings): OwnWorkspace {
  let known: string | undefined;
  return {
    call: async (tool, args, context, run) => {
      const filled = fillDefaults(tool, args, settings);
      const isNeeded = tool.inputSchema.required?.includes('workspace') ?? false;
      if (!isNeeded || (filled.workspace ?? undefined) !== undefined) return run(filled);
      const own = known ?? (await ask(context));
      known = own;
      try {
        return await run({ ...filled, workspace: own });
      } catch (thrown) {
        if (asFoveaError(thrown).code !== 'forbidden') throw thrown;
        known = undefined;
        const now = await ask(context).catch(() => own);
        if (now === own) throw thrown;
        known = now;
        return run({ ...filled, workspace: now });
      }
    },
  };
}

/** The contract is loaded with the first call that needs it. */
async function ask({ client, signal }: Pick<ToolContext, 'client' | 'signal'>): Promise<string> {
  const { workspace } = await import('../contract/workspace.ts');
  const { body } = await client.call(workspace.workspace_whoami, {}, { signal });
  return body.workspace;
}
