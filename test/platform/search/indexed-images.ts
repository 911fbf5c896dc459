// A store with images for tests of the search, and the same images as plain objects.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeAnnotation } from '../../../src/annotations/serialized-annotation.ts';
import { systemClock } from '../../../src/clock.ts';
import type { Descriptor } from '../../../src/imaging/similarity-descriptor.ts';
import { addBatch } from '../../../src/platform/database/batches.ts';
import { createSqliteStore } from '../../../src/platform/database/create-store.ts';
import { readInThisThread } from '../../../src/platform/database/long-reads/run-long-read.ts';
import { platformMigrations } from '../../../src/platform/database/migrations.ts';
import { searchStore } from '../../../src/platform/database/search.ts';
import { bitSlicedImageIndex } from '../../../src/platform/database/search-index/bit-sliced-image-index.ts';
import {
  type SearchBounds,
  searchBounds,
} from '../../../src/platform/database/search-index/evaluate-query.ts';
import {
  changingImages,
  movingSplits,
} from '../../../src/platform/database/search-index/update-index.ts';
import type { ImageIndex } from '../../../src/platform/store/image-index.ts';
import type { Metadata } from '../../../src/platform/store/images.ts';
import type { SearchStore } from '../../../src/platform/store/search.ts';
import type { Store } from '../../../src/platform/store/store.ts';
import { type AsyncDatabase, openAsyncDatabase } from '../../../src/storage/async-database.ts';
import { openDatabase } from '../../../src/storage/database.ts';
import { createTaskQueue } from '../../../src/storage/task-queue.ts';

export type Split = 'train' | 'valid' | 'test';

/** An image as a test knows it: what it did to it, and nothing that the index says. */
export interface Model {
  readonly id: string;
  readonly project: string;
  readonly name: string;
  readonly batch: string;
  readonly width: number;
  readonly height: number;
  split: Split;
  tags: Set<string>;
  metadata: Record<string, string | number | boolean>;
  /** Undefined: nobody annotated it. */
  labels: readonly string[] | undefined;
  isPredicted: boolean;
  jobs: Set<string>;
  /** Its place among all images, in the order in which they came. */
  readonly number: number;
}

export type NewModel = Pick<Model, 'project' | 'name' | 'batch' | 'width' | 'height' | 'split'> & {
  readonly tags: readonly string[];
  readonly metadata: Metadata;
};

/** A store with its search, on an engine. */
interface OpenedEngine {
  readonly shared: AsyncDatabase;
  readonly store: Store;
  readonly index: ImageIndex;
  readonly search: SearchStore;
}

/** Projects of two workspaces: `cells` and `cars` of acme, `foreign` of globex. */
export async function withImages(engine: OpenedEngine) {
  const { shared, store } = engine;
  const acme = await store.workspaces.ensure('acme', 1);
  const globex = await store.workspaces.ensure('globex', 1);
  await addProjects(shared, acme.id, globex.id);
  const models = new Map<string, Model>();
  return {
    ...engine,
    models,
    acme,
    globex,
    ...additionsTo(engine, models),
    ...changesOf(engine, models),
  };
}

/** On SQLite. */
export async function openSearch(bounds: SearchBounds = searchBounds) {
  const folder = mkdtempSync(join(tmpdir(), 'fovea-search-'));
  const database = openDatabase(join(folder, 'platform.db'), platformMigrations);
  // What is lost with the power is no matter here, and waiting for the disk takes most of the time.
  const shared = openAsyncDatabase(join(folder, 'platform.db'), platformMigrations);
  database.run('PRAGMA synchronous = OFF');
  await shared.run('PRAGMA synchronous = OFF');
  const work = createTaskQueue(shared, { clock: systemClock, owner: 'test' });
  const index = bitSlicedImageIndex;
  const search = searchStore(shared, index, work, readInThisThread(shared, bounds));
  return {
    ...(await withImages({ shared, store: createSqliteStore(shared, work), index, search })),
    database,
    /** Later images have numbers that lie further on, in another chunk of the index. */
    skip: async (count: number) =>
      database.run("UPDATE sqlite_sequence SET seq = seq + ? WHERE name = 'image_ordinals'", [
        count,
      ]),
    /** Rows that the index has. */
    rows: async () =>
      [
        'search_terms',
        'search_chunks',
        'search_names',
        'search_name_chunks',
        'search_trigrams',
        'likeness_vectors',
      ].map((table) =>
        database.get(`SELECT count(*) AS n FROM ${table}`, [], (row) => row.integer('n')),
      ),
    close: async () => {
      shared.close();
      database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** New images, one by one and many at once. */
function additionsTo({ shared, store, index }: OpenedEngine, models: Map<string, Model>) {
  let number = 0;
  const toModel = (given: NewModel): Model => {
    number += 1;
    return {
      ...given,
      id: `image-${number}`,
      number,
      tags: new Set(given.tags),
      metadata: { ...given.metadata },
      labels: undefined,
      isPredicted: false,
      jobs: new Set(),
    };
  };
  return {
    add: async (given: NewModel): Promise<Model> => {
      const model = toModel(given);
      await store.images.add(newImage(model, given));
      models.set(model.id, model);
      return model;
    },
    /** Removes images, adds others and gives `labelled` one box, in one change of the index. */
    swap: async (
      removed: readonly Model[],
      given: readonly NewModel[],
      looks: readonly Descriptor[] = [],
      labelled: readonly Model[] = [],
    ): Promise<readonly Model[]> => {
      const added = given.map(toModel);
      const ids = [...removed, ...labelled, ...added].map(({ id }) => id);
      const descriptors = new Map(looks.map((look, at) => [added[at]?.id ?? '', look]));
      const writes = async () => {
        for (const { id } of removed) await shared.run('DELETE FROM images WHERE id = ?', [id]);
        for (const model of added) await insertImage(shared, model);
        for (const { id, project } of labelled) await labelImage(shared, id, project);
      };
      await changingImages(shared, index, ids, writes, { descriptors });
      for (const { id } of removed) models.delete(id);
      for (const model of labelled) model.labels = ['WBC'];
      for (const model of added) models.set(model.id, model);
      return added;
    },
  };
}

/** As a store writes it that knows nothing of the index. */
async function insertImage(database: AsyncDatabase, model: Model): Promise<void> {
  const { id, project, name, width, height, split, metadata, tags, number } = model;
  addBatch(database, { projectId: project, name: model.batch, created: 1 });
  await database.run(
    `INSERT INTO images (id, project_id, batch_id, name, hash, bytes, format, width, height, split,
       metadata, created)
     VALUES (?, ?, (SELECT id FROM batches WHERE project_id = ? AND name = ?), ?, ?, 1, 'jpeg', ?,
       ?, ?, ?, 1)`,
    [
      ...[id, project, project, model.batch, name, `hash-${number}`],
      ...[width, height, split, JSON.stringify(metadata)],
    ],
  );
  for (const tag of tags) {
    await database.run('INSERT INTO image_tags (image_id, tag) VALUES (?, ?)', [id, tag]);
  }
}

async function labelImage(database: AsyncDatabase, id: string, project: string): Promise<void> {
  await database.run('UPDATE images SET objects = 1 WHERE id = ?', [id]);
  await database.run('DELETE FROM image_labels WHERE image_id = ?', [id]);
  await database.run(
    "INSERT INTO image_labels (image_id, project_id, label, n) VALUES (?, ?, 'WBC', 1)",
    [id, project],
  );
}

function newImage({ id, number }: Model, given: NewModel): Parameters<Images['add']>[0] {
  return {
    id,
    projectId: given.project,
    name: given.name,
    hash: `hash-${number}`,
    bytes: 1,
    format: 'jpeg',
    width: given.width,
    height: given.height,
    split: given.split,
    batchName: given.batch,
    tags: given.tags,
    metadata: given.metadata,
    sequenceNumber: undefined,
    sequenceSize: undefined,
    inferenceId: undefined,
    created: 1,
  };
}

type Images = Store['images'];

/** What happens to images, to their rows and to what the test knows of them. */
function changesOf({ shared, store, index }: OpenedEngine, models: Map<string, Model>) {
  return {
    annotate: async (model: Model, labels: readonly string[], isPredicted: boolean) => {
      const boxes = labels.map((label) => ({ label, x: 5, y: 5, width: 2, height: 2 }));
      const options = { overwrite: true, isPredicted };
      await store.images.annotate(
        model.id,
        writeAnnotation({ kind: 'detection', boxes }),
        options,
        2,
      );
      Object.assign(model, { labels, isPredicted });
    },
    retag: async (model: Model, tags: readonly string[]) => {
      await store.images.changeTags(model.id, { operation: 'set', tags });
      model.tags = new Set(tags);
    },
    setMetadata: async (model: Model, metadata: Metadata) => {
      const removeMetadata = Object.keys(model.metadata);
      const change = { metadata, removeMetadata, addTags: [], removeTags: [] };
      await store.images.change(model.id, change);
      model.metadata = { ...metadata };
    },
    remove: async (model: Model) => {
      await store.images.remove(model.project, [model.id], { now: 3, deletedBy: 'test' });
      models.delete(model.id);
    },
    giveToJob: async (model: Model) => {
      const job = `job-${model.project}`;
      await changingImages(shared, index, [model.id], () =>
        shared.run(
          `INSERT INTO annotation_job_images (job_id, image_id, state) VALUES (?, ?, 'unannotated')
           ON CONFLICT DO NOTHING`,
          [job, model.id],
        ),
      );
      model.jobs.add(job);
    },
    move: async (moved: readonly Model[], to: Split) => {
      const moves = moved.map(({ id }) => ({ imageId: id, to }));
      await movingSplits(shared, index, moves, async () => {
        for (const { imageId } of moves) {
          await shared.run('UPDATE images SET split = ? WHERE id = ?', [to, imageId]);
        }
      });
      for (const model of moved) model.split = to;
    },
    setTrashed: (project: string, isTrashed: boolean) =>
      shared.run('UPDATE projects SET deleted_at = ? WHERE id = ?', [
        isTrashed ? 5 : undefined,
        project,
      ]),
  };
}

async function addProjects(database: AsyncDatabase, acme: string, globex: string): Promise<void> {
  for (const id of ['cells', 'cars', 'foreign']) {
    await database.run(
      `INSERT INTO projects (id, workspace_id, slug, name, type, annotation, public, created, updated)
       VALUES (?, ?, ?, ?, 'object-detection', 'things', 0, 1, 1)`,
      [id, id === 'foreign' ? globex : acme, id, id],
    );
    await database.run(
      `INSERT INTO annotation_jobs (id, project_id, name, created_by, created)
       VALUES (?, ?, 'job', 'test', 1)`,
      [`job-${id}`, id],
    );
  }
}

/** Of any engine. */
export type Search = Awaited<ReturnType<typeof withImages>> & {
  readonly skip: (count: number) => Promise<unknown>;
  readonly rows: () => Promise<readonly (number | undefined)[]>;
  readonly close: () => Promise<void>;
};
