// Jobs about frozen versions: settings, exports, trainings, deployment.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readZip } from '../../../test/fixtures/read-zip.ts';
import { at, type CallTool, type Facts, type Job, listAt, type Scene } from '../job.ts';
import { finished, frozenSample, importSample, seedSample, tagFound } from './blood-cells.ts';

const project = 'blood-cells';

async function seedVersion(scene: Scene): Promise<void> {
  await seedSample(scene);
  await frozenSample(scene.setUp);
}

async function generate(call: CallTool, settings: Facts): Promise<void> {
  const { version } = await call('versions_generate', { project, augmentation: {}, ...settings });
  await finished(call, { project, version });
}

/** The only version that an agent made, once it is done. */
async function versionOf({ get }: Scene, version: number): Promise<unknown> {
  for (let round = 0; round < 60; round += 1) {
    const answer = await get(`/${project}/${version}`);
    const isGoing = at(answer, 'version.generating') === true;
    if (!isGoing) return at(answer, 'version');
    await new Promise((done) => setTimeout(done, 250));
  }
  throw new Error('The version is still being made.');
}

async function numberOfVersions({ get }: Scene): Promise<number> {
  return listAt(await get(`/${project}`), 'versions').length;
}

export const versionJobs: readonly Job[] = [
  {
    name: 'version-resized',
    prompt: 'Freeze a version of "Blood Cells" at 320 x 320 (stretched), without augmentation.',
    seed: seedSample,
    solve: async (call) => void (await frozenSample(call)),
    check: async (scene) => {
      const version = await versionOf(scene, 1);
      assert.equal(at(version, 'images'), 12);
      assert.equal(at(version, 'preprocessing.resize.width'), 320);
      assert.equal(at(version, 'preprocessing.resize.height'), 320);
      assert.equal(at(version, 'preprocessing.resize.format'), 'Stretch to');
      assert.deepEqual(at(version, 'augmentation') ?? {}, {});
    },
  },
  {
    name: 'version-augmented',
    prompt:
      'Freeze a version of "Blood Cells": 416 x 416 stretched, flipped left to right at random, ' +
      'turned by up to 10 degrees, three images out of each training image.',
    seed: seedSample,
    solve: (call) =>
      generate(call, {
        preprocessing: { resize: { width: 416, height: 416, format: 'Stretch to' } },
        augmentation: {
          flip: { horizontal: true },
          rotate: { degrees: 10 },
          image: { versions: 3 },
        },
      }),
    check: async (scene) => {
      const version = await versionOf(scene, 1);
      assert.equal(at(version, 'images'), 36);
      assert.equal(at(version, 'augmentation.flip.horizontal'), true);
      assert.notEqual(at(version, 'augmentation.flip.vertical'), true);
      assert.equal(at(version, 'augmentation.rotate.degrees'), 10);
    },
  },
  {
    name: 'version-renamed',
    prompt:
      'Freeze a version of "Blood Cells" in which the class RBC is called "red cell" and WBC ' +
      '"white cell". Leave the images as large as they are.',
    seed: seedSample,
    solve: (call) =>
      generate(call, { preprocessing: { remap: { RBC: 'red cell', WBC: 'white cell' } } }),
    check: async (scene) => {
      const version = await versionOf(scene, 1);
      const classes = listAt(version, 'classes').toSorted();
      assert.deepEqual(classes, ['Platelets', 'red cell', 'white cell']);
      assert.equal(at(version, 'preprocessing.resize'), undefined);
    },
  },
  {
    name: 'version-by-tag',
    prompt:
      'Freeze a version of "Blood Cells" in grey tones with only the images that are tagged ' +
      '"good".',
    seed: async (scene) => {
      await seedSample(scene);
      await tagFound(scene.setUp, 'class:Platelets>=2', 'good');
    },
    solve: (call) =>
      generate(call, {
        preprocessing: { grayscale: true, 'filter-tags': { good: true } },
      }),
    check: async (scene) => {
      const version = await versionOf(scene, 1);
      assert.equal(at(version, 'images'), 6);
      assert.notEqual(at(version, 'preprocessing.grayscale') ?? false, false);
    },
  },
  {
    name: 'delete-version',
    prompt: 'Version 1 of "Blood Cells" was a mistake: delete it. Version 2 stays.',
    seed: async (scene) => {
      await seedVersion(scene);
      await generate(scene.setUp, { preprocessing: { grayscale: true } });
    },
    solve: async (call) => void (await call('versions_delete', { project, version: 1 })),
    check: async (scene) => {
      assert.equal(await numberOfVersions(scene), 1);
      assert.equal(at(await scene.get(`/${project}/2`), 'version.images'), 12);
    },
  },
  {
    name: 'export-coco',
    prompt: 'Write version 1 of "Blood Cells" in COCO format to {files}/cells.zip.',
    seed: seedVersion,
    solve: async (call, files) => {
      const save_to = `${files}/cells.zip`;
      await call('versions_export', { project, version: 1, format: 'coco', save_to });
    },
    check: async ({ files }) => {
      assert.ok(existsSync(`${files}/cells.zip`), 'cells.zip is missing');
      const names = [...(await readZip(`${files}/cells.zip`)).keys()];
      assert.equal(names.filter((name) => name.endsWith('.jpg')).length, 12);
      assert.ok(names.some((name) => name.endsWith('_annotations.coco.json')));
    },
  },
  {
    name: 'train',
    prompt: 'Train a model on version 1 of "Blood Cells" and wait until it is done.',
    trains: true,
    seed: async ({ setUp, files }) => {
      await importSample(setUp, files);
      const splits = { train: 50, valid: 25, test: 25 };
      const { taskId } = await setUp('projects_rebalance_splits', { project, splits });
      if (taskId !== undefined) await setUp('tasks_wait', { taskId, timeout_s: 30 });
      await frozenSample(setUp);
    },
    solve: async (call) => {
      const { jobId } = await call('trainings_start', { project, version: 1, epochs: 2 });
      await finished(call, { taskId: jobId });
    },
    check: async ({ get }) => {
      const [training, ...others] = listAt(await get(`/${project}/1/v2/trainings`), 'trainings');
      assert.equal(others.length, 0);
      assert.equal(at(training, 'status'), 'finished');
    },
  },
  {
    name: 'correct-a-slip',
    prompt: 'Freeze a version of the project "Blod Cels" with images of 256 x 256, stretched.',
    seed: seedSample,
    solve: (call) =>
      generate(call, {
        preprocessing: { resize: { width: 256, height: 256, format: 'Stretch to' } },
      }),
    check: async (scene) => {
      assert.equal(at(await versionOf(scene, 1), 'preprocessing.resize.width'), 256);
      assert.equal(listAt(await scene.get(''), 'workspace.projects').length, 1);
    },
  },
];
