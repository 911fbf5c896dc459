// The real keychains, under a real Secret Service: open, locked, hanging, absent. Skipped where
// dbus or gnome-keyring is not installed; keytar where FOVEA_TEST_KEYTAR names no installed one.

import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { Secret } from '../../src/secret.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import {
  type AtEnd,
  compiled,
  hasSecretService,
  type KeychainProcess,
  startBus,
  startKeychainProcess,
  startKeyring,
} from './secret-service.ts';
import { testSecretStore } from './secret-store-suite.ts';

const password = 'of-the-keyring';

/** A file beside which keytar is installed; undefined: it is not. */
const keytar = [process.env.FOVEA_TEST_KEYTAR, import.meta.filename].find((from) => {
  try {
    return from !== undefined && createRequire(from).resolve('keytar') !== '';
  } catch {
    return false;
  }
});

afterAll(() => rm(compiled, { recursive: true, force: true, maxRetries: 5 }));

/** An unlocked keychain and a process that uses it, for all tests that do nothing to either. */
function shareProcess(library: string): () => Promise<KeychainProcess> {
  const ends: Parameters<AtEnd>[0][] = [];
  const atEnd: AtEnd = (end) => void ends.unshift(end);
  let started: Promise<KeychainProcess> | undefined;
  const start = async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fovea-keychain-'));
    atEnd(() => rm(folder, { recursive: true, force: true }));
    const bus = await startBus(folder, true, atEnd);
    await startKeyring(bus, password, atEnd);
    return startKeychainProcess(bus.environment, library, folder, atEnd);
  };
  afterAll(async () => {
    for (const end of ends) await end();
  });
  return () => {
    started ??= start();
    return started;
  };
}

const shared = new Map(['napi', keytar ?? ''].map((library) => [library, shareProcess(library)]));

async function sharedProcess(library: string): Promise<KeychainProcess> {
  const process = await shared.get(library)?.();
  if (process === undefined) throw new Error(`There is no ${library}.`);
  return process;
}

let places = 0;

describe.skipIf(!hasSecretService).each([
  ['@napi-rs/keyring', 'napi', 1_000_000],
  ['@napi-rs/keyring, in pieces', 'napi', 1_200],
  ['keytar', keytar ?? '', 1_000_000],
])('%s, unlocked', (_, library, charactersMax) => {
  describe.skipIf(library === '')('a store', () => {
    testSecretStore(async () => {
      places += 1;
      const service = `fovea-test-${places}`;
      const process = await sharedProcess(library);
      return { open: async () => process.store(service, charactersMax), lasts: true };
    });
  });
});

describe.skipIf(!hasSecretService).each([
  ['@napi-rs/keyring', 'napi'],
  ['keytar', keytar ?? ''],
])('%s', (_, library) => {
  const testWith = test.skipIf(library === '');

  testWith('locked: an error for what is there, and all of it is there afterwards', async () => {
    const folder = await temporaryFolder();
    const bus = await startBus(folder, true);
    const open = await startKeyring(bus, password);
    const before = startKeychainProcess(bus.environment, library, folder).store('fovea-test');
    await before.write('tokens:a', new Secret('value'));
    await open.stop();
    await bus.stop();

    const lockedBus = await startBus(folder, true);
    await startKeyring(lockedBus, undefined);
    const store = startKeychainProcess(lockedBus.environment, library, folder).store('fovea-test');
    const locked = {
      message: 'The keychain is locked.',
      hint: 'Unlock it, or set FOVEA_CREDENTIALS=file and sign in again.',
    };
    await expect(store.read('tokens:a')).rejects.toMatchObject(locked);
    await expect(store.write('tokens:a', new Secret('other'))).rejects.toMatchObject(locked);
    await expect(store.remove('tokens:a')).rejects.toMatchObject(locked);
    await lockedBus.stop();

    const bus3 = await startBus(folder, true);
    await startKeyring(bus3, password);
    const after = startKeychainProcess(bus3.environment, library, folder).store('fovea-test');
    expect((await after.read('tokens:a'))?.reveal()).toBe('value');
  });

  testWith('hanging: an error in time, and all is well once it goes on', async () => {
    const folder = await temporaryFolder();
    const bus = await startBus(folder, true);
    const keyring = await startKeyring(bus, password);
    const store = startKeychainProcess(bus.environment, library, folder).store('fovea-test');
    await store.write('tokens:a', new Secret('value'));
    keyring.hang();
    onTestFinished(() => keyring.goOn());
    const silent = { message: 'The keychain did not answer in time.' };
    await expect(store.read('tokens:a')).rejects.toMatchObject(silent);
    keyring.goOn();
    await expect
      .poll(async () => readable(store.read('tokens:a')), { timeout: 60_000 })
      .toBe('value');
  });

  testWith('an entry that something else wrote is damage, and can be written anew', async () => {
    const process = await sharedProcess(library);
    await process.plant('fovea-test', 'tokens:a', 'nonsense');
    const store = process.store('fovea-test');
    await expect(store.read('tokens:a')).rejects.toMatchObject({
      message: 'An entry of Fovea in the keychain is damaged.',
    });
    await store.write('tokens:a', new Secret('value'));
    expect((await store.read('tokens:a'))?.reveal()).toBe('value');
  });
});

describe.skipIf(!hasSecretService).each([
  ['@napi-rs/keyring', 'napi'],
  ['keytar', keytar ?? ''],
])('%s, absent', (_, library) => {
  const testWith = test.skipIf(library === '');

  testWith.each([
    ['no session', false],
    ['a session without one', true],
  ])('%s: an error, and no missing value', async (_, hasBus) => {
    const folder = await temporaryFolder();
    const environment = hasBus ? (await startBus(folder, false)).environment : { HOME: folder };
    const store = startKeychainProcess(environment, library, folder).store('fovea-test');
    const absent = { message: 'There is no keychain here.' };
    await expect(store.read('tokens:a')).rejects.toMatchObject(absent);
    await expect(store.write('tokens:a', new Secret('value'))).rejects.toMatchObject(absent);
    await expect(store.remove('tokens:a')).rejects.toMatchObject(absent);
  });
});

describe.skipIf(!hasSecretService)('the choice', () => {
  test('is the keychain where it works, and leaves nothing in it', async () => {
    const process = await sharedProcess('napi');
    expect(await process.choose('auto')).toBe('keychain');
    expect(await process.store('fovea').read('probe')).toBe(undefined);
  });

  test('is an error where it is locked', async () => {
    const folder = await temporaryFolder();
    const bus = await startBus(folder, true);
    const open = await startKeyring(bus, password);
    expect(await startKeychainProcess(bus.environment, 'napi', folder).choose('auto')).toBe(
      'keychain',
    );
    await open.stop();
    await bus.stop();
    const lockedBus = await startBus(folder, true);
    await startKeyring(lockedBus, undefined);
    const process = startKeychainProcess(lockedBus.environment, 'napi', folder);
    await expect(process.choose('auto')).rejects.toThrow('The keychain is locked.');
  });

  test('is a file where nobody ever made a keychain, as on a server', async () => {
    const folder = await temporaryFolder();
    const bus = await startBus(folder, true);
    await startKeyring(bus, undefined);
    const process = startKeychainProcess(bus.environment, 'napi', folder);
    expect(await process.choose('auto')).toBe('encrypted file, key beside it');
  });

  test('is a file where there is none, unless a keychain is asked for', async () => {
    const folder = await temporaryFolder();
    const process = startKeychainProcess({ HOME: folder }, 'napi', folder);
    expect(await process.choose('auto')).toBe('encrypted file, key beside it');
    await expect(process.choose('keychain')).rejects.toThrow('There is no keychain here.');
  });
});

/** What could be read; undefined where it could not. */
async function readable(read: Promise<Secret | undefined>): Promise<string | undefined> {
  return read.then(
    (value) => value?.reveal(),
    () => undefined,
  );
}
