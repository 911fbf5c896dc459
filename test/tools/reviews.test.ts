// What the tools of annotation jobs and reviews say, from what a service answers.

import { afterEach, beforeEach, expect, it } from 'vitest';
import { forPeople } from '../../src/mcp/untrusted-text.ts';
import { type Fixture, openScriptedService } from './scripted-service.ts';

let fixture: Fixture;

beforeEach(async () => {
  fixture = await openScriptedService();
});

afterEach(async () => {
  await fixture.close();
});

const where = { workspace: 'acme', project: 'cells' };

it.each([
  [{ unannotated: 1, annotated: 2 }, '2 of 3 images annotated'],
  [{ approved: 1, rejected: 2 }, 'of 3 images, 1 approved, 2 sent back'],
  [{ annotated: 2, rejected: 1 }, 'of 3 images, 0 approved, 1 sent back, 2 undecided'],
])('a job tells how far it is: %j', async (states, told) => {
  const none = { unannotated: 0, annotated: 0, approved: 0, rejected: 0 };
  fixture.on('GET /acme/cells/jobs/j1', () => ({
    json: { status: 'in_review', numImages: 3, ...none, ...states },
  }));
  const { summary } = await fixture.call('annotation_jobs_get', { ...where, jobId: 'j1' });
  expect(summary).toBe(`Job "j1" is "in_review": ${told}.`);
});

it('images in which people differ are looked at in the open job that has them', async () => {
  const differing = { disagreements: [{ id: 'i1', name: 'a', f1: 0, both: 0, one: 1, other: 0 }] };
  const figures = { f1: 0, both: 0, one: 1, other: 0, images: 1, classes: [] };
  let openJob: string | undefined = 'j2';
  fixture.on('GET /acme/cells/jobs/j1', () => ({
    json: { openJob, numImages: 1, agreement: [{ with: 'labels', ...figures, ...differing }] },
  }));
  const next = async () =>
    (await fixture.call('annotation_jobs_get', { ...where, jobId: 'j1' })).next;
  expect(await next()).toMatchObject([{ arguments: { ...where, job: 'j2' } }]);
  openJob = undefined;
  expect(await next()).toMatchObject([{ arguments: { ...where, images: ['i1'] } }]);
});

it('a review says who is asked, and what it replaced', async () => {
  const replaced = { assignedTo: 'ada@acme.org', instructions: 'Look.' };
  const answer = { taskId: 'j1', jobId: 'j1', images: 2, undecided: 2, page: 'p' };
  fixture.on('POST /acme/cells/reviews', () => ({
    status: 201,
    json: { ...answer, assignedTo: 'bob@acme.org', replaced },
  }));
  const asked = { ...where, job: 'j1', assignedTo: 'bob@acme.org' };
  const { summary, data } = await fixture.call('annotation_review', asked);
  const text = forPeople(summary);
  expect(text).toContain('2 images of "cells" wait for "bob@acme.org": tell them to run');
  expect(text).toContain('replaced the person asked before ("ada@acme.org") and the earlier ins');
  expect(data).toMatchObject({ replaced });
});

it('a review shows images in the order of their ids, or in that of a search that has one', async () => {
  const sent: unknown[] = [];
  const answer = { taskId: 'j1', jobId: 'j1', images: 2, undecided: 2, page: 'p' };
  fixture.on('POST /acme/cells/reviews', ({ body }) => {
    const { images, ordered } = Object(JSON.parse(body));
    sent.push([images, ordered]);
    return { status: 201, json: answer };
  });
  fixture.on('POST /acme/search/v1', ({ body }) => {
    const isSorted = String(Object(JSON.parse(body)).query).includes('sort:');
    const results = [{ id: 'b' }, { id: 'a' }];
    return { json: { results, total: 2, ...(isSorted && { order: 'sorted' }) } };
  });
  await fixture.call('annotation_review', { ...where, images: ['d', 'c'] });
  await fixture.call('annotation_review', { ...where, query: 'tag:night sort:width' });
  await fixture.call('annotation_review', { ...where, query: 'tag:night' });
  expect(sent).toEqual([
    [['d', 'c'], true],
    [['b', 'a'], true],
    [['b', 'a'], false],
  ]);
});

it.each([
  [{ state: 'approved' }, 'approved by a reviewer.'],
  [
    { state: 'approved', labels_changed: true },
    'approved by a reviewer, but the labels were changed since.',
  ],
  [{ state: 'rejected', comment: 'No.' }, 'sent back by a reviewer; "review" says why.'],
  [{ state: 'rejected' }, 'sent back by a reviewer.'],
])('an image says what was decided: %j', async (review, told) => {
  const image = { id: 'i1', review: { job: 'j1', ...review } };
  fixture.on('GET /acme/cells/images/i1', () => ({ json: { image } }));
  const { summary, data } = await fixture.call('images_get', { ...where, imageId: 'i1' });
  expect(summary.endsWith(told)).toBe(true);
  expect(data).toMatchObject({ image });
});
