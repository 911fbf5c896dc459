// Image files that cannot be read: one that is lost keeps no other event waiting, and a trouble of
// the disk or of the process sets none aside.

import { mkdir, rm, symlink } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { diskError } from '../../../src/storage/disk-errors.ts';
import type { FileStore } from '../../../src/storage/file-store.ts';
import { pathOfFile } from '../../fixtures/event-store.ts';
import { startTestPlatform, type TestPlatform } from '../../fixtures/platform.ts';
import { closeDevices, cloudIds, type Device, openDevice, until } from './device-and-cloud.ts';

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform();
});

afterAll(async () => {
  await closeDevices();
  await platform.close();
});

/** These files, on a disk that answers with a code where one is given for an id. */
function onDisk(files: FileStore, codeOf: (id: string) => string | undefined): FileStore {
  const check = (id: string) => {
    const code = codeOf(id);
    if (code !== undefined) throw diskError(Object.assign(new Error(code), { code }));
  };
  return {
    write: (id, content) => files.write(id, content),
    open: async (id, range) => {
      check(id);
      return files.open(id, range);
    },
    read: async (id) => {
      check(id);
      return files.read(id);
    },
    size: (id) => files.size(id),
    remove: (ids) => files.remove(ids),
    ids: () => files.ids(),
    freeBytes: () => files.freeBytes(),
    clearUnfinished: (beforeMs) => files.clearUnfinished(beforeMs),
  };
}

async function imageOf(device: Device, eventId: string): Promise<string> {
  return (await device.get(eventId)).images[0]?.file_id ?? '';
}

/** Until it has failed, or nothing waits. */
async function settled(device: Device, files: FileStore) {
  const uploader = device.upload(platform.url, { files });
  const isIdle = async () => (await device.store.usage()).waiting === 0;
  await until(async () => uploader.state().lastError !== undefined || (await isIdle()));
  return uploader.state().lastError;
}

const lostImage = 'an image of it is lost: its file cannot be read';

describe('a file that alone cannot be read sets its event aside', () => {
  it.each(['EIO', 'EUCLEAN', 'EBADMSG', 'ENXIO', 'EACCES'])('with %s', async (code) => {
    const device = await openDevice({ isNew: true });
    const bad = await device.addWithImage(`bad ${device.useCase}`);
    const fine = [await device.add(), await device.addWithImage(`fine ${device.useCase}`)];
    const file = await imageOf(device, bad);
    const files = onDisk(device.files, (id) => (id === file ? code : undefined));
    expect(await settled(device, files)).toBe(undefined);
    expect(cloudIds(platform, device.useCase)).toEqual(fine);
    expect(await device.get(bad)).toMatchObject({ upload: 'refused', uploadError: lostImage });
  });

  it.each([
    ['a link to itself', (path: string) => symlink(path, path)],
    ['a folder', (path: string) => mkdir(path)],
  ])('where %s is in its place, also when there is no other file', async (_, make) => {
    const device = await openDevice({ isNew: true });
    const bad = await device.addWithImage('bad');
    const fine = await device.add();
    const file = await imageOf(device, bad);
    const path = pathOfFile(device.data, file);
    await rm(path);
    await make(path);
    expect(await settled(device, device.files)).toBe(undefined);
    expect(cloudIds(platform, device.useCase)).toEqual([fine]);
    expect(await device.get(bad)).toMatchObject({ upload: 'refused', uploadError: lostImage });
  });
});

it('the only file there is, which cannot be read, sets its event aside', async () => {
  const device = await openDevice({ isNew: true });
  const bad = await device.addWithImage('bad');
  const fine = await device.add();
  const files = onDisk(device.files, () => 'EIO');
  expect(await settled(device, files)).toBe(undefined);
  expect(cloudIds(platform, device.useCase)).toEqual([fine]);
  expect(await device.get(bad)).toMatchObject({ upload: 'refused', uploadError: lostImage });
});

describe('all events wait', () => {
  it.each([
    ['EACCES of all files', 'EACCES', () => true],
    ['EIO of all files', 'EIO', () => true],
    ['ETIMEDOUT of all files', 'ETIMEDOUT', () => true],
    ['EMFILE, also of one file', 'EMFILE', (isFirst: boolean) => isFirst],
    ['ENFILE, also of one file', 'ENFILE', (isFirst: boolean) => isFirst],
    ['ENOMEM, also of one file', 'ENOMEM', (isFirst: boolean) => isFirst],
  ])('with %s', async (_, code, isHit) => {
    const device = await openDevice({ isNew: true });
    const ids = [
      await device.addWithImage(`first ${device.useCase}`),
      await device.addWithImage(`second ${device.useCase}`),
    ];
    const first = await imageOf(device, ids[0] ?? '');
    let isOver = false;
    const files = onDisk(device.files, (id) => (!isOver && isHit(id === first) ? code : undefined));
    expect(await settled(device, files)).toBe(
      'The images of events cannot be read from the disk now.',
    );
    const states = await Promise.all(ids.map(async (id) => (await device.get(id)).upload));
    expect(states).toEqual(['waiting', 'waiting']);
    isOver = true;
    await device.drained();
    expect(cloudIds(platform, device.useCase)).toEqual(ids);
  });

  it('with too many open files at the second look', async () => {
    const device = await openDevice({ isNew: true });
    const gone = await device.addWithImage('gone');
    await device.addWithImage(`there ${device.useCase}`);
    const file = await imageOf(device, gone);
    const codes = ['EUCLEAN', 'EMFILE'];
    const files = onDisk(device.files, (id) => (id === file ? codes.shift() : undefined));
    expect(await settled(device, files)).toBe(
      'The images of events cannot be read from the disk now.',
    );
    await device.drained();
    expect((await device.get(gone)).upload).toBe('uploaded');
  });
});
