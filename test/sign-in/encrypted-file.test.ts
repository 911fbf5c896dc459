// Secrets in files: sealed, private, whole, and bound to their names.

import {
  chmod,
  copyFile,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { Secret } from '../../src/secret.ts';
import { openEncryptedFiles } from '../../src/sign-in/secret-stores/encrypted-file.ts';
import { keychainStore } from '../../src/sign-in/secret-stores/keychain.ts';
import { memoryStore } from '../../src/sign-in/secret-stores/secret-store.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { testSecretStore } from './secret-store-suite.ts';
import { fakeKeychain, openLog } from './test-session.ts';

/** Opens the files of a folder; with a keychain, the key goes there. */
async function openFiles(folder: string, keychain?: ReturnType<typeof fakeKeychain>) {
  const { log, lines } = openLog();
  const store = keychain && keychainStore(keychain.entries);
  const files = await openEncryptedFiles({
    folder,
    log,
    clock: systemClock,
    keychain: async () => store,
    chooseKeychain: async () => (keychain ? 'keychain' : undefined),
  });
  return { files, lines };
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder)).sort();
}

describe('memory', () => {
  testSecretStore(async () => ({ open: async () => memoryStore(), lasts: false }));
});

describe('encrypted file, key beside it', () => {
  testSecretStore(async () => {
    const folder = await temporaryFolder();
    return { open: async () => (await openFiles(folder)).files, lasts: true };
  });
});

describe('encrypted file, key in the keychain', () => {
  testSecretStore(async () => {
    const folder = await temporaryFolder();
    const keychain = fakeKeychain();
    return { open: async () => (await openFiles(folder, keychain)).files, lasts: true };
  });
});

describe.each([
  ['in pieces, as on Windows', 1_200],
  ['in one piece', 1_000_000],
])('keychain, %s', (_, charactersMax) => {
  testSecretStore(async () => {
    const { entries, state } = fakeKeychain();
    state.isSlow = true;
    return { open: async () => keychainStore(entries, charactersMax), lasts: true };
  });
});

test('no entry of a keychain is longer than Windows takes, and none stays behind', async () => {
  const { entries, kept } = fakeKeychain();
  const store = keychainStore(entries, 1_200);
  await store.write('a', new Secret('ä'.repeat(10_000)));
  expect(Math.max(...[...kept.values()].map((value) => value.length))).toBe(1_200);
  expect(kept.size).toBe(24);
  await store.write('a', new Secret('ä'.repeat(10_000)));
  expect(kept.size).toBe(24);
  await store.remove('a');
  expect([...kept.keys()]).toEqual([]);
});

test('a piece that is gone is damage and no shorter value', async () => {
  const { entries, kept } = fakeKeychain();
  const store = keychainStore(entries, 1_200);
  await store.write('a', new Secret('x'.repeat(10_000)));
  const piece = [...kept.keys()].find((name) => name.endsWith('#3')) ?? '';
  kept.delete(piece);
  await expect(store.read('a')).rejects.toThrow('An entry of Fovea in the keychain is damaged.');
  await store.remove('a');
  expect(await store.read('a')).toBe(undefined);
});

test('files are private, and hold nothing that was written', async () => {
  const folder = join(await temporaryFolder(), 'credentials');
  const { files } = await openFiles(folder);
  await files.write('tokens:default', new Secret('access-token-canary-5f1e'));
  const names = await namesIn(folder);
  expect(names).toHaveLength(2);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  for (const name of names) {
    const path = join(folder, name);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const content = await readFile(path);
    for (const word of ['canary', 'tokens', 'default']) expect(content.includes(word)).toBe(false);
    const base64 = Buffer.from('access-token-canary-5f1e').toString('base64').slice(0, 20);
    expect(content.toString('latin1')).not.toContain(base64);
  }
});

test('with the key in the keychain, the folder alone opens nothing', async () => {
  const folder = await temporaryFolder();
  const keychain = fakeKeychain();
  const { files } = await openFiles(folder, keychain);
  expect(files.name).toBe('encrypted file, key in the keychain');
  await files.write('a', new Secret('value'));
  const note = await readFile(join(folder, 'key'), 'utf8');
  const [entry = ''] = [...keychain.kept.keys()];
  expect(note).toBe(`fovea-key-1 keychain ${entry}\n`);
  const [sealedKey = ''] = [...keychain.kept.values()];
  expect(note).not.toContain(sealedKey.slice(1));
  keychain.kept.clear();
  const other = await openFiles(folder, keychain);
  await expect(other.files.read('a')).rejects.toThrow(
    'The keychain no longer has the key of the sign-in.',
  );
});

test('a locked keychain is an error, and no missing value', async () => {
  const folder = await temporaryFolder();
  const keychain = fakeKeychain();
  await (await openFiles(folder, keychain)).files.write('a', new Secret('value'));
  keychain.state.isLocked = true;
  const { files } = await openFiles(folder, keychain);
  await expect(files.read('a')).rejects.toThrow('The keychain is locked.');
  keychain.state.isLocked = false;
  expect((await files.read('a'))?.reveal()).toBe('value');
});

test('a file under the name of another one is refused: nothing can be swapped', async () => {
  const folder = await temporaryFolder();
  const { files } = await openFiles(folder);
  await files.write('tokens:a', new Secret('of a'));
  const [first = ''] = (await namesIn(folder)).filter((name) => name.endsWith('.sealed'));
  await files.write('tokens:b', new Secret('of b'));
  const second = (await namesIn(folder)).find((name) => name.endsWith('.sealed') && name !== first);
  await copyFile(join(folder, first), join(folder, second ?? ''));
  await expect(files.read('tokens:b')).rejects.toThrow('A file of the sign-in is damaged');
  expect((await files.read('tokens:a'))?.reveal()).toBe('of a');
});

test.each([
  ['empty', () => Buffer.alloc(0)],
  ['cut off', (sealed: Buffer) => sealed.subarray(0, 20)],
  ['one bit changed', (sealed: Buffer) => flipped(sealed, sealed.length - 1)],
  ['another nonce', (sealed: Buffer) => flipped(sealed, 3)],
  ['another version', (sealed: Buffer) => flipped(sealed, 0)],
  ['text', () => Buffer.from('{"accessToken":"plain"}')],
])('a damaged file is an error, can be removed, and written anew: %s', async (_, damage) => {
  const folder = await temporaryFolder();
  const { files } = await openFiles(folder);
  await files.write('a', new Secret('value'));
  const name = (await namesIn(folder)).find((each) => each.endsWith('.sealed')) ?? '';
  await writeFile(join(folder, name), damage(await readFile(join(folder, name))));
  await expect(files.read('a')).rejects.toMatchObject({
    code: 'internal',
    message: 'A file of the sign-in is damaged, or its key is lost.',
    hint: 'Run fovea sign-out, then sign in again.',
  });
  await files.write('a', new Secret('anew'));
  expect((await files.read('a'))?.reveal()).toBe('anew');
  await files.remove('a');
  expect(await files.read('a')).toBe(undefined);
});

function flipped(sealed: Buffer, at: number): Buffer {
  const copy = Buffer.from(sealed);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
}

test('another key opens nothing', async () => {
  const folder = await temporaryFolder();
  const { files } = await openFiles(folder);
  await files.write('a', new Secret('value'));
  await rm(join(folder, 'key'));
  await expect(files.read('a')).rejects.toThrow('A file of the sign-in is damaged, or its key');
  await files.write('b', new Secret('other'));
  await expect(files.read('a')).rejects.toThrow('A file of the sign-in is damaged, or its key');
  expect((await files.read('b'))?.reveal()).toBe('other');
});

test('a folder that another process made anew is followed', async () => {
  const folder = join(await temporaryFolder(), 'credentials');
  const { files } = await openFiles(folder);
  await files.write('a', new Secret('old'));
  await rm(folder, { recursive: true });
  const { files: others } = await openFiles(folder);
  await others.write('a', new Secret('theirs'));
  expect((await files.read('a'))?.reveal()).toBe('theirs');
  await files.write('a', new Secret('ours'));
  expect((await others.read('a'))?.reveal()).toBe('ours');
});

test('files that others could read are private again, and that is logged', async () => {
  const folder = join(await temporaryFolder(), 'credentials');
  const { files, lines } = await openFiles(folder);
  await files.write('a', new Secret('value'));
  const paths = (await namesIn(folder)).map((name) => join(folder, name));
  for (const path of paths) await chmod(path, 0o644);
  await chmod(folder, 0o755);
  expect((await files.read('a'))?.reveal()).toBe('value');
  for (const path of paths) expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(lines.filter((line) => line.includes('could be read by others'))).toHaveLength(2);
  await files.write('a', new Secret('again'));
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
});

test('a link in the place of a file is not followed, and what it names stays as it is', async () => {
  const folder = await temporaryFolder();
  const { files } = await openFiles(folder);
  await files.write('a', new Secret('value'));
  const name = (await namesIn(folder)).find((each) => each.endsWith('.sealed')) ?? '';
  const target = join(folder, 'of-somebody');
  await writeFile(target, 'theirs', { mode: 0o644 });
  await rm(join(folder, name));
  await symlink(target, join(folder, name));
  await expect(files.read('a')).rejects.toThrow('is a link');
  expect((await stat(target)).mode & 0o777).toBe(0o644);
  await files.write('a', new Secret('value'));
  expect((await files.read('a'))?.reveal()).toBe('value');
  expect(await readFile(target, 'utf8')).toBe('theirs');
});

test('a folder in the place of a file is refused', async () => {
  const folder = await temporaryFolder();
  const { files } = await openFiles(folder);
  await mkdir(join(folder, 'key'));
  await expect(files.write('a', new Secret('value'))).rejects.toThrow(
    'is not one that Fovea wrote',
  );
});

test('processes that make the key at once end with one key', async () => {
  const folder = await temporaryFolder();
  const opened = await Promise.all(Array.from({ length: 8 }, () => openFiles(folder)));
  await Promise.all(
    opened.map(({ files }, index) => files.write(`name ${index}`, new Secret(`value ${index}`))),
  );
  const { files } = await openFiles(folder);
  for (const index of opened.keys()) {
    expect((await files.read(`name ${index}`))?.reveal()).toBe(`value ${index}`);
  }
});

test('with a keychain, the losers of that race leave no key behind', async () => {
  const folder = await temporaryFolder();
  const keychain = fakeKeychain();
  const opened = await Promise.all(Array.from({ length: 8 }, () => openFiles(folder, keychain)));
  await Promise.all(opened.map(({ files }, index) => files.write(`${index}`, new Secret('value'))));
  expect(keychain.kept.size).toBe(1);
});

test('what a killed process left half written goes, what is being written stays', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'x.sealed.1.draft'), 'old');
  await writeFile(join(folder, 'x.sealed.2.draft'), 'new');
  let now = systemClock.now();
  const clock = { now: () => now, monotonic: () => now };
  const { log } = openLog();
  const options = { folder, log, clock, keychain: async () => undefined };
  const files = await openEncryptedFiles({ ...options, chooseKeychain: async () => undefined });
  await files.write('a', new Secret('value'));
  expect((await namesIn(folder)).filter((name) => name.endsWith('.draft'))).toHaveLength(2);
  now += 60_000;
  await files.write('a', new Secret('value'));
  expect((await namesIn(folder)).filter((name) => name.endsWith('.draft'))).toEqual([]);
});
