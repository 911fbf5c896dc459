// Deeds that workers do for a while: an archive is imported, a model is trained.

import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { below } from '../../src/seeded-random.ts';
import { testImage } from '../../test/fixtures/images.ts';
import { plainZip, voc } from '../../test/platform/zip-import/zip-files.ts';
import { call, pauseMs } from './calls.ts';
import { type Deed, openDesk, type Worker } from './deed.ts';
import type { DeskTrainable } from './desk.ts';
import { workspace } from './sign-in.ts';

const zipImages = 12;

/** What it sends whole is imported whole, once. */
export const sendZip: Deed = async (worker) => {
  const { desk, random } = worker;
  const own = await openDesk(worker, `${desk.project} zip ${desk.zips.length + 1}`);
  if (own === undefined) return;
  const hashes = new Map<string, string>();
  const files: Record<string, string | Uint8Array> = {};
  const first = below(random, 50_000);
  for (let number = 1; number <= zipImages; number += 1) {
    const content = await testImage(first + number);
    const name = `${number}.png`;
    files[name] = content;
    files[`${number}.xml`] = voc(name, 'things');
    hashes.set(name, createHash('sha256').update(content).digest('hex'));
  }
  const path = `/${workspace}/${own.project}/upload/zip`;
  const begun = await call(worker, { method: 'POST', path, body: {} });
  if (begun === undefined) return;
  const link = new URL(String(begun.body.signedUrl));
  const body = Buffer.from(plainZip(files));
  for (;;) {
    const put = { method: 'PUT', path: link.pathname + link.search, body } as const;
    const answer = await call(worker, { ...put, also: [409] });
    if (answer === undefined) return;
    // One that was cut may still be on its way.
    if (answer.status !== 409 || !JSON.stringify(answer.body).includes('coming in')) break;
    await wait(pauseMs);
  }
  desk.zips.push({ project: own.project, taskId: String(begun.body.taskId), hashes });
};

/** Of a version of its own, which is made first; one for each client: they take processor time. */
export const train: Deed = async (worker) => {
  const { desk } = worker;
  if (desk.toTrain === undefined) {
    desk.toTrain = await makeTrainable(worker);
    return;
  }
  if (desk.trainings.length + desk.unknownTrainings > 0) return;
  const { project, version } = desk.toTrain;
  const path = `/${workspace}/${project}/${version}/v2/trainings`;
  // Before the version is made: 409.
  const sent = { method: 'POST', path, body: { epochs: 1 }, also: [409] } as const;
  const answer = await call(worker, sent);
  if (answer === undefined) return;
  desk.unknownTrainings += answer.unknown;
  if (answer.status !== 409) desk.trainings.push(String(answer.body.trainingId));
};

/** Labelled images to learn from, and to measure on. */
async function makeTrainable(worker: Worker): Promise<DeskTrainable | undefined> {
  const own = await openDesk(worker, `${worker.desk.project} model`);
  if (own === undefined) return undefined;
  const { project } = own;
  const first = below(worker.random, 50_000);
  for (const [place, split] of ['train', 'train', 'train', 'valid', 'valid'].entries()) {
    const name = `${place}.png`;
    const body = new FormData();
    body.set('file', new Blob([Uint8Array.from(await testImage(first + place))]), name);
    body.set('annotationFile', '0 0.5 0.5 0.4 0.4');
    body.set('annotationName', 'labels.txt');
    body.set('labelmap', JSON.stringify({ 0: 'things' }));
    const path = `/dataset/${project}/upload?name=${name}&split=${split}`;
    if (!(await call(worker, { method: 'POST', path, body }))) return undefined;
  }
  const body = { preprocessing: {}, augmentation: {} };
  const path = `/${workspace}/${project}/generate`;
  const made = await call(worker, { method: 'POST', path, body });
  return made && { project, version: Number(made.body.version) };
}
