// The workspace of the credential, in which tools work where the call names none. A credential
// belongs to exactly one workspace (API 25.5).

import type { Account } from '../../sign-in/session.ts';
import type { ToolContext } from '../tool.ts';

type Connection = Pick<ToolContext, 'client' | 'signal'>;

export interface CredentialWorkspace {
  /** The service is asked once for each sign-in. `account` undefined: it cannot change. */
  known(connection: Connection, account: Account | undefined): Promise<string>;
  /** Asks again; undefined: the workspace is the same, or the service does not say. */
  moved(connection: Connection, account: Account | undefined): Promise<string | undefined>;
}

export function createCredentialWorkspace(): CredentialWorkspace {
  let known: { readonly workspace: string; readonly signIn: string | undefined } | undefined;
  const ask = async (connection: Connection, account: Account | undefined) => {
    const workspace = await readWorkspace(connection);
    known = { workspace, signIn: account?.signIn };
    return workspace;
  };
  return {
    known: async (connection, account) => {
      const isSame = known?.signIn === account?.signIn;
      return (isSame && known?.workspace) || ask(connection, account);
    },
    moved: async (connection, account) => {
      const before = known?.workspace;
      known = undefined;
      const now = await ask(connection, account).catch(() => undefined);
      return now === before ? undefined : now;
    },
  };
}

/** The contract is loaded with the first call that needs it. */
async function readWorkspace({ client, signal }: Connection): Promise<string> {
  const { workspace } = await import('../../contract/workspace.ts');
  const { body } = await client.call(workspace.workspace_whoami, {}, { signal });
  return body.workspace;
}
