// What stores do with images, on every engine.

import { describe, expect, test } from 'vitest';
import { rowReads } from '../../../src/platform/database/long-reads/run-long-read.ts';
import {
  addProject,
  fencedIn,
  image,
  type OpenStores,
  withProject,
  written,
} from './opened-stores.ts';

const overwrite = { overwrite: true, isPredicted: false };

export function judgeImages(open: OpenStores): void {
  describe('images', () => {
    judgeChanges(open);
    judgeReads(open);
    judgeAdded(open);
    judgeTrash(open);
    judgeMany(open);
    judgeJobs(open);
    judgeCounts(open);
  });
}

function judgeReads(open: OpenStores): void {
  test('are read many at once: those that the project has', async () => {
    const { store, project } = await withProject(open);
    await store.images.add(image('a', { tags: ['night'] }), written('cat'));
    await store.images.add(image('b'));
    const all = await store.images.findAll(project.id, ['a', 'b', 'no such image']);
    expect([...all.keys()].toSorted()).toEqual(['a', 'b']);
    expect(all.get('a')).toEqual(await store.images.find(project.id, 'a'));
    expect((await store.images.findAll('another project', ['a'])).size).toBe(0);
  });
}

function judgeChanges(open: OpenStores): void {
  test('are kept with all that was said of them, each file once', async () => {
    const { store, workspace, project } = await withProject(open);
    const first = image('a', {
      tags: ['night', 'Ärger', 'day'],
      metadata: { camera: 'left', speed: 1.5, wet: true },
      sequenceNumber: 3,
      sequenceSize: 9,
    });
    expect(await store.images.add(first, written('cat', 'cat', 'dog'))).toEqual({
      id: 'a',
      name: 'a.png',
      duplicate: false,
      split: 'train',
    });
    expect(await store.images.add(image('b', { hash: 'hash-a' }))).toEqual({
      id: 'a',
      name: 'a.png',
      duplicate: true,
      split: 'train',
    });
    expect(await store.images.find(project.id, 'a')).toMatchObject({
      metadata: { camera: 'left', speed: 1.5, wet: true },
      sequenceNumber: 3,
      inferenceId: undefined,
      isPredicted: false,
      tags: ['day', 'night', 'Ärger'],
      annotation: { boxes: [{ label: 'cat' }, { label: 'cat' }, { label: 'dog' }] },
    });
    expect((await store.images.projectOf(workspace.id, 'a'))?.id).toBe(project.id);
    expect(await store.images.projectOf('another', 'a')).toBeUndefined();
    expect(await store.refersTo('hash-a')).toBe(true);
    expect(await store.refersTo('hash-b')).toBe(false);
  });

  test('have tags in one order, and metadata that changes', async () => {
    const { store, project } = await withProject(open);
    await store.images.add(image('a'));
    const change = (operation: 'add' | 'remove' | 'set', ...tags: string[]) =>
      store.images.changeTags('a', { operation, tags });
    expect(await change('add', 'b', 'é', 'Z', 'a')).toEqual(['Z', 'a', 'b', 'é']);
    expect(await change('remove', 'b')).toEqual(['Z', 'a', 'é']);
    expect(await change('set', 'only')).toEqual(['only']);
    expect(await store.images.changeTags('none', { operation: 'add', tags: ['x'] })).toBe(
      undefined,
    );
    const update = { metadata: { n: 2 }, removeMetadata: [], addTags: ['x'], removeTags: ['only'] };
    expect(await store.images.change('a', update)).toBe(true);
    expect(await store.images.find(project.id, 'a')).toMatchObject({
      tags: ['x'],
      metadata: { n: 2 },
    });
  });

  test('get annotations, which nothing replaces unasked', async () => {
    const { store, project } = await withProject(open);
    await store.images.add(image('a'));
    const { images } = store;
    expect(await images.annotate('a', written('cat'), overwrite, 7)).toBe('annotated');
    const other = { overwrite: false, isPredicted: true };
    expect(await images.annotate('a', written('dog'), other, 8)).toBe('was_annotated');
    expect(await images.annotate('none', written('dog'), other, 8)).toBe('missing');
    const job = { name: 'mine', createdBy: 'me' };
    expect(await images.annotate('a', written('dog'), { ...overwrite, job }, 9)).toBe('annotated');
    expect(await store.annotationJobs.list(project.id)).toMatchObject([
      { name: 'mine', status: 'in_review', images: 1, states: { annotated: 1 } },
    ]);
    expect(await images.batches(project.id)).toMatchObject([{ name: 'first', images: 1, jobs: 1 }]);
  });
}

function judgeAdded(open: OpenStores): void {
  test('are added many at once, in their order, each file once', async () => {
    const { store, project } = await withProject(open);
    await store.images.add(image('known'));
    const given = [
      { image: image('a', { tags: ['x'], created: 7 }), annotation: written('cat', 'cat') },
      { image: image('b', { hash: 'hash-known' }), annotation: written('dog') },
      { image: image('c', { hash: 'hash-a', split: 'test' }), annotation: undefined },
      { image: image('d', { split: 'valid', created: 7 }), annotation: undefined },
    ];
    const added = await store.images.addAll(project.id, given);
    expect(added).toEqual([
      { id: 'a', name: 'a.png', duplicate: false, split: 'train' },
      { id: 'known', name: 'known.png', duplicate: true, split: 'train' },
      { id: 'a', name: 'a.png', duplicate: true, split: 'train' },
      { id: 'd', name: 'd.png', duplicate: false, split: 'valid' },
    ]);
    expect(await store.images.find(project.id, 'a')).toMatchObject({
      tags: ['x'],
      annotation: { boxes: [{ label: 'cat' }, { label: 'cat' }] },
    });
    expect(await store.images.find(project.id, 'known')).toMatchObject({ annotation: undefined });
    expect(await store.images.batches(project.id)).toMatchObject([{ name: 'first', images: 3 }]);
    expect(await store.images.addAll(project.id, [])).toEqual([]);
  });
}

function judgeTrash(open: OpenStores): void {
  test('come back from the trash as they were', async () => {
    const { store, workspace, project } = await withProject(open);
    const given = image('a', { tags: ['x', 'y'], metadata: { n: 1 }, sequenceNumber: 4 });
    await store.images.add(given, written('cat', 'cat'));
    await store.images.add(image('b'));
    await store.annotationJobs.addChosen(
      { id: 'job', projectId: project.id, name: 'j', createdBy: 'me', created: 6, ...nobody },
      ['a'],
    );
    const decision = { state: 'rejected', comment: 'a box is missing', by: 'key:eva' } as const;
    const seen = { seenDecisions: 0, seenRevision: undefined };
    const decided = await store.annotationJobs.decide('job', 'a', { ...decision, ...seen }, 8);
    expect(decided).toEqual({
      jobId: 'job',
      imageId: 'a',
      name: 'a.png',
      state: 'rejected',
      comment: 'a box is missing',
      decidedBy: 'key:eva',
      decidedAt: 8,
      decisions: 1,
      labelsChanged: false,
    });
    const before = await store.images.find(project.id, 'a');
    const deletion = { now: 100, deletedBy: 'me' };
    expect(await store.images.remove(project.id, ['a', 'none'], deletion)).toEqual(['none']);
    expect(await store.images.remove(project.id, ['a', 'b'], deletion)).toEqual([]);
    expect(await store.images.find(project.id, 'a')).toBeUndefined();
    expect(await store.refersTo('hash-a')).toBe(true);
    const [item] = await store.trash.list(workspace.id, 50);
    expect(item).toMatchObject({ type: 'image', images: 2, versions: [], deletedBy: 'me' });
    expect(item?.name.startsWith('2 images: ')).toBe(true);
    if (item === undefined) throw new Error('nothing is in the trash');
    expect(await store.trash.restore(workspace.id, item, 50)).toBe('restored');
    expect(await store.images.find(project.id, 'a')).toEqual(before);
    expect(await store.annotationJobs.images('job', { limit: 9, offset: 0 })).toEqual([decided]);
    expect(await store.trash.restore(workspace.id, item, 50)).toBe('missing');
    expect(await store.trash.list(workspace.id, 50)).toEqual([]);
  });

  test('do not come back where others took their place', async () => {
    const { store, workspace, project } = await withProject(open);
    await store.images.add(image('a'));
    await store.images.remove(project.id, ['a'], { now: 100, deletedBy: 'me' });
    await store.images.add(image('b', { hash: 'hash-a' }));
    const [item] = await store.trash.list(workspace.id, 50);
    if (item === undefined) throw new Error('nothing is in the trash');
    expect(await store.trash.restore(workspace.id, item, 50)).toEqual({
      type: 'replaced',
      count: 1,
      by: [{ id: 'b', name: 'b.png' }],
    });
  });
}

const nobody = { labeler: undefined, reviewer: undefined };

function judgeMany(open: OpenStores): void {
  test('are changed and moved many at once', async () => {
    const { store, database, workspace, project } = await withProject(open);
    for (const id of ['a', 'b', 'c']) await store.images.add(image(id));
    await store.images.annotate('a', written('cat'), overwrite, 7);
    const fenced = fencedIn(database);
    const update = { metadata: { n: 1 }, removeMetadata: [], addTags: ['t'], removeTags: [] };
    const updates = ['a', 'none'].map((imageId) => ({ imageId, ...update }));
    expect(await store.metadata.apply(workspace.id, undefined, updates, fenced)).toEqual([
      { imageId: 'none', error: 'There is no such image.' },
    ]);
    expect(await store.metadata.projectsOf(workspace.id, ['a', 'b'])).toEqual(
      new Set([project.id]),
    );
    const ordinals = await store.splits.ordinals(project.id);
    expect(ordinals).toHaveLength(3);
    const ids = async (classes: readonly string[] | undefined) =>
      (await store.splits.eligible(project.id, ordinals, classes)).map(({ id }) => id);
    expect((await ids(undefined)).toSorted()).toEqual(['a', 'b', 'c']);
    expect(await ids(['cat'])).toEqual(['a']);
    expect(await ids(['dog'])).toEqual([]);
    const counts = { train: 3, valid: 0, test: 0 };
    expect(await store.splits.counts(project.id, undefined)).toEqual(counts);
    expect(await store.splits.begin('task', counts, fenced)).toEqual({ before: counts, moved: 0 });
    const moves = [
      { imageId: 'a', to: 'valid' as const },
      { imageId: 'b', to: 'train' as const },
    ];
    expect(await store.splits.move('task', project.id, moves, fenced, 8)).toBe(1);
    expect(await store.splits.begin('task', counts, fenced)).toEqual({ before: counts, moved: 1 });
    expect(await store.splits.counts(project.id, ['cat'])).toEqual({ train: 0, valid: 1, test: 0 });
    expect(await store.splits.assign(project.id, [{ imageId: 'none', to: 'test' }], 9)).toEqual({
      moved: 0,
      missing: ['none'],
    });
  });

  test('are copied into a fork, once each', async () => {
    const { store, database, workspace, project } = await withProject(open);
    await store.images.add(image('a', { tags: ['x'] }), written('cat'));
    await store.images.add(image('b', { batchName: 'second' }));
    const fork = await store.forks.start({
      taskId: 'fork',
      workspaceId: workspace.id,
      workspaceSlug: 'acme',
      projectId: 'copy',
      sourceId: project.id,
      origin: 'http://here',
      created: 10,
    });
    expect(fork?.slug).toBe('cells-2');
    const missing = await store.forks.missing('fork');
    expect(missing.map(({ id }) => id)).toEqual(['a', 'b']);
    await store.forks.copy('fork', missing.slice(0, 1), fencedIn(database));
    expect((await store.forks.missing('fork')).map(({ id }) => id)).toEqual(['b']);
    await store.forks.copy('fork', missing.slice(1), fencedIn(database));
    expect(await store.forks.find('fork')).toMatchObject({ copied: 2 });
    expect((await store.images.batches('copy')).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['first', 'second']),
    );
    const copied = await store.images.findByHash('copy', 'hash-a');
    expect(await store.images.find('copy', copied?.id ?? '')).toMatchObject({ tags: ['x'] });
    expect(
      (await store.forks.sources(workspace.id, 'cells')).map(({ project: { id } }) => id),
    ).toEqual([project.id]);
  });
}

function judgeJobs(open: OpenStores): void {
  test('are labelled in jobs, and reviewed', async () => {
    const { store, database, project } = await withProject(open);
    for (const id of ['a', 'b', 'c']) await store.images.add(image(id));
    const [batch] = await store.images.batches(project.id);
    const job = { projectId: project.id, name: 'j', createdBy: 'me', created: 6, ...nobody };
    const whole = { ...job, id: 'whole', batchId: batch?.id ?? '' };
    expect(await store.annotationJobs.add(whole, 4)).toEqual({ job: undefined, free: 3 });
    expect((await store.annotationJobs.add(whole, 2)).job).toMatchObject({
      images: 2,
      status: 'assigned',
    });
    const chosen = { ...job, id: 'chosen' };
    const { annotationJobs: jobs } = store;
    expect(await jobs.addChosen(chosen, ['none'])).toEqual({ kind: 'unknown', imageIds: ['none'] });
    expect(await jobs.addChosen(chosen, ['a'])).toEqual({
      kind: 'in-open-job',
      jobId: 'whole',
      imageIds: ['a'],
    });
    const predicted = { overwrite: true, isPredicted: true };
    await store.images.annotate('a', written('cat'), predicted, 7);
    await store.images.annotate('b', written('cat'), predicted, 7);
    expect(
      await jobs.review(project.id, 'whole', { approve: ['a'], reject: ['b'], by: 'me' }, 8),
    ).toMatchObject({ status: 'completed', states: { approved: 1, rejected: 1 } });
    expect((await store.images.find(project.id, 'b'))?.annotation).toBeUndefined();
    expect(await store.splits.completedJobs(project.id)).toEqual(
      new Map([
        ['a', 'whole'],
        ['b', 'whole'],
      ]),
    );
    await judgeAutolabel(store, database, batch?.id ?? '');
  });
}

async function judgeAutolabel(
  store: Awaited<ReturnType<OpenStores>>['store'],
  database: Awaited<ReturnType<OpenStores>>['database'],
  batchId: string,
): Promise<void> {
  const settings = {
    modelType: 'm',
    modelId: 'm',
    ontology: {},
    defaultConfidence: 0.5,
    confidenceThresholds: {},
    runNms: false,
  };
  const common = { projectId: 'project-cells', created: 9 };
  const added = await store.autolabel.add(
    { id: 'auto', workspaceId: 'w', settings, ...common },
    { id: 'auto-job', name: 'auto', batchId, createdBy: 'me', ...common, ...nobody },
    10,
  );
  // Those that a person rejected wait for labels again.
  expect(added).toMatchObject({ images: 2, labelled: 0 });
  expect(await store.autolabel.open('auto', 10)).toEqual(['b', 'c']);
  const seen = { imageId: 'b', annotation: undefined, inference: undefined };
  expect(await store.autolabel.keep('auto', seen, fencedIn(database), 10)).toMatchObject({
    skipped: 1,
    empty: 0,
    boxes: 0,
  });
  expect(await store.autolabel.open('auto', 10)).toEqual(['c']);
  await store.autolabel.end('auto', fencedIn(database));
  expect(await store.annotationJobs.find('project-cells', 'auto-job')).toBeUndefined();
  const failed = { id: 'failed', workspaceId: 'w', settings, ...common };
  await store.autolabel.addFailed(failed, 'No model.', 'invalid_input');
  expect(await store.autolabel.get('failed')).toMatchObject({ annotationJobId: undefined });
}

function judgeCounts(open: OpenStores): void {
  test('are counted, and looked at for what is odd', async () => {
    const { store, database, workspace, project, index } = await withProject(open);
    await addProject(store, workspace.id, 'empty');
    await store.images.add(image('a'), written('cat', 'cat', 'Dog'));
    await store.images.add(image('b', { width: 10, split: 'valid' }));
    await store.images.add(image('c', { split: 'test' }), written());
    const file = {
      file: 'x.png',
      name: 'x.png',
      identity: '1',
      reason: 'is empty',
      who: undefined,
    };
    await store.refusedFiles.add(project.id, [{ ...file, at: 3 }]);
    await store.refusedFiles.add(project.id, [{ ...file, at: 4 }]);
    const snapshot = await database.snapshot();
    const reads = rowReads(index);
    expect(await reads.counts(snapshot, [project.id, 'project-empty'])).toEqual([
      {
        images: 3,
        unannotated: 1,
        splits: { train: 1, valid: 1, test: 1 },
        classes: { Dog: 1, cat: 2 },
        versions: 0,
      },
      {
        images: 0,
        unannotated: 0,
        splits: { train: 0, valid: 0, test: 0 },
        classes: {},
        versions: 0,
      },
    ]);
    expect(await reads.health(snapshot, project.id)).toMatchObject({
      images: 3,
      averageWidth: 30,
      medianRatio: 2,
      missing: 1,
      empty: 1,
      annotations: 3,
      classes: { Dog: 1, cat: 2 },
      refused: [{ at: 4 }],
      unreadable: { images: [], total: 0 },
      nearDuplicates: { groups: 0, examples: [], compared: 0, isComplete: false },
      boxes: { checked: 3, isComplete: true },
    });
    expect(await reads.health(snapshot, 'project-empty')).toMatchObject({ medianRatio: 0 });
    const wanted = { finding: 'refused-files', limit: 5, offset: 0 } as const;
    expect(await reads.findings(snapshot, project.id, wanted)).toMatchObject({ total: 1 });
    await snapshot.close();
  });
}
