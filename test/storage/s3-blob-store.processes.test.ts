// The blob store on a bucket: before the judge of every blob store, and what only an object store
// can get wrong. The store is a real one (test/fixtures/s3-server.ts).

import { createHash } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import type { ObjectStorageSettings } from '../../src/object-storage-settings.ts';
import type { BlobStore } from '../../src/storage/blob-store.ts';
import { openS3Blobs } from '../../src/storage/s3/open-s3-blobs.ts';
import { probeBucket } from '../../src/storage/s3/probe-bucket.ts';
import { hasS3Server, type S3Server, startS3Server } from '../fixtures/s3-server.ts';
import { type SettableClock, settableClock } from '../fixtures/settable-clock.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { judgeBlobStore } from './blob-suite.ts';

const hello = Buffer.from('hello');
const helloHash = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';
const minute = 60_000;

let server: S3Server;

async function openAt(
  place: ObjectStorageSettings,
  clock: SettableClock,
  owner = 'us',
): Promise<BlobStore> {
  return openS3Blobs({ place, folder: await temporaryFolder(), owner, clock });
}

async function openNew(prefix?: string) {
  const clock = settableClock();
  const place = await server.place(prefix);
  return { clock, place, blobs: await openAt(place, clock) };
}

/** Keys of all objects but the one that tells whose place it is. */
async function keysIn({ bucket, prefix }: ObjectStorageSettings): Promise<readonly string[]> {
  const list = new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix });
  const { Contents = [] } = await server.client.send(list);
  return Contents.map(({ Key = '' }) => Key).filter((key) => !key.endsWith('.fovea'));
}

async function replace(
  place: ObjectStorageSettings,
  hash: string,
  content: Uint8Array,
): Promise<void> {
  for (const Key of (await keysIn(place)).filter((key) => key.includes(hash))) {
    await server.client.send(new PutObjectCommand({ Bucket: place.bucket, Key, Body: content }));
  }
}

describe.skipIf(!hasS3Server)('on an object store', { timeout: 60_000 }, () => {
  beforeAll(async () => {
    server = await startS3Server();
  }, 60_000);

  afterAll(() => server.stop());

  judgeBlobStore('below a prefix', async (clock) => {
    const place = await server.place('a/b/');
    const blobs = await openAt(place, clock);
    return { blobs, damage: (hash, content) => replace(place, hash, content) };
  });

  test('has a key that begins with the hash, and is new with each put', async () => {
    const { blobs, place } = await openNew('fovea/');
    await blobs.put(hello);
    await blobs.put(hello);
    const keys = await keysIn(place);
    expect(new Set(keys).size).toBe(2);
    for (const key of keys)
      expect(key).toMatch(new RegExp(`^fovea/2c/${helloHash}\\.[0-9a-f-]{36}$`));
  });

  test('the bucket of a folder that was copied there can be read, and is swept', async () => {
    const { blobs, place, clock } = await openNew();
    const Key = `2c/${helloHash}`;
    await server.client.send(new PutObjectCommand({ Bucket: place.bucket, Key, Body: hello }));
    expect(await blobs.size(helloHash)).toBe(5);
    expect(Buffer.from(await blobs.get(helloHash)).toString()).toBe('hello');
    expect(await blobs.sweep(() => true, 60 * minute)).toMatchObject({ removed: 0, kept: 1 });
    await blobs.put(hello);
    clock.advance(61 * minute);
    expect(await blobs.sweep(() => true, 60 * minute)).toMatchObject({ removed: 0, kept: 1 });
    expect(await keysIn(place)).not.toContain(Key);
    expect(await keysIn(place)).toHaveLength(1);
  });

  test('a sweep leaves one copy, and that as long as a put asks for', async () => {
    const { blobs, place, clock } = await openNew();
    await blobs.put(hello);
    clock.advance(59 * minute);
    await blobs.put(hello);
    expect(await blobs.sweep(() => false, 60 * minute)).toMatchObject({ removed: 0, kept: 1 });
    expect(await keysIn(place)).toHaveLength(2);
    clock.advance(2 * minute);
    expect(await blobs.sweep(() => false, 60 * minute)).toMatchObject({ removed: 0, kept: 1 });
    expect(await keysIn(place)).toHaveLength(1);
    expect(Buffer.from(await blobs.get(helloHash)).toString()).toBe('hello');
    clock.advance(58 * minute);
    expect(await blobs.sweep(() => false, 60 * minute)).toMatchObject({ removed: 1, kept: 0 });
    expect(await keysIn(place)).toEqual([]);
  });

  test('a removal that comes late takes nothing of a put that came before it', async () => {
    const { blobs, place, clock } = await openNew();
    const other = await openAt(place, clock);
    await blobs.put(hello);
    const [old = ''] = await keysIn(place);
    clock.advance(120 * minute);
    await other.put(hello);
    // What a sweep sends that has looked at the old copy before the put.
    await server.client.send(new DeleteObjectCommand({ Bucket: place.bucket, Key: old }));
    expect(Buffer.from(await blobs.get(helloHash)).toString()).toBe('hello');
    expect(Buffer.from(await other.get(helloHash)).toString()).toBe('hello');
  });

  test('a copy that one process healed is what all others read', async () => {
    const { blobs, place, clock } = await openNew();
    const other = await openAt(place, clock);
    await blobs.put(hello);
    await replace(place, helloHash, Buffer.from('hellO'));
    await expect(other.get(helloHash)).rejects.toThrow('damaged');
    clock.advance(1_000);
    await blobs.put(hello);
    expect(Buffer.from(await other.get(helloHash)).toString()).toBe('hello');
    expect(await buffer(await other.open(helloHash))).toEqual(hello);
  });

  test('a copy whose damage shows in a stream is looked for anew by the next one', async () => {
    const { blobs, place, clock } = await openNew();
    const other = await openAt(place, clock);
    await blobs.put(hello);
    expect(await other.size(helloHash)).toBe(5);
    await replace(place, helloHash, Buffer.from('hellO'));
    clock.advance(1_000);
    await blobs.put(hello);
    await expect(buffer(await other.open(helloHash))).rejects.toThrow('damaged');
    expect(await buffer(await other.open(helloHash))).toEqual(hello);
  });

  test('puts and sweeps of three processes at once lose nothing that is referred to', async () => {
    const { place, clock } = await openNew();
    const stores = await Promise.all([0, 1, 2].map(() => openAt(place, clock)));
    const references = new Set<string>();
    const contents = Array.from({ length: 4 }, (_each, place) => Buffer.from(`content ${place}`));
    for (let round = 0; round < 6; round += 1) {
      const puts = contents.map(async (content, place) => {
        const { hash } = (await stores[(place + round) % 3]?.put(content)) ?? { hash: '' };
        references.add(hash);
      });
      const sweeps = stores.map((store) =>
        store.sweep((hash) => references.has(hash), 60 * minute),
      );
      await Promise.all([...puts, ...sweeps]);
      for (const content of contents) {
        const hash = createHash('sha256').update(content).digest('hex');
        for (const store of stores) expect(await store.get(hash)).toEqual(content);
      }
      // All of it is thrown away and swept from time to time, and each copy grows old.
      if (round % 2 === 1) references.clear();
      clock.advance(61 * minute);
    }
  });

  test('a large file goes in parts, and comes back', async () => {
    const { blobs, place } = await openNew();
    const path = join(await temporaryFolder(), 'file');
    const content = Buffer.alloc(40 * 1024 * 1024 + 3, 'abcdefg');
    await writeFile(path, content);
    const { hash, bytes } = await blobs.putFile(path);
    expect(bytes).toBe(content.length);
    expect(hash).toBe(createHash('sha256').update(content).digest('hex'));
    const read = createHash('sha256');
    for await (const piece of await blobs.open(hash)) read.update(piece);
    expect(read.digest('hex')).toBe(hash);
    expect(await keysIn(place)).toHaveLength(1);
  });

  test('a large file that changes on its way leaves nothing', async () => {
    const { blobs, place } = await openNew();
    const path = join(await temporaryFolder(), 'file');
    await writeFile(path, Buffer.alloc(20 * 1024 * 1024, 'x'));
    const known = { hash: helloHash, bytes: 20 * 1024 * 1024 };
    await expect(blobs.putFile(path, known)).rejects.toMatchObject({ code: 'internal' });
    expect(await keysIn(place)).toEqual([]);
    const uploads = new ListMultipartUploadsCommand({ Bucket: place.bucket });
    expect((await server.client.send(uploads)).Uploads ?? []).toEqual([]);
  });

  test('a stream leaves no file here', async () => {
    const clock = settableClock();
    const folder = await temporaryFolder();
    const blobs = await openS3Blobs({ place: await server.place(), folder, owner: 'us', clock });
    const stream = async function* () {
      yield hello;
    };
    expect(await blobs.put(stream())).toEqual({ hash: helloHash, bytes: 5 });
    expect(await readdir(folder)).toEqual([]);
  });

  test('a link gives the content to anybody, by its name, and only that', async () => {
    const place = { ...(await server.place()), downloads: 'redirect' } as const;
    const blobs = await openAt(place, settableClock());
    await blobs.put(hello);
    const as = { contentType: 'application/zip', disposition: 'attachment; filename="a.zip"' };
    const link = (await blobs.link(helloHash, as)) ?? '';
    const answer = await fetch(link);
    expect(await answer.text()).toBe('hello');
    expect(answer.headers.get('content-type')).toBe('application/zip');
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="a.zip"');
    const part = await fetch(link, { headers: { range: 'bytes=1-2' } });
    expect([part.status, await part.text()]).toEqual([206, 'el']);
    expect((await fetch(link.replace('a.zip', 'b.zip'))).status).toBe(403);
    expect(link).not.toContain(process.env.AWS_SECRET_ACCESS_KEY);
    await expect(blobs.link('a'.repeat(64), as)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('a place belongs to one platform: another would sweep its files', async () => {
    const { place, clock } = await openNew('fovea/');
    await openAt(place, clock);
    await expect(openAt(place, clock, 'others')).rejects.toMatchObject({
      code: 'conflict',
      message: 'FOVEA_OBJECTS_URL leads to the files of another platform.',
      hint: expect.stringContaining('"fovea/.fovea"'),
    });
    await openAt({ ...place, prefix: 'staging/' }, clock, 'others');
  });

  test('a probe leaves nothing, and says how long a request takes', async () => {
    const { place } = await openNew('fovea/');
    expect(await probeBucket(place, systemClock)).toBeGreaterThanOrEqual(0);
    expect(await keysIn(place)).toEqual([]);
  });

  test('says what to set where the bucket or the credentials are wrong', async () => {
    const place = await server.place();
    await expect(probeBucket({ ...place, bucket: 'no-such' }, systemClock)).rejects.toMatchObject({
      code: 'internal',
      message: 'There is no bucket "no-such".',
      hint: 'Create it, or correct FOVEA_OBJECTS_URL and AWS_ENDPOINT_URL_S3.',
    });
    const right = process.env.AWS_SECRET_ACCESS_KEY;
    process.env.AWS_SECRET_ACCESS_KEY = 'another-secret';
    onTestFinished(() => {
      process.env.AWS_SECRET_ACCESS_KEY = right;
    });
    const refused = await probeBucket(place, systemClock).catch((thrown: unknown) => thrown);
    expect(refused).toMatchObject({
      code: 'internal',
      message: 'The object store does not take these credentials.',
      hint: expect.stringContaining('AWS_SECRET_ACCESS_KEY'),
    });
    const { inspect } = await import('node:util');
    const shown = inspect(refused, { depth: 9, showHidden: true });
    expect(shown).not.toMatch(/another-secret|fovea:tests|Signature=/);
  });

  test('reads what another process has put over the copy that this one knew', async () => {
    const { blobs, place, clock } = await openNew();
    const other = await openAt(place, clock);
    await blobs.put(hello);
    clock.advance(61 * minute);
    await other.put(hello);
    await other.sweep(() => true, 60 * minute);
    expect(await keysIn(place)).toHaveLength(1);
    expect(Buffer.from(await blobs.get(helloHash)).toString()).toBe('hello');
    const [Key = ''] = await keysIn(place);
    const found = await server.client.send(new GetObjectCommand({ Bucket: place.bucket, Key }));
    expect(await found.Body?.transformToString()).toBe('hello');
  });
});
