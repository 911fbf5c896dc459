// Annotation jobs: which images they take, how their states go on, and what a review does.

import { expect, it } from 'vitest';
import { type Labelling, redAt, sharedLabelling } from '../platform-with-model.ts';

const labelling = sharedLabelling();

const people = { labelerEmail: 'lea@example.com', reviewerEmail: 'rob@example.com' };

/** A project with pictures in one batch; their ids in the order in which they came. */
async function withImages(fixture: Labelling, count: number) {
  const project = await fixture.newProject();
  const ids: string[] = [];
  for (let place = 0; place < count; place++) {
    ids.push(await fixture.upload(project, await redAt(place)));
  }
  return { project, ids, batch: await fixture.batchOf(project) };
}

function create(fixture: Labelling, project: string, batch: string, more: object = {}) {
  const body = { name: 'Monday', batch, num_images: 2, ...people, ...more };
  return fixture.tell('POST', `/acme/${project}/jobs`, body);
}

it('takes chosen images, annotated ones too, all or none', async () => {
  const fixture = labelling();
  const { project, ids, batch } = await withImages(fixture, 4);
  const [first = '', second = '', third = '', fourth = ''] = ids;
  await fixture.annotate(project, first);
  const choose = (images: readonly string[]) =>
    fixture.tell('POST', `/acme/${project}/jobs/images`, { name: 'Chosen', images, ...people });
  const made = await choose([first, third, third]);
  expect(made).toMatchObject({
    status: 201,
    body: { name: 'Chosen', status: 'in_progress', numImages: 2, unannotated: 1, annotated: 1 },
  });
  expect(made.body).not.toHaveProperty('sourceBatch');
  const taken = await choose([second, third]);
  expect(taken.status).toBe(409);
  expect(JSON.stringify(taken.body)).toContain(
    `1 of 2 images are in an open job, such as image ${third}, in job ${made.body.id}.`,
  );
  expect((await choose([second, 'nowhere'])).status).toBe(400);
  expect(await create(fixture, project, batch)).toMatchObject({
    status: 201,
    body: { numImages: 2, unannotated: 2 },
  });
  expect((await choose([fourth])).status).toBe(409);
});

it('goes from assigned to completed', async () => {
  const fixture = labelling();
  const { project, ids, batch } = await withImages(fixture, 3);
  const made = await create(fixture, project, batch);
  expect(made).toMatchObject({
    status: 201,
    body: {
      name: 'Monday',
      project,
      owner: 'acme',
      createdBy: 'environment',
      sourceBatch: batch,
      labeler: 'lea@example.com',
      reviewer: 'rob@example.com',
      status: 'assigned',
      numImages: 2,
      unannotated: 2,
      annotated: 0,
      approved: 0,
      rejected: 0,
    },
  });
  const path = `/acme/${project}/jobs/${made.body.id}`;
  const state = async () => {
    const { status, unannotated, annotated, approved, rejected } = (await fixture.tell('GET', path))
      .body;
    return [status, unannotated, annotated, approved, rejected];
  };
  const [first = '', second = '', third = ''] = ids;
  await fixture.annotate(project, third);
  expect(await state()).toEqual(['assigned', 2, 0, 0, 0]);
  await fixture.annotate(project, first);
  expect(await state()).toEqual(['in_progress', 1, 1, 0, 0]);
  await fixture.annotate(project, second);
  expect(await state()).toEqual(['in_review', 0, 2, 0, 0]);
  expect((await fixture.tell('PATCH', path, { approve: [first] })).status).toBe(200);
  expect(await state()).toEqual(['in_review', 0, 1, 1, 0]);
  await fixture.tell('PATCH', path, { reject: [second] });
  expect(await state()).toEqual(['completed', 0, 0, 1, 1]);
  // A person's work stays; what is rejected is only said to be.
  expect(await fixture.image(project, second)).toMatchObject({ annotated: true, labels: ['red'] });
  await fixture.annotate(project, second, '&overwrite=true');
  expect(await state()).toEqual(['completed', 0, 0, 1, 1]);
  const { body } = await fixture.tell('GET', `/acme/${project}/jobs`);
  expect(body.jobs).toMatchObject([{ id: made.body.id, status: 'completed' }]);
  const batches = await fixture.tell('GET', `/acme/${project}/batches`);
  expect(batches.body.batches).toMatchObject([{ id: batch, numJobs: 1 }]);
});

it('takes the oldest images that are free, and no image for two open jobs', async () => {
  const fixture = labelling();
  const { project, ids, batch } = await withImages(fixture, 4);
  const [first = '', second = '', third = '', fourth = ''] = ids;
  await fixture.annotate(project, first);
  const made = await create(fixture, project, batch);
  const path = `/acme/${project}/jobs/${made.body.id}`;
  // The second and the third are its images: no other may be reviewed.
  expect(await fixture.tell('PATCH', path, { reject: [second, third] })).toMatchObject({
    status: 200,
    body: { rejected: 2, status: 'completed' },
  });
  const again = await create(fixture, project, batch, { num_images: 3 });
  expect(again).toMatchObject({ status: 201, body: { numImages: 3 } });
  const over = await create(fixture, project, batch, { num_images: 1 });
  expect([over.status, Object(over.body.error).message]).toEqual([
    400,
    'num_images: only 0 images are free in this batch: without annotation, and in no open job',
  ]);
  await fixture.annotate(project, fourth);
  expect((await create(fixture, project, batch, { num_images: 1 })).status).toBe(400);
});

it('an annotation that is replaced has to be looked at again, while the job is open', async () => {
  const fixture = labelling();
  const { project, ids, batch } = await withImages(fixture, 2);
  const [first = ''] = ids;
  const made = await create(fixture, project, batch);
  const path = `/acme/${project}/jobs/${made.body.id}`;
  await fixture.annotate(project, first);
  await fixture.tell('PATCH', path, { approve: [first] });
  await fixture.annotate(project, first, '&overwrite=true', 'blue');
  expect((await fixture.tell('GET', path)).body).toMatchObject({ annotated: 1, approved: 0 });
});

it('a review is whole or nothing', async () => {
  const fixture = labelling();
  const { project, ids, batch } = await withImages(fixture, 3);
  const [first = '', second = '', third = ''] = ids;
  const made = await create(fixture, project, batch);
  const path = `/acme/${project}/jobs/${made.body.id}`;
  await fixture.annotate(project, first);
  const review = async (body: object) => {
    const told = await fixture.tell('PATCH', path, body);
    return [told.status, Object(told.body.error).message];
  };
  expect(await review({})).toEqual([400, 'give at least one of approve, reject']);
  expect(await review({ approve: [first, third] })).toEqual([
    400,
    `approve: 1 of 2 are not in this job (${third})`,
  ]);
  expect(await review({ approve: [first], reject: [first] })).toEqual([
    400,
    `reject: also rejects what it approves: ${first}`,
  ]);
  expect(await review({ approve: [first, second] })).toEqual([
    409,
    '1 of these images are not annotated yet.',
  ]);
  expect((await fixture.tell('GET', path)).body).toMatchObject({ annotated: 1, approved: 0 });
});

it('an annotation of a model is marked until somebody looks at it', async () => {
  const fixture = labelling();
  const { project, ids } = await withImages(fixture, 2);
  const [first = '', second = ''] = ids;
  await fixture.annotate(project, first, '&prediction=true&jobName=By%20a%20model');
  await fixture.annotate(project, second, '&prediction=true&jobName=By%20a%20model');
  expect(await fixture.image(project, first)).toMatchObject({ annotated: true, prediction: true });
  const { body } = await fixture.tell('GET', `/acme/${project}/jobs`);
  expect(body.jobs).toMatchObject([
    { name: 'By a model', status: 'in_review', numImages: 2, annotated: 2 },
  ]);
  const path = `/acme/${project}/jobs/${Object(Object(body.jobs)[0]).id}`;
  await fixture.tell('PATCH', path, { approve: [first], reject: [second] });
  expect(await fixture.image(project, first)).not.toHaveProperty('prediction');
  expect(await fixture.image(project, second)).toMatchObject({ annotated: false, labels: [] });
  const health = await fixture.tell('GET', `/acme/${project}/health`);
  expect(health.body).toMatchObject({ stats: { numAnnotations: 1, missingAnnotations: 1 } });
  await fixture.annotate(project, second, '&prediction=true');
  await fixture.annotate(project, second, '&overwrite=true');
  expect(await fixture.image(project, second)).not.toHaveProperty('prediction');
});

it('an image that is deleted leaves its job', async () => {
  const fixture = labelling();
  const { project, ids, batch } = await withImages(fixture, 2);
  const made = await create(fixture, project, batch);
  const [first = '', second = ''] = ids;
  await fixture.annotate(project, first);
  await fixture.tell('DELETE', `/acme/${project}/images`, { images: [second] });
  const { body } = await fixture.tell('GET', `/acme/${project}/jobs/${made.body.id}`);
  expect(body).toMatchObject({ numImages: 1, annotated: 1, status: 'in_review' });
});

it('refuses what is wrong', async () => {
  const fixture = labelling();
  const { project, batch } = await withImages(fixture, 1);
  const other = await fixture.newProject('Other');
  const refusal = async (told: { status: number; body: Record<string, unknown> }) => [
    told.status,
    Object(told.body.error).message ?? told.body.error,
  ];
  const noBatch = 'batch: is no batch of this project: ';
  expect(await refusal(await create(fixture, other, batch))).toEqual([
    400,
    `${noBatch}batches_list names the batches`,
  ]);
  expect(await refusal(await create(fixture, project, 'frist'))).toEqual([
    400,
    `${noBatch}did you mean "first"?`,
  ]);
  expect((await create(fixture, project, batch, { num_images: 0 })).status).toBe(400);
  for (const labelerEmail of ['', 'a', 'xxx', 'a b@c']) {
    const refused = await create(fixture, project, batch, { labelerEmail });
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([
      400,
      expect.stringContaining('labelerEmail: must be an e-mail address, such as ada@example.com'),
    ]);
  }
  expect((await fixture.tell('GET', `/acme/${project}/jobs/none`)).status).toBe(404);
  expect((await fixture.tell('PATCH', `/acme/${project}/jobs/none`, { approve: [] })).status).toBe(
    404,
  );
  const made = await create(fixture, project, 'first', { num_images: 1 });
  expect(made.status).toBe(201);
  expect((await fixture.tell('GET', `/acme/${other}/jobs/${made.body.id}`)).status).toBe(404);
});
