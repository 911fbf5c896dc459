// images_upload: class names that lie with labels, and what is said of labels and of failures.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Fixture, openScriptedService } from './scripted-service.ts';

const upload = 'POST /dataset/cells/upload';
let fixture: Fixture;

beforeEach(async () => {
  fixture = await openScriptedService();
  fixture.on(upload, ({ query }) => ({ json: { id: `id-${query.get('name')}`, success: true } }));
  fixture.on('POST /dataset/cells/annotate/id-a.jpg', () => ({
    json: { success: true, boxes: 2 },
  }));
});

afterEach(async () => {
  await fixture.close();
});

async function writeImages(...names: string[]): Promise<void> {
  for (const name of names) await fixture.write(`images/${name}`, `bytes of ${name}`);
}

describe('images_upload', () => {
  it('counts boxes of a COCO file about images that it does not list', async () => {
    await writeImages('a.jpg');
    const box = { category_id: 1, bbox: [1, 1, 5, 5] };
    const coco = {
      images: [{ id: 1, file_name: 'a.jpg' }],
      categories: [{ id: 1, name: 'RBC' }],
      annotations: [
        { image_id: 1, ...box },
        { image_id: 7, ...box },
        { image_id: '1', ...box },
        box,
      ],
    };
    await fixture.write('coco.json', JSON.stringify(coco));
    const input = { project: 'cells', files: ['images'], annotations: 'coco.json' };
    const { summary, data } = await fixture.call('images_upload', input);
    expect(data).toMatchObject({ annotated: 1, annotationsOfUnknownImages: 3 });
    expect(summary).toContain('3 boxes of images that their file does not list');
  });

  it.each([
    ['labels/train/data.yaml', 'names: [RBC, WBC]'],
    ['data.yaml', 'names: {0: RBC, 1: WBC}'],
    ['labels/classes.txt', 'RBC\nWBC\n'],
  ])('takes the class names of YOLO labels from %s', async (path, content) => {
    await writeImages('a.jpg');
    await fixture.write('labels/train/a.txt', '1 .5 .5 .1 .1');
    await fixture.write('classes.txt', 'one above the others');
    await fixture.write(path, content);
    const input = { project: 'cells', files: ['images'], annotations: 'labels/train' };
    const { summary } = await fixture.call('images_upload', input);
    expect(summary).toMatch(new RegExp(`Class names from "[^"]*${path}"\\.`));
    const [sent] = fixture.requests.filter((request) => request.path.includes('/annotate/'));
    expect(JSON.parse(sent?.body ?? '').labelmap).toEqual({ 0: 'RBC', 1: 'WBC' });
    const own = { ...input, labelmap: { 0: 'a', 1: 'b' } };
    expect((await fixture.call('images_upload', own)).summary).not.toContain('Class names');
  });

  it('passes over class names that cannot be read', async () => {
    await writeImages('a.jpg');
    await fixture.write('labels/a.txt', '1 .5 .5 .1 .1');
    await fixture.write('labels/data.yaml', 'train: images');
    const input = { project: 'cells', files: ['images'], annotations: 'labels' };
    const { summary, data } = await fixture.call('images_upload', input);
    expect(data).toMatchObject({ annotated: 1 });
    expect(summary).not.toMatch(/class names/i);
    await fixture.write('labels/data.yaml', 'names: [RBC');
    expect((await fixture.call('images_upload', input)).summary).toMatch(
      / No class names: "[^"]*labels\/data.yaml" cannot be read\./,
    );
  });

  it('groups what failed by its reason', async () => {
    await writeImages('a.jpg', 'b.jpg', 'c.jpg', 'd.jpg');
    const refusal = (message: string) => ({ status: 400, json: { error: { message } } });
    fixture.on(upload, ({ query }) => {
      const name = query.get('name') ?? '';
      if (name === 'a.jpg') return { json: { id: 'id-a.jpg', success: true } };
      return refusal(name === 'b.jpg' ? 'one' : 'two');
    });
    const { data } = await fixture.call('images_upload', { project: 'cells', files: ['images'] });
    expect(data).toMatchObject({
      failedTotal: 3,
      failedReasons: [
        { problem: 'two', count: 2 },
        { problem: 'one', count: 1 },
      ],
    });
  });
});
