// Small limits: 20,000 bytes of a record, 100,000 of a video, 50,000 of a local-only file.

import assert from 'node:assert/strict';
import { type Check, type Context, check } from '../check.ts';
import { base64, clip, filePart, longClip, multipartType, photo } from '../samples.ts';
import {
  type AttachmentKind,
  attach,
  attachment,
  contents,
  create,
  eventOf,
  expectErrorBody,
  formOf,
  read,
  refused,
  refusedEvents,
  stored,
} from '../steps.ts';

export const sizeChecks: readonly Check[] = [
  check('a record over the maximum', ['15.14', '15.1', '18.6'], async (context) => {
    const text = (characters: number) => ({ value: 'a'.repeat(characters) });
    await create(context, eventOf(context, { event_data: text(9_000) }));
    const pixels = base64(new Uint8Array(30_000));
    await refusedEvents(context, 413, [
      eventOf(context, { custom_metadata: manyTexts(40) }),
      eventOf(context, { images: [{ base64Image: pixels }] }),
      eventOf(context, { images: [{ metadata: { note: 'a'.repeat(30_000) } }] }),
    ]);
  }),
  check('a record up to the maximum', ['15.14'], async (context) => {
    const images = [{ base64Image: base64(photo.jpeg), metadata: { note: 'a'.repeat(12_000) } }];
    assert.equal((await stored(context, { images })).images.length, 1);
  }),
  check('a video over the maximum', ['15.15', '16.2', '18.6', '15.1'], async (context) => {
    const { id } = await stored(context, { draft: true });
    await attach(context, id, 'videos', longClip(100_000));
    const body = formOf(longClip(100_001));
    await refused(context, attachment(id, 'videos', { body }), 413);
    assert.equal((await read(context, id)).videos.length, 1);
  }),
  check(
    'a local-only file over the maximum',
    ['15.16', '16.2', '18.6', '15.1'],
    async (context) => {
      const { id } = await stored(context, { draft: true });
      await attach(context, id, 'local-only-files', new Uint8Array(50_000).fill(65));
      const body = formOf(new Uint8Array(50_001).fill(65));
      await refused(context, attachment(id, 'local-only-files', { body }), 413);
      assert.equal((await read(context, id)).local_only_files.length, 1);
    },
  ),
  check('413 in the middle of the body', ['11.4', '12.2', '16.2', '18.6'], async (context) => {
    await endless(context, 'videos');
    await endless(context, 'local-only-files');
  }),
];

/** A body whose end never comes: it can only be refused while it comes. */
async function endless(context: Context, kind: AttachmentKind): Promise<void> {
  const { id } = await stored(context, { draft: true });
  const before = await contents(context);
  const path = `/v2/events/${id}/${kind}`;
  const request = context.client.open(path, multipartType);
  request.write(filePart(clip));
  const piece = new Uint8Array(16_384).fill(65);
  for (let index = 0; index < 20; index += 1) request.write(piece);
  const { status, json } = await request.reply;
  request.abort();
  assert.equal(status, 413);
  expectErrorBody(path, 413, json);
  assert.deepEqual(await contents(context), before);
}

function manyTexts(keys: number): Readonly<Record<string, string>> {
  const names = Array.from({ length: keys }, (_, index) => `key ${index}`);
  return Object.fromEntries(names.map((name) => [name, 'a'.repeat(900)]));
}
