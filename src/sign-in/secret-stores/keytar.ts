// The keychain of the operating system by keytar, where @napi-rs/keyring cannot be loaded.

import type { KeychainEntries, KeychainTrouble } from './keychain.ts';

/** What is used of it. `findCredentials` ends the process where the keychain is locked. */
export interface Keytar {
  getPassword(service: string, account: string): Promise<string | null>;
  setPassword(service: string, account: string, password: string): Promise<void>;
  deletePassword(service: string, account: string): Promise<boolean>;
}

/** Undefined where it is not installed, or cannot be loaded. */
export async function loadKeytar(service = 'fovea'): Promise<KeychainEntries | undefined> {
  try {
    return keytarEntries((await import('keytar')).default, service);
  } catch {
    return undefined;
  }
}

export function keytarEntries(keytar: Keytar, service: string): KeychainEntries {
  // Of a locked keychain it says that nothing is there; only a write tells the two apart.
  const refuseLocked = async () => {
    await keytar.setPassword(service, 'probe', 'probe');
    await keytar.deletePassword(service, 'probe');
  };
  return {
    name: 'keychain (keytar)',
    read: async (account) => {
      const found = await keytar.getPassword(service, account);
      if (found === null) await refuseLocked();
      return found ?? undefined;
    },
    write: (account, value) => keytar.setPassword(service, account, value),
    remove: async (account) => {
      if (!(await keytar.deletePassword(service, account))) await refuseLocked();
    },
    explain,
  };
}

function explain(thrown: unknown): KeychainTrouble {
  const message = thrown instanceof Error ? thrown.message : '';
  if (/locked|dismissed/i.test(message)) return 'locked';
  if (/did not receive a reply|timed? ?out/i.test(message)) return 'silent';
  return hasNoService.test(message) ? 'absent' : 'failed';
}

/** The last one: there is a service, and nobody ever made a keychain in it. */
const hasNoService = /autolaunch|not provided by any|could not connect|object does not exist/i;
