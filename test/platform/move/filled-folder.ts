// A data folder with rows in every table: most are made by a platform, the rest are written.

import { join } from 'node:path';
import { systemClock } from '../../../src/clock.ts';
import { folders } from '../../../src/contract/folders.ts';
import { images } from '../../../src/contract/images.ts';
import { versions } from '../../../src/contract/versions.ts';
import { visionEvents } from '../../../src/contract/vision-events.ts';
import { workflows } from '../../../src/contract/workflows.ts';
import type { Client } from '../../../src/http-client/client.ts';
import { platformMigrations } from '../../../src/platform/database/migrations.ts';
import { openBlobFolder } from '../../../src/storage/blob-store.ts';
import { type Database, openDatabase } from '../../../src/storage/database.ts';
import { testImage } from '../../fixtures/images.ts';
import { createProject, resultOf, upload } from '../labelled-projects.ts';

const inProject = { workspace: 'acme', project: 'cells' };

/** Of a running platform: a project with a version and an export, and one in the trash. */
export async function makeDatasets(client: Client): Promise<void> {
  await createProject(client, 'cells');
  const classes = ['cat', 'dog'];
  await upload(client, 'cells', 1, { tag: ['night'], classes, split: 'train' });
  await upload(client, 'cells', 2, { tag: ['day'], classes: ['cat'], split: 'valid' });
  const third = await upload(client, 'cells', 3);
  const fourth = await upload(client, 'cells', 4, { tag: ['night'], classes });
  const input = { ...inProject, preprocessing: {}, augmentation: {} };
  const { body } = await client.call(versions.versions_generate, input);
  await resultOf(client, String(body.taskId));
  const wanted = { ...inProject, version: 1, format: 'coco' };
  const { body: made } = await client.call(versions.versions_export, wanted);
  if ('taskId' in made) await resultOf(client, String(made.taskId));
  await client.call(images.images_delete, { ...inProject, images: [fourth] });
  await client.call(images.images_set_metadata, {
    workspace: 'acme',
    imageId: third,
    metadata: { line: 3, ratio: 0.1 },
  });
  await makeOthers(client);
}

async function makeOthers(client: Client): Promise<void> {
  const workspace = 'acme';
  await client.call(folders.folders_create, { workspace, name: 'Line 3', projects: ['cells'] });
  const config = { specification: { steps: [] } };
  await client.call(workflows.workflows_create, { workspace, name: 'Count', config });
  const file = { name: 'seen.png', content: await testImage(9) };
  await client.call(visionEvents.vision_events_upload_image, { file });
  await client.call(visionEvents.vision_events_create, {
    eventId: 'seen-1',
    eventType: 'custom',
    useCaseId: 'counting',
    timestamp: new Date().toISOString(),
    eventData: { value: 'ä \u{1F600} \\ " \n' },
  });
}

/** Rows of the tables that no call above has filled; with files for those that name one. */
export async function fillRest(data: string): Promise<void> {
  const blobs = await openBlobFolder(join(data, 'blobs'), systemClock);
  const { hash } = await blobs.put(Buffer.from('what a program has written'));
  const database = openDatabase(join(data, 'platform.db'), platformMigrations);
  try {
    database.transaction(() => {
      const others = [trainingEpoch, versionPart, ...classChange, ...embeddings];
      for (const sql of [...rest(hash), ...others]) database.run(sql);
      fillImages(database);
    });
  } finally {
    database.close();
  }
}

const workspaceId = '(SELECT id FROM workspaces)';
const projectId = "(SELECT id FROM projects WHERE slug = 'cells')";
const imageId = "(SELECT id FROM images WHERE name = '1.png')";
const versionId = '(SELECT id FROM versions)';

const trainingEpoch = `INSERT INTO training_epochs (training_id, epoch, metrics)
  VALUES ('training', 1, '{"loss":0.5}')`;

function rest(hash: string): readonly string[] {
  return [
    // A folder in one that comes later in the order of ids.
    `INSERT INTO folders (id, workspace_id, parent_id, name, external_id, auth_groups, created, updated)
       VALUES ('z', ${workspaceId}, NULL, 'Later', NULL, '[]', 1, 1)`,
    `INSERT INTO folders (id, workspace_id, parent_id, name, external_id, auth_groups, created, updated)
       VALUES ('a', ${workspaceId}, 'z', 'Within', NULL, '[]', 1, 1)`,
    `INSERT INTO api_keys (id, workspace_id, hash, prefix, name, scopes, folder_ids, custom_metadata, protected, disabled, created_by, created)
       VALUES
       ('k', ${workspaceId}, '${'5'.repeat(64)}', 'fv_', NULL, '["project:read"]', NULL, '{}', 0, 0, 'test', 1)`,
    `INSERT INTO publishable_keys (workspace_id, key)
       VALUES (${workspaceId}, 'fv_public') ON CONFLICT DO NOTHING`,
    `INSERT INTO annotation_jobs (id, project_id, name, batch_id, labeler, reviewer, created_by, instructions, created)
       VALUES ('job', ${projectId}, 'Night', NULL, NULL, NULL, 'test', NULL, 1)`,
    `INSERT INTO annotation_job_images (job_id, image_id, state, position)
       VALUES ('job', ${imageId}, 'annotated', 0)`,
    `INSERT INTO annotation_job_labels (job_id, image_id, annotation)
       VALUES ('job', ${imageId}, NULL)`,
    `INSERT INTO annotation_job_changers (job_id, image_id, who)
       VALUES ('job', ${imageId}, 'test')`,
    `INSERT INTO independent_labels (job_id, image_id, annotation, objects, labelled_by, labelled_at)
       VALUES ('job', ${imageId}, NULL, NULL, 'test', 1)`,
    `UPDATE image_ordinals SET indexed = 0 WHERE image_id = ${imageId}`,
    `INSERT INTO autolabel_jobs (id, project_id, annotation_job_id, settings, images, labelled, empty, skipped, boxes, done_to, created)
       VALUES ('auto', ${projectId}, NULL, '{}', 1, 1, 0, 0, 2, '', 1)`,
    `INSERT INTO inferences (ordinal, id, workspace_id, project_id, model_name, source, created, response_ms, error, metadata)
       VALUES
       (7, 'seen', ${workspaceId}, ${projectId}, 'squares', 'api', 1, 0.1, NULL, '{}')`,
    `INSERT INTO inference_classes (inference, class, confidence, place)
       VALUES (7, 'cat', 0.3333333333333333, 0)`,
    `INSERT INTO trainings (id, version_id, project_id, model_type, recipe, status, epochs, epoch,
       weights_hash, weights_bytes, created)
     VALUES ('training', ${versionId}, ${projectId}, 'small', '{}', 'completed', 2, 2, '${hash}', 26, 1)`,
    `INSERT INTO deployments (project_id, model, updated)
       VALUES (${projectId}, 'squares', 1)`,
    `INSERT INTO active_learning (project_id, enabled, settings, updated)
       VALUES (${projectId}, 1, '{}', 1)`,
    `INSERT INTO collected_images (id, project_id, image_id, inference_id, seen_hash, created)
       VALUES
       ('collected', ${projectId}, ${imageId}, 'seen', '${hash}', 1)`,
    `INSERT INTO rebalances (task_id, splits, moved)
       VALUES ('task', '{"train":1}', 1)`,
    `INSERT INTO forks (task_id, source_id, project_id, created, copied, after_created, after_id)
       VALUES ('task', 'source', 'fork', 1, 1, 1, '')`,
    `INSERT INTO uploads (id, workspace_id, kind, task_id, name, file, bytes, receiving, expires, created)
       VALUES
       ('upload', ${workspaceId}, 'zip', NULL, 'a.zip', NULL, NULL, NULL, 1, 1)`,
    `INSERT INTO zip_reports (task_id, workspace_id, hash, created)
       VALUES ('task', ${workspaceId}, '${hash}', 1)`,
    `INSERT INTO video_jobs (id, workspace_id, input, settings, hash, bytes, created, sheet_hash)
       VALUES
       ('video', ${workspaceId}, '{}', '{}', '${hash}', 26, 1, '${hash}')`,
    `INSERT INTO video_job_looks (job_id, caller, at) VALUES ('video', 'key:1', 1)`,
    `INSERT INTO search_exports (task_id, workspace_id, name, hash, bytes, created)
       VALUES ('search', ${workspaceId}, 'found', '${hash}', 26, 1)`,
    `INSERT INTO refused_files (ordinal, project_id, identity, file, name, reason, who, at)
       VALUES
       (3, ${projectId}, 'a', 'a.png', 'a.png', 'not an image', NULL, 1)`,
    ...judgedImage(hash),
    `INSERT INTO undescribed_images (image_id, project_id, problem, tries)
       VALUES (${imageId}, ${projectId}, 'It is damaged.', 3)
       ON CONFLICT DO NOTHING`,
  ];
}

/** An evaluation with one image. */
function judgedImage(hash: string): readonly string[] {
  return [
    `INSERT INTO evaluations (id, project_id, settings, predictions_hash, figures, created)
       VALUES ('judged', ${projectId}, '{}', '${hash}', '{}', 1)`,
    `INSERT INTO evaluation_images (evaluation_id, ordinal, name, hash, boxes)
       VALUES ('judged', 0, '1.png', '${hash}', '[]')`,
    `INSERT INTO evaluation_outcomes (evaluation_id, ordinal, label, true_positives, false_positives, misses)
       VALUES ('judged', 0, 'cat', 1, 0, 0)`,
    `INSERT INTO evaluation_confusions (evaluation_id, ordinal, truth, found, objects)
       VALUES ('judged', 0, 'cat', '', 2)`,
    `INSERT INTO evaluation_mistakes (evaluation_id, ordinal, place, kind, score, label, found, boxes, mended_place, mended_revision, mended_at, annotated_before)
       VALUES ('judged', 0, 0, 'swapped', 0.3333333333333333, 'cat', 'dog', '{}', 2, 'none', 7, 5)`,
  ];
}

const versionPart = `INSERT INTO version_parts (task_id, version_id, batches)
  VALUES ('part', ${versionId}, '[[1,2],[3]]')`;

/** A change of classes, which can be taken back. */
const classChange = [
  `INSERT INTO class_changes (id, project_id, settings, found, labels, images, emptied, undo_task_id, restored, changed, gone, created)
       VALUES ('classes', ${projectId}, '{"rename":{"a":"b"},"remove":[]}', 1, 2, 1, 0, NULL, 0, 0, 0, 1)`,
  `INSERT INTO class_change_images (change_id, image_id, annotation, predicted, revision, annotated_before, annotated_after)
       VALUES ('classes', ${imageId}, '{"kind":"detection","boxes":[]}', 0, 'none', 5, 7)`,
];

/** Vectors of a model, and the rest of one that others have followed. */
const embeddings = [
  `INSERT INTO embedding_models (number, fingerprint, name, dimensions, noted_to, used)
     VALUES (3, '${'f'.repeat(64)}', 'clip', 3, 9, 1), (2, NULL, 'older', 3, 5, 1)`,
  `INSERT INTO embedding_vectors (number, model, ordinal, scale, vector)
     SELECT 5, 3, ordinal, 0.0078740157480315, x'7f0081' FROM image_ordinals WHERE image_id = ${imageId}`,
  `INSERT INTO embedding_queue (model, workspace_id, ordinal, problem, tries)
     SELECT 3, ${workspaceId}, ordinal, 'It is damaged.', 1 FROM image_ordinals WHERE image_id = ${imageId}`,
];

/** So many that a move has some pages of them. They have no files of their own. */
function fillImages(database: Database): void {
  const numbers = `WITH RECURSIVE numbers (n) AS (
    VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < 3000)`;
  database.run(
    `${numbers} INSERT INTO images (id, project_id, batch_id, name, hash, bytes, format, width,
       height, split, metadata, annotation, objects, annotated_at, created)
     SELECT 'many-' || n, ${projectId}, (SELECT id FROM batches LIMIT 1), 'many ' || n || '.png',
       'none of ' || n, 100, 'png', 64, 48, 'test', '{"n":' || n || '}',
       '{"kind":"detection","boxes":[]}', 0, 1, n FROM numbers`,
  );
  database.run(`${numbers} INSERT INTO image_tags SELECT 'many-' || n, 'many' FROM numbers`);
  database.run(
    `INSERT INTO image_ordinals (image_id, indexed) SELECT id, 0 FROM images WHERE name LIKE 'many%'`,
  );
  database.run(
    `INSERT INTO undescribed_images SELECT id, project_id, 'It has no file.', 3 FROM images
     WHERE name LIKE 'many%'`,
  );
  // The newest image of all is gone.
  database.run("UPDATE sqlite_sequence SET seq = 100000 WHERE name = 'image_ordinals'");
}
