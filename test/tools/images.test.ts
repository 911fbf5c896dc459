// Images through MCP, on the embedded platform: what went in comes out, and what is wrong is named.

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fovea, launchFovea } from '../fixtures/fovea.ts';

const sample = 'sample/blood-cells';

describe('images on the embedded platform', () => {
  let fovea: Fovea;

  beforeAll(async () => {
    fovea = await launchFovea();
    await fovea.ok('projects_create', {
      name: 'Cells',
      type: 'object-detection',
      annotation: 'cells',
    });
  });

  afterAll(async () => {
    await fovea.close();
  });

  it('uploads the sample, once', async () => {
    const args = {
      project: 'cells',
      files: [`${sample}/JPEGImages`],
      annotations: `${sample}/Annotations`,
    };
    const first = await fovea.ok('images_upload', args);
    expect(first).toMatchObject({ uploaded: 12, annotated: 12, boxes: 159, failed: [] });
    expect(first.warnings).toEqual([
      {
        file: 'BloodImage_00338.jpg',
        box: 13,
        problem: expect.stringContaining('zero width and height'),
      },
      {
        file: 'BloodImage_00343.jpg',
        box: 4,
        problem: expect.stringContaining('zero width and height'),
      },
    ]);
    // As sample/blood-cells/ImageSets/Main has them.
    const { splits } = await fovea.ok('projects_health', { project: 'cells' });
    expect(splits).toEqual({ train: 8, valid: 2, test: 2 });
    const second = await fovea.ok('images_upload', args);
    expect(second).toMatchObject({ uploaded: 0, duplicates: 12, alreadyAnnotated: 12, boxes: 0 });
    const third = await fovea.ok('images_upload', { ...args, split: 'test' });
    expect(third).toMatchObject({ duplicates: 12, inOtherSplit: 10 });
  });

  it('takes an empty YOLO file as an image that shows nothing', async () => {
    const labels = join(fovea.folder, 'labels');
    await mkdir(labels);
    await writeFile(join(labels, 'BloodImage_00040.txt'), '');
    await fovea.ok('projects_create', {
      name: 'Empty',
      type: 'object-detection',
      annotation: 'cells',
    });
    const result = await fovea.ok('images_upload', {
      project: 'empty',
      files: [`${sample}/JPEGImages/BloodImage_00040.jpg`],
      annotations: labels,
    });
    expect(result).toMatchObject({ uploaded: 1, annotated: 1, failed: [] });
    const { stats } = await fovea.ok('projects_health', { project: 'empty' });
    expect(stats).toMatchObject({ numImages: 1, nullAnnotations: 1, missingAnnotations: 0 });
  });

  it('shows an image in small, beside its words', async () => {
    const { results } = await fovea.ok('images_search', { project: 'cells', limit: 1 });
    const [first = {}] = Object(results);
    expect(Object.keys(first).toSorted()).toEqual(['id', 'labels', 'name', 'split']);
    const args = { project: 'cells', imageId: first.id };
    const { content } = await fovea.client.callTool({ name: 'images_get', arguments: args });
    expect(content).toMatchObject([
      { type: 'text', text: expect.stringContaining('640 x 480 pixels') },
      { type: 'image', mimeType: 'image/jpeg', data: expect.stringMatching(/^\/9j\//) },
    ]);
  });

  it('the health names the splits, classes in two spellings, and what to do', async () => {
    const bad = await fovea.ok('projects_create', {
      name: 'Bad',
      type: 'object-detection',
      annotation: 'cells',
    });
    expect(bad).toMatchObject({ name: 'Bad' });
    const labels = join(fovea.folder, 'odd');
    await mkdir(labels);
    await writeFile(
      join(labels, 'BloodImage_00040.txt'),
      '0 .5 .5 .1 .1\n1 .2 .2 .1 .1\n2 .3 .3 .1 .1\n3 .4 .4 .1 .1\n4 .6 .6 .1 .1\n',
    );
    const labelmap = { 0: 'WBC', 1: 'wbc', 2: 'Platelets', 3: 'Plateletts', 4: 'RBC' };
    const files = ['40', '55'].map((number) => `${sample}/JPEGImages/BloodImage_000${number}.jpg`);
    const uploaded = await fovea.ok('images_upload', {
      project: 'bad',
      files,
      split: 'train',
      annotations: labels,
      labelmap,
    });
    expect(uploaded).toMatchObject({ withoutAnnotationFirst: ['BloodImage_00055.jpg'] });
    const { text, data } = await fovea.call('projects_health', { project: 'bad' });
    expect(text).toContain(
      '1 without annotation, 0 marked empty; 2 train, 0 valid, 0 test. ' +
        'Probably one class each: "Platelets", "Plateletts"; "WBC", "wbc". No images in valid and test.',
    );
    const rename = { wbc: 'WBC', Plateletts: 'Platelets' };
    expect(data.next).toMatchObject([
      { tool: 'classes_change', arguments: { project: 'bad', rename, dry_run: true } },
      { tool: 'workspace_search', arguments: { query: 'project:bad annotated:false' } },
      { tool: 'projects_rebalance_splits' },
    ]);
  });

  it('names a file with the bytes of another as its duplicate, and compares the labels', async () => {
    const folder = join(fovea.folder, 'copies');
    await mkdir(folder);
    const bytes = await readFile(`${sample}/JPEGImages/BloodImage_00040.jpg`);
    const voc = await readFile(`${sample}/Annotations/BloodImage_00040.xml`, 'utf8');
    const labels = {
      a: voc,
      b: voc,
      c: voc.replace('<name>RBC</name>', '<name>WBC</name>'),
    };
    for (const [name, text] of Object.entries(labels)) {
      await writeFile(join(folder, `${name}.jpg`), bytes);
      const own = text.replace(/<filename>.*<.filename>/, `<filename>${name}.jpg</filename>`);
      await writeFile(join(folder, `${name}.xml`), own);
    }
    await writeFile(join(folder, 'd.jpg'), bytes);
    await fovea.ok('projects_create', {
      name: 'Copies',
      type: 'object-detection',
      annotation: 'cells',
    });
    const upload = (name: string) =>
      fovea.call('images_upload', {
        project: 'copies',
        files: [join(folder, name)],
        annotations: folder,
      });
    await upload('a.jpg');
    const { text, data } = await upload('*.jpg');
    expect(data).toMatchObject({
      uploaded: 0,
      duplicates: 4,
      alreadyAnnotated: 3,
      failedTotal: 0,
      exactDuplicatesTotal: 3,
      exactDuplicates: [
        { file: 'b.jpg', of: 'a.jpg', labels: 'same' },
        { file: 'c.jpg', of: 'a.jpg', labels: 'conflicting' },
        { file: 'd.jpg', of: 'a.jpg', labels: 'none' },
      ],
    });
    expect(text).toContain('"c.jpg" of "a.jpg" (labels: conflicting)');
    await fovea.ok('projects_create', {
      name: 'At once',
      type: 'object-detection',
      annotation: 'cells',
    });
    const files = ['a.jpg', 'b.jpg'].map((name) => join(folder, name));
    const at = { project: 'at-once', files, annotations: folder };
    expect(await fovea.ok('images_upload', at)).toMatchObject({
      uploaded: 1,
      duplicates: 1,
      annotated: 1,
      failedTotal: 0,
      exactDuplicates: [{ labels: 'same' }],
    });
  });

  it('the health counts odd boxes, and names images that have them', async () => {
    const labels = join(fovea.folder, 'odd-boxes');
    await mkdir(labels);
    await writeFile(
      join(labels, 'BloodImage_00040.txt'),
      '0 .5 .5 0 .1\n0 .5 .5 .005 .1\n0 .05 .5 .1 .1\n0 0 .5 .1 .1\n0 .5 .5 .1 .1\n',
    );
    await fovea.ok('projects_create', {
      name: 'Odd',
      type: 'object-detection',
      annotation: 'cells',
    });
    await fovea.ok('images_upload', {
      project: 'odd',
      files: [`${sample}/JPEGImages/BloodImage_00040.jpg`],
      annotations: labels,
      labelmap: { 0: 'RBC' },
    });
    const { text, data } = await fovea.call('projects_health', { project: 'odd' });
    const one = { count: 1, images: ['BloodImage_00040.jpg'] };
    expect(data.boxes).toEqual({
      checked: 5,
      complete: true,
      withoutArea: one,
      tiny: one,
      atEdge: one,
      overEdge: one,
      duplicate: { count: 0, images: [] },
    });
    expect(text).toContain(
      'Boxes: 1 without area (in "BloodImage_00040.jpg"), 1 tiny (in "BloodImage_00040.jpg"), ' +
        '1 over the edge',
    );
    expect(data.next).toMatchObject([
      {
        tool: 'projects_findings',
        arguments: { project: 'odd', finding: 'boxes-without-area', picture: true },
      },
      { tool: 'projects_rebalance_splits' },
    ]);
  });

  it('uploads the good and names the bad', async () => {
    const mixed = join(fovea.folder, 'mixed');
    await mkdir(mixed);
    await writeFile(join(mixed, 'fake.jpg'), 'this is no image');
    const result = await fovea.ok('images_upload', {
      project: 'cells',
      files: [mixed, `${sample}/JPEGImages/BloodImage_00055.jpg`],
    });
    expect(result).toMatchObject({ uploaded: 0, duplicates: 1, failedTotal: 1 });
    expect(result.failed).toMatchObject([{ file: 'fake.jpg', problem: expect.any(String) }]);
  });
});
