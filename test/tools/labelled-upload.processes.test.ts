// images_upload of labelled images on the embedded platform: one change for each, also when the
// process is killed in the middle.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type Fovea, launchFovea } from '../fixtures/fovea.ts';
import { testImage } from '../fixtures/images.ts';

const count = 200;

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

it('killed in the middle leaves no image without its labels', async () => {
  const fovea = await launch();
  const { args } = await labelledFolder(fovea, count);
  let isKilled = false;
  const upload = fovea.client.callTool(
    { name: 'images_upload', arguments: args },
    {
      onprogress: ({ progress }) => {
        if (!isKilled && progress >= count / 10) process.kill(fovea.pid, 'SIGKILL');
        isKilled ||= progress >= count / 10;
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
