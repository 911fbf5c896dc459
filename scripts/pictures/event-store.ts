// docs/event-store.png: the page of the Event Store with the sample's images.

import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, systemClock } from '../../src/clock.ts';
import { startEventStore } from '../../src/event-store/event-store.ts';
import { openEventStore } from '../../src/event-store/store/sqlite-store.ts';
import { readEventStoreSettings } from '../../src/event-store-config.ts';
import { createLog } from '../../src/log.ts';
import { openBrowser, visit } from '../../test/event-store/chromium.ts';
import { bloodCells, type DetectedImage } from '../../test/fixtures/detected-images.ts';
import { savePicture } from './save-picture.ts';

const data = mkdtempSync(join(tmpdir(), 'fovea-screenshot-'));
let lagMs = 30 * 60_000;
const clock: Clock = { ...systemClock, now: () => systemClock.now() - lagMs };
const log = createLog('warn', (line) => process.stderr.write(line));

// A cloud that never answers: what waits for it goes on waiting.
const cloud = createServer(() => {}).listen(0, '127.0.0.1');
await once(cloud, 'listening');
const address = cloud.address();
const port = typeof address === 'object' && address ? address.port : 0;
const service = await startEventStore({
  data,
  clock,
  log,
  host: '127.0.0.1',
  port: 0,
  settings: readEventStoreSettings({
    MAX_RECORDS: '100',
    MAX_BYTES: '4000000',
    RESERVE_BYTES: '0',
    CLOUD_UPLOAD_ENABLED: 'true',
    CLOUD_UPLOAD_URL: `http://127.0.0.1:${port}`,
    CLOUD_UPLOAD_API_KEY: 'a-key-for-the-picture',
    DEFAULT_SOLUTION_ID: 'blood-count',
  }),
});

const images = bloodCells(12);
const ids: string[] = [];
for (let index = 0; index < 24; index += 1) {
  const image = images[(index * 5) % images.length];
  if (image) ids.push(await createEvent(image, index));
  lagMs = Math.max(0, lagMs - (40 + ((index * 37) % 50)) * 1_000);
}
lagMs = 0;
await post(`/v2/events/${ids[21]}/hold`, { reason: 'Kept for the review of batch 4711.' });
const store = await openEventStore({ data, clock });
await store.uploaded(ids.filter((_, index) => index < 19 && index !== 15));
await store.uploadRefused(String(ids[19]), 'The cloud answered 400: the use case is archived.');
await store.close();

const browser = await openBrowser();
const { page } = await visit(browser, `${service.url}/#event/${ids[21]}`, {
  viewport: { width: 1400, height: 900 },
  colorScheme: 'dark',
});
await page.waitForSelector('.stage.is-loaded');
await page.waitForSelector('#connection[data-state=live]');
await page.waitForFunction(
  '[...document.querySelectorAll(".card img")].slice(0, 9).every((img) => img.complete)',
);
await savePicture(page, 'event-store');
await browser.close();
await service.close();
cloud.closeAllConnections();
cloud.close();
rmSync(data, { recursive: true });

async function createEvent(image: DetectedImage, index: number): Promise<string> {
  const { label, objectDetections } = image;
  const counted = {
    slide: 100 + index,
    magnification: 40,
    stain: 'Wright',
    operator: 'M. Alvarez',
  };
  return post('/v2/events', {
    ...kindOf(index, objectDetections.length),
    inference_timestamp: new Date(clock.now() - 180).toISOString(),
    device_id: `microscope-${1 + (index % 3)}`,
    workflow_id: 'blood-count',
    workflow_version: '4',
    custom_metadata: counted,
    images: [{ label, base64Image: readFileSync(image.file).toString('base64'), objectDetections }],
    draft: index === 15 || index === 23,
  });
}

function kindOf(index: number, cells: number) {
  if (index % 5 === 2) {
    const event_data = { itemCount: cells, itemType: 'cells', location: `slide ${100 + index}` };
    return { event_schema: 'inventory_count', event_data };
  }
  if (index % 7 === 4) {
    const event_data = { alertType: 'platelet_cluster', severity: index % 2 ? 'high' : 'medium' };
    return { event_schema: 'safety_alert', event_data };
  }
  const event_data = {
    result: index % 3 === 0 ? 'fail' : 'pass',
    externalId: `slide-${100 + index}`,
  };
  return { event_schema: 'quality_check', event_data };
}

async function post(path: string, body: object): Promise<string> {
  const answer = await fetch(service.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  return JSON.parse(await answer.text()).id;
}
