// Videos and local-only files of drafts, as forms that are whole.

import assert from 'node:assert/strict';
import { type Check, check } from '../check.ts';
import { bytesOf, clip, photo, videos } from '../samples.ts';
import { attach, attachment, formOf, read, refused, stored } from '../steps.ts';
import { expectRanges } from './images.ts';

export const attachmentChecks: readonly Check[] = [
  check('a video', ['9.6', '7.1', '11.6', '11.7', '6.6'], async (context) => {
    const { id } = await stored(context, { draft: true });
    const answer = await attach(context, id, 'videos', clip, { type: 'video/mp4' });
    assert.deepEqual(
      [answer.event_id, answer.label, answer.content_type, answer.size_bytes],
      [id, 'video', 'video/mp4', clip.length],
    );
    const { videos: listed, local_only_files } = await read(context, id);
    const file = {
      file_id: answer.file_id,
      label: 'video',
      content_type: 'video/mp4',
      size_bytes: clip.length,
    };
    assert.deepEqual([listed, local_only_files], [[file], []]);
    const reply = await context.client.send({ path: `/videos/${answer.file_id}` });
    assert.equal(reply.headers.get('content-type'), 'video/mp4');
    await expectRanges(context, `/videos/${answer.file_id}`, clip);
  }),
  check('videos by their content', ['11.5'], async (context) => {
    const { id } = await stored(context, { draft: true });
    for (const { name, content, types } of videos) {
      const { content_type } = await attach(context, id, 'videos', content, { type: 'text/plain' });
      assert.ok(
        types.some((type) => type === content_type),
        `${name} is ${content_type}`,
      );
    }
    assert.equal((await read(context, id)).videos.length, videos.length);
  }),
  check('what is no video', ['11.5', '15.17', '15.1', '18.6'], async (context) => {
    const { id } = await stored(context, { draft: true });
    for (const content of [bytesOf('no video'), photo.jpeg, photo.png, new Uint8Array(9_000)]) {
      const body = formOf(content, 'video/mp4');
      await refused(context, attachment(id, 'videos', { body }), 415);
    }
    assert.deepEqual((await read(context, id)).videos, []);
  }),
  check('labels', ['9.6', '9.7', '6.6', '6.7'], async (context) => {
    const { id } = await stored(context, { draft: true });
    const fields = { label: 'Kamera 2 – Süd' };
    const video = await attach(context, id, 'videos', clip, { fields });
    const file = await attach(context, id, 'local-only-files', bytesOf('log'), { fields });
    assert.deepEqual([video.label, file.label], [fields.label, fields.label]);
    const event = await read(context, id);
    assert.deepEqual(
      [event.videos[0]?.label, event.local_only_files[0]?.label],
      [fields.label, fields.label],
    );
  }),
  check('a local-only file', ['9.7', '7.1', '12.3', '12.5', '12.6', '6.7'], async (context) => {
    const { id } = await stored(context, { draft: true });
    const content = bytesOf('2026-11-21 06:29:50 gate opened\n'.repeat(9));
    const answer = await attach(context, id, 'local-only-files', content);
    assert.deepEqual(
      [answer.event_id, answer.label, answer.size_bytes],
      [id, 'file', content.length],
    );
    const { videos: listed, local_only_files } = await read(context, id);
    const { file_id, label, content_type, size_bytes } = answer;
    const file = { file_id, label, content_type, size_bytes };
    assert.deepEqual([listed, local_only_files], [[], [file]]);
    await expectRanges(context, `/local-only-files/${file_id}`, content);
  }),
  check('the type of a local-only file', ['9.8', '12.4'], async (context) => {
    const { id } = await stored(context, { draft: true });
    const typeOf = async (content: Uint8Array<ArrayBuffer>, fields: Record<string, string>) =>
      (await attach(context, id, 'local-only-files', content, { fields })).content_type;
    assert.equal(await typeOf(bytesOf('a,b\n1,2\n'), { content_type: 'text/csv' }), 'text/csv');
    assert.equal(await typeOf(photo.png, {}), 'image/png');
    assert.equal(await typeOf(clip, {}), 'video/mp4');
  }),
  check('a label or type that cannot be', ['15.20', '18.6'], async (context) => {
    const { id } = await stored(context, { draft: true });
    const wrong = [
      { label: 'l'.repeat(20_000) },
      { label: 'a\u0000b' },
      { content_type: 'no type' },
      { content_type: 'text/html\r\nset-cookie: a=b' },
      { content_type: 't'.repeat(20_000) },
    ];
    for (const fields of wrong) {
      const body = formOf(bytesOf('log'), 'text/plain', fields);
      await refused(context, attachment(id, 'local-only-files', { body }), 422);
    }
  }),
  check('fields after the file', ['9.6', '9.7'], async (context) => {
    const { id } = await stored(context, { draft: true });
    const body = formOf(bytesOf('log'));
    body.set('label', 'late');
    body.set('content_type', 'text/x-log');
    const call = attachment(id, 'local-only-files', { body });
    assert.equal((await context.client.send(call)).status, 201);
    const [file] = (await read(context, id)).local_only_files;
    assert.deepEqual([file?.label, file?.content_type], ['late', 'text/x-log']);
  }),
  check('served files run no script and have no name of a client', ['12.5'], async (context) => {
    const { id } = await stored(context, { draft: true });
    const fields = { content_type: 'text/html', label: '../../x"\u00e9' };
    const page = bytesOf('<script>alert(1)</script>');
    const { file_id } = await attach(context, id, 'local-only-files', page, { fields });
    const { headers } = await context.client.send({ path: `/local-only-files/${file_id}` });
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    const isHarmless =
      (headers.get('content-disposition') ?? '').startsWith('attachment') ||
      (headers.get('content-security-policy') ?? '').includes('sandbox');
    assert.ok(isHarmless, 'HTML of others is shown as a page of the service');
    assert.match(file_id, /^[\w-]+$/);
  }),
  check('files that are not there', ['15.12', '15.1'], async (context) => {
    const { id } = await stored(context, { draft: true });
    const { file_id } = await attach(context, id, 'local-only-files', bytesOf('log'));
    for (const path of ['/videos/nothing', '/local-only-files/nothing', `/videos/${file_id}`]) {
      await refused(context, { path }, 404);
    }
  }),
  check('a video of 24 MB', ['11.4', '11.6'], async (context) => {
    const { id } = await stored(context, { draft: true });
    const content = new Uint8Array(24 * 1024 * 1024).fill(7);
    content.set(clip);
    const { file_id, size_bytes } = await attach(context, id, 'videos', content);
    assert.equal(size_bytes, content.length);
    const { bytes } = await context.client.send({ path: `/videos/${file_id}` });
    assert.ok(bytes.equals(content), 'the bytes are others');
  }),
];
