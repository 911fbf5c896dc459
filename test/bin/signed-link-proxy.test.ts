// Links of the embedded platform at the address of `fovea http`: files out, and uploads in.

import { expect, it, onTestFinished } from 'vitest';
import { signedLinkRoutes } from '../../src/bin/signed-link-proxy.ts';
import { systemClock } from '../../src/clock.ts';
import { images } from '../../src/contract/images.ts';
import { platformCredentials } from '../../src/http-server/credentials.ts';
import { platformErrorBody } from '../../src/http-server/responses.ts';
import { serve } from '../../src/http-server/serve.ts';
import { createLog } from '../../src/log.ts';
import { testImage } from '../fixtures/images.ts';
import { startTestPlatform } from '../fixtures/platform.ts';
import { ended, newProject, plainZip, put } from '../platform/zip-import/zip-files.ts';

async function start() {
  const platform = await startTestPlatform();
  onTestFinished(() => platform.close());
  const service = await serve({
    operations: {},
    handlers: {},
    routes: signedLinkRoutes(platform.url),
    port: 0,
    credentials: platformCredentials,
    errorBody: platformErrorBody,
    authenticate: async () => undefined,
    authorize: async () => {},
    log: createLog('error'),
    clock: systemClock,
  });
  onTestFinished(() => service.close());
  const outside = (link: string) => link.replace(platform.url, service.url);
  return { platform, outside };
}

it('takes a zip file in, and gives its report and its images out', async () => {
  const { platform, outside } = await start();
  const project = await newProject(platform);
  const input = { workspace: 'acme', project };
  const { body } = await platform.client.call(images.images_upload_zip, input);
  const link = outside(String(body.signedUrl));
  const zip = plainZip({ 'a.png': await testImage(1) });
  const answer = await put(link, zip);
  expect([answer.status, await answer.json()]).toEqual([200, { success: true, bytes: zip.length }]);
  const task = await ended(platform, body.taskId);
  expect(task.result).toMatchObject({ images: 1 });
  const report = await fetch(outside(String(task.reportUrl)));
  expect([report.status, report.headers.get('content-type')]).toEqual([
    200,
    'text/csv; charset=utf-8',
  ]);
  expect((await put(link, zip)).status).toBe(409);
});

it('passes on what the platform refuses, and no other path or method', async () => {
  const { platform, outside } = await start();
  const id = '01a2011c-0b78-7a22-b2e2-8f0bc7d9e528';
  const statuses = new Map([
    [`PUT /uploads/${id}?expires=9&signature=a`, 403],
    [`GET /uploads/${id}`, 405],
    ['PUT /uploads/..%2Fhealth', 403],
    [`PUT /blobs/${'a'.repeat(64)}`, 405],
    ['GET /acme', 404],
  ]);
  for (const [what, status] of statuses) {
    const [method = '', path = ''] = what.split(' ');
    const content = method === 'PUT' ? { body: 'x' } : {};
    const answer = await fetch(outside(`${platform.url}${path}`), { method, ...content });
    expect([what, answer.status]).toEqual([what, status]);
    await answer.arrayBuffer();
  }
});
