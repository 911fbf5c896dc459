// What stores do with versions, trainings and what is made of images, on every engine.

import { describe, expect, test } from 'vitest';
import { rowReads } from '../../../src/platform/database/long-reads/run-long-read.ts';
import type { ChosenSources } from '../../../src/platform/store/versions.ts';
import { allOf } from '../../fixtures/all-of.ts';
import {
  addProject,
  fencedIn,
  image,
  type OpenStores,
  withProject,
  written,
} from './opened-stores.ts';

export function judgeDatasets(open: OpenStores): void {
  describe('versions', () => {
    judgeVersions(open);
    judgeTrainings(open);
    judgePurge(open);
  });
}

const version = (id: string, created: number) => ({
  id,
  projectId: 'project-cells',
  name: undefined,
  settings: { preprocessing: {}, augmentation: {} },
  taskId: `task-${id}`,
  created,
});

function judgeVersions(open: OpenStores): void {
  test('keep their images, and say what has changed since', async () => {
    const { store, database, workspace, project, index } = await withProject(open);
    const fenced = fencedIn(database);
    await store.images.add(image('a', { tags: ['t'] }), written('zebra', 'Cat', 'élan'));
    await store.images.add(image('b', { created: 6 }));
    const first = await store.versions.add(version('v1', 10), undefined);
    expect(first).toMatchObject({ number: 1, name: 'Version 1', state: 'generating' });
    expect(await store.versions.isFreezing(0)).toBe(false);
    const outlines = await allOf(store.versions.outlines('v1'));
    expect(outlines.map(({ ordinal, isDone }) => [ordinal, isDone])).toEqual([
      [1, false],
      [2, false],
    ]);
    const sources = await store.versions.sources('v1', [1, 2]);
    expect(sources.map(({ name }) => name)).toEqual(['a.png', 'b.png']);
    const made = sources.map(({ ordinal, name, hash, split, width, height, annotation }) => ({
      ordinal,
      copy: 0,
      name,
      hash,
      split,
      width,
      height,
      annotation,
    }));
    await store.versions.addImages('v1', sources, made, fenced);
    expect(await store.versions.finish('v1', fenced)).toEqual({ images: 2 });
    expect(await store.versions.find(project.id, 1)).toMatchObject({
      state: 'ready',
      images: 2,
      splits: { train: 2, valid: 0, test: 0 },
      classes: ['Cat', 'zebra', 'élan'],
    });
    const kept: string[] = [];
    for await (const { name } of store.versions.images('v1', 'train')) kept.push(name);
    expect(kept).toEqual(['a.png', 'b.png']);
    await store.images.annotate('a', written('dog'), { overwrite: true, isPredicted: false }, 11);
    await store.splits.assign(project.id, [{ imageId: 'b', to: 'valid' }], 12);
    await store.images.add(image('c', { created: 13 }));
    await store.versions.add(version('v2', 14), { keeps: () => true });
    const ordinalsOf = async (chosen: ChosenSources) =>
      (await allOf(store.versions.outlines('v2', chosen))).map(({ ordinal }) => ordinal);
    expect(await store.versions.countSources('v2')).toBe(3);
    expect(await ordinalsOf({ isTrain: true })).toEqual([1, 3]);
    expect(await ordinalsOf({ isTrain: false })).toEqual([2]);
    expect(await ordinalsOf({ ordinals: [3, 2, 9] })).toEqual([2, 3]);
    const snapshot = await database.snapshot();
    const page = { limit: 10, offset: 0 };
    expect(await rowReads(index).versionDiff(snapshot, 'v1', 'v2', page)).toMatchObject({
      unchanged: 0,
      added: { count: 1, images: [{ imageId: 'c' }] },
      removed: { count: 0 },
      moved: { count: 1, images: [{ imageId: 'b', from: 'train', to: 'valid' }] },
      relabelled: { images: [{ imageId: 'a', from: { Cat: 1, zebra: 1, élan: 1 } }] },
    });
    await snapshot.close();
    expect(await store.versions.unreadable('v1')).toEqual([]);
    const started = await store.exports.ensure('v1', 'coco', 20);
    expect(await store.exports.ensure('v1', 'coco', 21)).toEqual(started);
    await store.exports.finish(started.id, 'hash-x', 7, fenced);
    expect(await store.exports.ready('v1')).toEqual(['coco']);
    expect(await store.exports.readyIn(project.id)).toEqual(new Map([['v1', ['coco']]]));
    expect(await store.versions.trash('v1', 30, 'me')).toBe(true);
    expect(await store.trash.list(workspace.id, 20)).toMatchObject([{ type: 'version', id: '1' }]);
    const item = { type: 'version', id: '1', projectId: project.id } as const;
    expect(await store.trash.restore(workspace.id, item, 20)).toBe('restored');
    expect((await store.versions.list(project.id)).map(({ number }) => number)).toEqual([2, 1]);
  });
}

const training = (workspaceId: string) => ({
  id: 'training',
  versionId: 'v1',
  projectId: 'project-cells',
  workspaceId,
  modelType: 'yolo',
  recipe: { epochs: 3 },
  epochs: 3,
  created: 20,
});

function judgeTrainings(open: OpenStores): void {
  test('are trained on, and give weights', async () => {
    const { store, database, workspace, project } = await withProject(open);
    const { trainings } = store;
    const fenced = fencedIn(database);
    await store.images.add(image('a'), written('cat'));
    await store.versions.add(version('v1', 10), undefined);
    await trainings.add(training(workspace.id));
    expect(await trainings.begin('training', 21, fenced)).toBe(true);
    const report = { epochs: 3, metrics: { loss: 0.5 } };
    await trainings.report('training', { ...report, epoch: 2 }, fenced);
    await trainings.report('training', { ...report, epoch: 1, metrics: undefined }, fenced);
    expect(await trainings.find('v1', 'training')).toMatchObject({
      status: 'running',
      epoch: 2,
      metrics: { loss: 0.5 },
    });
    await trainings.report('training', { ...report, epoch: 2, metrics: { loss: 0.25 } }, fenced);
    await trainings.report('training', { ...report, epoch: 1, metrics: { loss: 1 } }, fenced);
    expect(await trainings.epochs('training')).toEqual([
      { epoch: 1, metrics: { loss: 1 } },
      { epoch: 2, metrics: { loss: 0.25 } },
    ]);
    expect(await trainings.stop('training')).toBe(true);
    expect(await trainings.wanted('training')).toBe('stop');
    const weights = { hash: 'w', bytes: 5, classes: ['cat'] };
    const outcome = { status: 'stopped', weights } as const;
    expect(await trainings.finish('training', outcome, 30, fenced)).toBe(true);
    expect(await trainings.finish('training', outcome, 31, fenced)).toBe(false);
    await trainings.report('training', { ...report, epoch: 3 }, fenced);
    expect(await trainings.epochs('training')).toHaveLength(2);
    expect(await trainings.trained(project.id)).toMatchObject([{ versionNumber: 1, ended: 30 }]);
    for (const id of ['cells/1', 'cells/1/training']) {
      expect(await trainings.weights(workspace.id, id)).toMatchObject({ hash: 'w' });
    }
    expect(await trainings.weights(workspace.id, 'cells/2')).toBeUndefined();
    expect(await store.refersTo('w')).toBe(true);
    expect(await trainings.trash('training', 40, 'me')).toBe(true);
    const [item] = await store.trash.list(workspace.id, 20);
    expect(item).toMatchObject({
      type: 'training',
      name: 'yolo',
      parent: { name: 'cells, version 1' },
    });
    await store.deployments.set(project.id, { kind: 'model_id', modelId: 'm', name: 'M' }, 50);
    expect(await store.deployments.get(project.id)).toMatchObject({ modelId: 'm' });
    await judgeCollecting(store);
  });
}

async function judgeCollecting({
  activeLearning,
  images,
  workspaces,
}: Awaited<ReturnType<OpenStores>>['store']): Promise<void> {
  const projectId = 'project-cells';
  const { id: workspaceId } = await workspaces.ensure('acme', 1);
  await activeLearning.enable(projectId, true, 60);
  const own = { id: 'c', projectId, inferenceId: 'i', seenHash: 's', created: 61 };
  const bounds = [{ count: 1, withinMs: 1_000 }];
  expect(await activeLearning.claim(own, bounds)).toBe(true);
  expect(await activeLearning.claim({ ...own, id: 'd', seenHash: 't' }, bounds)).toBe(false);
  await images.add(image('collected', { batchName: 'Seen É by camera' }));
  await activeLearning.settle('c', 'collected');
  for (const name of ['m', 'cells']) {
    expect(await activeLearning.enabledFor(workspaceId, name)).toMatchObject([{ projectId }]);
  }
  const request = {
    page: 1,
    pageSize: 10,
    status: 'not_started',
    sortBy: 'progress',
    isAscending: true,
    reviewer: null,
  } as const;
  for (const search of ['seen É', 'SEEN']) {
    expect(await activeLearning.queues(projectId, { ...request, search })).toMatchObject({
      total: 1,
      queues: [{ images: 1, annotated: 0, samples: [{ id: 'collected' }] }],
    });
  }
  const other = { ...request, search: undefined, status: 'in_progress', reviewer: 'me' } as const;
  expect(await activeLearning.queues(projectId, other)).toEqual({ total: 0, queues: [] });
}

function judgePurge(open: OpenStores): void {
  test('go for good with their project', async () => {
    const { store, database, workspace, project, queue } = await withProject(open);
    const fenced = fencedIn(database);
    await addProject(store, workspace.id, 'other');
    for (const id of ['a', 'b', 'c']) await store.images.add(image(id), written('cat'));
    await store.images.remove(project.id, ['c'], { now: 90, deletedBy: 'me' });
    await store.versions.add(version('v1', 10), undefined);
    await store.trainings.add(training(workspace.id));
    await store.projects.trash(project.id, 100, 'me');
    expect(await store.trainings.get('training')).toMatchObject({ status: 'cancelled' });
    expect(await store.trainings.begin('training', 110, fenced)).toBe(false);
    expect(await store.purge.due(99, 0)).toEqual([]);
    const due = await store.purge.due(100, 0);
    expect(due).toEqual([{ type: 'project', id: project.id }]);
    const [item] = due;
    if (item === undefined) throw new Error('nothing is due');
    for (let step = 0; (await store.purge.purgeSome(item, 100, 2, fenced)) === 'more'; step += 1) {
      if (step > 50) throw new Error('the project is never gone');
    }
    expect(await store.projects.get(project.id)).toBeUndefined();
    expect(await store.refersTo('hash-a')).toBe(false);
    expect((await queue.get('training'))?.status).toBe('failed');
    // The work on the version was cancelled too.
    expect(await store.purge.oldWork(Number.MAX_SAFE_INTEGER, 10, fenced)).toBe(2);
    expect(await queue.get('training')).toBeUndefined();
    expect(await store.purge.oldImages(100, 10, fenced)).toBe(0);
    expect(await store.purge.oldVideoJobs(100, 10, fenced)).toBe(0);
    expect(await store.purge.oldInferences(100, 10, fenced)).toBe(0);
    expect(await store.purge.oldActivity(10, fenced)).toBe(0);
    expect((await store.projects.list(workspace.id)).map(({ slug }) => slug)).toEqual(['other']);
  });

  test('that were half made are due too, and their parts with them', async () => {
    const { store, workspace, project } = await withProject(open);
    await store.images.add(image('a'));
    await store.versions.add(version('v1', 10), undefined);
    await store.versions.trash('v1', 50, 'me');
    const workflow = { id: 'w', workspaceId: workspace.id, name: 'W', config: {}, created: 1 };
    await store.workflows.add(workflow);
    await store.workflows.trash('w', 60, 'me');
    expect(await store.purge.due(60, 0)).toEqual([
      { type: 'version', id: 'v1' },
      { type: 'workflow', id: 'w' },
    ]);
    await store.projects.trash(project.id, 70, 'me');
    expect(await store.purge.due(70, 0)).not.toContainEqual({ type: 'version', id: 'v1' });
  });
}
