// Projects with images for tests, and the end of their tasks.

import { setTimeout as delay } from 'node:timers/promises';
import { images } from '../../src/contract/images.ts';
import { projects } from '../../src/contract/projects.ts';
import { tasks } from '../../src/contract/tasks.ts';
import type { Client } from '../../src/http-client/client.ts';
import { testImage } from '../fixtures/images.ts';

type Split = 'train' | 'valid' | 'test';

export interface Uploaded {
  readonly split?: Split;
  readonly batch?: string;
  readonly tag?: readonly string[];
  /** One box of each. */
  readonly classes?: readonly string[];
}

/** Creates a project of this name; tells its slug. */
export async function createProject(client: Client, name: string, more: object = {}) {
  const { body } = await client.call(projects.projects_create, {
    workspace: 'acme',
    name,
    type: 'object-detection',
    annotation: 'things',
    ...more,
  });
  return String(body.id.split('/').at(-1));
}

/** Uploads an image of this shade, with labels where they are given; tells its id. */
export async function upload(
  client: Client,
  project: string,
  shade: number,
  { split = 'train', batch = 'first', tag = [], classes }: Uploaded = {},
): Promise<string> {
  const file = { name: `${shade}.png`, content: await testImage(shade) };
  const { body } = await client.call(images.images_upload, {
    project,
    file,
    split,
    batch,
    tag: [...tag],
  });
  if (classes) await annotate(client, project, body.id, classes);
  return body.id;
}

export async function annotate(
  client: Client,
  project: string,
  imageId: string,
  classes: readonly string[],
): Promise<void> {
  await client.call(images.images_annotate, {
    project,
    imageId,
    name: 'labels.txt',
    overwrite: true,
    annotationFile: classes.map((_, number) => `${number} 0.5 0.5 0.2 0.2`).join('\n'),
    labelmap: Object.fromEntries(classes.map((name, number) => [String(number), name])),
  });
}

/** The end of a task, whatever it is. */
export async function endOf(client: Client, taskId: string) {
  for (;;) {
    const { body } = await client.call(tasks.tasks_get, { workspace: 'acme', taskId });
    if (body.status === 'completed' || body.status === 'failed') return body;
    await delay(10);
  }
}

/** The result of a task that must not fail. */
export async function resultOf(client: Client, taskId: string) {
  const { status, result, error } = await endOf(client, taskId);
  if (status !== 'completed') throw new Error(`the task ${status}: ${error}`);
  return result;
}

export async function splitsOf(client: Client, project: string) {
  const { body } = await client.call(projects.projects_get, { workspace: 'acme', project });
  return body.project.splits;
}

/** What was wrong with a call, as the service said it. */
export async function refusal(answer: Promise<unknown>) {
  return answer.then(
    () => ({ status: 200, message: 'answered', hint: undefined }),
    ({ upstream, message }) => ({
      status: upstream?.status,
      message: upstream?.message ?? message,
      hint: upstream?.hint,
    }),
  );
}
