// Drafts and finalized events: what moves an event from one to the other.

import assert from 'node:assert/strict';
import { type Check, type Context, check } from '../check.ts';
import { bytesOf, clip } from '../samples.ts';
import { attach, attachment, finalize, formOf, read, refused, stored } from '../steps.ts';

export const stateChecks: readonly Check[] = [
  check(
    'a draft, its files, its end',
    ['2.3', '8.1', '8.3', '8.6', '9.9', '6.17'],
    async (context) => {
      const { id } = await stored(context, { draft: true });
      await attach(context, id, 'videos', clip);
      await attach(context, id, 'local-only-files', bytesOf('a log'));
      const draft = await read(context, id);
      assert.deepEqual([draft.draft, draft.finalized_at], [true, null]);
      assert.deepEqual([draft.videos.length, draft.local_only_files.length], [1, 1]);
      const answer = await finalize(context, id);
      assert.deepEqual([answer.already_finalized, answer.auto_finalized_at], [false, null]);
      const event = await read(context, id);
      assert.deepEqual([event.draft, event.auto_finalized_at], [false, null]);
      assert.ok((event.finalized_at ?? '') > event.created_at, 'finalized before it was created');
      assert.deepEqual([event.videos.length, event.local_only_files.length], [1, 1]);
    },
  ),
  check('finalizing is idempotent', ['8.5', '9.9'], async (context) => {
    const { id } = await stored(context, { draft: true });
    await finalize(context, id);
    const before = await read(context, id);
    const again = await finalize(context, id);
    assert.deepEqual([again.already_finalized, again.auto_finalized_at], [true, null]);
    assert.deepEqual(await read(context, id), before);
    const { id: finalized } = await stored(context);
    assert.equal((await finalize(context, finalized)).already_finalized, true);
  }),
  check('many finalize at once', ['8.3', '8.5'], async (context) => {
    const { id } = await stored(context, { draft: true });
    const answers = await Promise.all(Array.from({ length: 10 }, () => finalize(context, id)));
    const first = answers.filter(({ already_finalized }) => !already_finalized);
    assert.equal(first.length, 1);
  }),
  check('files and the end of a draft at once', ['8.6', '8.7', '8.3', '15.13'], async (context) => {
    const drafts = await Promise.all(
      Array.from({ length: 8 }, () => stored(context, { draft: true })),
    );
    await Promise.all(drafts.map(({ id }) => expectSettled(context, id)));
  }),
  check(
    'files for a finalized event',
    ['8.7', '11.2', '12.1', '15.13', '15.1'],
    async (context) => {
      const { id: draft } = await stored(context, { draft: true });
      await finalize(context, draft);
      const { id: finalized } = await stored(context);
      for (const id of [draft, finalized]) {
        await refused(context, attachment(id, 'videos', { body: formOf(clip) }), 409);
        await refused(context, attachment(id, 'local-only-files', { body: formOf(clip) }), 409);
        assert.deepEqual((await read(context, id)).videos, []);
      }
    },
  ),
  check('events that are not there', ['15.12', '11.1', '15.1'], async (context) => {
    const ids = ['nothing', '0198c5a0-0000-7000-8000-000000000000', '%F0%9F%92%A9', '..%2f..'];
    for (const id of ids) {
      await refused(context, { path: `/v2/events/${id}` }, 404);
      await refused(context, { method: 'POST', path: `/v2/events/${id}/finalize` }, 404);
      await refused(context, attachment(id, 'videos', { body: formOf(clip) }), 404);
      await refused(context, attachment(id, 'local-only-files', { body: formOf(clip) }), 404);
    }
  }),
];

/** What was taken is listed, what was refused is not, and after the end nothing comes. */
async function expectSettled(context: Context, id: string): Promise<void> {
  const send = () => context.client.send(attachment(id, 'videos', { body: formOf(clip) }));
  const before = [send(), send(), send()];
  const answer = finalize(context, id);
  const replies = await Promise.all([...before, send()]);
  await answer;
  const taken = replies.filter(({ status }) => status === 201);
  const refusals = replies.filter(({ status }) => status === 409);
  assert.equal(taken.length + refusals.length, replies.length);
  assert.equal((await read(context, id)).videos.length, taken.length);
  assert.equal((await send()).status, 409);
}
