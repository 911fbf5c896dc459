// The keychain of the operating system by @napi-rs/keyring, which comes ready built.

import type { AsyncEntry } from '@napi-rs/keyring';
import type { KeychainEntries, KeychainTrouble } from './keychain.ts';

/** Undefined where it cannot be loaded: bundle hosts on macOS refuse native modules of others. */
export async function loadNapiKeyring(service = 'fovea'): Promise<KeychainEntries | undefined> {
  let Entry: typeof AsyncEntry;
  try {
    Entry = (await import('@napi-rs/keyring')).AsyncEntry;
  } catch {
    return undefined;
  }
  // The other store of Linux, that of the kernel, forgets all when the machine restarts.
  const open = (account: string) =>
    new Entry(service, account, { linux: { store: 'secret-service' } });
  return {
    name: 'keychain',
    read: async (account) => (await open(account).getPassword()) ?? undefined,
    write: async (account, value) => open(account).setPassword(value),
    remove: async (account) => void (await open(account).deleteCredential()),
    explain,
  };
}

/** Its errors have one code for everything; the words are those of D-Bus. */
function explain(thrown: unknown): KeychainTrouble {
  const message = thrown instanceof Error ? thrown.message : '';
  if (/prompt was dismissed|is locked|locked collection/i.test(message)) return 'locked';
  if (/did not receive a reply|timed? ?out/i.test(message)) return 'silent';
  return hasNoService.test(message) ? 'absent' : 'failed';
}

/** The last one: there is a service, and nobody ever made a keychain in it. */
const hasNoService =
  /DBUS_SESSION_BUS_ADDRESS|not provided by any|ServiceUnknown|connect to socket|autolaunch|no result found/i;
