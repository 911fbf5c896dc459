// Who may call what, with a key and without one.

import assert from 'node:assert/strict';
import type { Call } from '../../../conformance/http.ts';
import { type Check, type Context, check } from '../check.ts';
import { base64, bytesOf, clip, photo } from '../samples.ts';
import { attach, contents, create, eventOf, expectErrorBody, formOf, read } from '../steps.ts';

export const openChecks: readonly Check[] = [
  check('without API_KEY no key is needed', ['13.4'], async (context) => {
    for (const call of await everyCall(context)) {
      const { status } = await context.stranger.send(call);
      assert.ok(status >= 200 && status < 300, `${call.path}: ${status}`);
    }
  }),
];

export const keyChecks: readonly Check[] = [
  check('with the key', ['13.1'], async (context) => {
    for (const call of await everyCall(context)) {
      const { status } = await context.client.send(call);
      assert.ok(status >= 200 && status < 300, `${call.path}: ${status}`);
    }
  }),
  check('a missing or wrong key', ['13.1', '13.2', '15.11', '15.1', '18.6'], async (context) => {
    const calls = await everyCall(context);
    const before = await contents(context);
    for (const call of calls) {
      for (const headers of wrongKeys(context)) {
        const { status, json } = await context.stranger.send({ ...call, headers });
        assert.equal(status, 401, `${call.path} with ${JSON.stringify(headers)}`);
        expectErrorBody(call.path, 401, json);
      }
    }
    assert.deepEqual(await contents(context), before);
  }),
  check('what does not exist tells a stranger nothing', ['13.2'], async (context) => {
    for (const path of ['/v2/events/nothing', '/images/nothing', '/videos/nothing']) {
      assert.equal((await context.stranger.send({ path })).status, 401, path);
    }
  }),
  check('/health needs no key', ['13.3'], async (context) => {
    for (const headers of wrongKeys(context)) {
      assert.equal((await context.stranger.send({ path: '/health', headers })).status, 200);
    }
  }),
  check('a key in the query or the body is none', ['13.1'], async (context) => {
    const { key: api_key = '' } = context;
    const query = { api_key, 'x-api-key': api_key, key: api_key };
    assert.equal((await context.stranger.send({ path: '/v2/events', query })).status, 401);
    const json = { ...eventOf(context), api_key };
    const call: Call = { method: 'POST', path: '/v2/events', json };
    assert.equal((await context.stranger.send(call)).status, 401);
  }),
];

function wrongKeys({ key = '' }: Context): readonly Record<string, string>[] {
  return [
    {},
    { 'x-api-key': '' },
    { 'x-api-key': 'another key' },
    { 'x-api-key': `${key}-` },
    { 'x-api-key': key.slice(0, -1) },
    { 'x-api-key': key.toUpperCase() },
    { authorization: `Bearer ${key}` },
  ];
}

/** One call of each endpoint, those around the specification included; all succeed with the key. */
async function everyCall(context: Context): Promise<readonly Call[]> {
  const images = [{ base64Image: base64(photo.jpeg) }];
  const { id } = await create(context, eventOf(context, { images, draft: true }));
  const video = await attach(context, id, 'videos', clip);
  const file = await attach(context, id, 'local-only-files', bytesOf('log'));
  const image = (await read(context, id)).images[0]?.file_id;
  return [
    { method: 'POST', path: '/v2/events', json: eventOf(context) },
    { path: '/v2/events' },
    { path: `/v2/events/${id}` },
    { path: '/v2/events/latest/query' },
    { path: '/events/count/stats' },
    { method: 'POST', path: `/v2/events/${id}/videos`, body: formOf(clip) },
    { method: 'POST', path: `/v2/events/${id}/local-only-files`, body: formOf(clip) },
    { method: 'POST', path: `/v2/events/${id}/finalize` },
    { path: `/images/${image}` },
    { path: `/videos/${video.file_id}` },
    { path: `/local-only-files/${file.file_id}` },
    { path: '/metrics' },
    { path: '/openapi.json' },
    { path: '/docs' },
  ];
}
