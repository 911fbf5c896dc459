// Auto Label: a model labels what nobody has labelled; without a model nothing is labelled at all.

import { createHash } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { killProcess } from '../../fixtures/kill-process.ts';
import { constantModel } from '../../fixtures/onnx-models.ts';
import { startPlatformProcess } from '../../fixtures/platform.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import {
  blueAt,
  callsTo,
  counted,
  type Labelling,
  modelFile,
  redAt,
  sharedLabelling,
  squaresModel,
  startLabelling,
} from '../platform-with-model.ts';

async function withImages(fixture: Labelling, images: readonly Uint8Array[], name?: string) {
  const project = await fixture.newProject(name);
  const ids: string[] = [];
  for (const image of images) ids.push(await fixture.upload(project, image));
  return { project, ids, batchId: await fixture.batchOf(project) };
}

function start(fixture: Labelling, project: string, body: object) {
  return fixture.tell('POST', `/acme/${project}/autolabel`, { modelType: 'local', ...body });
}

function words({ status, body }: { status: number; body: Record<string, unknown> }) {
  return [status, Object(body.error).message ?? body.error];
}

describe('with a model', () => {
  const labelling = sharedLabelling({ model: squaresModel });

  it('labels exactly what the model sees, and nothing else', async () => {
    const fixture = await startLabelling({ model: squaresModel });
    const both = await redAt(5, [{ left: 48, top: 48, colour: { r: 0, g: 0, b: 255 } }]);
    const nothing = await redAt(3, [{ left: 48, top: 0, colour: { r: 0, g: 0, b: 0 } }]);
    const images = [await redAt(0), await blueAt(15), both, nothing, await redAt(9)];
    const { project, ids, batchId } = await withImages(fixture, images);
    const [first = '', second = '', third = '', fourth = '', fifth = ''] = ids;
    await fixture.annotate(project, fifth, '', 'green');
    const ontology = { red: 'tomato', blue: 'berry' };
    const started = await start(fixture, project, {
      batchId,
      ontology,
      reviewerEmail: 'rob@x.org',
    });
    expect(started).toMatchObject({
      status: 202,
      body: { message: 'Auto Label takes 4 images.', taskId: started.body.jobId },
    });
    const { jobId, annotationJobId } = started.body;
    expect(await fixture.ended(String(started.body.taskId))).toMatchObject({
      status: 'completed',
      progress: { current: 4, total: 4 },
      result: { images: 4, labelled: 3, empty: 1, skipped: 0, boxes: 4, annotationJobId },
    });
    expect((await fixture.tell('GET', `/acme/autolabel/jobs/${jobId}`)).body).toEqual({
      jobId,
      status: 'completed',
      modelType: 'local',
      modelId: 'local',
      projectType: 'object-detection',
      images: { total: 4, labelled: 3, empty: 1, skipped: 0 },
      progress: { current: 4, total: 4 },
      ontology,
      defaultConfidence: 0.4,
      confidenceThresholds: {},
      annotationJobId,
    });
    const boxesOf = async (id: string) => (await fixture.image(project, id)).annotation?.boxes;
    const [box] = await boxesOf(first);
    expect(box).toEqual({ label: 'tomato', x: 8, y: 8, width: 16, height: 16 });
    expect(await boxesOf(second)).toMatchObject([{ label: 'berry', x: 56, y: 56 }]);
    const labels = (await boxesOf(third)).map(({ label }: { label: string }) => label);
    expect(labels.sort()).toEqual(['berry', 'tomato']);
    expect(await fixture.image(project, fourth)).toMatchObject({ annotated: false, labels: [] });
    expect(await fixture.image(project, fifth)).toMatchObject({ labels: ['green'] });
    expect(await fixture.image(project, fifth)).not.toHaveProperty('prediction');
    expect(await fixture.image(project, first)).toMatchObject({ prediction: true });
    const job = await fixture.tell('GET', `/acme/${project}/jobs/${annotationJobId}`);
    expect(job.body).toMatchObject({
      name: 'Auto Label: first',
      reviewer: 'rob@x.org',
      status: 'in_review',
      numImages: 3,
      annotated: 3,
      unannotated: 0,
    });
    const stats = await fixture.tell('GET', '/acme/inference-stats');
    expect(stats.body).toMatchObject({ num_inferences: 4, num_errors: 0, avg_confidence: 1 });
  });

  it('takes as many images as it is told, and the confidence that each class needs', async () => {
    const fixture = labelling();
    const pale = { r: 128, g: 0, b: 0 };
    const images = [
      await redAt(0, [{ left: 16, top: 16, colour: pale }]),
      await redAt(1, [{ left: 32, top: 16, colour: pale }]),
      await redAt(2),
    ];
    const { project, ids, batchId } = await withImages(fixture, images);
    const confidenceThresholds = { red: 0.6 };
    const started = await start(fixture, project, {
      batchId,
      numImagesToLabel: 2,
      defaultConfidence: 0.1,
      confidenceThresholds,
    });
    expect(await fixture.ended(String(started.body.taskId))).toMatchObject({
      result: { images: 2, labelled: 2, boxes: 2 },
    });
    expect(await fixture.image(project, ids[2] ?? '')).toMatchObject({ annotated: false });
    const again = await start(fixture, project, { batchId, defaultConfidence: 0.1 });
    expect(again.body.message).toBe('Auto Label takes 1 image.');
  });

  it('lets go of images in which it saw nothing: another run, or a person, takes them', async () => {
    const fixture = labelling();
    const { project, ids, batchId } = await withImages(fixture, [await redAt(0), await blueAt(1)]);
    const run = async (ontology: object) => {
      const started = await start(fixture, project, { batchId, ontology });
      await fixture.ended(String(started.body.taskId));
      return (await fixture.tell('GET', `/acme/autolabel/jobs/${started.body.jobId}`)).body;
    };
    const first = await run({ red: 'tomato' });
    expect(first).toMatchObject({
      status: 'completed',
      images: { total: 2, labelled: 1, empty: 1 },
    });
    const second = await run({ red: 'tomato' });
    expect(second).toMatchObject({
      status: 'completed',
      images: { total: 1, labelled: 0, empty: 1 },
    });
    // It has no image left to review.
    expect(second).not.toHaveProperty('annotationJobId');
    const { jobs } = (await fixture.tell('GET', `/acme/${project}/jobs`)).body;
    expect(jobs).toMatchObject([{ id: first.annotationJobId, status: 'in_review', numImages: 1 }]);
    expect(await fixture.image(project, ids[1] ?? '')).toMatchObject({ annotated: false });
    const people = { labelerEmail: 'lea@example.com', reviewerEmail: 'rob@example.com' };
    const body = { name: 'Rest', batch: batchId, num_images: 1, ...people };
    expect((await fixture.tell('POST', `/acme/${project}/jobs`, body)).status).toBe(201);
  });

  it('passes over images that are lost, damaged or cannot be read, and labels the others', async () => {
    const fixture = labelling();
    const { data } = fixture.platform;
    const before = await counted(fixture);
    // Files that no other test has.
    const own = { left: 0, top: 63, width: 1, height: 1, colour: { r: 0, g: 99, b: 0 } };
    const pictures = await Promise.all([0, 1, 2, 3].map((place) => redAt(place, [own])));
    const { project, ids, batchId } = await withImages(fixture, pictures);
    const [lost = '', damaged = '', corrupt = '', fine = ''] = ids;
    const pathOf = async (place: number) => {
      const hash = createHash('sha256')
        .update(pictures[place] ?? '')
        .digest('hex');
      return join(data, 'blobs', hash.slice(0, 2), hash);
    };
    await rm(await pathOf(0));
    await writeFile(await pathOf(1), 'not what was stored');
    // An upload of another time: whole, as its hash says, and still no picture.
    const noPicture = Buffer.from('no picture');
    const hash = createHash('sha256').update(noPicture).digest('hex');
    await mkdir(join(data, 'blobs', hash.slice(0, 2)), { recursive: true });
    await writeFile(join(data, 'blobs', hash.slice(0, 2), hash), noPicture);
    await fixture.platform.query(`UPDATE images SET hash = '${hash}' WHERE id = '${corrupt}'`);
    const started = await start(fixture, project, { batchId });
    expect(await fixture.ended(String(started.body.taskId))).toMatchObject({
      status: 'completed',
      result: { images: 4, labelled: 1, empty: 0, skipped: 3, boxes: 1 },
    });
    expect(await fixture.image(project, fine)).toMatchObject({ annotated: true, labels: ['red'] });
    for (const id of [lost, damaged, corrupt]) {
      expect(await fixture.image(project, id)).toMatchObject({ annotated: false });
    }
    const after = await counted(fixture);
    expect(after.inferences - before.inferences).toBe(4);
    expect(after.errors - before.errors).toBe(3);
  });

  it('fails for a fault of the model, names the image by its id, and lets its images go', async () => {
    const fixture = await startLabelling({
      model: await modelFile(constantModel([1, 1, 6], [10, 10, 30, 30, 7.5, 0])),
    });
    const { project, ids, batchId } = await withImages(fixture, [await redAt(0), await redAt(1)]);
    const first = ids.toSorted()[0];
    const started = await start(fixture, project, { batchId });
    const task = await fixture.ended(String(started.body.taskId));
    expect(task.status).toBe('failed');
    expect(task.error).toMatch(new RegExp(`^Image ${first}: `));
    expect(task.error).not.toContain('.png');
    const again = await start(fixture, project, { batchId });
    expect(again.body.message).toBe('Auto Label takes 2 images.');
  });

  it('lets the images of a run go whose task failed without it', async () => {
    const fixture = labelling();
    const { project, ids, batchId } = await withImages(fixture, [await blueAt(0), await blueAt(1)]);
    const started = await start(fixture, project, { batchId, ontology: { red: 'tomato' } });
    await fixture.ended(String(started.body.taskId));
    // As it is after too many processes died over it: nobody was left to free what it took.
    const { jobId } = started.body;
    await fixture.platform.query(
      `UPDATE work SET status = 'failed', error = 'gave up' WHERE id = '${jobId}'`,
      `INSERT INTO annotation_jobs (id, project_id, name, batch_id, created_by, created)
        SELECT 'left', project_id, 'Auto Label', '${batchId}', 'nobody', created
        FROM autolabel_jobs WHERE id = '${jobId}'`,
      `INSERT INTO annotation_job_images (job_id, image_id, state)
        SELECT 'left', id, 'unannotated' FROM images
        WHERE id IN (${ids.map((id) => `'${id}'`).join()})`,
      `UPDATE autolabel_jobs SET annotation_job_id = 'left' WHERE id = '${jobId}'`,
      `UPDATE work SET status = 'running', lease_expires = 9e15 WHERE id = '${jobId}'`,
    );
    const locked =
      'batchId: has no image that waits for labels: all are annotated, or in an open job';
    expect(words(await start(fixture, project, { batchId }))).toEqual([400, locked]);
    await fixture.platform.query(`UPDATE work SET status = 'failed' WHERE id = '${jobId}'`);
    const again = await start(fixture, project, { batchId });
    expect(again.body.message).toBe('Auto Label takes 2 images.');
    expect((await fixture.tell('GET', `/acme/${project}/jobs/left`)).status).toBe(404);
  });

  it('labels only the classes that project and model share, where nobody names them', async () => {
    const fixture = labelling();
    const { project, ids, batchId } = await withImages(fixture, [
      await redAt(0),
      await blueAt(1),
      await blueAt(2),
    ]);
    await fixture.annotate(project, ids[0] ?? '', '', 'blue');
    const started = await start(fixture, project, { batchId });
    await fixture.ended(String(started.body.taskId));
    const { body } = await fixture.tell('GET', `/acme/autolabel/jobs/${started.body.jobId}`);
    expect(body).toMatchObject({ ontology: { blue: 'blue' }, images: { total: 2, labelled: 2 } });
    const other = await withImages(fixture, [await redAt(0), await redAt(1)], 'Other');
    await fixture.annotate(other.project, other.ids[0] ?? '', '', 'green');
    expect(words(await start(fixture, other.project, { batchId: other.batchId }))).toEqual([
      400,
      'ontology: is needed: the model knows "red", "blue", and the project has "green"',
    ]);
  });

  it('refuses what is wrong, and takes no image for it', async () => {
    const fixture = labelling();
    const { project, batchId } = await withImages(fixture, [await redAt(0)]);
    const refusal = async (body: object) =>
      words(await start(fixture, project, { batchId, ...body }));
    expect(await refusal({ ontology: { rad: 'x' } })).toEqual([
      400,
      'ontology.rad: is not a class of the model; did you mean "red"?',
    ]);
    expect(await refusal({ ontology: { red: ' x' } })).toEqual([
      400,
      'ontology.red: must be a class name: one line, without blanks at its ends',
    ]);
    expect(await refusal({ ontology: {} })).toEqual([400, 'ontology: names no class']);
    expect(await refusal({ confidenceThresholds: { green: 0.5 } })).toEqual([
      400,
      'confidenceThresholds.green: is not a class that is labelled; known are "red", "blue"',
    ]);
    expect(await refusal({ batchId: 'none' })).toEqual([
      400,
      'batchId: is no batch of this project: batches_list names the batches',
    ]);
    expect(await refusal({ modelType: 'custom_roboflow' })).toEqual([
      400,
      'modelOptions.modelId: is required with modelType "custom_roboflow"',
    ]);
    const modelOptions = { modelId: `${project}/7` };
    expect(await refusal({ modelType: 'custom_roboflow', modelOptions })).toEqual([
      400,
      `modelOptions.modelId: There is no model "${project}/7".`,
    ]);
    expect((await start(fixture, project, { batchId, modelType: 'nobody/7' })).status).toBe(404);
    const classes = await fixture.newProject('Classes', 'single-label-classification');
    await fixture.upload(classes, await redAt(0));
    const other = await fixture.batchOf(classes);
    expect(words(await start(fixture, classes, { batchId: other }))).toEqual([
      400,
      'modelType: gives boxes, which a project of the type single-label-classification cannot take',
    ]);
    expect((await fixture.tell('GET', `/acme/${project}/jobs`)).body.jobs).toEqual([]);
    await fixture.ended(String((await start(fixture, project, { batchId })).body.taskId));
    expect(words(await start(fixture, project, { batchId }))).toEqual([
      400,
      'batchId: has no image that waits for labels: all are annotated, or in an open job',
    ]);
  });

  it('shows its jobs to nobody else', async () => {
    const fixture = labelling();
    const { project, batchId } = await withImages(fixture, [await redAt(0)]);
    const { body } = await start(fixture, project, { batchId });
    const other = await fixture.platform.otherWorkspace('globex');
    const path = `autolabel/jobs/${body.jobId}`;
    expect((await fixture.tell('GET', `/globex/${path}`, undefined, other.key)).status).toBe(404);
    expect((await fixture.tell('GET', `/acme/${path}`, undefined, other.key)).status).toBe(403);
    await fixture.ended(String(body.taskId));
    await fixture.tell('DELETE', `/acme/${project}`);
    expect((await fixture.tell('GET', `/acme/${path}`)).status).toBe(404);
  });

  it('goes on where a process was killed, and counts nothing twice', async () => {
    const data = await temporaryFolder();
    const model = squaresModel;
    const { child, url } = await startPlatformProcess(data, model);
    onTestFinished(() => killProcess(child));
    const before = callsTo(url);
    const project = await before.newProject();
    const ids: string[] = [];
    for (let number = 0; number < 32; number++) {
      const green = { r: 0, g: number + 1, b: 0 };
      const dot = { left: 0, top: number % 16 === 0 ? 63 : 0, width: 1, height: 1, colour: green };
      ids.push(await before.upload(project, await redAt(number % 16, [dot])));
    }
    const body = { batchId: await before.batchOf(project), modelType: 'local' };
    const started = await before.tell('POST', `/acme/${project}/autolabel`, body);
    const { jobId } = started.body;
    const progress = async () => {
      const told = await before.tell('GET', `/acme/autolabel/jobs/${jobId}`);
      return Number(Object(told.body.progress).current);
    };
    let left = 0;
    while (left < 3) {
      await delay(5);
      left = await progress();
    }
    await killProcess(child);
    expect(left).toBeLessThan(32);

    // Long enough for the lease of the dead to end.
    const clock = { ...systemClock, now: () => systemClock.now() + 60_000 };
    const fixture = await startLabelling({ data, model, clock });
    expect(await fixture.ended(String(started.body.taskId))).toMatchObject({
      status: 'completed',
      result: { images: 32, labelled: 32, empty: 0, skipped: 0, boxes: 32 },
    });
    for (const [number, id] of ids.entries()) {
      const place = number % 16;
      const { annotation } = await fixture.image(project, id);
      const [x, y] = [(place % 4) * 16 + 8, Math.floor(place / 4) * 16 + 8];
      expect(annotation.boxes).toEqual([{ label: 'red', x, y, width: 16, height: 16 }]);
    }
    const stats = await fixture.tell('GET', '/acme/inference-stats');
    expect(stats.body).toMatchObject({ num_inferences: 32, num_errors: 0 });
  }, 90_000);
});

describe('without a model', () => {
  const labelling = sharedLabelling();

  const none =
    'No detection model is configured. Set FOVEA_MODEL to an ONNX file, or train and deploy one.';

  it.each([
    ['local', none],
    [
      'sam3',
      '"sam3" is a hosted model, and this platform runs ONNX models. Set FOVEA_MODEL to a ' +
        'detection model and pass modelType "local", or train and deploy one and pass ' +
        'PROJECT/VERSION.',
    ],
  ])('a job with %s fails at once, and labels nothing', async (modelType, error) => {
    const fixture = labelling();
    const { project, ids, batchId } = await withImages(fixture, [await redAt(0)]);
    const started = await start(fixture, project, { batchId, modelType });
    expect(started.status).toBe(202);
    expect(started.body).not.toHaveProperty('annotationJobId');
    const task = await fixture.tell('GET', `/acme/asynctasks/${started.body.taskId}`);
    expect(task.body).toMatchObject({ status: 'failed', error });
    expect(
      (await fixture.tell('GET', `/acme/autolabel/jobs/${started.body.jobId}`)).body,
    ).toMatchObject({ status: 'failed', error, modelType, images: { total: 0, labelled: 0 } });
    expect(await fixture.image(project, ids[0] ?? '')).toMatchObject({ annotated: false });
    expect((await fixture.tell('GET', `/acme/${project}/jobs`)).body.jobs).toEqual([]);
    const stats = await fixture.tell('GET', '/acme/inference-stats');
    expect(stats.body).toMatchObject({ num_inferences: 0, num_errors: 0 });
  });
});
