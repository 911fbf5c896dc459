// Decisions about the images of a job: who approves one or sends it back, what two people at once
// see of each other, and where a decision is found again.

import { expect, it } from 'vitest';
import { type Labelling, redAt, sharedLabelling } from '../platform-with-model.ts';

const labelling = sharedLabelling();

/** A job with annotated images; `decide` gives status, message and what is there then. */
async function withJob(fixture: Labelling, count: number) {
  const project = await fixture.newProject();
  const images: string[] = [];
  for (let place = 0; place < count; place++) {
    images.push(await fixture.upload(project, await redAt(place)));
  }
  for (const id of images) await fixture.annotate(project, id, '&prediction=true');
  const made = await fixture.tell('POST', `/acme/${project}/reviews`, {
    images,
    instructions: 'Look at the red ones.',
  });
  expect(made.status).toBe(201);
  const path = `/acme/${project}/jobs/${made.body.jobId}`;
  const decide = async (id: string, body: object) => {
    const told = await fixture.tell('POST', `${path}/images/${id}`, body);
    return { status: told.status, ...told.body };
  };
  const imageOf = async (id: string) =>
    Object(Object((await fixture.tell('GET', `${path}/images?image=${id}`)).body.images)[0]);
  return { project, images, job: String(made.body.jobId), path, decide, imageOf };
}

async function found(fixture: Labelling, project: string, query: string) {
  const body = { query: `project:${project} (${query})`, fields: ['filename'] };
  const told = await fixture.tell('POST', '/acme/search/v1', body);
  expect(told.status).toBe(200);
  return [...Object(told.body.results)].map(({ id }) => id).toSorted();
}

it('approves and sends back, keeps the labels, and counts', async () => {
  const fixture = labelling();
  const { images, path, project, decide, imageOf } = await withJob(fixture, 3);
  const [first = '', second = ''] = images;
  expect(await decide(first, { decision: 'approve', decisions: 0 })).toMatchObject({
    status: 200,
    job: { approved: 1, rejected: 0, annotated: 2, status: 'in_review' },
    image: { id: first, state: 'approved', decided_by: 'environment', decisions: 1 },
  });
  expect(await fixture.image(project, first)).not.toHaveProperty('prediction');
  const comment = 'A box is missing at the <b>left</b>.';
  const back = { decision: 'send_back', comment, decisions: 0 };
  expect(await decide(second, back)).toMatchObject({
    status: 200,
    job: { approved: 1, rejected: 1, annotated: 1 },
    image: { state: 'rejected', comment },
  });
  // The job is open yet: whoever works on it is told all the same.
  expect((await fixture.tell('GET', path)).body).toMatchObject({
    status: 'in_review',
    sentBack: [{ image: second, comment, by: "the platform's own key" }],
  });
  // Unlike a rejection, it takes no label away.
  expect(await fixture.image(project, second)).toMatchObject({
    annotated: true,
    prediction: true,
    labels: ['red'],
  });
  const { body } = await fixture.tell('GET', `${path}/images`);
  expect(body).toMatchObject({
    job: { name: 'Look at the red ones.', instructionsText: 'Look at the red ones.' },
    images: [{}, {}, {}],
  });
  expect(await imageOf(second)).toMatchObject({ state: 'rejected', comment, decisions: 1 });
});

it('is found by a search, until the image is annotated anew', async () => {
  const fixture = labelling();
  const { images, project, job, decide } = await withJob(fixture, 3);
  const [first = '', second = '', third = ''] = images;
  await decide(first, { decision: 'approve', decisions: 0 });
  await decide(second, { decision: 'send_back', comment: 'No.', decisions: 0 });
  expect(await found(fixture, project, 'review:approved')).toEqual([first]);
  expect(await found(fixture, project, 'review:sent-back')).toEqual([second]);
  const open = `job:${job} -review:approved -review:sent-back`;
  expect(await found(fixture, project, open)).toEqual([third]);
  await fixture.annotate(project, second, '&overwrite=true', 'blue');
  expect(await found(fixture, project, 'review:sent-back')).toEqual([]);
  expect(await found(fixture, project, open)).toEqual([second, third].toSorted());
  const wrong = await fixture.tell('POST', '/acme/search/v1', { query: 'review:done' });
  expect([wrong.status, JSON.stringify(wrong.body)]).toEqual([
    400,
    expect.stringContaining('use approved or sent-back'),
  ]);
});

it('stands no more once the labels of a complete job are others, and can be made anew', async () => {
  const fixture = labelling();
  const { images, path, project, decide, imageOf } = await withJob(fixture, 2);
  const [first = '', second = ''] = images;
  await decide(first, { decision: 'approve', decisions: 0 });
  await decide(second, { decision: 'send_back', comment: 'No.', decisions: 0 });
  // The same labels once more are no other ones.
  await fixture.annotate(project, first, '&overwrite=true', 'red');
  expect(await found(fixture, project, 'review:approved')).toEqual([first]);
  await fixture.annotate(project, first, '&overwrite=true', 'blue');
  await fixture.annotate(project, second, '&overwrite=true', 'blue');
  expect(await found(fixture, project, 'review:approved')).toEqual([]);
  expect(await found(fixture, project, 'review:sent-back')).toEqual([]);
  expect(await imageOf(first)).toMatchObject({ state: 'approved', labels_changed: true });
  expect(await fixture.image(project, first)).toMatchObject({
    review: { state: 'approved', labels_changed: true },
  });
  expect((await fixture.tell('GET', path)).body).toMatchObject({
    status: 'completed',
    sentBack: [{ image: second, comment: 'No.', labels_changed: true }],
  });
  const again = await decide(first, { decision: 'approve', decisions: 1 });
  expect(again).toMatchObject({ status: 200, image: { state: 'approved', decisions: 2 } });
  expect(await imageOf(first)).not.toHaveProperty('labels_changed');
  expect(await found(fixture, project, 'review:approved')).toEqual([first]);
  const log = `/acme/activity-log?project=${project}&action=annotation_jobs_decide`;
  const { body } = await fixture.tell('GET', log);
  const approvals = [...Object(body.entries)].filter(({ verb }) => verb === 'approved');
  expect(approvals).toMatchObject([{ thing_id: first }, { thing_id: first }]);
});

it('is none about an image whose labels were taken away since', async () => {
  const fixture = labelling();
  const { images, project, decide } = await withJob(fixture, 1);
  const [first = ''] = images;
  await decide(first, { decision: 'send_back', comment: 'No.', decisions: 0 });
  const { annotation_revision: revision } = await fixture.image(project, first);
  const annotation = `/acme/${project}/images/${first}/annotation`;
  await fixture.tell('DELETE', `${annotation}?revision=${String(revision)}`);
  expect(await decide(first, { decision: 'approve', decisions: 1 })).toMatchObject({
    status: 409,
    error: { message: 'Nobody has annotated this image yet.' },
  });
});

it('is in the activity log with who, and why', async () => {
  const fixture = labelling();
  const { images, project, job, decide } = await withJob(fixture, 2);
  const [first = '', second = ''] = images;
  await decide(first, { decision: 'approve', decisions: 0 });
  await decide(second, { decision: 'send_back', comment: 'Too small.', decisions: 0 });
  const path = `/acme/activity-log?project=${project}&action=annotation_jobs_decide`;
  const { body } = await fixture.tell('GET', path);
  const entries = [...Object(body.entries)].filter(({ kind }) => kind === 'image');
  expect(entries).toMatchObject([
    {
      who: 'environment',
      verb: 'sent back',
      thing_id: second,
      before: { review: 'annotated' },
      after: { review: 'rejected', job, comment: 'Too small.' },
    },
    { who: 'environment', verb: 'approved', thing_id: first },
  ]);
});

it('never replaces the decision of somebody else unseen, nor one about other labels', async () => {
  const fixture = labelling();
  const { images, project, decide, imageOf } = await withJob(fixture, 3);
  const [first = '', second = '', third = ''] = images;
  const seen = (await fixture.image(project, first)).annotation_revision;
  await decide(first, { decision: 'approve', decisions: 0 });
  const back = { decision: 'send_back', comment: 'No.', decisions: 0 };
  expect(await decide(first, back)).toMatchObject({
    status: 409,
    error: { message: 'Somebody decided about this image meanwhile.' },
  });
  expect(await imageOf(first)).toMatchObject({ state: 'approved', decisions: 1 });
  // Of one opinion, or told twice: nothing to decide.
  expect(await decide(first, { decision: 'approve', decisions: 0 })).toMatchObject({
    status: 200,
    image: { decisions: 1 },
  });
  // Having seen it, they may.
  expect(await decide(first, { ...back, decisions: 1 })).toMatchObject({
    status: 200,
    image: { state: 'rejected', decisions: 2 },
  });
  await fixture.annotate(project, second, '&overwrite=true', 'blue');
  const old = { decision: 'approve', decisions: 0, annotation_revision: seen };
  expect(await decide(second, old)).toMatchObject({
    status: 409,
    error: { message: 'The labels of this image have changed meanwhile.' },
  });
  expect(await imageOf(second)).toMatchObject({ state: 'annotated', decisions: 0 });
  const approve = { decision: 'approve', decisions: 0 };
  const both = await Promise.all([decide(third, approve), decide(third, back)]);
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
});

it('refuses what is wrong, and what nobody annotated', async () => {
  const fixture = labelling();
  const { images, project, path, decide } = await withJob(fixture, 1);
  const [first = ''] = images;
  const stranger = await fixture.upload(project, await redAt(7));
  const statusOf = async (id: string, body: object) => (await decide(id, body)).status;
  expect(await statusOf(first, { decision: 'send_back', decisions: 0 })).toBe(400);
  expect(await statusOf(first, { decision: 'approve', comment: 'x', decisions: 0 })).toBe(400);
  expect(await statusOf(first, { decision: 'maybe', decisions: 0 })).toBe(400);
  expect(await statusOf(first, { decision: 'approve' })).toBe(400);
  const long = { decision: 'send_back', comment: 'x'.repeat(1001), decisions: 0 };
  expect(await statusOf(first, long)).toBe(400);
  expect(await statusOf(stranger, { decision: 'approve', decisions: 0 })).toBe(404);
  expect((await fixture.tell('GET', `${path}0/images`)).status).toBe(404);
  const made = await fixture.tell('POST', `/acme/${project}/reviews`, { images: [stranger] });
  const decided = await fixture.tell(
    'POST',
    `/acme/${project}/jobs/${made.body.jobId}/images/${stranger}`,
    { decision: 'approve', decisions: 0 },
  );
  expect([decided.status, Object(decided.body.error).message]).toEqual([
    409,
    'Nobody has annotated this image yet.',
  ]);
});

it('an image shows its newest decision, and its job as a task who must decide', async () => {
  const fixture = labelling();
  const { images, project, job, decide } = await withJob(fixture, 2);
  const [first = '', second = ''] = images;
  expect(await fixture.image(project, first)).not.toHaveProperty('review');
  await decide(first, { decision: 'send_back', comment: 'No.', decisions: 0 });
  expect(await fixture.image(project, first)).toMatchObject({
    review: { job, state: 'rejected', comment: 'No.', decided_by: 'environment' },
  });
  const task = async () => (await fixture.tell('GET', `/acme/asynctasks/${job}`)).body;
  const asked = await fixture.tell('POST', `/acme/${project}/reviews`, {
    job,
    assignedTo: 'ada@acme.org',
  });
  expect(asked.body).not.toHaveProperty('replaced');
  expect(await task()).toMatchObject({
    status: 'running',
    review: {
      jobId: job,
      project,
      undecided: 1,
      approved: 0,
      sentBack: 1,
      assignedTo: 'ada@acme.org',
    },
  });
  await decide(second, { decision: 'approve', decisions: 0 });
  expect(await task()).not.toHaveProperty('review');
});

it('says what another review of the job replaced', async () => {
  const fixture = labelling();
  const { project, job } = await withJob(fixture, 1);
  const ask = async (body: object) =>
    (await fixture.tell('POST', `/acme/${project}/reviews`, { job, ...body })).body;
  await ask({ assignedTo: 'ada@acme.org' });
  const again = await ask({ assignedTo: 'bob@acme.org', instructions: 'Count the blue ones.' });
  expect(again).toMatchObject({
    assignedTo: 'bob@acme.org',
    replaced: { assignedTo: 'ada@acme.org', instructions: 'Look at the red ones.' },
  });
  expect(await ask({ assignedTo: 'bob@acme.org' })).not.toHaveProperty('replaced');
});

it('requires a comment with what is sent back', async () => {
  const { images, decide } = await withJob(labelling(), 1);
  const refused = await decide(images[0] ?? '', { decision: 'send_back', decisions: 0 });
  expect(JSON.stringify(refused)).toContain('comment: is required with send_back');
});

it('tells how many images were deleted before anybody decided about them', async () => {
  const fixture = labelling();
  const { images, job, project, decide } = await withJob(fixture, 3);
  const [first = '', ...others] = images;
  const resultOf = async () =>
    Object((await fixture.tell('GET', `/acme/asynctasks/${job}`)).body).result;
  const remove = (ids: string[]) =>
    fixture.tell('DELETE', `/acme/${project}/images`, { images: ids });
  await decide(first, { decision: 'approve', decisions: 0 });
  await remove(others);
  expect(await resultOf()).toMatchObject({ approved: 1, sentBack: 0, goneUndecided: 2 });
  // Who decided about an image saw it: it does not count.
  await remove([first]);
  expect(await resultOf()).toMatchObject({ approved: 0, sentBack: 0, goneUndecided: 2 });
  const { items } = Object((await fixture.tell('GET', '/acme/trash')).body);
  for (const { id, type } of items) {
    if (type === 'image') await fixture.tell('POST', '/acme/trash/restore', { type, id });
  }
  for (const id of others) await decide(id, { decision: 'approve', decisions: 0 });
  const result = await resultOf();
  expect(result).toMatchObject({ approved: 3, sentBack: 0 });
  expect(result).not.toHaveProperty('goneUndecided');
});
