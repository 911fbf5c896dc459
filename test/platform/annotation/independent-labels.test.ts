// Independent jobs: two people label the same images apart from each other, and are compared.

import { expect, it } from 'vitest';
import { type Labelling, redAt, sharedLabelling } from '../platform-with-model.ts';

const labelling = sharedLabelling();

const people = { labelerEmail: 'bob@example.com', reviewerEmail: 'rev@example.com' };

/** A project with images that have one red box each, and a job of Bob's own. */
async function withJob(fixture: Labelling, count: number) {
  const project = await fixture.newProject();
  const images: string[] = [];
  for (let place = 0; place < count; place++) {
    images.push(await fixture.upload(project, await redAt(place)));
  }
  for (const id of images) await fixture.annotate(project, id);
  const job = await makeJob(fixture, project, images);
  return { project, images, ...job };
}

async function makeJob(fixture: Labelling, project: string, images: string[], more = {}) {
  const body = { name: 'Once more', images, independent: true, ...people, ...more };
  const made = await fixture.tell('POST', `/acme/${project}/jobs/images`, body);
  expect(made.status).toBe(201);
  const path = `/acme/${project}/jobs/${made.body.id}`;
  const label = async (id: string, name: string, more = '') => {
    const object = `<object><name>${name}</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>9</xmax><ymax>9</ymax></bndbox></object>`;
    return fixture.tell('POST', `${path}/images/${id}/labels?name=a.xml${more}`, {
      annotationFile: `<annotation>${name === '' ? '' : object}</annotation>`,
    });
  };
  const imageOf = async (id: string) =>
    Object(Object((await fixture.tell('GET', `${path}/images?image=${id}`)).body.images)[0]);
  return { id: String(made.body.id), made: made.body, path, label, imageOf };
}

/** What two people say of an outline each, or of a box where it is empty. */
async function agreementOn(type: string, one: number[], other: number[]) {
  const fixture = labelling();
  const project = await fixture.newProject('Shapes', type);
  const picture = await redAt(0);
  const id = await fixture.upload(project, picture);
  const file_name = `image-${picture.length}.png`;
  const paths = [];
  for (const [place, outline] of [one, other].entries()) {
    const { path } = await makeJob(fixture, project, [id], { name: `Person ${place}` });
    const annotation = { id: 1, image_id: 1, category_id: 1, bbox: [0, 0, 16, 16] };
    const annotationFile = JSON.stringify({
      images: [{ id: 1, file_name, width: 64, height: 64 }],
      categories: [{ id: 1, name: 'red' }],
      annotations: [{ ...annotation, segmentation: outline.length > 0 ? [outline] : [] }],
    });
    const labels = `${path}/images/${id}/labels?name=a.json`;
    const labelled = await fixture.tell('POST', labels, { annotationFile });
    expect(labelled.body).toMatchObject({ success: true });
    paths.push(path);
  }
  const { agreement } = (await fixture.tell('GET', paths[0] ?? '')).body;
  return agreement;
}

it('compares outlines by their masks, and says where only boxes are compared', async () => {
  // Triangles of one square that have no pixel in common.
  const [upper, lower] = [
    [0, 0, 16, 0, 0, 15],
    [16, 1, 16, 16, 1, 16],
  ];
  const of = (type: string, one: number[], other: number[]) => agreementOn(type, one, other);
  expect(await of('instance-segmentation', upper, lower)).toMatchObject([
    { f1: 0, both: 0, compared_by: 'masks' },
  ]);
  expect(await of('instance-segmentation', upper, upper)).toMatchObject([
    { f1: 1, mean_iou: 1, compared_by: 'masks' },
  ]);
  expect(await of('instance-segmentation', upper, [])).toMatchObject([
    { f1: 1, compared_by: 'boxes' },
  ]);
  expect(await of('keypoint-detection', [], [])).toMatchObject([{ f1: 1, compared_by: 'boxes' }]);
  const [boxes] = Object(await of('object-detection', [], []));
  expect(boxes).toMatchObject({ f1: 1 });
  expect(boxes).not.toHaveProperty('compared_by');
});

it('is no job that labels of the image count for', async () => {
  const fixture = labelling();
  const { project, images } = await withJob(fixture, 1);
  const [image = ''] = images;
  const annotate = (jobName: string, overwrite = true) =>
    fixture.tell(
      'POST',
      `/dataset/${project}/annotate/${image}?name=a.xml&overwrite=${overwrite}&jobName=${jobName}`,
      { annotationFile: '<annotation></annotation>' },
    );
  // Also without overwrite: to be told of that first would lead to labels that are lost.
  for (const overwrite of [false, true]) {
    const refused = await annotate('Once%20more', overwrite);
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.body)).toContain('names an independent job');
  }
  expect(await fixture.image(project, image)).toMatchObject({ labels: ['red'] });
  expect((await annotate('Another')).status).toBe(200);
  expect(await fixture.image(project, image)).toMatchObject({ labels: [] });
});

it('keeps labels apart from those of the images, and counts them', async () => {
  const fixture = labelling();
  const { project, images, made, path, label, imageOf } = await withJob(fixture, 2);
  const [first = '', second = ''] = images;
  expect(made).toMatchObject({
    independent: true,
    status: 'assigned',
    numImages: 2,
    unannotated: 2,
    labeler: 'bob@example.com',
  });
  // Bob sees nothing of what is there.
  expect(await imageOf(first)).toMatchObject({
    state: 'unannotated',
    annotation_revision: 'none',
    independent: [{ annotated: false, labels: [] }],
  });
  const labelled = await label(first, 'blue');
  expect(labelled.status).toBe(200);
  expect(await fixture.image(project, first)).toMatchObject({ labels: ['red'] });
  expect(await imageOf(first)).toMatchObject({
    state: 'annotated',
    annotation_revision: labelled.body.annotation_revision,
    independent: [{ labeler: 'bob@example.com', labels: ['blue'], boxes: [{ label: 'blue' }] }],
  });
  expect((await fixture.tell('GET', path)).body).toMatchObject({
    status: 'in_progress',
    annotated: 1,
  });
  await label(second, 'red');
  expect((await fixture.tell('GET', path)).body).toMatchObject({ status: 'completed' });
  const task = await fixture.tell('GET', `/acme/asynctasks/${String(made.id)}`);
  expect(task.body).toMatchObject({
    status: 'completed',
    progress: { current: 2, total: 2 },
    result: { labelled: 2 },
  });
  const log = await fixture.tell('GET', `/acme/activity-log?action=annotation_jobs_label`);
  expect(JSON.stringify(log.body)).toContain(first);
});

it('tells the agreement with the labels of the images, and with a third person', async () => {
  const fixture = labelling();
  const { project, images, id, path, label } = await withJob(fixture, 3);
  const [first = '', second = '', third = ''] = images;
  await label(first, 'red');
  await label(second, 'blue');
  // Who still labels is not told where others differ.
  expect((await fixture.tell('GET', path)).body.agreement).toMatchObject([
    { with: 'labels', images: 2, f1: 0.5, disagreements: [] },
  ]);
  await label(third, '');
  const { agreement } = (await fixture.tell('GET', path)).body;
  expect(agreement).toEqual([
    {
      with: 'labels',
      images: 3,
      f1: 0.4,
      both: 1,
      one: 2,
      other: 3,
      mean_iou: 1,
      cohens_kappa: 0,
      classes: [
        { class: 'blue', f1: 0, both: 0, one: 1, other: 0 },
        { class: 'red', f1: 0.5, both: 1, one: 1, other: 3 },
      ],
      disagreements: expect.arrayContaining([
        expect.objectContaining({ id: second, f1: 0, both: 0, one: 1, other: 1 }),
        expect.objectContaining({ id: third, f1: 0, both: 0, one: 0, other: 1 }),
      ]),
    },
  ]);
  const carol = await makeJob(fixture, project, images, { labelerEmail: 'carol@example.com' });
  await carol.label(second, 'blue');
  const seen = (await fixture.tell('GET', `${carol.path}/agreement`)).body;
  expect(seen).toMatchObject({
    job: { id: carol.id },
    agreement: [
      { with: 'labels', images: 1, f1: 0 },
      { with: id, labeler: 'bob@example.com', images: 1, f1: 1, disagreements: [] },
    ],
  });
});

it('compares a job of the images themselves with those apart', async () => {
  const fixture = labelling();
  const { project, images, id, label } = await withJob(fixture, 2);
  const [first = '', second = ''] = images;
  await label(first, 'red');
  await label(second, 'blue');
  const body = { name: 'Ordinary', images: [second], ...people };
  const made = (await fixture.tell('POST', `/acme/${project}/jobs/images`, body)).body;
  const path = `/acme/${project}/jobs/${made.id}`;
  expect((await fixture.tell('GET', path)).body.agreement).toMatchObject([
    { with: id, images: 1, f1: 0, one: 1, other: 1 },
  ]);
  // Who reviews later sees what Bob said, whose job is older.
  const review = await fixture.tell('GET', `${path}/images?image=${second}`);
  expect(Object(review.body.images)[0]).toMatchObject({
    independent: [{ job: id, labeler: 'bob@example.com', labels: ['blue'] }],
  });
});

it('keeps what people said apart when classes are renamed, and says so', async () => {
  const fixture = labelling();
  const { project, images, label, imageOf } = await withJob(fixture, 2);
  const [first = '', second = ''] = images;
  await label(first, 'red');
  await label(second, 'redder');
  const change = { rename: { red: 'crimson' } };
  const changed = await fixture.tell('POST', `/acme/${project}/class-changes`, change);
  expect(changed.body).toMatchObject({ labels: 2, images: 2, keptApart: 1 });
  await expect.poll(() => fixture.image(project, first)).toMatchObject({ labels: ['crimson'] });
  expect(await imageOf(first)).toMatchObject({ independent: [{ labels: ['red'] }] });
});

it('says nothing of what a model labelled', async () => {
  const fixture = labelling();
  const { project, images, path, label } = await withJob(fixture, 1);
  const [first = ''] = images;
  await fixture.annotate(project, first, '&prediction=true&overwrite=true');
  await label(first, 'red');
  expect((await fixture.tell('GET', path)).body).not.toHaveProperty('agreement');
});

it('refuses labels of an older state, of other jobs and of other images', async () => {
  const fixture = labelling();
  const { project, images, path, label } = await withJob(fixture, 1);
  const [first = ''] = images;
  await label(first, 'red');
  const late = await label(first, 'blue', '&revision=none');
  expect([late.status, late.body]).toMatchObject([409, { error: { message: expect.anything() } }]);
  const other = await fixture.upload(project, await redAt(5));
  expect((await label(other, 'red')).status).toBe(404);
  const ordinary = { name: 'Ordinary', images: [first], ...people };
  const made = (await fixture.tell('POST', `/acme/${project}/jobs/images`, ordinary)).body;
  const where = `/acme/${project}/jobs/${made.id}/images/${first}/labels?name=a.xml`;
  expect((await fixture.tell('POST', where, { annotationFile: '<annotation/>' })).status).toBe(409);
  const decided = await fixture.tell('POST', `${path}/images/${first}`, {
    decision: 'approve',
    decisions: 0,
  });
  expect(decided.status).toBe(409);
  expect(JSON.stringify(decided.body)).toContain('are compared, not approved');
  expect((await fixture.tell('PATCH', path, { approve: [first] })).status).toBe(409);
});

it('keeps labels of an image that goes to the trash and comes back', async () => {
  const fixture = labelling();
  const { project, images, path, label, imageOf } = await withJob(fixture, 2);
  const [first = ''] = images;
  await label(first, 'blue');
  await fixture.tell('DELETE', `/acme/${project}/images`, { images: [first] });
  expect((await fixture.tell('GET', path)).body).toMatchObject({ numImages: 1, annotated: 0 });
  const trash = Object((await fixture.tell('GET', '/acme/trash')).body);
  const item = [...trash.items].find((one) => one.type === 'image');
  const wanted = { type: 'image', id: item.id };
  expect((await fixture.tell('POST', '/acme/trash/restore', wanted)).status).toBe(200);
  expect(await imageOf(first)).toMatchObject({ independent: [{ labels: ['blue'] }] });
});

it('tells as a task how many images were deleted before they were labelled', async () => {
  const fixture = labelling();
  const { project, images, path, label } = await withJob(fixture, 2);
  const [first = '', second = ''] = images;
  await label(first, 'blue');
  await fixture.tell('DELETE', `/acme/${project}/images`, { images: [second] });
  const task = await fixture.tell('GET', `/acme/asynctasks/${path.split('/').at(-1)}`);
  expect(task.body).toMatchObject({
    status: 'completed',
    result: { labelled: 1, goneUndecided: 1 },
  });
});

it('names the open job that has images in which people differ', async () => {
  const fixture = labelling();
  const { project, images, path, label } = await withJob(fixture, 1);
  const [image = ''] = images;
  await label(image, 'blue');
  const told = async () => (await fixture.tell('GET', path)).body;
  expect((await told()).openJob).toBe(undefined);
  const asked = await fixture.tell('POST', `/acme/${project}/reviews`, { images });
  expect((await told()).openJob).toBe(asked.body.jobId);
  const again = await fixture.tell('POST', `/acme/${project}/reviews`, { images });
  expect(again.status).toBe(409);
  expect(JSON.stringify(again.body)).toContain(
    `annotation_review with job \\"${asked.body.jobId}\\" goes on with that one`,
  );
});
