// What stores do with all else of a workspace, and what the log of changes says, on every engine.

import { describe, expect, test } from 'vitest';
import { runFor } from '../../../src/current-caller.ts';
import { limits } from '../../../src/limits.ts';
import { rowReads } from '../../../src/platform/database/long-reads/run-long-read.ts';
import {
  addProject,
  fencedIn,
  image,
  type OpenStores,
  withProject,
  written,
} from './opened-stores.ts';

export function judgeWorkspaces(open: OpenStores): void {
  describe('workspaces', () => {
    judgeFolders(open);
    judgeKeys(open);
    judgeUploads(open);
    judgeEvents(open);
    judgeInferences(open);
  });
  describe('the log of changes', () => {
    judgeChangeLog(open);
    judgeLogOfMany(open);
    judgeLongLog(open);
  });
}

const unchanged = {
  name: undefined,
  parentId: undefined,
  externalId: undefined,
  authGroups: undefined,
  projects: undefined,
};

function judgeFolders(open: OpenStores): void {
  test('have folders in folders', async () => {
    const { store, workspace, project } = await withProject(open);
    const { folders } = store;
    await addProject(store, workspace.id, 'Äpfel');
    const folder = { ...unchanged, workspaceId: workspace.id, created: 2 };
    await folders.add({ ...folder, id: 'top', name: 'Top', projects: ['cells'] });
    await folders.add({ ...folder, id: 'low', name: 'Low', parentId: 'top' });
    await expect(
      folders.add({ ...folder, id: 'x', name: 'Low', parentId: 'top' }),
    ).rejects.toMatchObject({ code: 'conflict' });
    await expect(
      folders.update(workspace.id, 'top', { ...unchanged, parentId: 'low' }, 3),
    ).rejects.toMatchObject({ code: 'invalid_input' });
    expect(await folders.find(workspace.id, 'top')).toMatchObject({ projects: ['cells'] });
    expect(await folders.within(workspace.id, ['top'])).toEqual(new Set(['top', 'low']));
    expect(await folders.projectIds(workspace.id, ['top'])).toEqual(new Set([project.id]));
    expect(await folders.setProjects(workspace.id, 'low', ['cells'], 'add', 4)).toBe(true);
    expect(await folders.setProjects(workspace.id, 'low', ['cells'], 'remove', 5)).toBe(true);
    expect(await folders.remove(workspace.id, 'top', 6)).toBe(true);
    expect(await folders.list(workspace.id)).toMatchObject([{ id: 'low', parentId: undefined }]);
    expect((await store.projects.find(workspace.id, 'cells'))?.folderId).toBeUndefined();
    const health = await store.workspaces.find('acme');
    expect(health).toEqual(workspace);
  });

  test('have workflows, whose slugs stay free of each other', async () => {
    const { store, workspace } = await withProject(open);
    const workflow = { workspaceId: workspace.id, name: 'Count', config: { a: [1] }, created: 2 };
    await store.workflows.add({ ...workflow, id: 'w1' });
    expect(await store.workflows.add({ ...workflow, id: 'w2' })).toMatchObject({ slug: 'count-2' });
    const change = { name: undefined, url: 'count-2', config: undefined };
    expect(await store.workflows.change(workspace.id, 'w1', change, 3)).toBe('taken');
    expect(await store.workflows.change(workspace.id, 'none', change, 3)).toBe('missing');
    expect(await store.workflows.find(workspace.id, 'count')).toMatchObject({ config: { a: [1] } });
    expect(await store.workflows.trash('w1', 4, 'me')).toBe(true);
    expect((await store.workflows.list(workspace.id)).map(({ slug }) => slug)).toEqual(['count-2']);
  });
}

function judgeKeys(open: OpenStores): void {
  test('have API keys, and one publishable key', async () => {
    const { store, workspace } = await withProject(open);
    const { apiKeys } = store;
    const key = {
      id: 'k',
      workspaceId: workspace.id,
      hash: 'h',
      prefix: 'p',
      name: 'K',
      scopes: undefined,
      folderIds: ['f'],
      customMetadata: { a: 1 },
      createdBy: 'me',
      isProtected: false,
      isDisabled: false,
      created: 2,
      lastUsed: undefined,
    };
    expect(await apiKeys.add(key, 1)).toBe(true);
    expect(await apiKeys.add({ ...key, id: 'l', hash: 'i' }, 1)).toBe(false);
    expect(await apiKeys.byHash('h')).toMatchObject({
      key: { folderIds: ['f'], scopes: undefined, isDisabled: false },
      workspace,
    });
    await apiKeys.markUsed('k', 9);
    await apiKeys.markUsed('k', 8);
    expect(await apiKeys.find(workspace.id, 'k')).toMatchObject({ lastUsed: 9 });
    const changed = await apiKeys.change(workspace.id, 'k', (known) => ({
      ...known,
      isDisabled: true,
      scopes: ['s'],
    }));
    expect(changed).toMatchObject({ isDisabled: true });
    const made = await apiKeys.replace(workspace.id, 'k', (known) => ({ ...known, hash: 'new' }));
    expect(made).toMatchObject({ scopes: ['s'] });
    expect(await apiKeys.list(workspace.id)).toHaveLength(1);
    expect(await apiKeys.remove(workspace.id, 'k', () => {})).toBe(true);
    expect(await apiKeys.publishable(workspace.id, () => 'pub')).toBe('pub');
    expect(await apiKeys.publishable(workspace.id, () => 'other')).toBe('pub');
    expect(await apiKeys.byPublishable('pub')).toEqual(workspace);
  });
}

function judgeUploads(open: OpenStores): void {
  test('take uploads, videos and exports of searches', async () => {
    const { store, database, workspace, project, queue } = await withProject(open);
    const { uploads } = store;
    const fenced = fencedIn(database);
    const task = (id: string) => ({
      id,
      kind: 'zip',
      payload: { workspaceId: workspace.id, uploadId: 'u' },
    });
    const upload = { id: 'u', workspaceId: workspace.id, kind: 'zip', name: 'a.zip' } as const;
    const times = { expires: 100, created: 2 };
    await uploads.add({ ...upload, taskId: 't', ...times }, task('t'));
    await uploads.add({ ...upload, id: 'late', taskId: 'l', ...times }, task('l'));
    expect(await uploads.countWaiting(workspace.id, 50)).toBe(2);
    expect(await uploads.received('u', 'file', 7)).toBe('taken');
    expect(await uploads.received('u', 'file', 7)).toBe('taken_before');
    expect(await uploads.received('none', 'file', 7)).toBe('missing');
    expect(await uploads.hasFile('file')).toBe(true);
    await uploads.setReceiving('late', 90);
    expect(await uploads.purge(200, 200, 80)).toEqual([]);
    await uploads.endReceiving('late', 90);
    expect(await uploads.purge(200, 200, 80)).toEqual([]);
    expect(await uploads.find('late')).toBeUndefined();
    expect((await queue.get('l'))?.status).toBe('failed');
    await (await queue.claim(['zip']))?.complete({});
    expect(await uploads.purge(200, 200, 80)).toEqual(['file']);
    await store.images.add(image('a'), written('cat'));
    expect(await uploads.since('a', 5)).toEqual({ isNew: true, isAnnotated: true });
    expect(await uploads.since('a', 6)).toEqual({ isNew: false, isAnnotated: false });
    expect(await uploads.since('none', 6)).toEqual({ isNew: false, isAnnotated: false });
    const report = { taskId: 't', workspaceId: workspace.id, projectId: project.id, now: 3 };
    await uploads.addReport({ ...report, hash: 'r1', refused: [] }, fenced);
    await uploads.addReport({ ...report, hash: 'r2', refused: [] }, fenced);
    expect([await store.refersTo('r1'), await store.refersTo('r2')]).toEqual([false, true]);
    const settings = { framesPerSecond: 1, models: [] };
    const input = { kind: 'upload', uploadId: 'u' } as const;
    const job = { id: 'video', workspaceId: workspace.id, input, settings, created: 4 };
    await store.videoJobs.add(job, { ...task('video'), kind: 'video' });
    await store.videoJobs.finish('video', { hash: 'v', bytes: 1, sheetHash: 's' }, fenced);
    expect(await store.videoJobs.find(workspace.id, 'video')).toMatchObject({
      sheetHash: 's',
      input,
    });
    const look = (caller: string, now: number) =>
      store.videoJobs.look('video', caller, { now, intervalMs: 60 });
    expect([await look('ada', 100), await look('ada', 140), await look('joan', 140)]).toEqual([
      0, 20, 0,
    ]);
    // Of a clock that was set back, no time is kept.
    expect([await look('ada', 160), await look('ada', 50), await look('ada', 60)]).toEqual([
      0, 0, 50,
    ]);
    await store.search.exports.add(workspace.id, 'found', { ...task('e'), kind: 'export' }, 5);
    await store.search.exports.finish('e', 'eh', 9, fenced);
    expect(await store.search.exports.find(workspace.id, 'e')).toMatchObject({ bytes: 9 });
    const wanted = { status: undefined, kind: 'zip', countMax: 5 };
    expect((await store.tasks.recent(workspace.id, wanted)).map(({ id }) => id)).toEqual([
      'l',
      't',
    ]);
  });
}

const event = (eventId: string, occurred: number, useCaseId = 'belt') => ({
  useCaseId,
  eventId,
  eventType: 'quality_check',
  occurred,
  content: JSON.stringify({ eventId, customMetadata: { line: 1 } }),
  imageIds: ['f'],
  inference: undefined,
});

function judgeEvents(open: OpenStores): void {
  test('record events of use cases, each once', async () => {
    const { store, database, workspace, index } = await withProject(open);
    const { id } = workspace;
    const { visionEvents } = store;
    const events = [event('a', 10), event('b', 20), event('c', 20)];
    expect(await visionEvents.add(id, events, 30)).toEqual([true, true, true]);
    expect(await visionEvents.add(id, [event('b', 20)], 31)).toEqual([false]);
    const other = { ...event('b', 20), content: '{}' };
    await expect(visionEvents.add(id, [event('d', 40), other], 32)).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(await store.useCases.find(id, 'belt')).toMatchObject({ events: 3 });
    const snapshot = await database.snapshot();
    const reads = rowReads(index);
    const query = {
      useCaseId: 'belt',
      eventTypes: ['quality_check'],
      from: undefined,
      until: undefined,
      conditions: [],
      limit: 2,
      after: undefined,
    };
    const page = await reads.events(snapshot, id, query);
    expect(page.next).toEqual({ occurred: 20, eventId: 'b' });
    const rest = await reads.events(snapshot, id, { ...query, after: page.next });
    expect(rest).toEqual({ contents: [events[0]?.content], next: undefined });
    expect(await reads.metadataFields(snapshot, id, 'belt')).toEqual({
      fields: [['line', ['number']]],
      eventsRead: 3,
      isWhole: true,
    });
    await snapshot.close();
  });
}

function judgeInferences(open: OpenStores): void {
  test('record what models saw', async () => {
    const { store, database, workspace, index } = await withProject(open);
    const { id: workspaceId } = workspace;
    await store.inferences.add([
      {
        id: 'i1',
        workspaceId,
        projectId: undefined,
        modelName: 'm',
        source: 'hosted',
        created: 10,
        responseMs: 2.5,
        error: undefined,
        seen: [
          { class: 'cat', confidence: 0.25 },
          { class: 'cat', confidence: 1 },
        ],
      },
    ]);
    const snapshot = await database.snapshot();
    const reads = rowReads(index);
    const window = { workspaceId, from: 0, to: 100, models: ['m'] };
    expect(await reads.totals(snapshot, { ...window, models: undefined })).toEqual({
      inferences: 1,
      errors: 0,
      confidence: 0.625,
      responseMs: 2.5,
    });
    expect(await reads.stats(snapshot, window)).toMatchObject({
      classes: [{ class: 'cat', count: 2, medianConfidence: 0.625, sources: ['hosted'] }],
    });
    await snapshot.close();
    const change = { name: 'shift', value: 'night' };
    const { inferences } = store;
    expect(await inferences.setMetadata(workspaceId, [{ ...change, ids: ['i1'] }])).toEqual([]);
    expect(await inferences.setMetadata(workspaceId, [{ ...change, ids: ['x'] }])).toEqual(['x']);
  });

  test('archive use cases, and keep files for events', async () => {
    const { store, workspace } = await withProject(open);
    const { id } = workspace;
    await store.visionEvents.add(id, [event('a', 10)], 30);
    await store.useCases.change(id, 'belt', { archivedAt: 50 });
    await store.useCases.change(id, 'belt', { archivedAt: 60, name: 'Belt' });
    expect(await store.useCases.list(id, true, 5)).toMatchObject([{ name: 'Belt' }]);
    expect(await store.useCases.list(id, false, 5)).toEqual([]);
    await expect(store.visionEvents.add(id, [event('e', 70)], 71)).rejects.toMatchObject({
      code: 'invalid_input',
    });
    await store.useCases.add(id, 'New', ['belt', 'new']);
    expect(await store.useCases.find(id, 'new')).toMatchObject({ name: 'New', events: 0 });
    const file = {
      id: 'f',
      workspaceId: id,
      hash: 'fh',
      bytes: 3,
      contentType: 'image/png',
      name: 'f',
      metadata: {},
      created: 80,
    };
    await store.visionEvents.addImage(file);
    expect(await store.visionEvents.addImage({ ...file, id: 'g' })).toEqual(file);
    expect(await store.visionEvents.missingImages(id, ['f', 'z', 'y'])).toEqual(['z', 'y']);
  });
}

const wanted = {
  since: undefined,
  until: undefined,
  kind: undefined,
  action: undefined,
  who: undefined,
  thingId: undefined,
  projectId: undefined,
  projectIds: undefined,
  caller: 'me',
  beforeId: undefined,
  countMax: 50,
};

function as<T>(action: string, work: () => Promise<T>): Promise<T> {
  return runFor({ name: 'me', group: 'acme', who: 'me', action }, work);
}

function judgeChangeLog(open: OpenStores): void {
  test('counts sign-ins that come one after the other in one entry', async () => {
    const { store, workspace } = await withProject(open);
    const person = { who: 'token:a', action: 'sign-in', accountId: 'a', where: 'Settings' };
    const note = (verb: string, now: number, where = 'Settings') =>
      store.activity.noteSignIn(workspace.id, { ...person, verb, where }, now);
    for (const now of [1_000, 2_000]) await note('signed in', now);
    await note('signed in', 3_000, 'A program');
    await note('signed out', 4_000);
    await note('signed out', 4_000_000);
    const log = await store.activity.list(workspace.id, { ...wanted, kind: 'account' });
    expect(log.map(({ verb, count, at, until, names }) => [verb, count, at, until, names])).toEqual(
      [
        ['signed out', 1, 4_000_000, 4_000_000, ['Settings']],
        ['signed out', 1, 4_000, 4_000, ['Settings']],
        ['signed in', 1, 3_000, 3_000, ['A program']],
        ['signed in', 2, 1_000, 2_000, ['Settings']],
      ],
    );
  });

  test('says what was changed, and by whom', async () => {
    const { store, workspace, project } = await withProject(open);
    await as('images_add', () => store.images.add(image('a', { tags: ['x'] })));
    await as('images_add', () => store.images.add(image('b')));
    await as('tag', () => store.images.changeTags('a', { operation: 'add', tags: ['y'] }));
    await as('annotate', () =>
      store.images.annotate('a', written('cat'), { overwrite: true, isPredicted: false }, 7),
    );
    await as('remove', () =>
      store.images.remove(project.id, ['a', 'b'], { now: 100, deletedBy: 'me' }),
    );
    const log = await store.activity.list(workspace.id, wanted);
    const said = log.map(({ action, kind, verb, count, names }) => [
      action,
      kind,
      verb,
      count,
      names.toSorted(),
    ]);
    expect(said).toEqual([
      ['remove', 'image', 'deleted', 2, ['a.png', 'b.png']],
      ['annotate', 'image', 'annotated', 1, ['a.png']],
      ['tag', 'image', 'changed', 1, ['a.png']],
      ['images_add', 'image', 'added', 2, ['a.png', 'b.png']],
      ['platform', 'project', 'added', 1, ['cells']],
    ]);
    expect(log[2]).toMatchObject({
      who: 'me',
      project: 'cells',
      thingId: 'a',
      before: { tags: { y: false } },
      after: { tags: { y: true } },
    });
    expect(log[4]).toMatchObject({ after: { type: 'object-detection', public: false } });
    expect(await store.activity.images(log[0]?.id ?? 0)).toEqual([
      { id: 'a', name: 'a.png' },
      { id: 'b', name: 'b.png' },
    ]);
    expect(await store.activity.count(workspace.id, { ...wanted, kind: 'image' })).toBe(4);
    const mine = { ...wanted, projectIds: [project.id], who: 'me', beforeId: log[1]?.id };
    expect(await store.activity.list(workspace.id, mine)).toHaveLength(2);
  });
}

function judgeLogOfMany(open: OpenStores): void {
  test('has one entry for the same change of many, and none for what was undone', async () => {
    const { store, database, workspace, project } = await withProject(open);
    const many = ['a', 'b', 'c'].map((id) => ({ image: image(id), annotation: undefined }));
    await as('import', () => store.images.addAll(project.id, many));
    const [added] = await store.activity.list(workspace.id, wanted);
    expect(added).toMatchObject({ action: 'import', verb: 'added', count: 3 });
    const update = { metadata: {}, removeMetadata: [], addTags: ['t'], removeTags: [] };
    const updates = ['a', 'b', 'c'].map((imageId) => ({ imageId, ...update }));
    await as('bulk', () =>
      store.metadata.apply(workspace.id, undefined, updates, fencedIn(database)),
    );
    const fails = database.transaction(async () => {
      await store.images.changeTags('a', { operation: 'add', tags: ['u'] });
      throw new Error('no');
    });
    await expect(fails).rejects.toThrow('no');
    const [entry] = await store.activity.list(workspace.id, wanted);
    expect(entry).toMatchObject({ action: 'bulk', count: 3, after: { tags: { t: true } } });
    expect(await store.activity.images(entry?.id ?? 0)).toHaveLength(3);
  });

  test('knows keys, folders, archives and tasks', async () => {
    const { store, workspace, queue, project } = await withProject(open);
    const workspaceId = workspace.id;
    await store.apiKeys.add(
      {
        id: 'k',
        workspaceId,
        hash: 'h',
        prefix: 'p',
        name: 'K',
        scopes: ['a:b'],
        folderIds: undefined,
        customMetadata: {},
        createdBy: 'me',
        created: 2,
        isProtected: true,
        isDisabled: false,
        lastUsed: undefined,
      },
      5,
    );
    await store.useCases.add(workspaceId, 'Belt', ['belt']);
    await store.useCases.change(workspaceId, 'belt', { archivedAt: 1_700_000_000_000 });
    await as('start', () =>
      queue.add({ id: 't', kind: 'zip', payload: { workspaceId, projectId: project.id } }),
    );
    const log = await store.activity.list(workspaceId, wanted);
    expect(log.map(({ kind, verb, after }) => [kind, verb, after])).toEqual([
      ['task', 'added', undefined],
      ['use_case', 'changed', { name: 'Belt', archived_at: '2023-11-14T22:13:20Z' }],
      ['use_case', 'added', undefined],
      ['api_key', 'added', { scopes: ['a:b'], folderIds: null, protected: true }],
      ['project', 'added', { type: 'object-detection', public: false }],
    ]);
    await runFor({ name: 'x', group: 'acme', action: 'task:zip', taskId: 't' }, () =>
      store.images.add(image('a')),
    );
    const [newest] = await store.activity.list(workspaceId, wanted);
    expect(newest).toMatchObject({ action: 'task:zip', who: 'me', verb: 'added' });
  });
}

function judgeLongLog(open: OpenStores): void {
  test('keeps the newest entries of a workspace, and the images of fewer', async () => {
    const { store, database, workspace } = await withProject(open);
    await database.run('DELETE FROM activity');
    await database.run(
      `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 20005)
       INSERT INTO activity (workspace_id, at, until, action, kind, verb, thing_id, n, names)
       SELECT ?, n, n, 'images_tag', 'image', 'changed', 'i', 2, '[]' FROM numbers`,
      [workspace.id],
    );
    for (const id of ['a', 'b']) {
      await database.run("INSERT INTO activity_images SELECT ordinal, ?, 'x.jpg' FROM activity", [
        id,
      ]);
    }
    const fenced = fencedIn(database);
    for (let removed = 1; removed > 0; ) removed = await store.purge.oldActivity(1_000, fenced);
    const count = (sql: string) => database.get(sql, [], (row) => row.integer('n'));
    expect([limits.activityEntriesMax, limits.activityImagesEntriesMax]).toEqual([20_000, 2_000]);
    expect(await count('SELECT count(*) AS n FROM activity')).toBe(20_000);
    expect(await count('SELECT min(at) AS n FROM activity')).toBe(6);
    expect(await count('SELECT count(*) AS n FROM activity_images')).toBe(4_000);
    expect(
      await count('SELECT min(at) AS n FROM activity JOIN activity_images ON entry = ordinal'),
    ).toBe(18_006);
  });
}
