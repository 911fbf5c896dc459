// What is there after a round, held against what was acknowledged.

import { setTimeout as wait } from 'node:timers/promises';
import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { membersOf } from '../../src/json-object.ts';
import { blobReferences } from '../../src/platform/database/create-store.ts';
import { type Caller, call } from './calls.ts';
import { type Cluster, sql } from './cluster.ts';
import { type Desk, type DeskImage, noLabels } from './desk.ts';
import { tryKey } from './key-deeds.ts';
import { workspace } from './sign-in.ts';
import { untilAnswered } from './until-answered.ts';

/** Tasks that end by themselves end in this time, those of a dead worker and of an outage too. */
const tasksMsMax = 180_000;

/** Resolves to what is wrong, in words. All tasks have ended. */
export async function verify(
  cluster: Cluster,
  caller: Caller,
  desks: readonly Desk[],
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const desk of desks) {
    problems.push(...(await verifyImages(cluster, caller, desk)));
    problems.push(...(await verifyVersions(cluster, desk)));
    problems.push(...(await verifyKeys(caller, desk)));
    problems.push(...(await verifyZips(cluster, desk)));
    problems.push(...(await verifyTrainings(cluster, desk)));
  }
  problems.push(...(await verifyBlobs(cluster)));
  return problems;
}

/** Resolves once nothing is left to do, to what is wrong with tasks. */
export async function endTasks(cluster: Cluster): Promise<readonly string[]> {
  const open = `SELECT id, kind, status, attempts FROM work
    WHERE status IN ('created', 'running') AND kind NOT LIKE 'held:%'`;
  let left = await sql(cluster, open);
  for (let ms = 0; left.length > 0 && ms < tasksMsMax; ms += 200) {
    await wait(200);
    left = await sql(cluster, open);
  }
  const failed = await sql(
    cluster,
    "SELECT id, kind, error, attempts FROM work WHERE status = 'failed'",
  );
  const twice = await sql(cluster, 'SELECT * FROM ended_twice');
  // Each is said in the round that it belongs to.
  await sql(cluster, "DELETE FROM work WHERE status = 'failed'; DELETE FROM ended_twice");
  return [
    ...left.map((task) => `a task does not end: ${JSON.stringify(task)}`),
    ...failed.map((task) => `a task failed: ${JSON.stringify(task)}`),
    ...twice.map((task) => `a task that had ended was changed: ${JSON.stringify(task)}`),
  ];
}

async function verifyImages(
  cluster: Cluster,
  caller: Caller,
  { project, images, deleted }: Desk,
): Promise<readonly string[]> {
  const problems: string[] = [];
  const rows = await sql(
    cluster,
    `SELECT name, hash, id FROM images
     WHERE project_id = (SELECT id FROM projects WHERE slug = $1)`,
    [project],
  );
  const names = Map.groupBy(rows, ({ name }) => String(name));
  for (const image of images.values()) {
    const [row, ...others] = names.get(image.name) ?? [];
    names.delete(image.name);
    const at = `${project}/${image.name}`;
    if (row === undefined) problems.push(`lost: ${at}`);
    if (others.length > 0) problems.push(`${others.length + 1} times there: ${at}`);
    if (row && (row.hash !== image.hash || row.id !== image.id)) problems.push(`torn: ${at}`);
    problems.push(...(await verifyImage(caller, project, image)));
  }
  for (const { name } of deleted) {
    if (names.delete(name)) problems.push(`deleted, but there: ${project}/${name}`);
  }
  for (const name of names.keys()) problems.push(`never acknowledged: ${project}/${name}`);
  const path = `/${workspace}/search/v1`;
  const found = await call(caller, { method: 'POST', path, body: { query: `project:${project}` } });
  if (found && found.body.total !== images.size) {
    problems.push(`${project}: a search finds ${found.body.total} of ${images.size} images`);
  }
  return problems;
}

async function verifyImage(
  caller: Caller,
  project: string,
  { id, name, labels, lateLabels, tags }: DeskImage,
): Promise<readonly string[]> {
  const path = `/${workspace}/${project}/images/${id}`;
  const answer = await call(caller, { method: 'GET', path });
  if (answer === undefined) return [];
  const image = membersOf(answer.body.image);
  const problems: string[] = [];
  const there = labelsOf(image.annotation);
  if (there !== labels && !lateLabels.has(there)) {
    problems.push(`labels of ${project}/${name}: "${there}" in place of "${labels}"`);
  }
  const lost = [...tags].filter((tag) => !listOf(image.tags).includes(tag));
  if (lost.length > 0) problems.push(`tags lost of ${project}/${name}: ${lost.join()}`);
  return problems;
}

function labelsOf(annotation: unknown): string {
  const boxes = listOf(membersOf(annotation).boxes);
  return boxes.length === 0 ? noLabels : `${boxes.length} ${membersOf(boxes[0]).label}`;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

async function verifyVersions(
  cluster: Cluster,
  { project, versions, unknownVersions }: Desk,
): Promise<readonly string[]> {
  const problems: string[] = [];
  const rows = await sql(
    cluster,
    `SELECT number::int, ready::int, images::int, task_id,
       (SELECT count(*) FROM version_images WHERE version_id = versions.id)::int AS made,
       (SELECT count(*) FROM version_sources WHERE version_id = versions.id AND done = 0)::int
         AS open
     FROM versions WHERE project_id = (SELECT id FROM projects WHERE slug = $1)`,
    [project],
  );
  for (const { number, images, taskId } of versions) {
    const row = rows.find((each) => each.number === number);
    const wanted = { number, ready: 1, images, task_id: taskId, made: images, open: 0 };
    if (JSON.stringify(row) === JSON.stringify(wanted)) continue;
    problems.push(
      `${project}/${number}: ${JSON.stringify(row)} in place of ${JSON.stringify(wanted)}`,
    );
  }
  const more = rows.length - versions.length;
  if (more > unknownVersions) {
    problems.push(`${project}: ${more} versions that nobody asked for`);
  }
  return problems;
}

async function verifyKeys(caller: Caller, { keys, revoked }: Desk): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const { secret, keyId, isDisabled } of keys) {
    const isRefused = (await tryKey(caller, secret))?.status === 401;
    if (isRefused && !isDisabled) problems.push(`the key ${keyId} is lost`);
    if (!isRefused && isDisabled) problems.push(`the key ${keyId} works, though it is disabled`);
  }
  for (const { secret, keyId } of revoked) {
    const answer = await tryKey(caller, secret);
    if (answer?.status === 200) problems.push(`the key ${keyId} works, though it was revoked`);
  }
  return problems;
}

/** Each image of an archive is there once, with its box. */
async function verifyZips(cluster: Cluster, { zips }: Desk): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const { project, taskId, hashes } of zips) {
    const [task] = await sql(cluster, 'SELECT status FROM work WHERE id = $1', [taskId]);
    if (task?.status !== 'completed') problems.push(`${project}: its import is ${task?.status}`);
    const rows = await sql(
      cluster,
      `SELECT name, hash, objects::int AS boxes FROM images WHERE project_id = (SELECT id FROM projects WHERE slug = $1)`,
      [project],
    );
    const there = rows.map(({ name, hash, boxes }) => `${name} ${hash} ${boxes}`).toSorted();
    const wanted = [...hashes].map(([name, hash]) => `${name} ${hash} 1`).toSorted();
    if (there.join() !== wanted.join()) {
      problems.push(
        `${project}: ${there.length} of ${wanted.length} images of a zip file, or torn`,
      );
    }
  }
  return problems;
}

async function verifyTrainings(
  cluster: Cluster,
  { toTrain, trainings, unknownTrainings }: Desk,
): Promise<readonly string[]> {
  if (toTrain === undefined) return [];
  const { project } = toTrain;
  const rows = await sql(
    cluster,
    `SELECT id, status, weights_hash FROM trainings
     WHERE project_id = (SELECT id FROM projects WHERE slug = $1)`,
    [project],
  );
  const problems: string[] = [];
  for (const training of trainings) {
    const row = rows.find(({ id }) => id === training);
    const isDone = row?.status === 'finished' && typeof row.weights_hash === 'string';
    if (!isDone) problems.push(`${project}: training ${training} is ${JSON.stringify(row)}`);
  }
  if (rows.length > trainings.length + unknownTrainings) {
    problems.push(`${project}: ${rows.length} trainings, ${trainings.length} were asked for`);
  }
  return problems;
}

async function verifyBlobs(cluster: Cluster): Promise<readonly string[]> {
  const there = await hashesIn(cluster);
  const wanted = await referredTo(cluster);
  return [...wanted].filter((hash) => !there.has(hash)).map((hash) => `content is gone: ${hash}`);
}

/** Contents that nothing refers to. */
export async function orphans(cluster: Cluster): Promise<readonly string[]> {
  const wanted = await referredTo(cluster);
  const there = await hashesIn(cluster);
  return [...there].filter((hash) => !wanted.has(hash));
}

/** Contents that some row refers to. */
export async function referredTo(cluster: Cluster): Promise<ReadonlySet<string>> {
  const hashes = new Set<string>();
  for (const text of blobReferences) {
    const [, table, column] = /^SELECT 1 FROM (\w+) WHERE (\w+) = \?$/.exec(text) ?? [];
    if (table === undefined) throw new Error(`not understood: ${text}`);
    const rows = await sql(cluster, `SELECT DISTINCT ${column} AS hash FROM ${table}`);
    for (const { hash } of rows) if (typeof hash === 'string') hashes.add(hash);
  }
  return hashes;
}

async function hashesIn({ objectStore, place }: Cluster): Promise<ReadonlySet<string>> {
  const hashes = new Set<string>();
  let from: string | undefined;
  do {
    const list = new ListObjectsV2Command({
      Bucket: place.bucket,
      Prefix: place.prefix,
      ContinuationToken: from,
    });
    const page = await untilAnswered(() => objectStore.client.send(list));
    for (const { Key = '' } of page.Contents ?? []) {
      const [hash] = /[0-9a-f]{64}/.exec(Key) ?? [];
      if (hash !== undefined) hashes.add(hash);
    }
    from = page.NextContinuationToken;
  } while (from !== undefined);
  return hashes;
}
