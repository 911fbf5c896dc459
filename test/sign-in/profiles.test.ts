// Tokens of profiles: bound to whom they are for, found again where they are, never mixed.

import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Secret } from '../../src/secret.ts';
import type { Binding } from '../../src/sign-in/profile-index.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { binding, fakeKeychain, openStore, tokensOf } from './test-session.ts';

test('tokens come back whole, in another process', async () => {
  const folder = await temporaryFolder();
  const written = tokensOf('1', { scopes: ['openid', 'image:read'], workspaceUrl: 'acme' });
  const stored = await openStore(folder).tokens.begin(binding, written);
  const found = await openStore(folder).tokens.read(binding);
  expect(found?.revision).toBe(stored.revision);
  expect(found?.tokens.accessToken.reveal()).toBe('access-1');
  expect(found?.tokens.refreshToken?.reveal()).toBe('refresh-1');
  const { accessToken, refreshToken, ...rest } = written;
  expect(found?.tokens).toMatchObject(rest);
});

test.each<[string, Partial<Binding>]>([
  ['issuer', { issuer: 'https://evil.example' }],
  ['issuer by a slash', { issuer: 'http://127.0.0.1:8000/' }],
  ['client', { clientId: 'other' }],
  ['profile', { profile: 'work' }],
  ['service', { service: 'https://evil.example' }],
])('tokens for one %s are never those of another, and stay', async (_, change) => {
  const folder = await temporaryFolder();
  const { tokens } = openStore(folder);
  await tokens.begin(binding, tokensOf('1'));
  const other = { ...binding, ...change };
  expect(await tokens.read(other)).toBe(undefined);
  await tokens.begin(other, tokensOf('2'));
  await tokens.remove(other);
  expect((await tokens.read(binding))?.tokens.accessToken.reveal()).toBe('access-1');
});

test('an index that somebody rewrote for another issuer opens nothing', async () => {
  const folder = await temporaryFolder();
  const { tokens } = openStore(folder);
  await tokens.begin(binding, tokensOf('1'));
  const evil = { ...binding, issuer: 'https://evil.example', service: 'https://evil.example' };
  await tokens.begin(evil, tokensOf('2'));
  const files = (await readdir(folder)).filter((name) => name.endsWith('.json'));
  const [ours, theirs] = await Promise.all(
    files.map((name) => readFile(join(folder, name), 'utf8')),
  );
  await writeFile(join(folder, files[0] ?? ''), theirs ?? '');
  await writeFile(join(folder, files[1] ?? ''), ours ?? '');
  await expect(tokens.read(evil)).rejects.toThrow('What is noted of the sign-in is damaged.');
});

test('a sealed file that was put in the place of another one opens nothing', async () => {
  const folder = await temporaryFolder();
  const { tokens } = openStore(folder);
  await tokens.begin(binding, tokensOf('1'));
  const [own = ''] = (await readdir(folder)).filter((name) => name.endsWith('.sealed'));
  const evil = { ...binding, service: 'https://evil.example' };
  await tokens.begin(evil, tokensOf('2'));
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sealed'));
  const other = names.find((name) => name !== own) ?? '';
  await writeFile(join(folder, other), await readFile(join(folder, own)));
  await expect(tokens.read(evil)).rejects.toThrow('damaged');
});

test('an entry of a keychain that was copied to another name opens nothing', async () => {
  const { entries, kept } = fakeKeychain();
  const { tokens } = openStore(await temporaryFolder(), { keychain: entries });
  await tokens.begin(binding, tokensOf('1'));
  const [own = ''] = [...kept.values()];
  const evil = { ...binding, service: 'https://evil.example' };
  await tokens.begin(evil, tokensOf('2'));
  for (const name of kept.keys()) kept.set(name, own);
  await expect(tokens.read(evil)).rejects.toThrow('damaged');
  expect((await tokens.read(binding))?.tokens.accessToken.reveal()).toBe('access-1');
});

test('tokens that somebody replaced meanwhile are not overwritten', async () => {
  const folder = await temporaryFolder();
  const { tokens } = openStore(folder);
  const first = await tokens.begin(binding, tokensOf('1'));
  const second = await openStore(folder).tokens.replace(binding, tokensOf('2'), first);
  expect(second?.signInId).toBe(first.signInId);
  expect(await tokens.replace(binding, tokensOf('3'), first)).toBe(undefined);
  expect((await tokens.read(binding))?.tokens.accessToken.reveal()).toBe('access-2');
  await tokens.remove(binding);
  expect(second && (await tokens.replace(binding, tokensOf('4'), second))).toBe(undefined);
  expect(await tokens.read(binding)).toBe(undefined);
});

test('a refresh is the same sign-in, a new sign-in is another one', async () => {
  const folder = await temporaryFolder();
  const { tokens } = openStore(folder);
  const first = await tokens.begin(binding, tokensOf('1'));
  const second = await tokens.replace(binding, tokensOf('2'), first);
  expect(await tokens.isCurrent(binding, first)).toBe(true);
  expect(second && (await tokens.isCurrent(binding, second))).toBe(true);
  await openStore(folder).tokens.begin(binding, tokensOf('3'));
  expect(await tokens.isCurrent(binding, first)).toBe(false);
});

test('the list of profiles has no secrets, nor has any file in plain', async () => {
  const folder = await temporaryFolder();
  const { tokens } = openStore(folder);
  await tokens.begin(binding, tokensOf('canary'));
  await tokens.begin({ ...binding, profile: 'work' }, tokensOf('2', { workspaceUrl: 'factory' }));
  expect(await tokens.profiles()).toEqual([
    { ...binding, workspaceUrl: 'acme', store: 'encrypted file' },
    { ...binding, profile: 'work', workspaceUrl: 'factory', store: 'encrypted file' },
  ]);
  for (const name of await readdir(folder)) {
    const content = await readFile(join(folder, name), 'latin1');
    expect(content).not.toMatch(/access-|refresh-|canary/);
  }
});

test('without anything stored there is nothing, and nothing is made', async () => {
  const folder = join(await temporaryFolder(), 'credentials');
  const { entries, state } = fakeKeychain();
  const { tokens } = openStore(folder, { keychain: entries });
  expect(await tokens.read(binding)).toBe(undefined);
  expect(await tokens.profiles()).toEqual([]);
  expect(state.calls).toBe(0);
  await expect(readdir(folder)).rejects.toThrow('ENOENT');
});

test('auto is the keychain where one works, and leaves nothing but tokens in it', async () => {
  const folder = await temporaryFolder();
  const { entries, kept } = fakeKeychain();
  const { tokens } = openStore(folder, { keychain: entries });
  expect(await tokens.place(binding)).toBe('keychain');
  expect([...kept.keys()]).toEqual([]);
  await tokens.begin(binding, tokensOf('1'));
  expect([...kept.keys()]).toEqual([expect.stringMatching(/^tokens:default\.[0-9a-f]{16}$/)]);
  expect((await readdir(folder)).filter((name) => name.endsWith('.sealed'))).toEqual([]);
  await tokens.remove(binding);
  expect([...kept.keys()]).toEqual([]);
  expect(await readdir(folder)).toEqual([]);
});

test('auto is a file where there is no keychain', async () => {
  const folder = await temporaryFolder();
  const { entries, state } = fakeKeychain();
  state.isAbsent = true;
  const { tokens } = openStore(folder, { keychain: entries });
  expect(await tokens.place(binding)).toBe('encrypted file, key beside it');
});

test('a file has its key in the keychain where one works', async () => {
  const { entries, kept } = fakeKeychain();
  const options = { setting: 'file', keychain: entries } as const;
  const folder = await temporaryFolder();
  const { tokens } = openStore(folder, options);
  await tokens.begin(binding, tokensOf('1'));
  expect(await tokens.place(binding)).toBe('encrypted file, key in the keychain');
  expect([...kept.keys()]).toEqual([expect.stringMatching(/^key:/)]);
  const { tokens: again } = openStore(folder, options);
  expect((await again.read(binding))?.tokens.accessToken.reveal()).toBe('access-1');
});

test('a locked keychain is an error at every door, and never "signed out"', async () => {
  const folder = await temporaryFolder();
  const { entries, state } = fakeKeychain();
  await openStore(folder, { keychain: entries }).tokens.begin(binding, tokensOf('1'));
  state.isLocked = true;
  const { tokens } = openStore(folder, { keychain: entries });
  const locked = { code: 'internal', message: 'The keychain is locked.', retry: 'safe' };
  await expect(tokens.read(binding)).rejects.toMatchObject(locked);
  await expect(tokens.remove(binding)).rejects.toMatchObject(locked);
  await expect(tokens.begin(binding, tokensOf('2'))).rejects.toMatchObject(locked);
  await expect(tokens.place({ ...binding, profile: 'new' })).rejects.toMatchObject(locked);
  state.isLocked = false;
  expect((await tokens.read(binding))?.tokens.accessToken.reveal()).toBe('access-1');
});

test('a keychain that is gone is an error where the tokens were in it', async () => {
  const folder = await temporaryFolder();
  const { entries, state } = fakeKeychain();
  await openStore(folder, { keychain: entries }).tokens.begin(binding, tokensOf('1'));
  await expect(openStore(folder).tokens.read(binding)).rejects.toMatchObject({
    message: 'There is no keychain here.',
    hint: expect.stringContaining('FOVEA_CREDENTIALS=file'),
  });
  state.isAbsent = true;
  const { tokens } = openStore(folder, { keychain: entries });
  await expect(tokens.read(binding)).rejects.toThrow('There is no keychain here.');
});

test('a keychain that lost its entry, or hides it, is an error', async () => {
  const folder = await temporaryFolder();
  const { entries, kept } = fakeKeychain();
  const { tokens } = openStore(folder, { keychain: entries });
  await tokens.begin(binding, tokensOf('1'));
  kept.clear();
  await expect(tokens.read(binding)).rejects.toMatchObject({
    message: 'The tokens that were kept here are damaged or gone.',
    hint: 'Run fovea sign-out, then sign in again.',
  });
  await tokens.remove(binding);
  expect(await tokens.read(binding)).toBe(undefined);
});

test('keychain is asked for: without one nothing is written anywhere', async () => {
  const folder = join(await temporaryFolder(), 'credentials');
  const { tokens } = openStore(folder, { setting: 'keychain' });
  const absent = { code: 'internal', message: 'There is no keychain here.' };
  await expect(tokens.place(binding)).rejects.toMatchObject(absent);
  await expect(tokens.begin(binding, tokensOf('1'))).rejects.toMatchObject(absent);
  await expect(readdir(folder)).rejects.toThrow('ENOENT');
});

test('files are asked for: tokens in a keychain are as good as none, and a locked one is no obstacle', async () => {
  const folder = await temporaryFolder();
  const { entries, state } = fakeKeychain();
  await openStore(folder, { keychain: entries }).tokens.begin(binding, tokensOf('1'));
  state.isLocked = true;
  const { tokens } = openStore(folder, { setting: 'file', keychain: entries });
  expect(await tokens.read(binding)).toBe(undefined);
  await tokens.begin(binding, tokensOf('2'));
  expect(await tokens.place(binding)).toBe('encrypted file, key beside it');
  expect((await tokens.read(binding))?.tokens.accessToken.reveal()).toBe('access-2');
});

test('auto stays where a sign-in is; a new sign-in moves, and leaves nothing behind', async () => {
  const folder = await temporaryFolder();
  await openStore(folder).tokens.begin(binding, tokensOf('1'));
  const { entries, kept } = fakeKeychain();
  const { tokens } = openStore(folder, { keychain: entries });
  const found = await tokens.read(binding);
  expect(found && (await tokens.replace(binding, tokensOf('2'), found))).toBeDefined();
  expect([...kept.keys()]).toEqual([]);
  await tokens.begin(binding, tokensOf('3'));
  expect(kept.size).toBe(1);
  expect((await readdir(folder)).filter((name) => name.endsWith('.sealed'))).toEqual([]);
  expect((await tokens.read(binding))?.tokens.accessToken.reveal()).toBe('access-3');
});

test.each([
  ['no JSON', 'nonsense'],
  ['no members', '{}'],
  ['a list', '[]'],
  [
    'another place',
    '{"profile":"default","issuer":"x","clientId":"y","service":"z","place":"/etc"}',
  ],
])('a damaged note is an error, and sign-out and sign-in mend it: %s', async (_, text) => {
  const folder = await temporaryFolder();
  const { tokens } = openStore(folder);
  await tokens.begin(binding, tokensOf('1'));
  const [name = ''] = (await readdir(folder)).filter((each) => each.endsWith('.json'));
  await writeFile(join(folder, name), text);
  await expect(tokens.read(binding)).rejects.toThrow('What is noted of the sign-in is damaged.');
  await tokens.begin(binding, tokensOf('2'));
  expect((await tokens.read(binding))?.tokens.accessToken.reveal()).toBe('access-2');
  await writeFile(join(folder, name), text);
  await tokens.remove(binding);
  expect(await tokens.read(binding)).toBe(undefined);
});

test('a sign-out and a sign-in while somebody reads are seen as one or the other', async () => {
  const folder = await temporaryFolder();
  const { tokens: reader } = openStore(folder);
  const { tokens: writer } = openStore(folder);
  let isDone = false;
  const writing = (async () => {
    for (let round = 0; round < 40; round++) {
      await writer.begin(binding, tokensOf(`${round}`));
      await writer.remove(binding);
    }
    isDone = true;
  })();
  let seen = 0;
  while (!isDone) {
    const found = await reader.read(binding);
    if (found !== undefined) seen++;
    expect(found?.tokens.accessToken ?? new Secret('')).toBeInstanceOf(Secret);
  }
  await writing;
  expect(seen).toBeGreaterThan(0);
  await rm(folder, { recursive: true });
});
