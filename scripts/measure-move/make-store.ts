// Stores to move: one of many rows without files, and one of a labelled dataset, with a version.

import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../src/clock.ts';
import { images } from '../../src/contract/images.ts';
import { projects } from '../../src/contract/projects.ts';
import { versions } from '../../src/contract/versions.ts';
import { createClient } from '../../src/http-client/create-client.ts';
import { platformMigrations } from '../../src/platform/database/migrations.ts';
import { Secret } from '../../src/secret.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { startFovea } from '../../test/fixtures/fovea-services.ts';
import { killProcess } from '../../test/fixtures/kill-process.ts';
import { resultOf } from '../../test/platform/labelled-projects.ts';

/** Imports an archive into a new data folder, makes a version of it, and ends. */
export async function makeStoreOf(archive: string, data: string): Promise<void> {
  const key = 'a-key-for-tests';
  const service = await startFovea(['platform', '--port', '0', '--data', data], {
    FOVEA_API_KEY: key,
    FOVEA_WORKSPACE: 'acme',
    FOVEA_LOG: 'error',
    HOME: data,
  });
  const upstream = async () => ({ url: service.url, credential: new Secret(key) });
  const upstreams = { base: upstream, device: upstream };
  const client = createClient({ upstreams, clock: systemClock, timeoutMs: 60_000 });
  try {
    const workspace = 'acme';
    const { body: made } = await client.call(projects.projects_create, {
      workspace,
      name: 'Cells',
      type: 'object-detection',
      annotation: 'cells',
    });
    const project = String(made.id.split('/').at(-1));
    const { body: sent } = await client.call(images.images_upload_zip, { workspace, project });
    await fetch(String(sent.signedUrl), { method: 'PUT', body: await readFile(archive) });
    await resultOf(client, sent.taskId);
    const settings = { preprocessing: { grayscale: true }, augmentation: {} };
    const asked = { workspace, project, ...settings };
    const { body: version } = await client.call(versions.versions_generate, asked);
    await resultOf(client, String(version.taskId));
  } finally {
    await client.close();
    const ended = new Promise((resolve) => {
      service.child.once('exit', resolve);
    });
    service.child.kill('SIGTERM');
    await ended;
    await killProcess(service.child);
  }
}

/** Each image has three rows beside its own. */
export async function seedRows(data: string, images: number): Promise<void> {
  await mkdir(data);
  const database = openDatabase(join(data, 'platform.db'), platformMigrations);
  const numbers = `WITH RECURSIVE numbers (n) AS (
    VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < ${images})`;
  const boxes = `{"kind":"detection","boxes":[
    {"label":"cell","x":10,"y":10,"width":20,"height":20},
    {"label":"cell","x":40,"y":12,"width":20,"height":20}]}`;
  database.transaction(() => {
    database.run("INSERT INTO workspaces VALUES ('w', 'local', 'Local', 1)");
    database.run(
      `INSERT INTO projects (id, workspace_id, slug, name, type, annotation, created, updated)
       VALUES ('p', 'w', 'large', 'Large', 'object-detection', 'cells', 1, 1)`,
    );
    database.run("INSERT INTO batches VALUES ('b', 'p', 'first', 1)");
    database.run(
      `${numbers} INSERT INTO images (id, project_id, batch_id, name, hash, bytes, format, width,
         height, split, metadata, annotation, objects, annotated_at, created)
       SELECT printf('%020d', n * 7919 % ${images}), 'p', 'b', 'IMG_' || n || '.jpg', 'of ' || n,
         100, 'jpeg', 640, 480, 'train', '{"line":' || (n % 9) || '}', ?, 2, n, n FROM numbers`,
      [boxes],
    );
    database.run("INSERT INTO image_tags SELECT id, 'tag ' || created % 20 FROM images");
    database.run("INSERT INTO image_labels SELECT id, 'p', 'cell', 2 FROM images");
    database.run('INSERT INTO image_ordinals (image_id, indexed) SELECT id, 0 FROM images');
  });
  database.close();
}
