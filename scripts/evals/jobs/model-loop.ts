// Jobs that close the loop of a model: what its figures are, and what to do about its images.

import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { at, type CallTool, type Facts, type Job, listAt, type Scene } from '../job.ts';
import {
  bareName,
  classCounts,
  finished,
  found,
  idsOf,
  importSample,
  seedSample,
} from './blood-cells.ts';
import {
  evaluated,
  labelledImages,
  missedImages,
  project,
  seedChecked,
  seedPredictions,
  writePredictions,
  wrongImages,
} from './made-predictions.ts';

/** Where figures are noted: a person would write them down too. */
const noted = 'BloodImage_00040';

const toNote = `Note it as metadata of the image ${noted}`;

async function note(call: CallTool, metadata: Facts): Promise<void> {
  const [imageId] = await idsOf(call, `filename:${noted}.jpg`);
  await call('images_set_metadata', { imageId, metadata });
}

async function notes(scene: Scene): Promise<Facts> {
  const asked = { query: `filename:${noted}.jpg`, fields: ['metadata'] };
  const [image] = listAt(await scene.post('/search/v1', asked), 'results');
  return Object(at(image, 'metadata'));
}

/** One class of the figures. */
async function figuresOf(call: CallTool, evaluationId: unknown, name: string): Promise<unknown> {
  const shown = await call('evaluations_get', { project, evaluationId, panel: 'per_class' });
  return listAt(shown, 'classes').find((row) => at(row, 'class') === name);
}

/** How many labels of a class are in images. */
async function countLabels(
  scene: Scene,
  name: string,
  images?: ReadonlySet<string>,
): Promise<number> {
  const within = (await labelledImages(scene)).filter(
    (image) => images?.has(bareName(image.name)) ?? true,
  );
  const labels = within.flatMap(({ boxes }) => boxes);
  return labels.filter((box) => at(box, 'label') === name).length;
}

/** Copies of some images of the sample, saved anew under names of their own. */
async function copyImages({ files, setUp }: Scene, split: 'train' | 'test'): Promise<void> {
  const folder = join(files, 'blood-cells/JPEGImages');
  const names = (await readdir(folder)).toSorted().slice(2, 5);
  const copies: string[] = [];
  for (const [place, name] of names.entries()) {
    const copy = join(files, `scan-${place + 1}.jpg`);
    await sharp(join(folder, name)).jpeg({ quality: 70 }).toFile(copy);
    copies.push(copy);
  }
  await setUp('images_upload', { project, files: copies, split });
}

/** Ids of those copies among the images of a finding. */
async function findCopies(call: CallTool, finding: string): Promise<readonly unknown[]> {
  const groups = listAt(await call('projects_findings', { project, finding }), 'groups');
  const images = groups.flatMap((group) => listAt(group, 'images'));
  const copies = images.filter((image) => /^scan-/.test(String(at(image, 'name'))));
  return copies.map((image) => at(image, 'id'));
}

export const modelLoopJobs: readonly Job[] = [
  {
    name: 'missed-platelets-in-figures',
    prompt:
      'Why does my model miss platelets? {files}/predictions.json has what it finds in the images of ' +
      '"Blood Cells" (COCO results). How many platelets are labelled, and how many of these does it ' +
      `miss? ${toNote}: platelets_labelled and platelets_missed.`,
    seed: seedPredictions,
    solve: async (call, files) => {
      const evaluationId = await evaluated(call, join(files, 'predictions.json'));
      const row = await figuresOf(call, evaluationId, 'Platelets');
      const labelled = Number(at(row, 'groundTruths'));
      const missed = Math.round(labelled * (1 - Number(at(row, 'recall'))));
      await note(call, { platelets_labelled: labelled, platelets_missed: missed });
    },
    check: async (scene) => {
      const missed = await countLabels(scene, 'Platelets', new Set(await missedImages(scene)));
      const { platelets_labelled, platelets_missed } = await notes(scene);
      assert.ok(missed > 0 && missed < classCounts.Platelets);
      assert.deepEqual([platelets_labelled, platelets_missed], [classCounts.Platelets, missed]);
    },
  },
  {
    name: 'best-threshold',
    prompt:
      '{files}/predictions.json has what a model finds in the images of "Blood Cells", and how sure ' +
      'it is (COCO results). Below which confidence should its boxes be left out, so that F1 is best? ' +
      `${toNote}: best_confidence. And the F1 that it has then, in percent, without decimals: best_f1.`,
    seed: async (scene) => {
      await seedSample(scene);
      await writePredictions(scene, 'predictions.json', (label) => label);
      const path = join(scene.files, 'predictions.json');
      const right: readonly { bbox: readonly number[] }[] = JSON.parse(
        await readFile(path, 'utf8'),
      );
      // As many again, of which none is right, and less sure.
      const wrong = right.map((one) => ({ ...one, bbox: [2, 2, 9, 9], score: 0.4 }));
      await writeFile(path, JSON.stringify([...right, ...wrong]));
    },
    solve: async (call, files) => {
      const evaluationId = await evaluated(call, join(files, 'predictions.json'));
      const { best } = await call('evaluations_get', { project, evaluationId });
      await note(call, {
        best_confidence: at(best, 'confidence'),
        best_f1: Math.round(100 * Number(at(best, 'f1'))),
      });
    },
    check: async (scene) => {
      const { best_confidence, best_f1 } = await notes(scene);
      const confidence = Number(best_confidence);
      assert.ok(confidence > 0.4 && confidence <= 0.8, `confidence ${best_confidence}`);
      // Two labels of the sample have no area: nothing finds them.
      assert.ok(best_f1 === 99, `F1 ${best_f1}`);
    },
  },
  {
    name: 'which-is-better-for-white-cells',
    prompt:
      '{files}/small.json and {files}/large.json have what two models find in the images of "Blood ' +
      `Cells" (COCO results). Which one finds white blood cells (WBC) better? ${toNote}: better, which ` +
      'is small or large; and the recall of the better one for WBC in percent, without decimals: recall.',
    seed: async (scene) => {
      await seedSample(scene);
      const wrong = new Set(await wrongImages(scene));
      await writePredictions(scene, 'small.json', (label, image) =>
        label === 'WBC' && !wrong.has(image) ? undefined : label,
      );
      await writePredictions(scene, 'large.json', (label, image) =>
        label === 'WBC' && wrong.has(image) ? undefined : label,
      );
    },
    solve: async (call, files) => {
      const recalls: [name: string, recall: number][] = [];
      for (const name of ['small', 'large']) {
        const evaluationId = await evaluated(call, join(files, `${name}.json`));
        const row = await figuresOf(call, evaluationId, 'WBC');
        recalls.push([name, Number(at(row, 'recall'))]);
      }
      const [better = 'small', recall = 0] = recalls.toSorted((a, b) => b[1] - a[1])[0] ?? [];
      await note(call, { better, recall: Math.round(100 * recall) });
    },
    check: async (scene) => {
      const missed = await countLabels(scene, 'WBC', new Set(await wrongImages(scene)));
      const recall = Math.round(100 * (1 - missed / classCounts.WBC));
      assert.ok(recall > 50 && recall < 100);
      const { better, recall: told } = await notes(scene);
      assert.deepEqual([better, told], ['large', recall]);
    },
  },
  {
    name: 'take-over-classes',
    prompt:
      '{files}/checked.json has what an expert sees in the images of "Blood Cells" (COCO results). ' +
      'Where he sees another class than the label says, he is right: correct the classes of these ' +
      'labels, and nothing else.',
    seed: seedChecked,
    solve: async (call, files) => {
      const evaluationId = await evaluated(call, join(files, 'checked.json'));
      await call('evaluations_mend', { project, evaluationId, only: 'swapped' });
    },
    check: async (scene) => {
      const counts = await Promise.all(
        ['Platelets', 'RBC', 'WBC'].map((name) => countLabels(scene, name)),
      );
      const [platelets = 0, red = 0, white = 0] = counts;
      assert.equal(platelets, classCounts.Platelets);
      assert.equal(red + white, classCounts.RBC + classCounts.WBC);
      // Every third image with white cells.
      assert.ok(white > 0 && white <= classCounts.WBC - 4, `${white} white cells`);
    },
  },
  {
    name: 'review-of-doubtful-labels',
    prompt:
      '{files}/checked.json has what an expert sees in the images of "Blood Cells" (COCO results). I ' +
      'want to decide myself where he sees another class than the label says: prepare these images, ' +
      'and no others, for me to look at in the browser. Change no label.',
    seed: seedChecked,
    solve: async (call, files) => {
      const evaluationId = await evaluated(call, join(files, 'checked.json'));
      await call('annotation_review', { project, query: `evaluation:${evaluationId}/swapped` });
    },
    check: async (scene) => {
      const jobs = listAt(await scene.get(`/${project}/jobs`), 'jobs');
      assert.equal(jobs.length, 1);
      const wanted = await wrongImages(scene);
      assert.deepEqual(await found(scene, `job:"${String(at(jobs[0], 'id'))}"`), wanted);
    },
  },
  {
    name: 'same-picture-twice',
    prompt:
      'Some pictures were uploaded to "Blood Cells" twice: saved anew, under names that begin with ' +
      'scan. Tag these copies, and not their originals: copy.',
    seed: async (scene) => {
      await seedSample(scene);
      await copyImages(scene, 'train');
    },
    solve: async (call) => {
      for (const imageId of await findCopies(call, 'near-duplicates')) {
        await call('images_tag', { project, imageId, operation: 'add', tags: ['copy'] });
      }
    },
    check: async (scene) => {
      assert.deepEqual(await found(scene, 'tag:copy'), ['scan-1', 'scan-2', 'scan-3']);
    },
  },
  {
    name: 'no-leak-into-the-test',
    prompt:
      'I fear that pictures of "Blood Cells" are in the training and in the test images at once. Find ' +
      'them, and move those of the test images to the training images.',
    seed: async (scene) => {
      await seedSample(scene);
      await copyImages(scene, 'test');
    },
    solve: async (call) => {
      const images = await findCopies(call, 'leaks');
      await call('images_set_split', { project, images, split: 'train' });
    },
    check: async (scene) => {
      assert.deepEqual(await found(scene, 'split:test'), []);
      assert.equal((await found(scene, 'split:train')).length, 15);
    },
  },
  {
    name: 'one-spelling-of-a-class',
    prompt:
      'In "Blood Cells" somebody has written the class RBC as rbc in some images. Make it one class, ' +
      'RBC; no label may be lost.',
    seed: async (scene) => {
      const folder = join(scene.files, 'blood-cells/Annotations');
      for (const name of (await readdir(folder)).toSorted().slice(0, 3)) {
        const text = await readFile(join(folder, name), 'utf8');
        await writeFile(join(folder, name), text.replaceAll('<name>RBC<', '<name>rbc<'));
      }
      await importSample(scene.setUp, scene.files);
    },
    solve: async (call) => {
      const { taskId } = await call('classes_change', { project, rename: { rbc: 'RBC' } });
      await finished(call, { taskId });
    },
    check: async (scene) => {
      assert.equal(await countLabels(scene, 'rbc'), 0);
      assert.equal(await countLabels(scene, 'RBC'), classCounts.RBC);
    },
  },
];
