// Jobs about how good a model is: what it misses, and where.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { at, type Job, listAt } from '../job.ts';
import { finished, found, idsOf, seedSample } from './blood-cells.ts';
import {
  evaluated,
  missedImages,
  project,
  seedChecked,
  seedPredictions,
  writePredictions,
  wrongImages,
} from './made-predictions.ts';

export const evaluationJobs: readonly Job[] = [
  {
    name: 'missed-platelets',
    prompt:
      'A model was trained elsewhere; {files}/predictions.json has what it finds in the images of ' +
      '"Blood Cells" (COCO results). In which images does it miss platelets? Tag exactly these ' +
      'images: missed-platelets.',
    seed: seedPredictions,
    solve: async (call, files) => {
      const predictions = join(files, 'predictions.json');
      const started = await call('evaluations_create', { project, query: '*', predictions });
      await finished(call, { taskId: started.taskId });
      const shown = await call('evaluations_get', {
        project,
        evaluationId: started.evaluationId,
        panel: 'images',
        class: 'Platelets',
        limit: 100,
      });
      for (const image of listAt(shown, 'results')) {
        if (Number(at(image, 'misses')) === 0) continue;
        const [imageId] = await idsOf(call, `filename:${String(at(image, 'image'))}`);
        const change = { project, imageId, operation: 'add', tags: ['missed-platelets'] };
        await call('images_tag', change);
      }
    },
    check: async (scene) => {
      const wanted = await missedImages(scene);
      assert.ok(wanted.length > 0 && wanted.length < 12);
      assert.deepEqual(await found(scene, 'tag:missed-platelets'), wanted);
    },
  },
  {
    name: 'wrong-classes',
    prompt:
      '{files}/checked.json has what an expert sees in the images of "Blood Cells" (COCO results). ' +
      'Some labels are of the wrong class. Tag the images that have such labels, and no others: ' +
      'relabel.',
    seed: seedChecked,
    solve: async (call, files) => {
      const predictions = join(files, 'checked.json');
      const { evaluationId, taskId } = await call('evaluations_create', {
        project,
        query: '*',
        predictions,
      });
      await finished(call, { taskId });
      const tagged = { project, evaluationId, only: 'swapped', tag: 'relabel' };
      await finished(call, { taskId: (await call('evaluations_tag', tagged)).taskId });
    },
    check: async (scene) => {
      const wanted = await wrongImages(scene);
      assert.ok(wanted.length > 0 && wanted.length < 12);
      assert.deepEqual(await found(scene, 'tag:relabel'), wanted);
    },
  },
  {
    name: 'worse-after-retraining',
    prompt:
      'The model of "Blood Cells" was trained again. {files}/before.json and {files}/after.json have ' +
      'what it found in all images before and after (COCO results). Tag the images in which it now ' +
      'makes more errors than before: worse.',
    seed: async (scene) => {
      await seedSample(scene);
      const missed = new Set(await missedImages(scene));
      const unlike = new Set(await wrongImages(scene));
      // Before, no white cell of some images was found; after, no platelet of others.
      await writePredictions(scene, 'before.json', (label, image) =>
        label === 'WBC' && unlike.has(image) && !missed.has(image) ? undefined : label,
      );
      await writePredictions(scene, 'after.json', (label, image) =>
        label === 'Platelets' && missed.has(image) ? undefined : label,
      );
    },
    solve: async (call, files) => {
      const [before, after] = [
        await evaluated(call, join(files, 'before.json')),
        await evaluated(call, join(files, 'after.json')),
      ];
      const compared = await call('evaluations_compare', {
        project,
        evaluationId: after,
        baseline: before,
        limit: 100,
      });
      const errors = (image: unknown, when: string) =>
        Number(at(image, `${when}.misses`)) + Number(at(image, `${when}.falsePositives`));
      for (const image of listAt(compared, 'changed')) {
        if (errors(image, 'after') <= errors(image, 'before')) continue;
        const change = { project, imageId: at(image, 'imageId'), operation: 'add' };
        await call('images_tag', { ...change, tags: ['worse'] });
      }
    },
    check: async (scene) => {
      const wanted = await missedImages(scene);
      assert.deepEqual(await found(scene, 'tag:worse'), wanted);
    },
  },
];
