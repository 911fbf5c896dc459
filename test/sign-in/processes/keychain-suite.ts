// A process that uses the real keychain of its session: one command per line in, one answer out.

import { createRequire, flushCompileCache } from 'node:module';
import { createInterface } from 'node:readline';
import { systemClock } from '../../../src/clock.ts';
import { asFoveaError } from '../../../src/errors.ts';
import { createLog } from '../../../src/log.ts';
import { Secret } from '../../../src/secret.ts';
import { openSecretStores } from '../../../src/sign-in/secret-stores/choose-secret-store.ts';
import {
  type KeychainEntries,
  keychainStore,
} from '../../../src/sign-in/secret-stores/keychain.ts';
import { type Keytar, keytarEntries } from '../../../src/sign-in/secret-stores/keytar.ts';
import { loadNapiKeyring } from '../../../src/sign-in/secret-stores/napi-keyring.ts';
import type { SecretStore } from '../../../src/sign-in/secret-stores/secret-store.ts';

interface Command {
  readonly id: number;
  readonly service: string;
  readonly charactersMax: number;
  readonly operation: 'read' | 'write' | 'remove' | 'plant' | 'choose';
  readonly name: string;
  readonly value?: string;
}

/** `napi`, or where keytar is. */
const [library = 'napi', folder = ''] = process.argv.slice(2);
const stores = new Map<string, SecretStore>();

async function entriesOf(service: string): Promise<KeychainEntries> {
  if (library !== 'napi') {
    const keytar: Keytar = createRequire(library)('keytar');
    return keytarEntries(keytar, service);
  }
  const entries = await loadNapiKeyring(service);
  if (entries === undefined) throw new Error('@napi-rs/keyring cannot be loaded');
  return entries;
}

async function storeOf({ service, charactersMax }: Command): Promise<SecretStore> {
  const key = `${service} ${charactersMax}`;
  const store = stores.get(key) ?? keychainStore(await entriesOf(service), charactersMax);
  stores.set(key, store);
  return store;
}

async function run(command: Command): Promise<string | undefined> {
  const { operation, name, value = '', service } = command;
  switch (operation) {
    case 'read':
      return (await (await storeOf(command)).read(name))?.reveal();
    case 'write':
      await (await storeOf(command)).write(name, new Secret(value));
      return undefined;
    case 'remove':
      await (await storeOf(command)).remove(name);
      return undefined;
    // Written by something else than our store.
    case 'plant':
      await (await entriesOf(service)).write(name, value);
      return undefined;
    case 'choose': {
      const files = { folder, log: createLog('error'), clock: systemClock };
      const setting = value === 'keychain' ? value : 'auto';
      const stores = openSecretStores({ ...files, setting });
      return (await stores.at(await stores.choose())).name;
    }
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const command: Command = JSON.parse(line);
  const { id } = command;
  const done = run(command).then(
    (value) => process.stdout.write(`${JSON.stringify({ id, value })}\n`),
    (thrown) => {
      const { code, message, hint } = asFoveaError(thrown);
      process.stdout.write(`${JSON.stringify({ id, error: { code, message, hint } })}\n`);
    },
  );
  // Written early for the next ones: a process that is killed would leave nothing.
  if (id === 1) void done.then(flushCompileCache);
}
