// A platform with one of everything, and calls to it as the table writes them.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestAuthorizationServer } from '../../fixtures/authorization-server.ts';
import { constantModel } from '../../fixtures/onnx-models.ts';
import { startTestPlatform, type TestPlatform } from '../../fixtures/platform.ts';
import {
  makeThings,
  startTrainings,
  trainerProgram,
  unmade,
} from '../isolation/owned-resources.ts';
import { createProject, endOf, upload } from '../labelled-projects.ts';
import type { Call, Known } from './members.ts';

export interface ObservedPlatform {
  /** What it holds. */
  readonly things: Known;
  send(call: Call): Promise<{ readonly status: number; readonly body: unknown }>;
  /** From then on one training runs, and another waits. */
  startTrainings(): Promise<void>;
  close(): Promise<void>;
}

export async function startObservedPlatform(): Promise<ObservedPlatform> {
  const folder = await mkdtemp(join(tmpdir(), 'fovea-observed-wire-'));
  const model = join(folder, 'model.onnx');
  await writeFile(model, constantModel([1, 6, 1], [8, 8, 4, 4, 0.9, 0]));
  const program = join(folder, 'trainer.mjs');
  await writeFile(program, trainerProgram(model));
  const trainer = { path: process.execPath, args: [program], name: 'test' };
  const platform = await startTestPlatform({ model, trainer, videoStatusIntervalMs: 0 });
  const { url, key } = platform;
  const owner = { url, key, workspace: 'acme', project: 'cells', marker: 'canary' } as const;
  const signIn = await startTestAuthorizationServer();
  let things: Known = {
    signIn: signIn.url,
    ...(await makeThings(owner)),
    trainingId: '',
    otherTrainingId: '',
    ...(await makeProjects(platform)),
    ...(await makeInCells(platform)),
  };
  if (unmade.length > 0) throw new Error(unmade.join('\n'));
  await endOf(platform.client, things.exportTaskId);
  return {
    get things() {
      return things;
    },
    send: (call) => send(platform, call),
    startTrainings: async () => {
      things = { ...things, ...(await startTrainings(owner)) };
    },
    close: async () => {
      await platform.close();
      await signIn.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** One project of each kind of label, and one for others to see. */
async function makeProjects(platform: TestPlatform) {
  const { client } = platform;
  await createProject(client, 'Incoming');
  const shown = await createProject(client, 'Shown', { public: true });
  await upload(client, shown, 200);
  await ask(platform, 'POST', `/acme/${shown}/generate`, {
    preprocessing: { 'auto-orient': true },
    augmentation: { flip: { horizontal: true, vertical: false } },
  });
  const imageOf = async (name: string, type: string) =>
    upload(client, await createProject(client, name, { type, annotation: 'labels' }), 100);
  const outlinedImageId = await imageOf('Outlines', 'instance-segmentation');
  await ask(platform, 'POST', `/dataset/outlines/annotate/${outlinedImageId}?name=a.txt`, {
    annotationFile: '0 0.125 0.125 0.875 0.125 0.875 0.875',
    labelmap: { 0: 'leaf' },
  });
  return {
    outlinedImageId,
    oneLabelImageId: await imageOf('One label', 'single-label-classification'),
    manyLabelsImageId: await imageOf('Many labels', 'multi-label-classification'),
  };
}

/** An export that is written, and metadata of which one change failed. */
async function makeInCells(platform: TestPlatform) {
  const { results } = await ask(platform, 'POST', '/acme/cells/search', {});
  const ids: readonly string[] = results.map(({ id }: { readonly id: string }) => id);
  const { taskId } = await ask(platform, 'POST', '/acme/images/metadata', {
    updates: [ids[0], 'nobody'].map((imageId) => ({ imageId, addTags: ['bulk'] })),
  });
  await endOf(platform.client, taskId);
  const coco = { method: 'GET', path: '/acme/cells/1/coco' };
  while ((await send(platform, coco)).status === 202);
  return { taggedImageId: ids[0] ?? '', bulkTaskId: String(taskId) };
}

async function ask(platform: TestPlatform, method: string, path: string, json: unknown) {
  const { status, body } = await send(platform, { method, path, json });
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(body)}`);
  return Object(body);
}

async function send({ url, key }: TestPlatform, call: Call) {
  const { method, path, json, text, contentType = 'application/json', form, isAnonymous } = call;
  const body = json === undefined ? text : JSON.stringify(json);
  const answer = await fetch(new URL(path, url), {
    method,
    headers: {
      ...(!isAnonymous && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': contentType }),
    },
    ...(body !== undefined && { body }),
    ...(form !== undefined && { body: partsOf(form) }),
  });
  const received = await answer.text();
  return { status: answer.status, body: received === '' ? undefined : JSON.parse(received) };
}

function partsOf(form: NonNullable<Call['form']>): FormData {
  const parts = new FormData();
  for (const [name, value] of Object.entries(form)) {
    if (typeof value === 'string') parts.append(name, value);
    else parts.append(name, new File([value.slice()], 'one.png'));
  }
  return parts;
}
