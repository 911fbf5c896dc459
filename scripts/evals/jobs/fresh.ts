// Ten jobs, written anew for each measurement with agents, so that nothing is tuned to them. Those
// that ask a question want the answer in a file.

import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { at, type CallTool, type Job, listAt, type Scene } from '../job.ts';
import {
  finished,
  found,
  frozenSample,
  idsOf,
  importSample,
  seedSample,
  tagFound,
} from './blood-cells.ts';

const project = 'blood-cells';

/** What stands in the answer file; an agent may end it with a line feed. */
async function answered({ files }: Scene, wanted: string): Promise<void> {
  const text = await readFile(join(files, 'answer.txt'), 'utf8');
  assert.equal(text.trim(), wanted);
}

async function writeAnswer(files: string, answer: string): Promise<void> {
  await writeFile(join(files, 'answer.txt'), answer);
}

/** Of every three images one has no microscope, one is from "zeiss", one from "leica". */
async function seedMicroscopes({ setUp, files }: Scene): Promise<void> {
  await importSample(setUp, files);
  for (const [position, imageId] of (await idsOf(setUp, '*')).entries()) {
    const microscope = [undefined, 'zeiss', 'leica'][position % 3];
    if (microscope === undefined) continue;
    await setUp('images_set_metadata', { imageId, metadata: { microscope, lens: 40 } });
  }
}

/** Events of a door camera with what it saw, as class and confidence. */
const doorEvents: readonly (readonly (readonly [string, number])[])[] = [
  [['person', 0.91]],
  [
    ['person', 0.42],
    ['dog', 0.95],
  ],
  [],
  [
    ['person', 0.85],
    ['person', 0.5],
  ],
  [['car', 0.88]],
  [['person', 0.79]],
];

async function recordDoor({ setUp, files }: Scene): Promise<void> {
  for (const seen of doorEvents) {
    const objectDetections = seen.map(([name, confidence]) => ({
      class: name,
      confidence,
      x: 100,
      y: 80,
      width: 40,
      height: 60,
    }));
    await setUp('events_create', {
      event_schema: 'custom',
      event_data: { value: 'door opened' },
      device_id: 'door',
      images: [
        { file: join(files, 'blood-cells/JPEGImages/BloodImage_00040.jpg'), objectDetections },
      ],
    });
  }
}

async function recordCheck(call: CallTool, device_id: string, result: string): Promise<void> {
  await call('events_create', {
    event_schema: 'quality_check',
    event_data: { result },
    device_id,
    custom_metadata: { batch: `${device_id}-7` },
  });
}

/** A damaged JPEG, a text with the name of a JPEG, and four images that are whole. */
async function writeMixedFolder({ files }: Scene): Promise<void> {
  const folder = join(files, 'tray');
  await mkdir(folder);
  const bytes = await readFile(join(files, 'blood-cells/JPEGImages/BloodImage_00040.jpg'));
  for (const name of ['a', 'b', 'c', 'd']) {
    await writeFile(join(folder, `${name}.jpg`), Buffer.concat([bytes, Buffer.from(name)]));
  }
  await writeFile(join(folder, 'notes.jpg'), 'slide 4 was dusty');
}

export const freshJobs: readonly Job[] = [
  {
    name: 'no-microscope',
    prompt:
      'Some images of "Blood Cells" do not say in their metadata which microscope they are from ' +
      '(key "microscope"). Tag those "unknown-microscope", and no others.',
    seed: seedMicroscopes,
    solve: (call) => tagFound(call, '-metadata:microscope', 'unknown-microscope'),
    check: async (scene) => {
      const tagged = await found(scene, 'tag:unknown-microscope');
      assert.equal(tagged.length, 4);
      assert.deepEqual(tagged, await found(scene, '-metadata:microscope'));
    },
  },
  {
    name: 'forget-lens',
    prompt:
      'Remove the metadata key "lens" from all images of "Blood Cells". Their other metadata ' +
      'stays.',
    seed: seedMicroscopes,
    solve: async (call) => {
      const updates = [{ removeMetadata: ['lens'] }];
      const { taskId } = await call('images_set_metadata_bulk', {
        query: 'metadata:lens',
        updates,
      });
      await finished(call, { taskId });
    },
    check: async (scene) => {
      assert.deepEqual(await found(scene, 'metadata:lens'), []);
      assert.equal((await found(scene, 'metadata:microscope=zeiss')).length, 4);
      assert.equal((await found(scene, 'metadata:microscope=leica')).length, 4);
    },
  },
  {
    name: 'hard-to-test',
    prompt:
      'Move the images of "Blood Cells" that have two or more tags into the test split. The ' +
      'others stay where they are.',
    seed: async (scene) => {
      await seedSample(scene);
      await tagFound(scene.setUp, 'class:Platelets>=2', 'crowded');
      await tagFound(scene.setUp, 'class:RBC>=12', 'red');
    },
    solve: async (call) => {
      await call('images_set_split', { project, split: 'test', query: 'tag:crowded tag:red' });
    },
    check: async (scene) => {
      const wanted = await found(scene, 'tag:crowded tag:red');
      assert.equal(wanted.length, 2);
      assert.deepEqual(await found(scene, 'split:test'), wanted);
      assert.equal((await found(scene, 'split:train')).length, 10);
    },
  },
  {
    name: 'no-platelets',
    prompt:
      'How many images of "Blood Cells" show fewer than two platelets? Count those that show ' +
      'none too. Write the number alone into {files}/answer.txt.',
    seed: seedSample,
    solve: async (call, files) => {
      const ids = await idsOf(call, 'class:Platelets<2');
      await writeAnswer(files, String(ids.length));
    },
    check: (scene) => answered(scene, '6'),
  },
  {
    name: 'sure-people',
    prompt:
      'How many events of this device\'s camera "door" show a person with a confidence of at ' +
      'least 0.8? Write the number alone into {files}/answer.txt.',
    seed: recordDoor,
    solve: (_call, files) => writeAnswer(files, '2'),
    check: (scene) => answered(scene, '2'),
  },
  {
    name: 'last-check',
    prompt:
      'Did the latest quality check of the device "press" pass or fail? Write "pass" or "fail" ' +
      'into {files}/answer.txt.',
    seed: async ({ setUp }) => {
      for (const [device, result] of [
        ['press', 'pass'],
        ['press', 'fail'],
        ['oven', 'pass'],
      ] as const) {
        await recordCheck(setUp, device, result);
      }
    },
    solve: async (call, files) => {
      const { events } = await call('events_list', { device_id: 'press', limit: 1 });
      await writeAnswer(files, String(at(listAt({ events }, 'events')[0], 'event_data.result')));
    },
    check: (scene) => answered(scene, 'fail'),
  },
  {
    name: 'refused-file',
    prompt:
      'Upload the images of {files}/tray into "Blood Cells", as training images in the batch ' +
      '"tray". Write the name of each file that was not taken into {files}/answer.txt.',
    seed: async (scene) => {
      await seedSample(scene);
      await writeMixedFolder(scene);
    },
    solve: async (call, files) => {
      const more = { split: 'train', batch: 'tray' };
      await call('images_upload', { project, files: [`${files}/tray`], ...more });
      await writeAnswer(files, 'notes.jpg');
    },
    check: async (scene) => {
      await answered(scene, 'notes.jpg');
      assert.equal((await found(scene, 'batch:tray split:train')).length, 4);
    },
  },
  {
    name: 'taken-off',
    prompt:
      'Today somebody took a tag off some images of "Blood Cells". Put it on again, on exactly ' +
      'those images.',
    seed: async (scene) => {
      await seedSample(scene);
      await tagFound(scene.setUp, '*', 'lab-3');
      await tagFound(scene.setUp, 'class:RBC>=10', 'reviewed');
      for (const imageId of await idsOf(scene.setUp, 'class:RBC>=13')) {
        const change = { operation: 'remove', tags: ['reviewed'] };
        await scene.setUp('images_tag', { project, imageId, ...change });
      }
    },
    solve: (call) => tagFound(call, 'class:RBC>=13', 'reviewed'),
    check: async (scene) => {
      assert.deepEqual(await found(scene, 'tag:reviewed'), await found(scene, 'class:RBC>=10'));
      assert.equal((await found(scene, 'tag:lab-3')).length, 12);
    },
  },
  {
    name: 'grey-tiles',
    prompt:
      'Freeze a version of "Blood Cells" in grey tones in which each image is cut into six ' +
      'tiles, two rows of three. Do not change the size of anything else.',
    seed: seedSample,
    solve: async (call) => {
      await call('versions_generate', {
        project,
        preprocessing: { grayscale: true, tile: { rows: 2, columns: 3 } },
        augmentation: {},
      });
      await finished(call, { project, version: 1 });
    },
    check: async (scene) => {
      const answer = await scene.get(`/${project}/1`);
      assert.equal(at(answer, 'version.images'), 72);
      assert.equal(at(answer, 'version.preprocessing.tile.rows'), 2);
      assert.notEqual(at(answer, 'version.preprocessing.grayscale') ?? false, false);
      assert.equal(at(answer, 'version.preprocessing.resize'), undefined);
    },
  },
  {
    name: 'still-frozen',
    prompt:
      'I deleted the image BloodImage_00086.jpg of "Blood Cells" by mistake. Bring it back, and ' +
      'delete version 1, which I do not need.',
    seed: async (scene) => {
      await seedSample(scene);
      await frozenSample(scene.setUp);
      const images = await idsOf(scene.setUp, 'filename:BloodImage_00086.jpg');
      assert.equal(images.length, 1);
      await scene.setUp('images_delete', { project, images, confirm: project });
    },
    solve: async (call) => {
      const [item] = listAt(await call('trash_list'), 'items');
      await call('trash_restore', { type: 'image', id: at(item, 'id') });
      await call('versions_delete', { project, version: 1 });
    },
    check: async (scene) => {
      assert.equal((await found(scene, '*')).length, 12);
      assert.equal(listAt(await scene.get(`/${project}`), 'versions').length, 0);
    },
  },
];
