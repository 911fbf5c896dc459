// Ten jobs, written anew for each measurement with agents, so that nothing is tuned to them. Those
// that ask a question want the answer in a file.

import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { at, type CallTool, type Job, listAt, type Scene } from '../job.ts';
import {
  emptyProject,
  finished,
  found,
  frozenSample,
  idsOf,
  importSample,
  seedSample,
  tagFound,
} from './blood-cells.ts';

const project = 'blood-cells';

/** The word of an answer file; an agent may end it with a line feed. */
async function answered({ files }: Scene, wanted: string): Promise<void> {
  const text = await readFile(join(files, 'answer.txt'), 'utf8');
  assert.equal(text.trim(), wanted);
}

/** Every second image from the camera "trail", the others from "gate". */
async function seedCameras({ setUp, files }: Scene): Promise<void> {
  await importSample(setUp, files);
  const ids = await idsOf(setUp, '*');
  for (const [position, imageId] of ids.entries()) {
    const camera = position % 2 === 0 ? 'trail' : 'gate';
    await setUp('images_set_metadata', { imageId, metadata: { camera } });
  }
}

async function writeAnswer(files: string, answer: string): Promise<void> {
  await writeFile(join(files, 'answer.txt'), answer);
}

/** Further files of one picture: bytes behind the end of a JPEG change no pixel. */
async function addCopies({ setUp, files }: Scene, names: readonly string[]): Promise<void> {
  const folder = join(files, 'more');
  await mkdir(folder);
  const bytes = await readFile(join(files, 'blood-cells/JPEGImages/BloodImage_00040.jpg'));
  for (const name of names) {
    await writeFile(join(folder, `${name}.jpg`), Buffer.concat([bytes, Buffer.from(name)]));
  }
  await setUp('images_upload', { project, files: [folder], split: 'train' });
}

const inspection = (line: number, result: string) => ({
  event_schema: 'quality_check',
  event_data: { result },
  device_id: 'press',
  custom_metadata: { line },
});

async function addInspections(call: CallTool): Promise<void> {
  for (const [line, result] of [
    [3, 'fail'],
    [3, 'pass'],
    [4, 'fail'],
    [3, 'fail'],
    [4, 'pass'],
  ] as const) {
    await call('events_create', inspection(line, result));
  }
}

const threeGone = [40, 55, 86].map((number) => `BloodImage_000${number}.jpg`).join('\n');

export const freshJobs: readonly Job[] = [
  {
    name: 'count-by-metadata',
    prompt:
      'How many images of "Blood Cells" were taken by the camera "trail" (metadata "camera")? ' +
      'Write the number alone into {files}/answer.txt.',
    seed: seedCameras,
    solve: async (call, files) => {
      const ids = await idsOf(call, 'metadata:camera=trail');
      await writeAnswer(files, String(ids.length));
    },
    check: (scene) => answered(scene, '6'),
  },
  {
    name: 'tag-by-metadata',
    prompt:
      'All images of "Blood Cells" from the camera "gate" (metadata "camera") were taken at ' +
      'night. Tag them "night", and no others.',
    seed: seedCameras,
    solve: async (call) => {
      await tagFound(call, 'metadata:camera=gate', 'night');
    },
    check: async (scene) => {
      assert.equal((await found(scene, 'tag:night')).length, 6);
      assert.deepEqual(await found(scene, 'tag:night'), await found(scene, 'metadata:camera=gate'));
    },
  },
  {
    name: 'failed-on-line-3',
    prompt:
      'How many quality checks on this device failed on line 3 (metadata "line")? Write the ' +
      'number alone into {files}/answer.txt.',
    seed: ({ setUp }) => addInspections(setUp),
    solve: async (call, files) => {
      const { events } = await call('events_list', { metadata_filter: ['line:3'] });
      const failed = listAt({ events }, 'events').filter(
        (event) => at(event, 'event_data.result') === 'fail',
      );
      await writeAnswer(files, String(failed.length));
    },
    check: (scene) => answered(scene, '2'),
  },
  {
    name: 'rarest-class',
    prompt:
      'Which class of "Blood Cells" has the fewest boxes? Write its name alone into ' +
      '{files}/answer.txt.',
    seed: seedSample,
    solve: (_call, files) => writeAnswer(files, 'WBC'),
    check: (scene) => answered(scene, 'WBC'),
  },
  {
    name: 'gone-images',
    prompt:
      'Some images of "Blood Cells" were deleted today. Write their file names into ' +
      '{files}/answer.txt, one on a line, in the order of the alphabet.',
    seed: async (scene) => {
      await seedSample(scene);
      const images = await idsOf(scene.setUp, 'class:Platelets>=3');
      assert.equal(images.length, 3);
      await scene.setUp('images_delete', { project, images, confirm: project });
    },
    solve: (_call, files) => writeAnswer(files, threeGone),
    check: (scene) => answered(scene, threeGone),
  },
  {
    name: 'cutouts-by-area',
    prompt:
      'Freeze a version of "Blood Cells", two images out of each training image, with three ' +
      'black rectangles cut out of each that together hide about a tenth of the picture.',
    seed: seedSample,
    solve: async (call) => {
      await call('versions_generate', {
        project,
        preprocessing: {},
        augmentation: { image: { versions: 2 }, cutout: { percent: 18, count: 3 } },
      });
      await finished(call, { project, version: 1 });
    },
    check: async (scene) => {
      const { cutout, image } = augmentationOf(await scene.get(`/${project}/1`));
      assert.equal(at(cutout, 'count'), 3);
      const percent = Number(at(cutout, 'percent'));
      assert.ok(percent >= 16 && percent <= 21, `percent is ${percent}`);
      assert.equal(Number(at(image, 'versions')), 2);
    },
  },
  {
    name: 'turn-and-mirror',
    prompt:
      'Freeze a version of "Blood Cells" in which images are mirrored upside down at random, ' +
      'never left to right, and nothing else is changed.',
    seed: seedSample,
    solve: async (call) => {
      await call('versions_generate', {
        project,
        preprocessing: {},
        augmentation: { flip: { horizontal: false, vertical: true } },
      });
      await finished(call, { project, version: 1 });
    },
    check: async (scene) => {
      const { flip } = augmentationOf(await scene.get(`/${project}/1`));
      assert.equal(at(flip, 'vertical'), true);
      assert.equal(at(flip, 'horizontal') ?? false, false);
    },
  },
  {
    name: 'what-a-version-added',
    prompt:
      'How many more source images has version 2 of "Blood Cells" than version 1? Write the ' +
      'number alone into {files}/answer.txt.',
    seed: async (scene) => {
      await seedSample(scene);
      await frozenSample(scene.setUp);
      await addCopies(scene, ['a', 'b', 'c']);
      await frozenSample(scene.setUp);
    },
    solve: (_call, files) => writeAnswer(files, '3'),
    check: (scene) => answered(scene, '3'),
  },
  {
    name: 'intern-key',
    prompt:
      'Make an API key named "intern" for a student who may read everything in my workspace ' +
      'and change nothing.',
    seed: async ({ setUp }) => emptyProject(setUp, 'Cells'),
    solve: async (call) => {
      await call('api_keys_create', { name: 'intern', access: 'read' });
    },
    check: async (scene) => {
      const keys = listAt(await scene.get('/api-keys'), 'apiKeys');
      const scopes = listAt(
        keys.find((key) => at(key, 'name') === 'intern'),
        'scopes',
      ).map(String);
      assert.ok(scopes.includes('project:read') && scopes.includes('image:read'));
      assert.deepEqual(
        scopes.filter((scope) => !scope.endsWith(':read')),
        [],
      );
    },
  },
  {
    name: 'same-picture-twice',
    prompt:
      'One picture is in "Blood Cells" twice, under two names. Tag both images "twin", and no ' +
      'other image.',
    seed: async (scene) => {
      await seedSample(scene);
      await addCopies(scene, ['tray-9']);
    },
    solve: async (call) => {
      for (const name of ['tray-9.jpg', 'BloodImage_00040.jpg']) {
        await tagFound(call, `filename:${name}`, 'twin');
      }
    },
    check: async (scene) => {
      assert.deepEqual(await found(scene, 'tag:twin'), ['BloodImage_00040', 'tray-9']);
    },
  },
];

function augmentationOf(answer: unknown): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(Object(at(answer, 'version.augmentation'))));
}
