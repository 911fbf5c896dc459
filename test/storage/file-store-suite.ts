// What every file store must do. Each implementation is judged by this one suite.

import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import type { FileStore } from '../../src/storage/file-store.ts';

export const ids = {
  first: '01934abc-0001-7abc-8abc-0123456789ab',
  second: '01934abc-0002-7abc-8abc-0123456789ab',
  /** Of another time. */
  later: '01934fff-0003-7abc-8abc-0123456789ab',
} as const;

export const hello = Buffer.from('hello');

type Open = () => Promise<FileStore>;

export function judgeFileStore(name: string, open: Open): void {
  describe(`${name}: keeping`, () => judgeKeeping(open));
  describe(`${name}: what is missing`, () => judgeMissing(open));
  describe(`${name}: ranges`, () => judgeRanges(open));
  describe(`${name}: removing`, () => judgeRemoving(open));
}

function judgeKeeping(open: Open): void {
  test('gives back what was written, under its id', async () => {
    const files = await open();
    const written = await files.write(ids.first, hello);
    expect(written.bytes).toBe(5);
    expect(written.diskBytes).toBeGreaterThanOrEqual(5);
    expect(Buffer.from(await files.read(ids.first)).toString()).toBe('hello');
    expect((await buffer(await files.open(ids.first))).toString()).toBe('hello');
    expect(await files.size(ids.first)).toBe(5);
  });

  test('keeps content that comes in pieces', async () => {
    const files = await open();
    expect(await files.write(ids.first, pieces('he', '', 'llo'))).toMatchObject({ bytes: 5 });
    expect(Buffer.from(await files.read(ids.first)).toString()).toBe('hello');
  });

  test('keeps content without bytes', async () => {
    const files = await open();
    expect(await files.write(ids.first, new Uint8Array())).toMatchObject({ bytes: 0 });
    expect(await files.write(ids.second, pieces())).toMatchObject({ bytes: 0 });
    expect((await buffer(await files.open(ids.first))).byteLength).toBe(0);
    expect(await files.size(ids.second)).toBe(0);
  });

  test('keeps many large pieces in their order', async () => {
    const files = await open();
    const parts = Array.from({ length: 60 }, (_, index) => Buffer.alloc(100_003, index));
    const { bytes } = await files.write(ids.first, asyncOf(parts));
    expect(bytes).toBe(6_000_180);
    expect(Buffer.from(await files.read(ids.first)).equals(Buffer.concat(parts))).toBe(true);
  });

  test('keeps thousands of tiny pieces', async () => {
    const files = await open();
    const parts = Array.from({ length: 5_000 }, (_, index) => Buffer.from([index % 251]));
    expect(await files.write(ids.first, asyncOf(parts))).toMatchObject({ bytes: 5_000 });
    expect(Buffer.from(await files.read(ids.first)).equals(Buffer.concat(parts))).toBe(true);
  });

  test('keeps nothing of content whose source fails, and throws what it threw', async () => {
    const files = await open();
    const failure = Object.assign(new Error('the sender went away'), { code: 'ENOSPC' });
    const failing = async function* () {
      yield Buffer.alloc(3_000_000);
      throw failure;
    };
    await expect(files.write(ids.first, failing())).rejects.toBe(failure);
    await expect(files.read(ids.first)).rejects.toMatchObject({ code: 'not_found' });
    expect(await idsOf(files)).toEqual([]);
  });

  test('keeps files that are written at the same moment', async () => {
    const files = await open();
    const many = Array.from({ length: 40 }, (_, index) => {
      const number = String(index).padStart(4, '0');
      return `01934a${index % 2}c-${number}-7abc-8abc-0123456789ab`;
    });
    const written = await Promise.all(many.map((id) => files.write(id, Buffer.from(id))));
    expect(written.map(({ bytes }) => bytes)).toEqual(many.map(() => 36));
    expect(await idsOf(files)).toEqual([...many].sort());
    for (const id of many) expect(Buffer.from(await files.read(id)).toString()).toBe(id);
  });

  test('knows how much is free', async () => {
    expect(await (await open()).freeBytes()).toBeGreaterThan(0);
  });
}

function judgeMissing(open: Open): void {
  test('says so when there is no such file', async () => {
    const files = await open();
    const missing = { code: 'not_found', message: `There is no file "${ids.first}".` };
    await expect(files.read(ids.first)).rejects.toMatchObject(missing);
    await expect(files.open(ids.first)).rejects.toMatchObject(missing);
    await expect(files.size(ids.first)).rejects.toMatchObject(missing);
  });

  test.each(['', '.', '..', '../../../etc/passwd', 'incoming', '01934abc', 'a/b', 'a\0b'])(
    'takes %j for no id',
    async (id) => {
      const files = await open();
      await files.write(ids.first, hello);
      await expect(files.read(id)).rejects.toMatchObject({ code: 'not_found' });
      await files.remove([id]);
      expect(await idsOf(files)).toEqual([ids.first]);
    },
  );
}

function judgeRanges(open: Open): void {
  test.each([
    [0, 0, 'h'],
    [1, 3, 'ell'],
    [4, 4, 'o'],
    [0, 4, 'hello'],
  ])('from %i to %i are both included', async (start, end, text) => {
    const files = await open();
    await files.write(ids.first, hello);
    expect((await buffer(await files.open(ids.first, { start, end }))).toString()).toBe(text);
  });

  test('may be in the middle of a large file', async () => {
    const files = await open();
    const content = Buffer.from(Uint32Array.from({ length: 500_000 }, (_, index) => index).buffer);
    await files.write(ids.first, content);
    const range = { start: 1_234_567, end: 1_834_566 };
    const part = await buffer(await files.open(ids.first, range));
    expect(part.equals(content.subarray(1_234_567, 1_834_567))).toBe(true);
  });
}

function judgeRemoving(open: Open): void {
  test('removes what is named and nothing else', async () => {
    const files = await open();
    for (const id of Object.values(ids)) await files.write(id, hello);
    await files.remove([ids.first, ids.later]);
    expect(await idsOf(files)).toEqual([ids.second]);
    await expect(files.read(ids.first)).rejects.toMatchObject({ code: 'not_found' });
    expect(Buffer.from(await files.read(ids.second)).toString()).toBe('hello');
  });

  test('passes over what is not there', async () => {
    const files = await open();
    await files.write(ids.first, hello);
    await files.remove([ids.second, ids.first, ids.first]);
    expect(await idsOf(files)).toEqual([]);
  });

  test('leaves a place for what comes later', async () => {
    const files = await open();
    await files.write(ids.first, hello);
    await files.remove([ids.first]);
    await files.write(ids.second, hello);
    await files.write(ids.first, hello);
    expect(await idsOf(files)).toEqual([ids.first, ids.second]);
  });

  test('while others write: no written file is lost', async () => {
    const files = await open();
    const round = async (index: number) => {
      const number = String(index).padStart(4, '0');
      const id = `01934abc-${number}-7abc-8abc-0123456789ab`;
      await files.write(id, hello);
      if (index % 10 !== 0) await files.remove([id]);
    };
    await Promise.all(Array.from({ length: 100 }, (_, index) => round(index)));
    expect((await idsOf(files)).length).toBe(10);
  });
}

export async function idsOf(files: FileStore): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const id of files.ids()) found.push(id);
  return found.sort();
}

export async function* pieces(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

async function* asyncOf(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts;
}
