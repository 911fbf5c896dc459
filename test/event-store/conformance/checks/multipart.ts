// Forms that are not whole, and bodies that are still on their way when the answer comes.

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Check, type Context, check } from '../check.ts';
import { clip, filePart, multipart, multipartType, part } from '../samples.ts';
import {
  type AttachmentKind,
  attachment,
  contents,
  expectErrorBody,
  finalize,
  read,
  refused,
  stored,
  until,
} from '../steps.ts';

const end = Buffer.from('\r\n--XX--\r\n');
const whole = multipart(filePart(clip));
const kinds: readonly AttachmentKind[] = ['videos', 'local-only-files'];

const bodies: Readonly<Record<string, Uint8Array<ArrayBuffer>>> = {
  'no parts': multipart(),
  'no file': multipart(part('name="label"', 'left')),
  'file under another name': multipart(part('name="clip"; filename="a.mp4"', clip)),
  'empty file': multipart(filePart('')),
  'two files': multipart(filePart(clip), filePart(clip)),
  'two files, one empty': multipart(filePart(clip), filePart('')),
  'empty body': new Uint8Array(),
  'no boundary at all': new Uint8Array(clip),
  'another boundary': new Uint8Array(Buffer.from(whole).map(swapped)),
  'cut in the file': whole.slice(0, 600),
  'cut before the end': whole.slice(0, -end.length),
  'cut in the end': whole.slice(0, -5),
  'cut in a header': whole.slice(0, 30),
};

export const multipartChecks: readonly Check[] = [
  check('missing, empty and duplicate parts', ['15.10', '15.9', '18.6', '15.1'], (context) =>
    refusedBodies(context),
  ),
  check('no boundary in the type', ['15.9'], async (context) => {
    const { id } = await stored(context, { draft: true });
    const headers = { 'content-type': 'multipart/form-data' };
    await refused(context, attachment(id, 'videos', { body: whole, headers }), 400);
  }),
  check('a sender that goes away', ['15.9', '18.6'], async (context) => {
    const { id } = await stored(context, { draft: true });
    const before = await contents(context);
    for (const kind of kinds) {
      const request = context.client.open(`/v2/events/${id}/${kind}`, {
        ...multipartType,
        'content-length': String(whole.length),
      });
      request.write(whole.slice(0, 900));
      await sleep(50);
      request.abort();
    }
    await until('the service answers and kept nothing', async () => {
      const event = await read(context, id);
      return event.videos.length + event.local_only_files.length === 0;
    });
    assert.deepEqual(await contents(context), before);
  }),
  check('409 before the body', ['11.3', '11.2', '12.1', '15.13'], async (context) => {
    const { id } = await stored(context, { draft: true });
    await finalize(context, id);
    for (const kind of kinds) await answeredEarly(context, id, kind, 409);
  }),
  check('404 before the body', ['11.1', '15.12'], async (context) => {
    for (const kind of kinds) await answeredEarly(context, 'nothing', kind, 404);
  }),
  check('a body that comes in pieces', ['11.4', '12.2'], async (context) => {
    const { id } = await stored(context, { draft: true });
    for (const kind of kinds) {
      const request = context.client.open(`/v2/events/${id}/${kind}`, multipartType);
      for (let at = 0; at < whole.length; at += 311) request.write(whole.slice(at, at + 311));
      request.end();
      assert.equal((await request.reply).status, 201);
    }
  }),
  check('finalized while the body is on its way', ['8.7', '15.13', '18.6'], async (context) => {
    const { id } = await stored(context, { draft: true });
    const request = context.client.open(`/v2/events/${id}/videos`, multipartType);
    request.write(whole.slice(0, 900));
    await sleep(100);
    await finalize(context, id);
    request.write(whole.slice(900));
    request.end();
    const { status, json } = await request.reply;
    assert.equal(status, 409);
    expectErrorBody(`/v2/events/${id}/videos`, 409, json);
    assert.deepEqual((await read(context, id)).videos, []);
  }),
];

/** The answer is there while the most of the body is not. */
async function answeredEarly(
  context: Context,
  id: string,
  kind: AttachmentKind,
  expected: number,
): Promise<void> {
  for (const more of [{}, { expect: '100-continue' }]) {
    const path = `/v2/events/${id}/${kind}`;
    const headers = { ...multipartType, 'content-length': '50000000', ...more };
    const request = context.client.open(path, headers);
    if (!('expect' in more)) request.write(whole.slice(0, 500));
    const { status, json } = await request.reply;
    request.abort();
    assert.equal(status, expected);
    expectErrorBody(path, expected, json);
  }
}

async function refusedBodies(context: Context): Promise<void> {
  for (const kind of kinds) {
    const { id } = await stored(context, { draft: true });
    for (const [name, body] of Object.entries(bodies)) {
      const call = attachment(id, kind, { body, headers: multipartType });
      await refused(context, call, 400).catch((thrown) => assert.fail(`${name}: ${thrown}`));
    }
    const event = await read(context, id);
    assert.deepEqual([event.videos, event.local_only_files, event.draft], [[], [], true]);
  }
}

/** X and Y change places. */
function swapped(byte: number): number {
  return byte === 0x58 ? 0x59 : byte;
}
