// docs/platform.png and docs/platform-project.png: the page of the platform with all of BCCD.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { systemClock } from '../../src/clock.ts';
import { createLog } from '../../src/log.ts';
import { startPlatform } from '../../src/platform/platform.ts';
import { Secret } from '../../src/secret.ts';
import { openBrowser, visit } from '../../test/event-store/chromium.ts';
import { allLoaded, savePicture } from './save-picture.ts';

/** What starts a task, or an upload of a file for one. */
const started = z.looseObject({ taskId: z.string(), signedUrl: z.string() });

const { values } = parseArgs({
  allowPositionals: true,
  options: { bccd: { type: 'string' }, folder: { type: 'string' } },
});
const { bccd: archive } = values;
if (archive === undefined) throw new Error('Give the zip file of BCCD: --bccd FILE.');
const data = mkdtempSync(join(tmpdir(), 'fovea-screenshots-'));
const key = 'a-key-for-the-picture';
const service = await startPlatform({
  data,
  host: '127.0.0.1',
  port: 0,
  workspace: 'haematology',
  keys: [new Secret(key)],
  log: createLog('warn'),
  clock: systemClock,
});

await ask('POST', '/haematology/projects', {
  name: 'Blood cells',
  type: 'object-detection',
  annotation: 'cells',
  license: 'MIT',
});
const upload = started.parse(
  await ask('POST', '/haematology/blood-cells/upload/zip', { batchName: 'BCCD' }),
);
await fetch(upload.signedUrl, { method: 'PUT', body: readFileSync(archive) });
await ended(upload.taskId);
const browser = await openBrowser();
const { page } = await visit(browser, service.url, {
  viewport: { width: 1400, height: 900 },
  colorScheme: 'dark',
});
await page.getByLabel('API key').fill(key);
await page.getByRole('button', { name: 'Open' }).click();
await page.getByRole('link', { name: 'Blood cells' }).waitFor();
await take('platform-project', '#project/blood-cells', '.bars li');
await take('platform', '#project/blood-cells/images', '.tile');
await browser.close();
await service.close();
rmSync(data, { recursive: true });

async function take(name: string, address: string, selector: string): Promise<void> {
  await show(address, selector);
  await savePicture(page, name);
}

async function show(address: string, selector: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(address)}`);
  await page.locator(selector).first().waitFor();
  await allLoaded(page);
}

async function ask(method: string, path: string, body?: object): Promise<unknown> {
  const answer = await fetch(service.url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${text}`);
  return JSON.parse(text);
}

async function ended(taskId: string): Promise<void> {
  for (;;) {
    const { status } = z
      .looseObject({ status: z.string() })
      .parse(await ask('GET', `/haematology/asynctasks/${taskId}`));
    if (status === 'completed') return;
    if (status === 'failed') throw new Error(`${taskId} failed`);
    await sleep(200);
  }
}
