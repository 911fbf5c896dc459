// Annotation jobs and Auto Label.

import assert from 'node:assert/strict';
import * as z from 'zod';
import type { Call } from '../../../conformance/http.ts';
import { picture } from '../../../fixtures/pictures.ts';
import { taskStarted } from '../answers.ts';
import { check, type FamilyChecks, type Kit } from '../check.ts';
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

async function batchOf(kit: Kit, project: string) {
  const { batches: found } = await askFor(kit, batches, { path: at(kit, project, '/batches') });
  return found[0] ?? assert.fail('the upload made no batch');
}

/** A project with two images, and what a job for both of them is made of. */
async function withTwoImages(kit: Kit) {
  const project = await newProject(kit);
  const [first, second] = [await upload(kit, project, 1), await upload(kit, project, 2)];
  const { id: batch } = await batchOf(kit, project);
  const json = { name: 'A job', batch, num_images: 2, ...people };
  return { project, first, second, batch, json, path: at(kit, project, '/jobs') };
}

/** Starts Auto Label; resolves to its task, once it has ended, and to its job. */
async function autolabel(kit: Kit, project: string, modelType: string) {
  const { id: batchId } = await batchOf(kit, project);
  const path = at(kit, project, '/autolabel');
  const started = await askFor(kit, labelStarted, { path, json: { batchId, modelType } }, 202);
  const task = await ended(kit, pathOf(kit, started.url));
  const address = `/${kit.workspace}/autolabel/jobs/${started.jobId}`;
  return { task, address, job: await askFor(kit, labelJob, { path: address }) };
}

async function labelsOf(kit: Kit, project: string, imageId: string) {
  const path = at(kit, project, `/images/${imageId}`);
  return (await askFor(kit, imageAnswer, { path })).image.labels;
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
    check('an annotation job counts its images', ['2.8', '16.1', '16.2', '16.3'], async (kit) => {
      const { project, first, second, batch, json, path } = await withTwoImages(kit);
      const made = await askFor(kit, job, { path, json }, 201);
      assert.equal(made.sourceBatch, batch);
      const at = `${path}/${made.id}`;
      const seen = async () => {
        const { numImages, unannotated, annotated } = await askFor(kit, job, { path: at });
        return [numImages, unannotated, annotated];
      };
      assert.deepEqual(await seen(), [2, 2, 0]);
      await annotate(kit, project, first, [['cap', 1, 1, 9, 9]]);
      assert.deepEqual(await seen(), [2, 1, 1]);
      await annotate(kit, project, second, []);
      assert.deepEqual(await seen(), [2, 0, 2]);
      const { jobs: listed } = await askFor(kit, jobs, { path });
      assert.deepEqual(
        listed.map(({ id }) => id),
        [made.id],
      );
      assert.equal((await batchOf(kit, project)).numJobs, 1);
    }),
    check('an annotation job takes no image twice', ['16.2'], async (kit) => {
      const { json, path } = await withTwoImages(kit);
      await refused(kit, { path, json: { ...json, num_images: 3 } }, 400);
      await ask(kit, { path, json }, 201);
      await refused(kit, { path, json: { ...json, num_images: 1 } }, 400);
      await refused(kit, { path, json: { ...json, batch: 'none' } }, 400);
      await refused(kit, { path: `${path}/none` }, 404);
    }),
    check('Auto Label labels nothing without a model', ['16.4', '16.5'], async (kit) => {
      const { project, first } = await withTwoImages(kit);
      const { task, job: seen } = await autolabel(kit, project, 'local');
      assert.equal(seen.status, task.status);
      if (task.status === 'failed') assert.deepEqual(await labelsOf(kit, project, first), []);
      await refused(kit, { path: `/${kit.workspace}/autolabel/jobs/none` }, 404);
      const path = at(kit, project, '/autolabel');
      await refused(kit, { path, json: { batchId: 'none', modelType: 'local' } }, 400);
    }),
  ],
  model: [
    check('Auto Label with a model ends well', ['16.4', '16.5'], async (kit) => {
      const { project } = await withTwoImages(kit);
      const { task, job: seen } = await autolabel(kit, project, 'local');
      assert.equal(task.status, 'completed');
      assert.equal(seen.status, 'completed');
    }),
    check('hosted inference runs a model on an image', ['23.2'], async (kit) => {
      const project = await newProject(kit);
      const found = await askFor(kit, predicted, inferenceOf(project, await picture(3)));
      assert.deepEqual([found.image.width, found.image.height], [64, 48]);
      await refused(kit, inferenceOf(project, Buffer.from('no image')), 415);
    }),
  ],
};
