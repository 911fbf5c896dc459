// Jobs about projects: making, filling, copying, removing and bringing back.

import assert from 'node:assert/strict';
import { at, type Job, listAt, nothing } from '../job.ts';
import { classCounts, emptyProject, found, importSample, seedSample } from './blood-cells.ts';

export const datasetJobs: readonly Job[] = [
  {
    name: 'create-project',
    prompt: 'Make an object detection project called "Parking Lot" in which cars are annotated.',
    seed: nothing,
    solve: async (call) => {
      const type = 'object-detection';
      await call('projects_create', { name: 'Parking Lot', type, annotation: 'cars' });
    },
    check: async ({ get }) => {
      const answer = await get('/parking-lot');
      assert.equal(at(answer, 'project.type'), 'object-detection');
      assert.match(String(at(answer, 'project.annotation')), /^cars?$/i);
    },
  },
  {
    name: 'import-folder',
    prompt:
      'Import the labelled images in {files}/blood-cells (Pascal VOC) into a new object ' +
      'detection project named "Blood Cells".',
    seed: nothing,
    solve: async (call, files) => void (await importSample(call, files)),
    check: async ({ get }) => {
      const health = await get('/blood-cells/health');
      assert.equal(at(health, 'stats.numImages'), 12);
      assert.deepEqual(at(health, 'stats.classDistribution'), classCounts);
    },
  },
  {
    name: 'import-split-and-batch',
    prompt:
      'Put the images of {files}/blood-cells with their annotations into the project "Slides": ' +
      'all into the validation split, in a batch named "Monday", with the tag "lab-3".',
    seed: ({ setUp }) => emptyProject(setUp, 'Slides'),
    solve: async (call, files) => {
      await call('images_upload', {
        project: 'slides',
        files: [`${files}/blood-cells/JPEGImages`],
        annotations: `${files}/blood-cells/Annotations`,
        split: 'valid',
        batch: 'Monday',
        tags: ['lab-3'],
      });
    },
    check: async (scene) => {
      assert.equal((await found(scene, 'project:slides split:valid tag:lab-3')).length, 12);
      const { batches } = { batches: listAt(await scene.get('/slides/batches'), 'batches') };
      assert.deepEqual(
        batches.map((batch) => at(batch, 'name')),
        ['Monday'],
      );
      const health = await scene.get('/slides/health');
      assert.deepEqual(at(health, 'stats.classDistribution'), classCounts);
    },
  },
  {
    name: 'no-second-project',
    prompt:
      'Make sure that there are object detection projects named "Pallets" (for pallets) and ' +
      '"Boxes" (for boxes), one of each.',
    seed: ({ setUp }) => emptyProject(setUp, 'Pallets'),
    solve: async (call) => {
      await call('projects_get', { project: 'pallets' });
      const type = 'object-detection';
      await call('projects_create', { name: 'Boxes', type, annotation: 'boxes' });
    },
    check: async ({ get }) => {
      const projects = listAt(await get(''), 'workspace.projects');
      assert.deepEqual(projects.map((project) => at(project, 'name')).toSorted(), [
        'Boxes',
        'Pallets',
      ]);
    },
  },
  {
    name: 'restore-project',
    prompt: 'I deleted my project "Blood Cells" by mistake. Bring it back with its images.',
    seed: async (scene) => {
      await seedSample(scene);
      await scene.setUp('projects_delete', { project: 'blood-cells' });
    },
    solve: async (call) => {
      const [item] = listAt(await call('trash_list'), 'items');
      await call('trash_restore', { type: 'project', id: at(item, 'id') });
    },
    check: async (scene) => {
      assert.equal((await found(scene, 'project:blood-cells')).length, 12);
    },
  },
  {
    name: 'clean-up-projects',
    prompt:
      'Delete all projects whose names begin with "Test". Leave all others as they are, also ' +
      'those that only have the word somewhere in their names.',
    seed: async ({ setUp }) => {
      for (const name of ['Test One', 'Test Two', 'Contest', 'Latest Photos']) {
        await emptyProject(setUp, name);
      }
    },
    solve: async (call) => {
      await call('projects_delete', { project: 'test-one' });
      await call('projects_delete', { project: 'test-two' });
    },
    check: async ({ get }) => {
      const names = listAt(await get(''), 'workspace.projects').map((one) => at(one, 'name'));
      assert.deepEqual(names.toSorted(), ['Contest', 'Latest Photos']);
    },
  },
  {
    name: 'copy-project',
    prompt: 'Make a copy of my project "Blood Cells", so that I can try things on the copy.',
    seed: async ({ setUp, files }) => {
      await setUp('projects_create', {
        name: 'Blood Cells',
        type: 'object-detection',
        annotation: 'cells',
        public: true,
      });
      await setUp('images_upload', {
        project: 'blood-cells',
        files: [`${files}/blood-cells/JPEGImages`],
        annotations: `${files}/blood-cells/Annotations`,
      });
    },
    solve: async (call) => {
      const { taskId } = await call('projects_fork', { source_project: 'blood-cells' });
      await call('tasks_wait', { taskId, timeout_s: 30 });
    },
    check: async ({ get }) => {
      const projects = listAt(await get(''), 'workspace.projects');
      assert.equal(projects.length, 2);
      assert.deepEqual(
        projects.map((project) => at(project, 'images')),
        [12, 12],
      );
    },
  },
  {
    name: 'rebalance',
    prompt: 'Distribute the images of "Blood Cells": half for training, the rest in equal parts.',
    seed: seedSample,
    solve: async (call) => {
      const splits = { train: 50, valid: 25, test: 25 };
      const { taskId } = await call('projects_rebalance_splits', {
        project: 'blood-cells',
        splits,
      });
      if (taskId !== undefined) await call('tasks_wait', { taskId, timeout_s: 30 });
    },
    check: async ({ get }) => {
      const answer = await get('/blood-cells');
      assert.deepEqual(at(answer, 'project.splits'), { train: 6, valid: 3, test: 3 });
    },
  },
];
