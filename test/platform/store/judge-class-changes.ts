// What stores do with changes of classes, on every engine.

import { describe, expect, test } from 'vitest';
import { rowReads } from '../../../src/platform/database/long-reads/run-long-read.ts';
import { fencedIn, image, type OpenStores, withProject, written } from './opened-stores.ts';

const change = { rename: { Cat: 'cat', dog: 'Cat' }, remove: ['élan'] };

/** A change that concerns three of five images. */
async function withChange(open: OpenStores) {
  const { store, database, workspace, project, index, queue } = await withProject(open);
  const { images, classChanges } = store;
  await images.add(image('a'), written('Cat', 'cat', 'dog'));
  await images.add(image('b'), written('élan'));
  await images.add(image('c'), written('dog', 'dog'));
  await images.add(image('d'), written('cat'));
  await images.add(image('e'));
  const projectId = project.id;
  const started = { workspaceId: workspace.id, projectId, change, images: 3, created: 10 };
  await classChanges.start({ id: 'change', ...started });
  const known = async () => {
    const found = await classChanges.find(projectId, 'change');
    if (found === undefined) throw new Error('the change is gone');
    return found;
  };
  const fenced = fencedIn(database);
  const reads = rowReads(index);
  return {
    store,
    queue,
    fenced,
    workspace,
    started,
    known,
    affected: async () => {
      const state = await database.snapshot();
      const found = await reads.affectedLabels(state, projectId, change);
      state.close();
      return found;
    },
    left: async () => {
      const state = await database.snapshot();
      const labels = ['Cat', 'dog', 'élan'];
      const wanted = { changeId: 'change', projectId, labels, after: '' };
      const ids = await reads.classChangeImages(state, wanted);
      state.close();
      return ids;
    },
    apply: async (...ids: string[]) => classChanges.apply(await known(), ids, fenced, 11),
    undoSome: async (after: string) =>
      classChanges.undoSome(await known(), { after, countMax: 2 }, fenced, 13),
    labelsIn: async (id: string) => {
      const found = (await images.find(projectId, id))?.annotation;
      return found?.kind === 'detection' ? found.boxes.map(({ label }) => label) : found;
    },
  };
}

export function judgeClassChanges(open: OpenStores): void {
  describe('changes of classes', () => {
    judgeMade(open);
    judgeInTurn(open);
    judgeUndone(open);
    judgeSeen(open);
  });
}

function judgeMade(open: OpenStores): void {
  test('are made once in each image', async () => {
    const { known, affected, left, apply, labelsIn } = await withChange(open);
    expect(await affected()).toEqual({
      classes: [
        { label: 'Cat', labels: 1, images: 1 },
        { label: 'dog', labels: 3, images: 2 },
        { label: 'élan', labels: 1, images: 1 },
      ],
      images: 3,
      emptied: 1,
    });
    expect(await left()).toEqual(['a', 'b', 'c']);
    expect(await apply('a', 'b')).toBe(2);
    expect(await left()).toEqual(['c']);
    // As another attempt would.
    expect(await apply('a', 'b', 'c', 'd', 'e', 'none')).toBe(1);
    expect(await left()).toEqual([]);
    const made = { labels: 5, images: 3, emptied: 1 };
    expect(await known()).toMatchObject({ change, found: 3, ...made });
    expect(await labelsIn('a')).toEqual(['cat', 'cat', 'Cat']);
    expect(await labelsIn('b')).toEqual([]);
    expect(await labelsIn('c')).toEqual(['Cat', 'Cat']);
  });
}

function judgeInTurn(open: OpenStores): void {
  test('of one project are claimed one after the other, and so is what takes them back', async () => {
    const { store, queue, known, started, workspace } = await withChange(open);
    const { classChanges, splits } = store;
    const kinds = ['classes', 'classes-undo', 'rebalance'];
    const first = await queue.claim(kinds);
    expect(first?.id).toBe('change');
    await classChanges.start({ id: 'second', ...started });
    const workspaceId = workspace.id;
    await classChanges.startUndo(await known(), {
      taskId: 'undo',
      workspaceId,
      undoTaskId: undefined,
    });
    const { projectId } = started;
    await splits.start({ taskId: 'moves', workspaceId, projectId, settings: '{}' });
    expect(await queue.claim(kinds)).toBeUndefined();
    await first?.complete({});
    for (const id of ['second', 'undo', 'moves']) {
      const claim = await queue.claim(kinds);
      expect(claim?.id).toBe(id);
      expect(await queue.claim(kinds)).toBeUndefined();
      await claim?.complete({});
    }
  });
}

function judgeUndone(open: OpenStores): void {
  test('are taken back where nobody changed the image since', async () => {
    const { store, fenced, workspace, known, apply, undoSome, labelsIn } = await withChange(open);
    const { classChanges } = store;
    await apply('a', 'b', 'c');
    const overwrite = { overwrite: true, isPredicted: false };
    await store.images.annotate('c', written('bird'), overwrite, 12);
    const undo = { taskId: 'undo', workspaceId: workspace.id, undoTaskId: undefined };
    expect(await classChanges.startUndo(await known(), undo)).toBe(true);
    expect(await classChanges.startUndo(await known(), { ...undo, taskId: 'other' })).toBe(false);
    expect(await classChanges.countUndoable('change')).toBe(3);
    expect(await undoSome('')).toBe('b');
    expect(await known()).toMatchObject({ restored: 2, changed: 0, gone: 0 });
    expect(await undoSome('b')).toBe('c');
    // As another attempt would.
    expect([await undoSome(''), await undoSome('c')]).toEqual(['c', undefined]);
    const counts = { restored: 2, changed: 1, gone: 0 };
    expect(await known()).toMatchObject({ ...counts, undoTaskId: 'undo' });
    expect(await labelsIn('a')).toEqual(['Cat', 'cat', 'dog']);
    expect(await labelsIn('b')).toEqual(['élan']);
    expect(await labelsIn('c')).toEqual(['bird']);
    expect(await store.purge.oldClassChanges(9, 100, fenced)).toBe(0);
    // With the image that was left alone.
    expect(await store.purge.oldClassChanges(10, 100, fenced)).toBe(2);
    expect(await classChanges.find('project-cells', 'change')).toBeUndefined();
  });
}

function judgeSeen(open: OpenStores): void {
  test('are known to who has seen the classes before them, and keep old names out', async () => {
    const { store, known, started } = await withChange(open);
    const { images, classChanges } = store;
    const { projectId } = started;
    const annotate = (label: string, classState: string) => {
      const options = { overwrite: true, isPredicted: false, classState };
      return images.annotate('e', written(label), options, 12);
    };
    // What is being changed is not seen yet, and yet kept out.
    expect(await classChanges.state(projectId)).toBe('none');
    expect(await annotate('dog', 'none')).toBe('classes_were_changed');
    expect(await annotate('élan', 'none')).toBe('classes_were_changed');
    expect(await annotate('cat', 'none')).toBe('annotated');
    const rename = { cat: 'kitten', bird: 'cat' };
    const next = { ...started, change: { rename, remove: [] }, created: 11 };
    await classChanges.start({ ...next, id: 'next' });
    expect(await classChanges.since(projectId, 'none')).toEqual({
      state: 'next',
      targets: new Map([
        ['Cat', 'kitten'],
        ['dog', 'Cat'],
        ['élan', undefined],
        ['cat', 'kitten'],
        ['bird', 'cat'],
      ]),
    });
    expect([...(await classChanges.since(projectId, 'change')).targets]).toEqual([
      ['cat', 'kitten'],
      ['bird', 'cat'],
    ]);
    expect((await classChanges.since(projectId, 'next')).targets.size).toBe(0);
    expect(await annotate('dog', 'change')).toBe('annotated');
    expect(await annotate('cat', 'change')).toBe('classes_were_changed');
    expect(await annotate('cat', 'next')).toBe('annotated');
    // What is taken back does not count.
    const undo = { taskId: 'undo', workspaceId: started.workspaceId, undoTaskId: undefined };
    expect(await classChanges.startUndo(await known(), undo)).toBe(true);
    expect([...(await classChanges.since(projectId, 'none')).targets.keys()]).toEqual([
      'cat',
      'bird',
    ]);
    // A state that is not known is older than all.
    expect((await classChanges.since(projectId, 'gone')).state).toBe('next');
  });
}
