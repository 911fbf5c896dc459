// tasks_wait: until the end, or until a host would give up.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { forPeople } from '../../src/mcp/untrusted-text.ts';
import { type Fixture, openScriptedService, steppingClock } from './scripted-service.ts';

let fixture: Fixture;

beforeEach(async () => {
  fixture = await openScriptedService();
});

afterEach(async () => {
  await fixture.close();
});

const task = { workspace: 'acme', taskId: 't1' };
const taskRoute = 'GET /acme/asynctasks/t1';

const where = { workspace: 'acme', project: 'cells' };
const started = { taskId: 't1', url: 'http://127.0.0.1/acme/asynctasks/t1' };
const job = { jobId: 't1', url: started.url };
const work = { kind: 'task', workspace: 'acme', taskId: 't1' };

describe('what goes on in the background is told', () => {
  it.each([
    ['projects_fork', { workspace: 'acme', source_project: 'a' }, '/projects/fork', started],
    [
      'projects_rebalance_splits',
      { ...where, splits: { train: 1, valid: 0, test: 0 } },
      '/cells/splits/rebalance',
      started,
    ],
    [
      'images_set_metadata_bulk',
      { workspace: 'acme', updates: [{ imageId: 'i', addTags: ['a'] }] },
      '/images/metadata',
      started,
    ],
    [
      'trainings_start',
      { ...where, version: 1 },
      '/cells/1/v2/trainings',
      { ...job, trainingId: 'r' },
    ],
    ['autolabel_start', { ...where, batchId: 'b', modelType: 'local' }, '/cells/autolabel', job],
    [
      'search_export_start',
      { workspace: 'acme', query: '*', format: 'coco', dataset: 'cells' },
      '/search/export',
      started,
    ],
  ])('%s', async (name, args, path, json) => {
    fixture.on(`POST /acme${path}`, () => ({ status: 202, json }));
    expect((await fixture.call(name, args)).work).toEqual(work);
  });

  it('a job that is no async task has to be asked for by its own tool', async () => {
    fixture.on('POST /acme/cells/autolabel', () => ({ json: { jobId: 'j' } }));
    const args = { ...where, batchId: 'b', modelType: 'sam3' };
    expect((await fixture.call('autolabel_start', args)).work).toBeUndefined();
  });

  it('a zip that waits for its file is an answer: it has the address', async () => {
    const json = { taskId: 't1', signedUrl: 'https://example.com/put' };
    fixture.on('POST /acme/cells/upload/zip', () => ({ status: 202, json }));
    const { data, work } = await fixture.call('images_upload_zip', where);
    expect(data).toMatchObject({ signedUrl: 'https://example.com/put' });
    expect(work).toBeUndefined();
  });
});

describe('tasks_wait', () => {
  it('asks until the task is completed, and reports progress', async () => {
    fixture.on(taskRoute, (_request, n) =>
      n < 1
        ? { json: { taskId: 't1', status: 'running', progress: { current: 3, total: 12 } } }
        : { json: { taskId: 't1', status: 'completed', progress: null, result: { images: 12 } } },
    );
    const { summary, data, next } = await fixture.call('tasks_wait', task);
    expect(summary).toBe('Task "t1" is completed: 12 images.');
    expect(data).toMatchObject({ status: 'completed', done: true, result: { images: 12 } });
    expect(next).toBeUndefined();
    expect(fixture.progress).toEqual(['3/12 Task "t1": running']);
    expect(fixture.requests).toHaveLength(2);
  });

  it('says that it waits while there are no figures', async () => {
    fixture.on(taskRoute, (_request, n) => ({
      json: { taskId: 't1', status: n < 2 ? 'created' : 'completed', progress: null },
    }));
    await fixture.call('tasks_wait', task, { clock: steppingClock(1_000) });
    expect(fixture.progress).toEqual([
      expect.stringMatching(/^0\.00\d+\/undefined Task "t1": created, \d+ s$/),
      expect.stringMatching(/^0\.00\d+\/undefined Task "t1": created, \d+ s$/),
    ]);
  });

  it('gives the same call as the next one when the time is up', async () => {
    fixture.on(taskRoute, () => ({
      json: { taskId: 't1', status: 'running', progress: { current: 1, total: 4 } },
    }));
    const wait = { ...task, timeout_s: 0.001 };
    const { summary, data, next } = await fixture.call('tasks_wait', wait);
    expect(summary).toBe('Task "t1" is not done yet (running, 25 % done).');
    expect(data).toMatchObject({ status: 'running', done: false });
    expect(next).toMatchObject([{ tool: 'tasks_wait', arguments: wait }]);
  });

  it('says which service is away, in the answer and while it waits', async () => {
    fixture.on(taskRoute, () => ({
      json: { taskId: 't1', status: 'running', waitsFor: 'object-store', progress: null },
    }));
    const wait = { ...task, timeout_s: 0 };
    const { summary, data } = await fixture.call('tasks_wait', wait);
    expect(summary).toBe(
      'Task "t1" is not done yet (running): the object-store is away or overloaded; it goes on by itself once that is over.',
    );
    expect(data).toMatchObject({ waitsFor: 'object-store' });
    expect(fixture.progress).toEqual([
      expect.stringContaining('running, waits for the object-store, 0 s'),
    ]);
  });

  it('never proposes to look again at once', async () => {
    fixture.on(taskRoute, () => ({ json: { taskId: 't1', status: 'running' } }));
    const { next } = await fixture.call('tasks_wait', { ...task, timeout_s: 0 });
    expect(next?.map((call) => call.arguments)).toEqual([task]);
  });

  it('says that a person must decide, who, and with which command', async () => {
    const review = { jobId: 'j1', project: 'cells', undecided: 2, assignedTo: 'ada@acme.org' };
    fixture.on(taskRoute, () => ({ json: { taskId: 't1', status: 'created', review } }));
    const { summary, data, next } = await fixture.call('tasks_wait', { ...task, timeout_s: 0 });
    expect(forPeople(summary)).toBe(
      'Task "t1" is not done yet (waiting): "ada@acme.org" must decide about 2 images: ' +
        'tell them to run "fovea open cells/review/j1", which opens the first one; decisions there ' +
        'are by "the page of fovea open", without their name: for that, run fovea platform and ' +
        'ask again.',
    );
    expect(data).toMatchObject({ review, command: 'fovea open cells/review/j1' });
    expect(next).toMatchObject([{ why: expect.stringContaining('person') }]);
  });

  it('says what a person has decided until now, and where the comments are', async () => {
    const of = { jobId: 'j1', project: 'cells' };
    const review = { ...of, undecided: 1, approved: 1, sentBack: 2 };
    const progress = { current: 3, total: 4 };
    fixture.on(taskRoute, () => ({ json: { taskId: 't1', status: 'running', progress, review } }));
    const { summary, next } = await fixture.call('tasks_wait', { ...task, timeout_s: 0 });
    expect(summary).toContain(
      '(running, 75 % done): a person must decide about 1 image (1 approved, 2 sent back until now)',
    );
    expect(next?.[1]).toMatchObject({ tool: 'annotation_jobs_get', arguments: of });
  });

  it('says that a task failed, and why', async () => {
    fixture.on(taskRoute, () => ({
      json: { taskId: 't1', status: 'failed', error: 'versions above the cap' },
    }));
    const { summary, data } = await fixture.call('tasks_wait', task);
    expect(summary).toBe('Task "t1" has failed; "error" says why.');
    expect(data).toMatchObject({ status: 'failed', done: true, error: 'versions above the cap' });
  });

  it.each([
    [{ succeeded: 1, failed: 1 }, ': 1 of 2 failed'],
    [{ images: 300, duplicates: 3, failed: 2 }, ': 2 of 305 failed, 300 images'],
    [{ succeeded: 2, failed: 0 }, ''],
    [
      { moved: 3, images: 10, splits: { train: 7, valid: 2, test: 1 } },
      ': 10 images, 7 train, 2 valid, 1 test',
    ],
    [
      {
        splits: { train: 3, valid: 1, test: 0 },
        keptTogether: { groups: 1, images: 2, compared: 4, complete: true },
      },
      ': 3 train, 1 valid, 0 test, 2 near-duplicates kept together in 1 group',
    ],
    [
      { images: 9, keptTogether: { groups: 0, images: 0, compared: 4, complete: false } },
      ': 9 images, only 4 images compared for near-duplicates',
    ],
    [{ metrics: { map50: 0.81256, epochs: 30 } }, ': map50 0.813'],
  ])('says first what came of it: %j', async (result, outcome) => {
    fixture.on(taskRoute, () => ({ json: { taskId: 't1', status: 'completed', result } }));
    const { summary } = await fixture.call('tasks_wait', task);
    expect(summary).toBe(`Task "t1" is completed${outcome}.`);
  });

  it('a training that gave a model leads to its deployment', async () => {
    const result = { trainingId: 'r', metrics: { map50: 0.5 }, modelId: 'cells/1/r' };
    fixture.on(taskRoute, () => ({ json: { taskId: 't1', status: 'completed', result } }));
    const { next } = await fixture.call('tasks_wait', task);
    const model = { type: 'model_id', modelId: 'cells/1/r' };
    expect(next).toMatchObject([
      { tool: 'deployment_set_model', arguments: { workspace: 'acme', project: 'cells', model } },
    ]);
  });

  it('waits for a version until it has images', async () => {
    const version = { id: 'acme/cells/2', generating: true, images: 0, progress: 0.5 };
    const splits = { train: 16, valid: 2, test: 2 };
    fixture.on('GET /acme/cells/2', (_request, n) => ({
      json: { version: n < 1 ? version : { ...version, generating: false, images: 20, splits } },
    }));
    const args = { workspace: 'acme', project: 'cells', version: 2 };
    const { summary, data, next } = await fixture.call('tasks_wait', args);
    expect(summary).toBe(
      'Version 2 of "cells" is completed: 20 images, 16 train, 2 valid, 2 test.',
    );
    const exported = { workspace: 'acme', project: 'cells', version: 2, format: 'coco' };
    expect(next).toMatchObject([{ tool: 'versions_export', arguments: exported }]);
    expect(data).toMatchObject({ done: true, result: { images: 20, splits } });
    expect(fixture.requests[0]?.query.get('nocache')).toBe('true');
  });

  it('ends at once when the call is cancelled', async () => {
    fixture.on(taskRoute, () => ({ json: { taskId: 't1', status: 'created', progress: null } }));
    const cancel = new AbortController();
    const waiting = fixture.call('tasks_wait', task, { signal: cancel.signal });
    while (fixture.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    cancel.abort();
    await expect(waiting).rejects.toThrow();
    expect(fixture.requests).toHaveLength(1);
  });

  it.each([
    [{ workspace: 'acme' }, 'taskId: give either taskId alone, or project and version'],
    [{ ...task, project: 'cells' }, 'taskId: give either taskId alone, or project and version'],
    [{ ...task, timeout_s: 46 }, 'timeout_s: must be at most 45, got 46'],
    [{ ...task, taskid: 't1' }, 'taskid: is not known; did you mean "taskId"?'],
  ])('refuses %j', async (args, message) => {
    expect((await fixture.refused('tasks_wait', args)).message).toBe(message);
    expect(fixture.requests).toEqual([]);
  });

  it('passes on that there is no such task', async () => {
    fixture.on(taskRoute, () => ({ status: 404, json: { error: 'no such task' } }));
    expect(await fixture.refused('tasks_wait', task)).toMatchObject({ code: 'not_found' });
  });
});

it.each([
  [
    { approved: 0, sentBack: 0, changedImages: 0, goneUndecided: 5 },
    '0 approved, 0 sent back, labels of 0 images changed, 5 images deleted before anybody decided',
  ],
  [{ approved: 0, sentBack: 0, changedImages: 0 }, 'none of its images is there any more'],
  [{ labelled: 0, jobId: 'j' }, 'none of its images is there any more'],
  [{ labelled: 1, jobId: 'j', goneUndecided: 1 }, '1 image deleted before anybody decided'],
])('a review whose images are gone does not seem decided: %j', async (result, told) => {
  fixture.on(taskRoute, () => ({ json: { taskId: 't1', status: 'completed', result } }));
  for (const name of ['tasks_wait', 'tasks_get']) {
    const { summary } = await fixture.call(name, task);
    expect(summary).toContain(told);
  }
});

const decided = { approved: 3, sentBack: 1, sentBackImages: [{ image: 'i', comment: 'No.' }] };
const byBob = { by: ['Bob'], decidedBy: 'Bob', images: 2, classes: {} };

it.each([
  [
    { changedImages: 2, changes: [byBob] },
    'with comments, labels of 2 images changed (2 by "Bob").',
  ],
  [
    { changedImages: 3, changes: [byBob, { ...byBob, by: ['Ann'], images: 1 }] },
    'labels of 3 images changed (2 by "Bob"; 1 by "Ann", decided by "Bob").',
  ],
  [
    { changedImages: 2, changes: [{ ...byBob, by: ['Ann', 'Bob'], andOthers: true }] },
    'labels of 2 images changed (2 by "Ann" and "Bob" and others).',
  ],
  [
    { changedImages: 2, changes: [{ decidedBy: 'Bob', images: 2, classes: {} }] },
    'labels of 2 images changed (2 by somebody unknown).',
  ],
  [
    { changedImages: 2, changes: [byBob], notCompared: 4 },
    'labels of at least 2 images changed (2 by "Bob"), 4 images not compared.',
  ],
  [{}, '3 approved, 1 sent back, with comments.'],
  [{ sentBackImages: [{ image: 'i' }] }, '3 approved, 1 sent back.'],
  [
    {
      deciders: [
        { by: 'Bob', approved: 2, sentBack: 1 },
        { approved: 1, sentBack: 0 },
      ],
    },
    '3 approved, 1 sent back, with comments (decided: 3 by "Bob"; 1 by somebody unknown).',
  ],
  [
    { deciders: [{ by: 'Bob', approved: 1, sentBack: 0 }], decidedByOthers: 3 },
    '(decided: 1 by "Bob"; 3 by others).',
  ],
])('a review says whose labels were changed by whom: %j', async (more, told) => {
  const result = { ...decided, ...more };
  fixture.on(taskRoute, () => ({ json: { taskId: 't1', status: 'completed', result } }));
  for (const name of ['tasks_wait', 'tasks_get']) {
    const { summary } = await fixture.call(name, task);
    expect(forPeople(summary)).toContain(told);
  }
});

it('a task that reviews nothing says nothing of images that are gone', async () => {
  const result = { approved: 1, sentBack: 0, changedImages: 0 };
  for (const each of [result, { succeeded: 2, failed: 0 }]) {
    fixture.on(taskRoute, () => ({ json: { taskId: 't1', status: 'completed', result: each } }));
    expect((await fixture.call('tasks_wait', task)).summary).not.toContain('any more');
  }
});
