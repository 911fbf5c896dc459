// Predictions that a model could have made of the sample, with errors that are known.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { at, type CallTool, listAt, type Scene } from '../job.ts';
import { bareName, finished, found, seedSample } from './blood-cells.ts';

export const project = 'blood-cells';

type Predicted = (label: unknown, image: string) => unknown;

/** As a trainer elsewhere left them: the labels, without the platelets of every other image. */
export async function seedPredictions(scene: Scene): Promise<void> {
  await seedSample(scene);
  const missed = new Set(await missedImages(scene));
  await writePredictions(scene, 'predictions.json', (label, image) =>
    label === 'Platelets' && missed.has(image) ? undefined : label,
  );
}

/** The labels as results; `predicted` says which class is found for one: undefined for none. */
export async function writePredictions(
  scene: Scene,
  file: string,
  predicted: Predicted,
): Promise<void> {
  const images = await labelledImages(scene);
  const results = images.flatMap(({ name, boxes }) =>
    boxes.flatMap((box) => {
      const [x = 0, y = 0, width = 0, height = 0] = ['x', 'y', 'width', 'height'].map((member) =>
        Number(at(box, member)),
      );
      const found = predicted(at(box, 'label'), bareName(name));
      const bbox = [x - width / 2, y - height / 2, width, height];
      return found === undefined ? [] : [{ image_id: name, category_id: found, bbox, score: 0.8 }];
    }),
  );
  await writeFile(join(scene.files, file), JSON.stringify(results));
}

/** All images by their names, with their labels. */
export async function labelledImages(scene: Scene) {
  const wanted = { query: '*', fields: ['name', 'annotations'], pageSize: 100 };
  const images = listAt(await scene.post('/search/v1', wanted), 'results');
  return images.map((image) => ({
    name: String(at(image, 'name')),
    boxes: listAt(image, 'annotations.boxes'),
  }));
}

/** By an expert, who sees red cells where some labels say white ones. */
export async function seedChecked(scene: Scene): Promise<void> {
  await seedSample(scene);
  const wrong = new Set(await wrongImages(scene));
  await writePredictions(scene, 'checked.json', (label, image) =>
    label === 'WBC' && wrong.has(image) ? 'RBC' : label,
  );
}

/** Every other image with platelets, by name. */
export async function missedImages(scene: Scene): Promise<readonly string[]> {
  const names = await found(scene, 'class:Platelets');
  return names.filter((_, place) => place % 2 === 0);
}

export async function evaluated(call: CallTool, predictions: string): Promise<unknown> {
  const asked = { project, query: '*', predictions };
  const { evaluationId, taskId } = await call('evaluations_create', asked);
  await finished(call, { taskId });
  return evaluationId;
}

/** Every third image with white cells, by name. */
export async function wrongImages(scene: Scene): Promise<readonly string[]> {
  const names = await found(scene, 'class:WBC');
  return names.filter((_, place) => place % 3 === 0);
}
