// Annotation jobs and Auto Label.

import assert from 'node:assert/strict';
import * as z from 'zod';
import type { Call } from '../../../conformance/http.ts';
import { testImage } from '../../../fixtures/images.ts';
import { taskStarted } from '../answers.ts';
import { type Context, check, type FamilyChecks } from '../check.ts';
import { annotate, ask, askFor, at, ended, newProject, pathOf, refused, upload } from '../steps.ts';

const text = z.string().min(1);
const count = z.int().min(0);

const job = z.looseObject({
  id: text,
  name: text,
  sourceBatch: text,
  status: text,
  numImages: count,
  unannotated: count,
  annotated: count,
  approved: count,
  rejected: count,
});
const jobs = z.looseObject({ jobs: z.array(job) });
const batches = z.looseObject({ batches: z.array(z.looseObject({ id: text, numJobs: count })) });
const labelStarted = taskStarted.extend({ jobId: text });
const labelJob = z.looseObject({ status: z.enum(['created', 'running', 'completed', 'failed']) });
const imageAnswer = z.looseObject({ image: z.looseObject({ labels: z.array(z.string()) }) });

const people = { labelerEmail: 'lea@example.com', reviewerEmail: 'rob@example.com' };

async function batchOf(context: Context, project: string) {
  const { batches: found } = await askFor(context, batches, {
    path: at(context, project, '/batches'),
  });
  return found[0] ?? assert.fail('the upload made no batch');
}

/** A project with two images, and what a job for both of them is made of. */
async function withTwoImages(context: Context) {
  const project = await newProject(context);
  const [first, second] = [await upload(context, project, 1), await upload(context, project, 2)];
  const { id: batch } = await batchOf(context, project);
  const json = { name: 'A job', batch, num_images: 2, ...people };
  return { project, first, second, batch, json, path: at(context, project, '/jobs') };
}

/** Starts Auto Label; resolves to its task, once it has ended, and to its job. */
async function autolabel(context: Context, project: string, modelType: string) {
  const { id: batchId } = await batchOf(context, project);
  const path = at(context, project, '/autolabel');
  const started = await askFor(context, labelStarted, { path, json: { batchId, modelType } }, 202);
  const task = await ended(context, pathOf(context, started.url));
  const address = `/${context.workspace}/autolabel/jobs/${started.jobId}`;
  return { task, address, job: await askFor(context, labelJob, { path: address }) };
}

async function labelsOf(context: Context, project: string, imageId: string) {
  const path = at(context, project, `/images/${imageId}`);
  return (await askFor(context, imageAnswer, { path })).image.labels;
}

const predicted = z.looseObject({
  inference_id: text,
  time: z.number(),
  image: z.looseObject({ width: count, height: count }),
  predictions: z.array(
    z.looseObject({
      x: z.number(),
      y: z.number(),
      width: z.number(),
      height: z.number(),
      class: text,
      confidence: z.number().min(0).max(1),
    }),
  ),
});

/** The model of the settings on an image, as base64. */
export function inferenceOf(project: string, image: Uint8Array): Call {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return { path: `/${project}/local`, headers, body: Buffer.from(image).toString('base64') };
}

export const annotationChecks: FamilyChecks = {
  default: [
    check(
      'an annotation job counts its images',
      ['2.8', '16.1', '16.2', '16.3'],
      async (context) => {
        const { project, first, second, batch, json, path } = await withTwoImages(context);
        const made = await askFor(context, job, { path, json }, 201);
        assert.equal(made.sourceBatch, batch);
        const at = `${path}/${made.id}`;
        const seen = async () => {
          const { numImages, unannotated, annotated } = await askFor(context, job, { path: at });
          return [numImages, unannotated, annotated];
        };
        assert.deepEqual(await seen(), [2, 2, 0]);
        await annotate(context, project, first, [['cap', 1, 1, 9, 9]]);
        assert.deepEqual(await seen(), [2, 1, 1]);
        await annotate(context, project, second, []);
        assert.deepEqual(await seen(), [2, 0, 2]);
        const { jobs: listed } = await askFor(context, jobs, { path });
        assert.deepEqual(
          listed.map(({ id }) => id),
          [made.id],
        );
        assert.equal((await batchOf(context, project)).numJobs, 1);
      },
    ),
    check('an annotation job takes no image twice', ['16.2'], async (context) => {
      const { json, path } = await withTwoImages(context);
      await refused(context, { path, json: { ...json, num_images: 3 } }, 400);
      await ask(context, { path, json }, 201);
      await refused(context, { path, json: { ...json, num_images: 1 } }, 400);
      await refused(context, { path, json: { ...json, batch: 'none' } }, 400);
      await refused(context, { path: `${path}/none` }, 404);
    }),
    check('Auto Label labels nothing without a model', ['16.4', '16.5'], async (context) => {
      const { project, first } = await withTwoImages(context);
      const { task, job: seen } = await autolabel(context, project, 'local');
      assert.equal(seen.status, task.status);
      if (task.status === 'failed') assert.deepEqual(await labelsOf(context, project, first), []);
      await refused(context, { path: `/${context.workspace}/autolabel/jobs/none` }, 404);
      const path = at(context, project, '/autolabel');
      await refused(context, { path, json: { batchId: 'none', modelType: 'local' } }, 400);
    }),
  ],
  model: [
    check('Auto Label with a model ends well', ['16.4', '16.5'], async (context) => {
      const { project } = await withTwoImages(context);
      const { task, job: seen } = await autolabel(context, project, 'local');
      assert.equal(task.status, 'completed');
      assert.equal(seen.status, 'completed');
    }),
    check('hosted inference runs a model on an image', ['23.2'], async (context) => {
      const project = await newProject(context);
      const found = await askFor(context, predicted, inferenceOf(project, await testImage(3)));
      assert.deepEqual([found.image.width, found.image.height], [64, 48]);
      await refused(context, inferenceOf(project, Buffer.from('no image')), 415);
    }),
  ],
};
