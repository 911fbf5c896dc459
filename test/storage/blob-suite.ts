// What every blob store must do. Each implementation is judged by this one suite.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import type { BlobStore } from '../../src/storage/blob-store.ts';
import { HashedBytes } from '../../src/storage/content-hash.ts';
import { type SettableClock, settableClock } from '../fixtures/settable-clock.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

/** A store to judge, and a way to spoil what it keeps, as a failing disk would. */
export interface JudgedStore {
  readonly blobs: BlobStore;
  damage(hash: string, content: Uint8Array): Promise<void>;
}

const hour = 60 * 60 * 1000;
const hello = Buffer.from('hello');
const helloHash = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';
const emptyHash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const missing = {
  code: 'not_found',
  message: `There is no stored content "${helloHash}".`,
};

export function judgeBlobStore(
  name: string,
  openStore: (clock: SettableClock) => Promise<JudgedStore>,
): void {
  const open = async () => {
    const clock = settableClock();
    return { ...(await openStore(clock)), clock };
  };

  describe(`${name}: keeping`, () => judgeKeeping(open));
  describe(`${name}: parts`, () => judgeParts(open));
  describe(`${name}: what is missing`, () => judgeMissing(open));
  describe(`${name}: damage`, () => judgeDamage(open));
  describe(`${name}: sweeping`, () => judgeSweeping(open));
}

type Open = () => Promise<JudgedStore & { readonly clock: SettableClock }>;

function judgeKeeping(open: Open): void {
  test('gives back what was put, under its SHA-256', async () => {
    const { blobs } = await open();
    expect(await blobs.put(hello)).toEqual({ hash: helloHash, bytes: 5 });
    expect(Buffer.from(await blobs.get(helloHash)).toString()).toBe('hello');
    expect((await buffer(await blobs.open(helloHash))).toString()).toBe('hello');
    expect(await blobs.size(helloHash)).toBe(5);
    expect(await blobs.has(helloHash)).toBe(true);
  });

  test('keeps bytes whose hash is known already', async () => {
    const { blobs } = await open();
    const content = new HashedBytes(hello);
    expect(await blobs.put(content)).toEqual({ hash: helloHash, bytes: 5 });
    expect(await blobs.put(content)).toEqual({ hash: helloHash, bytes: 5 });
    expect(Buffer.from(await blobs.get(helloHash)).toString()).toBe('hello');
  });

  test('keeps content that comes in pieces', async () => {
    const { blobs } = await open();
    expect(await blobs.put(pieces('he', '', 'llo'))).toEqual({ hash: helloHash, bytes: 5 });
    expect(Buffer.from(await blobs.get(helloHash)).toString()).toBe('hello');
  });

  test('keeps nothing of content whose source fails', async () => {
    const { blobs } = await open();
    await expect(blobs.put(failing('hello'))).rejects.toThrow('the sender went away');
    expect(await blobs.has(helloHash)).toBe(false);
    expect(await blobs.sweep(() => true, 0)).toEqual({ removed: 0, bytesRemoved: 0, kept: 0 });
  });

  test('takes a file over', async () => {
    const { blobs } = await open();
    const path = join(await temporaryFolder(), 'file');
    await writeFile(path, hello);
    expect(await blobs.putFile(path)).toEqual({ hash: helloHash, bytes: 5 });
    expect(Buffer.from(await blobs.get(helloHash)).toString()).toBe('hello');
    await expect(blobs.putFile(path)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('keeps content without bytes', async () => {
    const { blobs } = await open();
    expect(await blobs.put(new Uint8Array())).toEqual({ hash: emptyHash, bytes: 0 });
    expect((await blobs.get(emptyHash)).byteLength).toBe(0);
    expect((await buffer(await blobs.open(emptyHash))).byteLength).toBe(0);
  });

  test('keeps and streams content of many pieces', async () => {
    const { blobs } = await open();
    const content = Buffer.alloc(1_000_003, 'abcdefg');
    const { hash, bytes } = await blobs.put(content);
    expect(bytes).toBe(1_000_003);
    expect((await buffer(await blobs.open(hash))).equals(content)).toBe(true);
  });

  test('keeps the same content once, also when it is put at the same moment', async () => {
    const { blobs } = await open();
    const puts = [blobs.put(hello), blobs.put(hello), blobs.put(pieces('hello'))];
    expect((await Promise.all(puts)).map(({ hash }) => hash)).toEqual([
      helloHash,
      helloHash,
      helloHash,
    ]);
    expect(await blobs.sweep(() => true, 0)).toEqual({ removed: 0, bytesRemoved: 0, kept: 1 });
  });
}

function judgeParts(open: Open): void {
  test('gives a part of the content', async () => {
    const { blobs } = await open();
    const content = Buffer.alloc(1_000_003, 'abcdefg');
    const { hash } = await blobs.put(content);
    const part = async (start: number, end: number) =>
      (await buffer(await blobs.openRange(hash, { start, end }))).toString();
    expect(await part(0, 0)).toBe('a');
    expect(await part(999_999, 1_000_002)).toBe(content.subarray(999_999).toString());
    expect((await part(8, 500_000)).length).toBe(499_993);
    await expect(blobs.openRange(helloHash, { start: 0, end: 1 })).rejects.toMatchObject(missing);
  });
}

function judgeMissing(open: Open): void {
  test('says so when there is no such content', async () => {
    const { blobs } = await open();
    await expect(blobs.get(helloHash)).rejects.toMatchObject(missing);
    await expect(blobs.open(helloHash)).rejects.toMatchObject(missing);
    await expect(blobs.size(helloHash)).rejects.toMatchObject(missing);
    expect(await blobs.has(helloHash)).toBe(false);
  });

  test.each(['', '..', '../../etc/passwd', helloHash.toUpperCase(), `${helloHash}\n`, 'abc'])(
    'takes %j for no hash',
    async (name) => {
      const { blobs } = await open();
      await blobs.put(hello);
      await expect(blobs.get(name)).rejects.toMatchObject({ code: 'not_found' });
      expect(await blobs.has(name)).toBe(false);
    },
  );
}

function judgeDamage(open: Open): void {
  const found = { code: 'internal', message: expect.stringContaining(`${helloHash} is damaged`) };

  test.each(['hellO', 'hell', ''])('never gives "%s" for "hello"', async (content) => {
    const { blobs, damage } = await open();
    await blobs.put(hello);
    await damage(helloHash, Buffer.from(content));
    await expect(blobs.get(helloHash)).rejects.toMatchObject(found);
    await expect(buffer(await blobs.open(helloHash))).rejects.toMatchObject(found);
  });

  test('shows in a stream before its last piece', async () => {
    const { blobs, damage } = await open();
    const content = Buffer.alloc(1_000_003, 'abcdefg');
    const { hash } = await blobs.put(content);
    await damage(hash, Buffer.from(content).fill('x', 1_000_002));
    let bytes = 0;
    const drain = async () => {
      for await (const piece of await blobs.open(hash)) bytes += piece.length;
    };
    await expect(drain()).rejects.toMatchObject({ code: 'internal' });
    expect(bytes).toBeLessThan(1_000_003);
  });

  test.each(['hell', 'hellO', ''])('"%s" is healed by "hello" put again', async (content) => {
    const { blobs, damage } = await open();
    await blobs.put(hello);
    await damage(helloHash, Buffer.from(content));
    await blobs.put(hello);
    expect(Buffer.from(await blobs.get(helloHash)).toString()).toBe('hello');
  });

  test('of what is large is healed by a stream of it put again', async () => {
    const { blobs, damage } = await open();
    const content = Buffer.alloc(1_500_000, 'abcdefg');
    const { hash } = await blobs.put(content);
    await damage(hash, Buffer.from(content).fill('x', 700_000, 700_001));
    await blobs.put(pieces(content.toString()));
    expect((await blobs.get(hash)).length).toBe(1_500_000);
  });
}

function judgeSweeping(open: Open): void {
  test('removes what is old and nothing refers to, and nothing else', async () => {
    const { blobs, clock } = await open();
    const old = await blobs.put(hello);
    const used = await blobs.put(Buffer.from('used'));
    clock.advance(2 * hour);
    const young = await blobs.put(Buffer.from('young'));
    const isReferenced = async (hash: string) => hash === used.hash;
    const result = await blobs.sweep(isReferenced, hour);
    expect(result).toEqual({ removed: 1, bytesRemoved: 5, kept: 2 });
    const left = [old, used, young].map(({ hash }) => blobs.has(hash));
    expect(await Promise.all(left)).toEqual([false, true, true]);
    await blobs.put(hello);
    expect(Buffer.from(await blobs.get(helloHash)).toString()).toBe('hello');
  });

  test('spares old content that was put again', async () => {
    const { blobs, clock } = await open();
    await blobs.put(hello);
    clock.advance(2 * hour);
    await blobs.put(hello);
    clock.advance(hour / 2);
    const result = await blobs.sweep(() => false, hour);
    expect(result).toEqual({ removed: 0, bytesRemoved: 0, kept: 1 });
  });

  test('spares content that is put while the sweep looks at it', async () => {
    const { blobs, clock } = await open();
    await blobs.put(hello);
    clock.advance(2 * hour);
    const result = await blobs.sweep(async () => {
      await blobs.put(hello);
      return false;
    }, hour);
    expect(result).toEqual({ removed: 0, bytesRemoved: 0, kept: 1 });
    expect(Buffer.from(await blobs.get(helloHash)).toString()).toBe('hello');
  });

  test('removes nothing when it cannot learn what is referred to', async () => {
    const { blobs, clock } = await open();
    await blobs.put(hello);
    clock.advance(2 * hour);
    const isReferenced = async () => {
      throw new Error('no database');
    };
    await expect(blobs.sweep(isReferenced, hour)).rejects.toThrow('no database');
    expect(await blobs.has(helloHash)).toBe(true);
  });
}

async function* pieces(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

async function* failing(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
  throw new Error('the sender went away');
}
