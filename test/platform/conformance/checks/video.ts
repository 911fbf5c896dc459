// Video inference: upload, job, states.

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { type Call, expectStatus } from '../../../conformance/http.ts';
import { testImage } from '../../../fixtures/images.ts';
import { avi } from '../../../fixtures/mp4-files.ts';
import { type Context, check, type FamilyChecks } from '../check.ts';
import { ask, askFor, refused } from '../steps.ts';

const address = z.looseObject({ signed_url: z.url() });
const state = z.looseObject({ status: z.int().min(0), output_signed_url: z.url().optional() });
const jobId = z.union([
  z.string().min(1),
  z.looseObject({ job_id: z.string().min(1) }).transform(({ job_id }) => job_id),
]);

const model = { model_id: 'local', model_version: '1', inference_type: 'object-detection' };

/** These operations take the key as a query parameter; there is no header. */
function keyed(context: Context, call: Call): Call {
  return { ...call, query: { ...call.query, api_key: context.key } };
}

async function start(context: Context, input_url: string): Promise<string> {
  const json = { input_url, infer_fps: 30, models: [model] };
  return askFor(context.stranger, jobId, keyed(context, { path: '/videoinfer/', json }));
}

function look(context: Context, id: string): Call {
  return keyed(context, { path: '/videoinfer/', query: { job_id: id } });
}

/** The state once it is over, asked for as seldom as the platform wants it. */
async function over(context: Context, id: string): Promise<z.output<typeof state>> {
  for (let attempt = 0; attempt < 90; attempt += 1) {
    const call = look(context, id);
    const reply = await context.stranger.send(call);
    if (reply.status !== 429) {
      expectStatus(call, reply, 200);
      const found = state.parse(reply.json);
      if (found.status !== 1) return found;
    }
    await sleep(Math.max(1, Number(reply.headers.get('retry-after') ?? 1)) * 1_000);
  }
  assert.fail('the job did not end');
}

/** Uploads a video of so many frames; the link at which it is. */
async function sendVideo(context: Context, frames: number): Promise<string> {
  const json = { file_name: 'clip.avi' };
  const call = keyed(context, { path: '/video_upload_signed_url/', json });
  const { signed_url: link } = await askFor(context.stranger, address, call);
  const one = await testImage(1, 'jpeg');
  const video = avi(
    Array.from({ length: frames }, () => one),
    30,
    64,
    48,
  );
  const put = await fetch(link, { method: 'PUT', body: new Uint8Array(video) });
  assert.ok(put.ok, `PUT to signed_url: ${put.status}`);
  return link;
}

export const videoChecks: FamilyChecks = {
  default: [
    check(
      'a job over a video that cannot be had fails, and says so',
      ['7.1', '8.7', '22.2', '22.3', '22.4', '22.6'],
      async (context) => {
        const id = await start(context, 'https://nothing.invalid/clip.mp4');
        // A job that fails at once has failed by then: its state may be asked for once a minute.
        await sleep(2_000);
        const found = await over(context, id);
        assert.ok(found.status > 1, `status ${found.status}`);
        assert.equal(found.output_signed_url, undefined);
        const json = { input_url: 'https://nothing.invalid/clip.mp4', models: [model] };
        await refused(context.stranger, { path: '/videoinfer/', json }, 401);
        const unknown = { job_id: 'nothing-of-ours' };
        await refused(
          context.stranger,
          keyed(context, { path: '/videoinfer/', query: unknown }),
          404,
        );
      },
    ),
    check('the state of a job is told once a minute', ['22.5', '28.1'], async (context) => {
      const id = await start(context, 'https://nothing.invalid/clip.mp4');
      await ask(context.stranger, look(context, id), 200);
      const call = look(context, id);
      const reply = await context.stranger.send(call);
      expectStatus(call, reply, 429);
      const seconds = Number(reply.headers.get('retry-after'));
      assert.ok(seconds > 0 && seconds <= 60, `Retry-After: ${seconds}`);
    }),
    check('there is an address to which a video is uploaded', ['22.1'], async (context) => {
      const link = await sendVideo(context, 1);
      const again = await fetch(link, { method: 'PUT', body: 'another one' });
      assert.ok(again.status >= 400, `a second file: ${again.status}`);
      const path = '/video_upload_signed_url/';
      await refused(context.stranger, { path, json: { file_name: 'clip.avi' } }, 401);
    }),
  ],
  video: [
    check(
      'a model runs over a video, and its result can be fetched',
      ['7.1', '7.2', '8.5', '8.6', '22.2'],
      async (context) => {
        const id = await start(context, await sendVideo(context, 600));
        const early = await askFor(context.stranger, state, look(context, id));
        assert.equal(early.status, 1, 'while it runs');
        assert.equal(early.output_signed_url, undefined, 'while it runs');
        const found = await over(context, id);
        assert.equal(found.status, 0);
        const answer = await fetch(String(found.output_signed_url));
        assert.equal(answer.status, 200);
        const frames = z.array(z.unknown()).length(600);
        const result = z.looseObject({ frame_offset: frames, local: frames });
        const { error } = result.safeParse(JSON.parse(await answer.text()));
        if (error) assert.fail(z.prettifyError(error));
      },
    ),
  ],
};
