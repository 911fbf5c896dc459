// Tells who signs in and out, for the log of changes of the platform beside this service.

import type { NoteSignIn, SignInEvent } from '../contract/sign-in-event.ts';
import type { Log } from '../log.ts';
import type { Account } from './store/account-store.ts';
import type { UserServices } from './user-services.ts';

/** Our own pages, as the log names them. */
export const settingsName = 'Settings';
export const platformPageName = "The platform's page";

export interface SignInEvents {
  /** Resolves when it is noted. That this fails refuses nobody who signs in: the log tells. */
  tell(account: Account, verb: SignInEvent['verb'], where: string): Promise<void>;
  /** From now on all are noted by this. */
  listen(note: NoteSignIn): void;
}

export function createSignInEvents(
  { workspacesOf }: Pick<UserServices, 'workspacesOf'>,
  log: Log,
): SignInEvents {
  let note: NoteSignIn | undefined;
  return {
    tell: async (account, verb, where) => {
      try {
        const workspaces = workspacesOf(account);
        await note?.({ accountId: account.id, workspaces, verb, where });
      } catch {
        log.warn(`That somebody ${verb} is not in the log of changes.`, { account: account.id });
      }
    },
    listen: (listener) => {
      note = listener;
    },
  };
}
