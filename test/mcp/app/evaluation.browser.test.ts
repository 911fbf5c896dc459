// The page of an evaluation inside a host of MCP Apps, in Chromium: its panels are read by calls of
// evaluations_get, and a cell of the confusion matrix shows the images behind it.

import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium, inChromium, openBrowser } from '../../event-store/chromium.ts';
import { type Facts, type Fovea, launchFovea } from '../../fixtures/fovea.ts';
import { sendResult, showPage } from './shown-page.ts';

const require = createRequire(import.meta.url);
const hostile = '<img src=x onerror=parent.hacked=1>';

let fovea: Fovea;
let browser: Browser;
let which: Facts = {};

beforeAll(async () => {
  if (!hasChromium) return;
  const capabilities = { extensions: { 'io.modelcontextprotocol/ui': {} } };
  fovea = await launchFovea({ FOVEA_TOOL_PROFILE: 'default' }, { capabilities });
  browser = await openBrowser();
  which = await evaluated();
}, 60_000);

afterAll(async () => {
  await browser?.close();
  await fovea?.close();
});

describe.skipIf(!hasChromium)(`an evaluation inside a host ${inChromium}`, () => {
  it.each(['light', 'dark'] as const)('panels, and images behind a cell, %s', async (theme) => {
    const answer = await fovea.client.callTool({ name: 'evaluations_get', arguments: which });
    const host = { client: fovea.client, browser };
    const { page, frame, problems } = await showPage(host, 'evaluations_get', {
      relays: true,
      theme,
    });
    await sendResult(page, answer);
    await frame.locator('.classes meter').first().waitFor();
    expect(await frame.locator('.classes meter').count()).toBe(2);
    await frame.getByText('Labels').first().waitFor();
    expect(await frame.getByRole('row', { name: hostile }).count()).toBeGreaterThan(0);
    // Both images have one that is taken for the other class.
    const cell = frame.getByRole('button', { name: `2 ${hostile} found as WBC: show the images` });
    await cell.press('Enter');
    await frame.locator('.picture img').waitFor();
    await frame.getByText('evaluated-2.png').waitFor();
    const calls = await page.evaluate('asked.calls.map(({ arguments: given }) => given.panel)');
    expect(calls).toEqual(['summary', 'per_class', 'confusion_matrix', 'images']);
    await frame.evaluate(await readFile(require.resolve('axe-core/axe.min.js'), 'utf8'));
    const found: unknown = await frame.evaluate(
      `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations
        .filter(({ impact }) => ['serious', 'critical'].includes(impact))
        .map(({ id, nodes }) => id + ': ' + nodes[0].html))`,
    );
    expect(found).toEqual([]);
    expect(await page.evaluate('globalThis.hacked')).toBe(undefined);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('a host that lets pages call no tools shows the panel of the answer', async () => {
    const args = { ...which, panel: 'per_class' };
    const answer = await fovea.client.callTool({ name: 'evaluations_get', arguments: args });
    const host = { client: fovea.client, browser };
    const { page, frame } = await showPage(host, 'evaluations_get', { capabilities: {} });
    await sendResult(page, answer);
    await frame.locator('.classes meter').first().waitFor();
    expect(await page.evaluate('asked.calls')).toEqual([]);
    await page.context().close();
  });
});

/** Two images with one of each class; the hostile ones are found as white cells. */
async function evaluated(): Promise<Facts> {
  const at = { project: 'cells' };
  await fovea.ok('projects_create', { name: 'Cells', type: 'object-detection', annotation: 'x' });
  const results: Facts[] = [];
  const files: string[] = [];
  for (const place of [1, 2]) {
    const background = { r: place * 40, g: 80, b: 120 };
    const create = { width: 400, height: 200, channels: 3, background } as const;
    const name = `evaluated-${place}.png`;
    const path = join(fovea.folder, name);
    await writeFile(path, await sharp({ create }).png().toBuffer());
    files.push(path);
    for (const left of [20, 200]) {
      const bbox = [left, 20, 60, 60];
      results.push({ image_id: name, category_id: 'WBC', bbox, score: 0.9 });
    }
  }
  await fovea.ok('images_upload', { ...at, files, split: 'test' });
  const found = await fovea.ok('workspace_search', { query: 'project:cells', fields: ['name'] });
  for (const row of Object(found).results) {
    const { id: imageId, name } = Object(row);
    const annotations = [
      { label: 'WBC', coordinates: { x: 50, y: 50, width: 60, height: 60 } },
      { label: hostile, coordinates: { x: 230, y: 50, width: 60, height: 60 } },
    ];
    const annotation = JSON.stringify([{ image: name, annotations }]);
    await fovea.ok('images_annotate', { ...at, imageId, name: 'a.json', annotation });
  }
  const predictions = join(fovea.folder, 'results.json');
  await writeFile(predictions, JSON.stringify(results));
  const made = await fovea.ok('operations_write', {
    operation: 'evaluations_create',
    arguments: { ...at, query: 'split:test', predictions },
  });
  await fovea.ok('tasks_wait', { taskId: made.taskId });
  return { ...at, evaluationId: made.evaluationId };
}
