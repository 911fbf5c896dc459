// images_upload of labelled images on the embedded platform: one change for each, also when the
// process is killed in the middle.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { type Fovea, launchFovea } from '../fixtures/fovea.ts';
import { testImage } from '../fixtures/images.ts';

const count = 600;

async function launch(settings: Record<string, string> = {}): Promise<Fovea> {
  const fovea = await launchFovea(settings);
  onTestFinished(() => fovea.close());
  return fovea;
}

/** A folder of labelled images, and the arguments that upload it into a new project. */
async function labelledFolder(fovea: Fovea, images: number) {
  const folder = join(fovea.folder, 'labelled');
  await mkdir(folder);
  for (let n = 0; n < images; n += 1) {
    await writeFile(join(folder, `${n}.png`), await testImage(n));
    await writeFile(join(folder, `${n}.txt`), `${n % 2} .5 .5 .1 .1\n`);
  }
  const project = { name: 'Cells', type: 'object-detection', annotation: 'cells' };
  await fovea.ok('projects_create', project);
  const labelmap = { 0: 'RBC', 1: 'WBC' };
  return { folder, args: { project: 'cells', files: [folder], annotations: folder, labelmap } };
}

it('is one change for each image', async () => {
  const fovea = await launch();
  const { folder, args } = await labelledFolder(fovea, 3);
  await writeFile(join(folder, '1.txt'), '9 .5 .5 .1 .1');
  await writeFile(join(folder, '2.txt'), Buffer.from([0x30, 0xff]));
  expect(await fovea.ok('images_upload', args)).toMatchObject({
    uploaded: 3,
    annotated: 1,
    boxes: 1,
    failedTotal: 2,
    failed: [
      { file: '1.png', problem: expect.stringMatching(/^The image is there, its .* class .*9/) },
      { file: '2.png', problem: expect.stringMatching(/^The image is there, its .*2\.txt/) },
    ],
  });
  const { entries } = await fovea.ok('activity_list', { project: 'cells', kind: 'image' });
  expect(entries).toMatchObject([{ action: 'images_upload', verb: 'added', count: 3 }]);
  await writeFile(join(folder, '1.txt'), '1 .5 .5 .1 .1');
  expect(await fovea.ok('images_upload', args)).toMatchObject({
    uploaded: 0,
    duplicates: 3,
    annotated: 1,
    alreadyAnnotated: 1,
    failedTotal: 1,
  });
});

/** Images of all kinds, duplicates, and files that are none; and the arguments that upload them. */
async function mixedFolder(fovea: Fovea) {
  const folder = join(fovea.folder, 'many');
  await mkdir(join(folder, 'images'), { recursive: true });
  await mkdir(join(folder, 'labels'));
  const write = async (name: string, content: Buffer, label?: string) => {
    await writeFile(join(folder, 'images', name), content);
    const path = join(folder, 'labels', name.replace(/\.\w+$/, '.txt'));
    if (label !== undefined) await writeFile(path, label);
  };
  const one = await testImage(1);
  await write('00.png', await testImage(0), '0 .5 .5 .1 .1');
  await write('01.jpg', await testImage(1, 'jpeg'), '0 .5 .5 .1 .1\n1 .2 .2 .1 .1');
  await write('02.webp', await testImage(2, 'webp'), '1 .5 .5 .1 .1');
  await write('03.tiff', await testImage(3, 'tiff'), '1 .5 .5 .1 .1');
  await write('04.avif', await testImage(4, 'avif'), '1 .5 .5 .1 .1');
  await write('05.png', one, '0 .5 .5 .1 .1');
  await write('06.png', one, '0 .5 .5 .1 .1');
  await write('07.png', one, '1 .5 .5 .1 .1');
  await write('08.png', one.subarray(0, -20), '1 .5 .5 .1 .1');
  await write('09.png', Buffer.from('no image'), '1 .5 .5 .1 .1');
  await write('10.png', Buffer.alloc(0));
  await write('11.png', await testImage(11), '1 .5 .5 .1 .1\n'.repeat(10_000));
  await write('12.png', await testImage(12));
  await write('13.png', await testImage(13), '9 .5 .5 .1 .1');
  await fovea.ok('projects_create', {
    name: 'Cells',
    type: 'object-detection',
    annotation: 'cells',
  });
  return {
    project: 'cells',
    files: [join(folder, 'images')],
    annotations: join(folder, 'labels'),
    labelmap: { 0: 'RBC', 1: 'WBC' },
    split: 'valid',
    batch: 'first',
    tags: ['night'],
    metadata: { camera: 'left' },
  };
}

it('of many says of each what it would say alone', async () => {
  const fovea = await launch();
  const args = await mixedFolder(fovea);
  const told = {
    exactDuplicates: [
      { file: '06.png', of: '05.png', labels: 'same' },
      { file: '07.png', of: '05.png', labels: 'conflicting' },
    ],
    withoutAnnotation: 1,
    withoutAnnotationFirst: ['12.png'],
    failedTotal: 4,
    annotationsRefused: 1,
    failed: [
      { file: '08.png', problem: expect.stringContaining('truncated') },
      { file: '09.png', problem: expect.stringContaining('not an image') },
      { file: '10.png', problem: expect.stringContaining('empty') },
      { file: '13.png', problem: expect.stringMatching(/^The image is there, its .* class .*9/) },
    ],
  };
  expect(await fovea.ok('images_upload', args)).toMatchObject({
    ...told,
    uploaded: 9,
    duplicates: 2,
    annotated: 7,
    alreadyAnnotated: 2,
    boxes: 10_007,
  });
  const search = { query: 'project:cells split:valid tag:night metadata:camera=left' };
  expect(await fovea.ok('workspace_search', search)).toMatchObject({ total: 9 });
  expect(await fovea.ok('batches_list', { project: 'cells' })).toMatchObject({
    batches: [{ name: 'first', images: 9 }],
  });
  expect(await fovea.ok('images_upload', args)).toMatchObject({
    failedTotal: 4,
    uploaded: 0,
    duplicates: 11,
    annotated: 0,
    alreadyAnnotated: 9,
  });
  const uploads = { project: 'cells', kind: 'image', action: 'images_upload' };
  const { entries } = await fovea.ok('activity_list', uploads);
  const counts = z.array(z.object({ verb: z.literal('added'), count: z.int() })).parse(entries);
  expect(counts.reduce((sum, { count }) => sum + count, 0)).toBe(9);
});

it('killed in the middle leaves no image without its labels', { timeout: 90_000 }, async () => {
  const fovea = await launch();
  const { args } = await labelledFolder(fovea, count);
  let isKilled = false;
  const upload = fovea.client.callTool(
    { name: 'images_upload', arguments: args },
    {
      onprogress: ({ progress }) => {
        if (!isKilled && progress > 0) process.kill(fovea.pid, 'SIGKILL');
        isKilled ||= progress > 0;
      },
    },
  );
  await expect(upload).rejects.toThrow();
  const next = await launch({ FOVEA_HOME: fovea.home, FOVEA_FILE_ROOTS: fovea.folder });
  const { stats } = await next.ok('projects_health', { project: 'cells' });
  expect(stats).toMatchObject({ missingAnnotations: 0 });
  const { numImages = 0 } = Object(stats);
  expect(numImages).toBeGreaterThan(0);
  expect(numImages).toBeLessThan(count);
  expect(await next.ok('images_upload', args)).toMatchObject({
    uploaded: count - numImages,
    duplicates: numImages,
    annotated: count - numImages,
    alreadyAnnotated: numImages,
    failedTotal: 0,
  });
});
