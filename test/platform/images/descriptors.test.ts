// New images are looked at behind their upload: what depends on it waits, and what cannot be read
// is named.

import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { images } from '../../../src/contract/images.ts';
import { projectExtensions, projects } from '../../../src/contract/projects.ts';
import { search } from '../../../src/contract/search.ts';
import { tasks } from '../../../src/contract/tasks.ts';
import { versions } from '../../../src/contract/versions.ts';
import { createSqliteStore } from '../../../src/platform/database/create-store.ts';
import { platformMigrations } from '../../../src/platform/database/migrations.ts';
import { startDescriptors } from '../../../src/platform/images/descriptors.ts';
import { openDatabase } from '../../../src/storage/database.ts';
import { createTaskQueue } from '../../../src/storage/task-queue.ts';
import { testImage } from '../../fixtures/images.ts';
import { startTestPlatform, type TestPlatform, withRowsInFolder } from '../../fixtures/platform.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { numberIn, seedImages } from '../seed-images.ts';
import { sendZip, zipOf } from '../zip-import/zip-files.ts';

const where = { workspace: 'acme', project: 'cells' };
const sample = 'sample/blood-cells/JPEGImages';

async function startWithProject(data: string): Promise<TestPlatform> {
  const platform = await startTestPlatform({ data, ...withRowsInFolder });
  await platform.client.call(projects.projects_create, {
    workspace: 'acme',
    name: 'Cells',
    type: 'object-detection',
    annotation: 'cells',
  });
  return platform;
}

async function upload({ client }: TestPlatform, name: string, content: Uint8Array) {
  const file = { name, content };
  return (await client.call(images.images_upload, { project: 'cells', file })).body.id ?? '';
}

/** Whole by its structure, with coded pixels that mean nothing. */
async function damagedImage(): Promise<Uint8Array> {
  const bytes = await readFile(join(sample, 'BloodImage_00338.jpg'));
  const start = bytes.indexOf(Buffer.from([0xff, 0xda])) + 200;
  bytes.fill(0, start, bytes.length - 200);
  return bytes;
}

it('finds what was uploaded just before, by its look', async () => {
  const platform = await startWithProject(await temporaryFolder());
  onTestFinished(() => platform.close());
  const first = await upload(platform, 'a.png', await testImage(10));
  await upload(platform, 'b.png', await testImage(200));
  const asked = {
    project: 'cells',
    like_image: first,
    fields: ['id' as const, 'embedding' as const],
  };
  const { body } = await platform.client.call(search.images_search, { ...where, ...asked });
  expect(body.results).toHaveLength(2);
  expect(body.results[0]).toMatchObject({ id: first });
  expect(body.results[0]?.embedding).toHaveLength(64);
  expect(body.notes).toEqual([expect.stringContaining('Similar by look')]);
});

it('takes an image whose pixels are damaged, and names it in the health until it is gone', async () => {
  const platform = await startWithProject(await temporaryFolder());
  onTestFinished(() => platform.close());
  const id = await upload(platform, 'damaged.jpg', await damagedImage());
  await upload(platform, 'whole.png', await testImage(10));
  const reason = expect.stringContaining('truncated or corrupt jpeg');
  const unreadable = { id, name: 'damaged.jpg', split: 'train', reason };
  const { body: health } = await platform.client.call(projects.projects_health, where);
  expect(health.unreadable).toEqual({ total: 1, images: [unreadable] });
  const finding = { ...where, finding: 'unreadable-images', picture: true } as const;
  const found = await platform.client.call(projectExtensions.projects_findings, finding);
  expect(found.body).toMatchObject({ total: 1, complete: true, images: [unreadable] });
  await platform.client.call(images.images_delete, { ...where, images: [id] });
  const { body: mended } = await platform.client.call(projects.projects_health, where);
  expect(mended.unreadable).toEqual({ total: 0, images: [] });
});

it('makes no version of images that are known to be unreadable', async () => {
  const platform = await startWithProject(await temporaryFolder());
  onTestFinished(() => platform.close());
  await upload(platform, 'damaged.jpg', await damagedImage());
  await upload(platform, 'whole.png', await testImage(10));
  await platform.client.call(projects.projects_health, where);
  const { client } = platform;
  const settings = { preprocessing: {}, augmentation: {} };
  const { body } = await client.call(versions.versions_generate, { ...where, ...settings });
  const task = { workspace: 'acme', taskId: String(body.taskId) };
  await vi.waitFor(
    async () => {
      expect((await client.call(tasks.tasks_get, task)).body).toMatchObject({
        status: 'failed',
        error: 'These images cannot be read: "damaged.jpg".',
      });
    },
    { timeout: 20_000, interval: 50 },
  );
});

it('passes over an image at which the program ended three times', async () => {
  const data = await temporaryFolder();
  const first = await startWithProject(data);
  const id = await upload(first, 'bad.png', await testImage(10));
  await first.client.call(projects.projects_health, where);
  await first.close();
  const database = openDatabase(join(data, 'platform.db'), platformMigrations);
  database.run(
    "INSERT INTO undescribed_images SELECT id, project_id, NULL, 3 FROM images WHERE name = 'bad.png'",
  );
  database.close();
  const second = await startTestPlatform({ data });
  onTestFinished(() => second.close());
  const { body } = await second.client.call(projects.projects_health, where);
  const reason = 'reading it ended the program several times';
  expect(body.unreadable).toMatchObject({ total: 1, images: [{ id, reason }] });
});

it('is not given up while it gets further, however often its worker was lost', async () => {
  const data = await temporaryFolder();
  const first = await startWithProject(data);
  for (const shade of [10, 200]) await upload(first, `${shade}.png`, await testImage(shade));
  await first.client.call(projects.projects_health, where);
  await first.close();
  const database = openDatabase(join(data, 'platform.db'), platformMigrations);
  database.run(
    'INSERT INTO undescribed_images (image_id, project_id) SELECT id, project_id FROM images',
  );
  database.run(
    `INSERT INTO work (id, kind, payload, status, current, attempts, created, updated,
       lease_owner, lease_expires)
     VALUES ('lost', 'describe', '{}', 'running', 7, 4, 1, 1, 'dead', 1)`,
  );
  database.close();
  const second = await startTestPlatform({ data, ...withRowsInFolder });
  onTestFinished(() => second.close());
  await second.client.call(projects.projects_health, where);
  const look = () => second.query("SELECT status, current, attempts FROM work WHERE id = 'lost'");
  await vi.waitUntil(async () => (await look())[0]?.status === 'completed', 10_000);
  expect(await look()).toEqual([{ status: 'completed', current: 9, attempts: 1 }]);
});

it('looks after a restart at what was not looked at before, and names files that are lost', async () => {
  const data = await temporaryFolder();
  const first = await startWithProject(data);
  const kept = await upload(first, 'kept.png', await testImage(10));
  const lost = await upload(first, 'lost.png', await testImage(200));
  const { body: shown } = await first.client.call(images.images_get, { ...where, imageId: lost });
  const hash = String(shown.image.hash);
  await first.client.call(projects.projects_health, where);
  await first.close();
  // As a process leaves it that ends at once.
  const database = openDatabase(join(data, 'platform.db'), platformMigrations);
  database.run('DELETE FROM likeness_vectors');
  database.run(
    'INSERT INTO undescribed_images (image_id, project_id) SELECT id, project_id FROM images',
  );
  database.close();
  await rm(join(data, 'blobs', hash.slice(0, 2), hash));
  const second = await startTestPlatform({ data });
  onTestFinished(() => second.close());
  const { body } = await second.client.call(projects.projects_health, where);
  expect(body.unreadable).toMatchObject({
    total: 1,
    images: [{ id: lost, reason: 'its file is lost' }],
  });
  const asked = { ...where, like_image: kept };
  const { body: found } = await second.client.call(search.images_search, asked);
  expect(found.results.map((image) => image.id)).toEqual([kept]);
});

const healing: readonly [
  string,
  (platform: TestPlatform, content: Uint8Array) => Promise<unknown>,
][] = [
  ['an upload', (platform, content) => upload(platform, 'a.png', content)],
  [
    'a zip file',
    (platform, content) => sendZip(platform, 'cells', zipOf([{ name: 'a.png', content }])),
  ],
];

it.each(healing)(
  'looks again at an image whose damaged file is healed by %s',
  async (_way, heal) => {
    const data = await temporaryFolder();
    const platform = await startTestPlatform({ data });
    onTestFinished(() => platform.close());
    const { client } = platform;
    const project = { workspace: 'acme', name: 'Cells', annotation: 'cells' } as const;
    await client.call(projects.projects_create, { ...project, type: 'object-detection' });
    const content = await testImage(10);
    const id = await upload(platform, 'a.png', content);
    await client.call(projects.projects_health, where);
    const { body: shown } = await client.call(images.images_get, { ...where, imageId: id });
    const hash = String(shown.image.hash);
    await writeFile(join(data, 'blobs', hash.slice(0, 2), hash), 'damaged');
    // As a process leaves it that ends before it has looked.
    await platform.query(
      'INSERT INTO undescribed_images (image_id, project_id) SELECT id, project_id FROM images',
    );
    const { body: health } = await client.call(projects.projects_health, where);
    expect(health.unreadable).toMatchObject({
      total: 1,
      images: [{ id, reason: 'its stored file is damaged' }],
    });
    await heal(platform, content);
    const { body: healed } = await client.call(projects.projects_health, where);
    expect(healed.unreadable).toEqual({ total: 0, images: [] });
  },
);

it('lets others have a turn while many files are lost', async () => {
  const { data, database } = await seedImages(1_600);
  database.run("UPDATE images SET hash = 'of ' || id");
  database.run(
    'INSERT INTO undescribed_images (image_id, project_id) SELECT id, project_id FROM images',
  );
  const platform = await startTestPlatform({ data });
  onTestFinished(() => platform.close());
  const open = 'SELECT count(*) AS n FROM undescribed_images WHERE problem IS NULL';
  const seen = new Set<number>();
  for (let left = numberIn(database, open); left > 0; left = numberIn(database, open)) {
    seen.add(left);
    await setImmediate();
  }
  expect(seen.size).toBeGreaterThan(10);
});

it('looks first at the images that somebody waits for', async () => {
  const { shared } = await seedImages(40);
  const store = createSqliteStore(
    shared,
    createTaskQueue(shared, { clock: systemClock, owner: 'a' }),
  );
  const { id: workspaceId } = await store.workspaces.ensure('acme', 1);
  await shared.run(
    "INSERT INTO undescribed_images (image_id, project_id) SELECT id, project_id FROM images WHERE id <> 'image-7'",
  );
  await shared.run("INSERT INTO undescribed_images VALUES ('image-7', 'large-project', 'torn', 0)");
  const mine = { workspaceId, projectIds: ['large-project'] };
  const others = { workspaceId: 'other', projectIds: undefined };
  expect(await store.search.undescribed(9, mine)).toHaveLength(9);
  expect(await store.search.undescribed(99, 'all')).toHaveLength(39);
  expect(await store.search.undescribed(9, others)).toEqual([]);
  expect(await store.search.undescribed(9, 'public')).toEqual([]);
  expect(await store.search.undescribed(9, { workspaceId, projectIds: [] })).toEqual([]);
  const never = new AbortController().signal;
  const descriptors = startDescriptors({
    queue: createTaskQueue(shared, { clock: systemClock, owner: 'a' }),
    search: store.search,
    clock: systemClock,
    wake: () => {},
  });
  onTestFinished(() => descriptors.stop());
  expect(descriptors.nextScope).toBeUndefined();
  expect(await descriptors.areComplete(others, never)).toBe(true);
  const waiting = descriptors.areComplete(mine, never);
  expect(descriptors.nextScope).toEqual(mine);
  await store.search.describe(
    (await store.search.undescribed(99, mine)).map(({ imageId }) => ({ imageId })),
    (writes) => writes(),
  );
  expect(await waiting).toBe(true);
  expect(descriptors.nextScope).toBeUndefined();
});
