// Images on the platform: upload in every form, annotation, tags, metadata, deletion.

import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { images } from '../../src/contract/images.ts';
import { projects } from '../../src/contract/projects.ts';
import { resized, testImage } from '../fixtures/images.ts';
import { greedyImages } from '../fixtures/oversized-images.ts';
import { startTestPlatform, type TestPlatform } from '../fixtures/platform.ts';

let platform: TestPlatform;
let allowedPort = 0;
const project = 'cells';
const inProject = { workspace: 'acme', project };
const sample = 'sample/blood-cells';

beforeAll(async () => {
  platform = await startTestPlatform({
    isAllowedHost: (host) => host === `127.0.0.1:${allowedPort}`,
  });
  await platform.client.call(projects.projects_create, {
    workspace: 'acme',
    name: 'Cells',
    type: 'object-detection',
    annotation: 'cells',
  });
});

afterAll(() => platform.close());

async function health() {
  return (await platform.client.call(projects.projects_health, inProject)).body.stats;
}

async function upload(content: Uint8Array, name: string, more: object = {}) {
  const file = { name, content };
  const { body } = await platform.client.call(images.images_upload, { project, file, ...more });
  return body;
}

async function show(imageId: string) {
  return (await platform.client.call(images.images_get, { ...inProject, imageId })).body.image;
}

/** A server elsewhere that has one file, and counts who asks. */
async function serveBytes(bytes: Uint8Array) {
  let requests = 0;
  const server = createServer((_, response) => {
    requests += 1;
    response.end(bytes);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    requests: () => requests,
    close: async () => server.close(),
  };
}

describe('upload', () => {
  it('takes multipart, and knows the same bytes again', async () => {
    const bytes = await testImage(1);
    const first = await upload(bytes, 'one.png', { split: 'valid', tag: ['a', 'b'], batch: 'B' });
    expect(first).toMatchObject({ success: true });
    expect(first.duplicate).toBeUndefined();
    expect(await upload(bytes, 'again.png')).toEqual({
      id: first.id,
      success: true,
      duplicate: true,
      name: 'one.png',
      split: 'valid',
    });
    const { body } = await platform.client.call(images.images_get, {
      ...inProject,
      imageId: first.id,
    });
    expect(body.image).toMatchObject({
      name: 'one.png',
      split: 'valid',
      tags: ['a', 'b'],
      width: 64,
    });
    const original = await fetch(String(body.image.urls?.original));
    expect(Buffer.from(await original.arrayBuffer()).equals(bytes)).toBe(true);
    const { body: list } = await platform.client.call(images.batches_list, inProject);
    expect(list.batches).toMatchObject([{ name: 'B', images: 1 }]);
  });

  it.each(['png', 'jpeg', 'webp', 'tiff', 'avif'] as const)('takes %s', async (format) => {
    expect(await upload(await testImage(2, format), `x.${format}`)).toMatchObject({
      success: true,
    });
  });

  it('refuses what would take too much memory by its header, and goes on', async () => {
    for (const { name, bytes, message } of await greedyImages()) {
      await expect(upload(bytes, name)).rejects.toMatchObject({
        upstream: { status: 413, message: `file: ${message}` },
      });
    }
    expect(await upload(await testImage(27), 'x.png')).toMatchObject({ success: true });
  });

  it('heals a file that was lost on the disk when it is sent again', async () => {
    const bytes = await testImage(26);
    const { id } = await upload(bytes, 'lost.png');
    const { hash, urls } = await show(id);
    const name = String(hash);
    await rm(join(platform.data, 'blobs', name.slice(0, 2), name));
    expect((await fetch(String(urls?.original))).status).toBe(404);
    expect(await upload(bytes, 'lost.png')).toMatchObject({ id, duplicate: true });
    const healed = await fetch(String(urls?.original));
    expect(Buffer.from(await healed.arrayBuffer()).equals(bytes)).toBe(true);
  });

  it('keeps what the sender says of where the image comes from', async () => {
    const sent = { sequence_number: 3, sequence_size: 9, inference_id: 'run-7' };
    const { id } = await upload(await testImage(20), 'frame.png', sent);
    expect(await show(id)).toMatchObject(sent);
    const { id: other } = await upload(await testImage(21), 'single.png');
    expect(await show(other)).not.toHaveProperty('sequence_number');
  });

  it('keeps metadata as the metadata operation does, and refuses the same', async () => {
    const metadata = '{"line": 4, "constructor": "x", "on": true}';
    const { id } = await upload(await testImage(22), 'm.png', { metadata });
    expect((await show(id)).metadata).toEqual({ line: 4, constructor: 'x', on: true });
    const wrong = [
      '{"a": "b\\u0000"}',
      '{"a": null}',
      '{"": 1}',
      '[1]',
      '"text"',
      '{broken',
      '{"__proto__": 1}',
    ];
    for (const text of wrong) {
      await expect(upload(await testImage(23), 'm.png', { metadata: text })).rejects.toMatchObject({
        upstream: { status: 400, message: expect.stringContaining('metadata') },
      });
    }
    expect(await upload(await testImage(23), 'm.png')).not.toHaveProperty('duplicate');
  });

  it('makes one line of a name', async () => {
    const { id } = await upload(await testImage(24), 'x.png', { name: 'a/b\r\nSet: 1\u0007.png' });
    expect((await show(id)).name).toBe('a/bSet: 1.png');
  });

  it('takes base64 text, as older senders do', async () => {
    const bytes = await testImage(3);
    const answer = await fetch(
      `${platform.url}/dataset/${project}/upload?api_key=${platform.key}&name=three.png&split=test`,
      {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: bytes.toString('base64'),
      },
    );
    expect(await answer.json()).toMatchObject({ success: true });
  });

  it('fetches a URL, and refuses a private address that nobody allowed', async () => {
    const bytes = await testImage(4);
    const allowed = await serveBytes(bytes);
    const canary = await serveBytes(bytes);
    allowedPort = allowed.port;
    const ask = (image: string) => platform.client.call(images.images_upload, { project, image });
    const { body } = await ask(`http://127.0.0.1:${allowed.port}/four.png`);
    expect(body).toMatchObject({ success: true });
    expect(body.duplicate).toBeUndefined();
    const hosts = [
      '127.0.0.1',
      'localhost',
      '2130706433',
      '0x7f.1',
      '[::ffff:127.0.0.1]',
      '10.0.0.1',
    ];
    for (const host of hosts) {
      await expect(ask(`http://${host}:${canary.port}/x.png`)).rejects.toMatchObject({
        upstream: { status: 400, message: expect.stringContaining('image') },
      });
    }
    expect(canary.requests()).toBe(0);
    await Promise.all([allowed.close(), canary.close()]);
  });

  it('says of a URL, not of a file, that there is no image behind it', async () => {
    const page = await serveBytes(Buffer.from('<!doctype html><title>no</title>'));
    allowedPort = page.port;
    const image = `http://127.0.0.1:${page.port}/page.png`;
    await expect(
      platform.client.call(images.images_upload, { project, image }),
    ).rejects.toMatchObject({
      upstream: { status: 415, message: expect.stringMatching(/^image: is a web page/) },
    });
    await page.close();
  });

  it.each([
    ['no image', Buffer.from('hello')],
    ['nothing', Buffer.alloc(0)],
    ['a GIF', Buffer.from('GIF89a\x01\x00\x01\x00\x80\x00\x00', 'latin1')],
  ])('refuses %s and keeps nothing of it', async (_, bytes) => {
    const before = await health();
    await expect(upload(bytes, 'bad.png')).rejects.toMatchObject({
      upstream: { message: expect.stringContaining('file') },
    });
    expect(await health()).toEqual(before);
  });

  it('refuses a cut image and one of 20,000 x 20,000 pixels', async () => {
    const whole = await readFile(`${sample}/JPEGImages/BloodImage_00338.jpg`);
    await expect(upload(whole.subarray(0, 9_000), 'cut.jpg')).rejects.toMatchObject({
      upstream: { status: 400 },
    });
    const huge = resized(await testImage(10), 20_000, 20_000);
    await expect(upload(huge, 'huge.png')).rejects.toMatchObject({
      upstream: { status: 413, message: expect.stringContaining('pixels') },
    });
  });

  it('refuses a project that is not there, an unknown split and an unknown parameter', async () => {
    const file = { name: 'x.png', content: await testImage(5) };
    await expect(
      platform.client.call(images.images_upload, { project: 'nope', file }),
    ).rejects.toMatchObject({ code: 'not_found' });
    const send = (query: string) =>
      fetch(`${platform.url}/dataset/${project}/upload?api_key=${platform.key}&${query}`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'aGVsbG8=',
      });
    expect(await (await send('split=trian')).text()).toMatch(/split.*train/);
    expect(await (await send('splitt=train')).text()).toMatch(/splitt.*split/);
  });
});

describe('annotation', () => {
  async function annotate(
    imageId: string,
    annotationFile: string,
    name: string,
    more: object = {},
  ) {
    const input = { project, imageId, annotationFile, name, ...more };
    return (await platform.client.call(images.images_annotate, input)).body;
  }

  it('is replaced by who has seen it: another revision is a conflict, and nothing changes', async () => {
    const { id } = await upload(await testImage(180), 'revised.png');
    const file = (label: string) =>
      JSON.stringify([
        {
          image: 'revised.png',
          annotations: [{ label, coordinates: { x: 20, y: 20, width: 10, height: 10 } }],
        },
      ]);
    const get = async () => {
      const { body } = await platform.client.call(images.images_get, { ...inProject, imageId: id });
      return body.image;
    };
    expect((await get()).annotation_revision).toBe('none');
    const first = await annotate(id, file('one'), 'a.json', { revision: 'none' });
    expect((await get()).annotation_revision).toBe(first.annotation_revision);
    for (const revision of ['none', '0123456789abcdef', '']) {
      await expect(
        annotate(id, file('two'), 'a.json', { revision, overwrite: true }),
      ).rejects.toMatchObject({ code: 'conflict', upstream: { status: 409 } });
    }
    expect((await get()).labels).toEqual(['one']);
    const revision = first.annotation_revision;
    const second = await annotate(id, file('two'), 'a.json', { revision, overwrite: true });
    expect(second.annotation_revision).not.toBe(revision);
    expect((await get()).labels).toEqual(['two']);
  });

  it('keeps the boxes of a VOC file, bad ones too, and says which are bad', async () => {
    const stem = 'BloodImage_00338';
    const bytes = await readFile(`${sample}/JPEGImages/${stem}.jpg`);
    const voc = await readFile(`${sample}/Annotations/${stem}.xml`, 'utf8');
    const { id } = await upload(bytes, `${stem}.jpg`);
    const boxes = voc.match(/<object>/g)?.length;
    const answer = await annotate(id, voc, `${stem}.xml`);
    expect(answer).toMatchObject({ success: true, boxes });
    expect(answer.warnings).toHaveLength(1);
    expect(JSON.stringify(answer.warnings)).toContain('504');
    const { body } = await platform.client.call(images.images_get, { ...inProject, imageId: id });
    expect(body.image.annotation?.boxes).toHaveLength(boxes ?? 0);

    await expect(annotate(id, voc, `${stem}.xml`)).rejects.toMatchObject({
      code: 'conflict',
      upstream: { hint: expect.stringContaining('overwrite') },
    });
    expect(await annotate(id, voc, `${stem}.xml`, { overwrite: true })).toMatchObject({ boxes });
  });

  it('refuses the annotation of another image, and a class id without a name', async () => {
    const { id } = await upload(await testImage(6), 'six.png');
    const voc = await readFile(`${sample}/Annotations/BloodImage_00338.xml`, 'utf8');
    await expect(annotate(id, voc, 'six.xml')).rejects.toMatchObject({
      upstream: { status: 400, message: expect.stringMatching(/BloodImage_00338.*six\.png/s) },
    });
    await expect(
      annotate(id, '7 0.5 0.5 0.2 0.2', 'six.txt', { labelmap: { 0: 'cell' } }),
    ).rejects.toMatchObject({ upstream: { message: expect.stringContaining('7') } });
    expect(
      await annotate(id, '0 0.5 0.5 0.2 0.2', 'six.txt', { labelmap: { 0: 'cell' } }),
    ).toMatchObject({ boxes: 1 });
  });

  it('refuses class names that are no text, and keeps nothing of them', async () => {
    const { id } = await upload(await testImage(25), 'x.png');
    for (const label of ['\ud800', 'a\ud801b', 'a\u0000b', 'two\nlines', ' ']) {
      const coordinates = { x: 10, y: 10, width: 5, height: 5 };
      const text = JSON.stringify([{ image: 'x.png', annotations: [{ label, coordinates }] }]);
      await expect(annotate(id, text, 'x.json')).rejects.toMatchObject({
        upstream: { status: 400, message: expect.stringContaining('label') },
      });
    }
    expect((await show(id)).annotation).toBeUndefined();
  });

  it('counts missing, empty and labelled images apart', async () => {
    const before = await health();
    const { id } = await upload(await testImage(7), 'seven.png');
    expect((await health()).missingAnnotations).toBe(before.missingAnnotations + 1);
    await annotate(id, '', 'seven.txt');
    const after = await health();
    expect(after.missingAnnotations).toBe(before.missingAnnotations);
    expect(after.nullAnnotations).toBe(before.nullAnnotations + 1);
  });
});

describe('change and removal', () => {
  it('adds, removes and sets tags, and keeps metadata', async () => {
    const { id: imageId } = await upload(await testImage(8), 'eight.png');
    const tag = async (operation: 'add' | 'remove' | 'set', tags: string[]) =>
      (await platform.client.call(images.images_tag, { ...inProject, imageId, operation, tags }))
        .body.tags;
    expect(await tag('add', ['b', 'a'])).toEqual(['a', 'b']);
    expect(await tag('remove', ['a'])).toEqual(['b']);
    expect(await tag('set', ['c'])).toEqual(['c']);
    await platform.client.call(images.images_set_metadata, {
      workspace: 'acme',
      imageId,
      metadata: { line: 4, shift: 'night' },
      addTags: ['d'],
    });
    await platform.client.call(images.images_set_metadata, {
      workspace: 'acme',
      imageId,
      removeMetadata: ['shift'],
    });
    const { body } = await platform.client.call(images.images_get, { ...inProject, imageId });
    expect(body.image).toMatchObject({ tags: ['c', 'd'], metadata: { line: 4 } });
    expect(body.image.metadata).not.toHaveProperty('shift');
  });

  it('answers a wrong deletion with a text, as the specification shows it, and no other', async () => {
    const ask = async (name: string, body: object) => {
      const answer = await fetch(`${platform.url}/acme/${name}/images`, {
        method: 'DELETE',
        headers: {
          authorization: `Bearer ${platform.key}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify(body),
      });
      return { status: answer.status, body: JSON.parse(await answer.text()) };
    };
    expect(await ask(project, { images: ['nobody'] })).toEqual({
      status: 400,
      body: { error: 'images: 1 of 1 are not in this project (nobody); nothing was deleted' },
    });
    expect(await ask(project, {})).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('images: is required') },
    });
    expect(await ask('no-such-project', { images: ['x'] })).toMatchObject({
      status: 404,
      body: { error: { type: 'not_found' } },
    });
  });

  it('deletes all of the images that are named, or none', async () => {
    const { id } = await upload(await testImage(9), 'nine.png');
    const remove = (ids: string[]) =>
      platform.client.call(images.images_delete, { ...inProject, images: ids });
    await expect(remove([id, 'nobody'])).rejects.toMatchObject({
      upstream: { status: 400, message: expect.stringContaining('nobody') },
    });
    await platform.client.call(images.images_get, { ...inProject, imageId: id });
    expect((await remove([id])).status).toBe(204);
    await expect(
      platform.client.call(images.images_get, { ...inProject, imageId: id }),
    ).rejects.toMatchObject({ code: 'not_found' });
  });
});
