// images_upload of files whose stored copies a failing disk has damaged: they are whole again.

import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { limits } from '../../src/limits.ts';
import { type Fovea, launchFovea } from '../fixtures/fovea.ts';
import { testImage } from '../fixtures/images.ts';
import { openPlatformRows } from '../fixtures/platform-rows.ts';

let fovea: Fovea;
/** Many: the platform reads them from the disk, in one call. */
const count = limits.togetherUploadMin + 2;

beforeAll(async () => {
  fovea = await launchFovea();
});

afterAll(() => fovea.close());

it('heals the stored files of a folder, so that a version can be made of them', async () => {
  const folder = join(fovea.folder, 'photos');
  await mkdir(folder);
  const data = join(fovea.home, 'platform');
  const stored: string[] = [];
  for (let shade = 10; shade < 10 + count; shade += 1) {
    const content = await testImage(shade);
    const hash = createHash('sha256').update(content).digest('hex');
    await writeFile(join(folder, `${shade}.png`), content);
    stored.push(join(data, 'blobs', hash.slice(0, 2), hash));
  }
  const project = 'cells';
  await fovea.ok('projects_create', { name: 'Cells', type: 'object-detection', annotation: 'a' });
  await fovea.ok('images_upload', { project, files: [folder] });
  await fovea.ok('projects_health', { project });
  for (const path of stored) await writeFile(path, 'damaged');
  const rows = await openPlatformRows(data, undefined);
  // As a process leaves it that ends before it has looked.
  await rows.run(
    'INSERT INTO undescribed_images (image_id, project_id) SELECT id, project_id FROM images',
  );
  await rows.close();
  const damaged = await fovea.ok('projects_health', { project });
  expect(damaged).toMatchObject({ unreadable: { total: count } });
  await fovea.ok('images_upload', { project, files: [folder] });
  const healed = await fovea.ok('projects_health', { project });
  expect(healed).toMatchObject({ unreadable: { total: 0 } });
  const settings = { preprocessing: {}, augmentation: {} };
  const { taskId } = await fovea.ok('versions_generate', { project, ...settings });
  expect(await fovea.ok('tasks_wait', { taskId })).toMatchObject({
    status: 'completed',
    result: { images: count },
  });
});
