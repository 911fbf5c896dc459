// A project of red and blue squares that is judged: one is missed, one is taken for another.

import { expect } from 'vitest';
import { evaluations } from '../../src/contract/evaluations.ts';
import { blueAt, type Labelling, redAt } from './platform-with-model.ts';

/** A VOC file of a square by its place, 0 to 15. */
export function voc(objects: readonly (readonly [label: string, place: number])[]): string {
  const parts = objects.map(([label, place]) => {
    const [left, top] = [(place % 4) * 16, Math.floor(place / 4) * 16];
    const box = `<xmin>${left}</xmin><ymin>${top}</ymin><xmax>${left + 16}</xmax><ymax>${top + 16}</ymax>`;
    const name = label.replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    return `<object><name>${name}</name><bndbox>${box}</bndbox></object>`;
  });
  const size = '<size><width>64</width><height>64</height><depth>3</depth></size>';
  return `<annotation>${size}${parts.join('')}</annotation>`;
}

interface Sent {
  readonly name: string;
  readonly image: Uint8Array;
  readonly objects?: readonly (readonly [label: string, place: number])[];
}

export async function send(fixture: Labelling, project: string, sent: Sent, split: string) {
  const { name, image, objects } = sent;
  const query = new URLSearchParams({ name, split });
  const answer = await fetch(`${fixture.platform.url}/dataset/${project}/upload?${query}`, {
    method: 'POST',
    headers: {
      authorization: 'Bearer a-key-for-tests',
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: Buffer.from(image).toString('base64'),
  });
  const id = String(Object(await answer.json()).id);
  if (objects === undefined) return;
  const annotationFile = voc(objects);
  await fixture.tell('POST', `/dataset/${project}/annotate/${id}?name=a.xml`, { annotationFile });
}

/** Red and blue squares, all in the test split: one is missed, one is taken for another. */
export async function squares(fixture: Labelling, more: readonly Sent[] = []) {
  const project = await fixture.newProject('Judged');
  const images: readonly Sent[] = [
    { name: 'right.png', image: await redAt(5), objects: [['red', 5]] },
    { name: 'wrong.png', image: await blueAt(2), objects: [['red', 2]] },
    // The blue square has no label, and the label no square.
    { name: 'missed.png', image: await blueAt(9), objects: [['blue', 0]] },
    ...more,
  ];
  const { client } = fixture.platform;
  for (const image of images) await send(fixture, project, image, 'test');
  return { project, client, at: { workspace: 'acme', project } };
}

export type Squares = Awaited<ReturnType<typeof squares>>;

export async function version({ tell, ended }: Labelling, { project }: Squares, resize?: object) {
  const settings = { preprocessing: { ...(resize && { resize }) }, augmentation: {} };
  const { body } = await tell('POST', `/acme/${project}/generate`, settings);
  expect(await ended(String(body.taskId))).toMatchObject({ status: 'completed' });
  return Number(body.version);
}

export type Asked = Omit<Parameters<Squares['client']['call']>[1], 'workspace' | 'project'>;

export async function evaluated(fixture: Labelling, { client, at }: Squares, asked: Asked) {
  const { body } = await client.call(evaluations.evaluations_create, { ...at, ...asked });
  const task = await fixture.ended(body.taskId);
  const panel = async (more: object = {}) => {
    const wanted = { ...at, evaluationId: body.evaluationId, ...more };
    return (await client.call(evaluations.evaluations_get, wanted)).body;
  };
  return { task, panel, evaluationId: body.evaluationId };
}

/** An answer that refuses with these words. */
export function saying(words: string) {
  return { upstream: expect.objectContaining({ message: expect.stringContaining(words) }) };
}
