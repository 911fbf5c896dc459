// The pages for hosts with MCP Apps, in Chromium, within the bridge of the reference package; what
// they show came from the real tools.

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium, inChromium, openBrowser } from '../../event-store/chromium.ts';
import { openTestEventStore, type TestEventStore } from '../../fixtures/event-store.ts';
import { type Fovea, launchFovea } from '../../fixtures/fovea.ts';
import { sendResult, showPage } from './shown-page.ts';

const hostile = '<img src=x onerror="parent.hacked=1"><script>parent.hacked=1</script>';

let fovea: Fovea;
let store: TestEventStore;
let browser: Browser;

const place = () => ({ client: fovea.client, browser });

beforeAll(async () => {
  if (!hasChromium) return;
  store = await openTestEventStore();
  fovea = await launchFovea({ FOVEA_DEVICE_URL: store.url });
  browser = await openBrowser();
}, 60_000);

afterAll(async () => {
  await browser?.close();
  await fovea?.close();
  await store?.close();
});

describe.skipIf(!hasChromium)(`pages of MCP Apps ${inChromium}`, () => {
  it('the contact sheet: picture, table, and other samples by a call of the tool', async () => {
    const first = await preview(0);
    const { page, frame } = await showPage(place(), 'versions_preview', {
      later: await preview(1),
    });
    await sendResult(page, first);
    await frame.locator('table').waitFor();
    const picture = frame.locator('.picture img');
    expect(await picture.evaluate((node) => Reflect.get(node, 'naturalWidth'))).toBeGreaterThan(
      200,
    );
    expect(await frame.locator('tbody tr').count()).toBeGreaterThanOrEqual(4);
    await frame.locator('.picture').press('Enter');
    expect(await frame.locator('.picture').getAttribute('aria-pressed')).toBe('true');
    await frame.getByRole('button', { name: 'Other samples' }).click();
    await frame.getByText('seed 1').waitFor();
    const calls = await page.evaluate('asked.calls');
    expect(calls).toMatchObject([{ name: 'versions_preview', arguments: { seed: 1 } }]);
    expect(await page.evaluate('asked.sizes.length')).toBeGreaterThan(0);
    await page.context().close();
  });

  it('the timeline: a mark and a row for each event, the failed ones told apart', async () => {
    for (const result of ['pass', 'fail', 'pass']) await event(result, 'line-2');
    const listed = await fovea.client.callTool({ name: 'events_list', arguments: {} });
    const { page, frame } = await showPage(place(), 'events_list', {});
    await sendResult(page, listed);
    await frame.locator('.events li').first().waitFor();
    expect(await frame.locator('.events li').count()).toBe(3);
    expect(await frame.locator('.events li.bad').count()).toBe(1);
    expect(await frame.locator('circle').count()).toBe(3);
    await frame.locator('circle').first().click();
    expect(await frame.evaluate('document.activeElement.tagName')).toBe('LI');
    await page.context().close();
  });

  it('what others wrote is text, and the page asks nothing of the network', async () => {
    await event('fail', hostile);
    const listed = await fovea.client.callTool({ name: 'events_list', arguments: { limit: 1 } });
    const { page, frame, problems } = await showPage(place(), 'events_list', {});
    await sendResult(page, listed);
    await frame.locator('.events li').first().waitFor();
    expect(await frame.locator('.events li').first().textContent()).toContain(hostile);
    expect(await frame.locator('.events img').count()).toBe(0);
    expect(await page.evaluate('globalThis.hacked')).toBe(undefined);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('a host that lets pages call no tools gets no button', async () => {
    const { page, frame } = await showPage(place(), 'versions_preview', { capabilities: {} });
    await sendResult(page, await preview(0));
    await frame.locator('table').waitFor();
    expect(await frame.getByRole('button', { name: 'Other samples' }).count()).toBe(0);
    await page.context().close();
  });

  it('a call that was cancelled is said', async () => {
    const { page, frame } = await showPage(place(), 'events_list', {});
    await page.evaluate('bridge.sendToolCancelled({ reason: "user" })');
    await frame.getByText('The call was cancelled.').waitFor();
    await page.context().close();
  });
});

async function preview(seed: number): Promise<object> {
  const path = join(fovea.folder, 'cell.jpg');
  const cell = 'sample/blood-cells/JPEGImages/BloodImage_00040.jpg';
  await writeFile(path, await readFile(cell));
  return fovea.client.callTool({
    name: 'versions_preview',
    arguments: {
      files: [path],
      seed,
      overwrite: true,
      augmentation: { rotate: { degrees: 15 } },
    },
  });
}

async function event(result: string, device_id: string): Promise<void> {
  await store.post('/v2/events', {
    event_schema: 'quality_check',
    event_data: { result },
    device_id,
    inference_timestamp: new Date().toISOString(),
  });
}
