// What stands around the specification: health, metrics, description, documentation for people.

import assert from 'node:assert/strict';
import * as z from 'zod';
import { type Check, type Context, check } from '../check.ts';
import { ask, expectErrorBody, stored } from '../steps.ts';

const documented: readonly (readonly [string, string])[] = [
  ['/v2/events', 'post'],
  ['/v2/events', 'get'],
  ['/v2/events/{event_id}', 'get'],
  ['/v2/events/latest/query', 'get'],
  ['/events/count/stats', 'get'],
  ['/v2/events/{event_id}/videos', 'post'],
  ['/v2/events/{event_id}/local-only-files', 'post'],
  ['/v2/events/{event_id}/finalize', 'post'],
];

const openApi = z.looseObject({
  openapi: z.string().regex(/^3\./),
  info: z.looseObject({ title: z.string(), version: z.string() }),
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
});

const described = z.looseObject({
  summary: z.string().min(1),
  responses: z.record(z.string(), z.unknown()),
});

export const surroundingChecks: readonly Check[] = [
  check('/health', ['13.3'], async (context) => {
    const { status, json } = await context.client.send({ path: '/health' });
    assert.equal(status, 200);
    assert.equal(typeof json, 'object');
  }),
  check('/metrics', ['18.3'], async (context) => {
    await stored(context);
    const { status, headers, text } = await context.client.send({ path: '/metrics' });
    assert.equal(status, 200);
    assert.match(headers.get('content-type') ?? '', /^text\/plain\b/);
    const lines = text.split('\n').filter((line) => line !== '');
    const sample = /^[a-zA-Z_:][\w:]*(\{([a-zA-Z_]\w*="([^"\\]|\\.)*",?)*\})? \S+( \d+)?$/;
    const broken = lines.filter((line) => !line.startsWith('# ') && !sample.test(line));
    assert.deepEqual(broken, []);
    assert.ok(text.endsWith('\n') && lines.some((line) => line.startsWith('# TYPE ')));
  }),
  check('/openapi.json', ['18.4', '9.10', '9.11'], (context) => expectDescribed(context, [])),
  check('/docs works without the internet', ['1.2', '18.5'], async (context) => {
    const { status, headers, text } = await context.client.send({ path: '/docs' });
    assert.equal(status, 200);
    assert.match(headers.get('content-type') ?? '', /^text\/html\b/);
    const links = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link = '']) => link);
    assert.ok(links.length > 0, 'the page loads nothing');
    for (const link of links.filter((one) => !one.startsWith('data:'))) {
      const address = new URL(link, `${context.client.url}/docs`);
      assert.equal(address.origin, new URL(context.client.url).origin, `loads ${link}`);
      const { status } = await context.client.send({ path: address.pathname });
      assert.equal(status, 200, `${link} is not there`);
    }
  }),
  check('paths and methods that are not there', ['15.1'], async (context) => {
    const calls = [
      { path: '/v2/nothing' },
      { path: '/v1/events' },
      { method: 'POST', path: '/events/count/stats' },
      { method: 'POST', path: '/v2/events/latest/query' },
    ] as const;
    for (const call of calls) {
      const { status, json } = await context.client.send(call);
      assert.ok(status === 404 || status === 405, `${call.path}: ${status}`);
      expectErrorBody(call.path, status, json);
    }
  }),
];

/** What only a service with a key answers is described there alone. */
export const keyedSurroundingChecks: readonly Check[] = [
  check('/openapi.json where a key is needed', ['18.4'], (context) =>
    expectDescribed(context, ['401']),
  ),
];

async function expectDescribed(context: Context, more: readonly string[]): Promise<void> {
  const { paths } = openApi.parse(await ask(context, { path: '/openapi.json' }, 200));
  for (const [path, method] of documented) {
    const { responses } = described.parse(paths[path]?.[method]);
    const statuses = Object.keys(responses);
    for (const status of ['422', '500', '529', ...more]) {
      assert.ok(statuses.includes(status), `${method} ${path} lacks ${status}`);
    }
  }
}
