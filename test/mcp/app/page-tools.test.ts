// The tools of the labelling page, called as nobody but the page should: whatever a model or a
// hostile page sends there does no more than the operations themselves allow.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Facts, type Fovea, launchFovea } from '../../fixtures/fovea.ts';

const withApps = {
  extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } },
};

let fovea: Fovea;
let made = 0;

beforeAll(async () => {
  fovea = await launchFovea({ FOVEA_TOOL_PROFILE: 'default' }, { capabilities: withApps });
  for (const name of ['Cells', 'Others']) {
    await fovea.ok('projects_create', { name, type: 'object-detection', annotation: 'cells' });
  }
}, 60_000);

afterAll(() => fovea?.close());

async function upload(): Promise<string> {
  made += 1;
  const background = { r: made, g: 80, b: 120 };
  const path = join(fovea.folder, `tool-${made}.png`);
  const create = { width: 40, height: 20, channels: 3, background } as const;
  await writeFile(path, await sharp({ create }).png().toBuffer());
  await fovea.ok('images_upload', { project: 'cells', files: [path] });
  const query = `project:cells filename:tool-${made}.png`;
  const { results } = await fovea.ok('workspace_search', { query });
  return String(Object(results)[0].id);
}

/** Of the newest image. */
function labels(boxes: readonly object[]): string {
  return JSON.stringify({
    images: [{ id: 1, file_name: `tool-${made}.png`, width: 40, height: 20 }],
    categories: [{ id: 1, name: 'RBC' }],
    annotations: boxes.map((box, at) => ({ id: at + 1, image_id: 1, category_id: 1, ...box })),
  });
}

const box = { bbox: [2, 2, 10, 10] };

function save(imageId: string, more: Facts = {}, operation = 'images_annotate') {
  const file = { name: 'page.json', annotationFile: labels([box]), overwrite: true };
  const args = { project: 'cells', imageId, ...file, ...more };
  return fovea.call('labelling_save', { operation, arguments: args });
}

/** How many boxes the platform has; undefined: nobody annotated the image. */
async function boxesOf(imageId: string): Promise<number | undefined> {
  const { image } = await fovea.ok('images_get', { project: 'cells', imageId });
  return Object(image).annotation?.boxes?.length;
}

describe('labelling_save', { timeout: 60_000 }, () => {
  it('saves labels of the image alone, and of its own project', async () => {
    const id = await upload();
    const elsewhere = await save(id, { project: 'others' });
    expect([elsewhere.isError, elsewhere.text]).toEqual([true, expect.stringContaining('404')]);
    expect(await boxesOf(id)).toBe(undefined);
    expect((await save(id)).isError).toBe(false);
    expect(await boxesOf(id)).toBe(1);
  });

  it('refuses a revision that is not there any more', async () => {
    const id = await upload();
    const stale = await save(id, { revision: 'older', annotationFile: labels([box, box]) });
    expect([stale.isError, stale.text]).toEqual([true, expect.stringContaining('409')]);
    expect(await boxesOf(id)).toBe(undefined);
  });

  it.each([
    ['numbers that are none', () => labels([{ bbox: [Number.NaN, 2, 10, 10] }])],
    ['numbers without end', () => labels([box]).replace('[2,2', '[2e999,2')],
    ['words for numbers', () => labels([{ bbox: ['2', 2, 10, 10] }])],
    ['no labels at all', () => '<svg onload=alert(1)>'],
    ['too many boxes', () => labels(Array.from({ length: 100_000 }, () => box))],
  ])('refuses %s, and keeps what is there', async (_, fileOf) => {
    const id = await upload();
    expect((await save(id)).isError).toBe(false);
    const refused = await save(id, { annotationFile: fileOf() });
    expect(refused.isError).toBe(true);
    expect(refused.text).toMatch(/^Error \((invalid_input|too_large)/);
    expect(await boxesOf(id)).toBe(1);
  });

  it('finds no image that was deleted', async () => {
    const id = await upload();
    await fovea.ok('operations_delete', {
      operation: 'images_delete',
      arguments: { project: 'cells', images: [id], confirm: 'cells' },
    });
    const gone = await save(id);
    expect([gone.isError, gone.text]).toEqual([true, expect.stringContaining('404')]);
  });

  it.each(['projects_delete', 'images_delete', 'api_keys_create', 'images_get', '__proto__'])(
    'calls no other operation: %s',
    async (operation) => {
      const refused = await save('any', {}, operation);
      expect([refused.isError, refused.text]).toEqual([true, expect.stringContaining('operation')]);
    },
  );
});

it('a host that only reads is offered no way to save', async () => {
  const settings = { FOVEA_READ_ONLY: '1' };
  const reading = await launchFovea(settings, { capabilities: withApps });
  try {
    const names = (await reading.client.listTools()).tools.map(({ name }) => name);
    expect(names).toContain('labelling_read');
    expect(names).not.toContain('labelling_save');
    const asked = { name: 'labelling_save', arguments: { operation: 'images_annotate' } };
    await expect(reading.client.callTool(asked)).rejects.toThrow(/labelling_save/);
  } finally {
    await reading.close();
  }
});
