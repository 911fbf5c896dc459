// Jobs about how good a model is: what it misses, and where.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { at, type Job, listAt, type Scene } from '../job.ts';
import { finished, found, idsOf, seedSample } from './blood-cells.ts';

const project = 'blood-cells';

/** As a trainer elsewhere left them: the labels, without the platelets of every other image. */
async function seedPredictions(scene: Scene): Promise<void> {
  await seedSample(scene);
  const wanted = { query: '*', fields: ['name', 'annotations'], pageSize: 100 };
  const images = listAt(await scene.post('/search/v1', wanted), 'results');
  const missed = new Set(await missedImages(scene));
  const results = images.flatMap((image) => {
    const name = String(at(image, 'name'));
    return listAt(image, 'annotations.boxes').flatMap((box) => {
      const [x = 0, y = 0, width = 0, height = 0] = ['x', 'y', 'width', 'height'].map((member) =>
        Number(at(box, member)),
      );
      const label = at(box, 'label');
      if (label === 'Platelets' && missed.has(name.replace(/\.\w+$/, ''))) return [];
      const bbox = [x - width / 2, y - height / 2, width, height];
      return [{ image_id: name, category_id: label, bbox, score: 0.8 }];
    });
  });
  await writeFile(join(scene.files, 'predictions.json'), JSON.stringify(results));
}

/** Every other image with platelets, by name. */
async function missedImages(scene: Scene): Promise<readonly string[]> {
  const names = await found(scene, 'class:Platelets');
  return names.filter((_, place) => place % 2 === 0);
}

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
];
