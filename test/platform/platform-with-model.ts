// What the tests of labelling work with: a platform, a project, pictures with squares, plain calls.

import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { PlatformOptions } from '../../src/platform/platform.ts';
import { blue, colourFinder, red, type Square, squaresOn } from '../fixtures/onnx-models.ts';
import { startTestPlatform } from '../fixtures/platform.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

export interface Told {
  readonly status: number;
  /** The JSON of the answer; `{}` where there is none. */
  readonly body: Record<string, unknown>;
}

/** A file that is there for good, and finds red and blue squares. */
export const squaresModel = resolve('test/fixtures/squares.onnx');

/** A file of FOVEA_MODEL that finds red and blue squares. */
export async function modelFile(model: Uint8Array = colourFinder()): Promise<string> {
  const path = join(await temporaryFolder(), 'squares.onnx');
  await writeFile(path, model);
  return path;
}

export async function startLabelling(options: Partial<PlatformOptions> = {}) {
  const platform = await startTestPlatform(options);
  onTestFinished(() => platform.close());
  return { platform, ...callsTo(platform.url) };
}

/** One platform for many tests, each with projects of its own: known once the tests begin. */
export function sharedLabelling(options: Partial<PlatformOptions> = {}): () => Labelling {
  let fixture: Labelling | undefined;
  beforeAll(async () => {
    const platform = await startTestPlatform(options);
    fixture = { platform, ...callsTo(platform.url) };
  });
  afterAll(() => fixture?.platform.close());
  return () => {
    if (fixture === undefined) throw new Error('The platform is there once the tests begin.');
    return fixture;
  };
}

/** What models were counted for in the workspace so far. */
export async function counted({ tell }: Labelling) {
  const { num_inferences, num_errors } = (await tell('GET', '/acme/inference-stats')).body;
  return { inferences: Number(num_inferences), errors: Number(num_errors) };
}

/** Plain calls to a platform, and the steps that labelling begins with. */
export function callsTo(url: string) {
  const tell = async (
    method: string,
    path: string,
    json?: unknown,
    key = 'a-key-for-tests',
  ): Promise<Told> => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(json !== undefined && { 'content-type': 'application/json' }),
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: Object(text === '' ? {} : JSON.parse(text)) };
  };
  return { url, tell, ...steps(url, tell) };
}

export type Labelling = Awaited<ReturnType<typeof startLabelling>>;
type Tell = (method: string, path: string, json?: unknown) => Promise<Told>;

function steps(url: string, tell: Tell) {
  let projectCount = 0;
  const newProject = async (name = 'Squares', type = 'object-detection') => {
    projectCount += 1;
    const other = projectCount === 1 ? name : `${name} ${projectCount}`;
    const body = { name: other, type, annotation: 'squares' };
    const made = await tell('POST', '/acme/projects', body);
    return String(made.body.id).split('/')[1] ?? '';
  };
  const send = async (project: string, image: Uint8Array, more: Record<string, string>) => {
    const file = Buffer.from(image).toString('base64');
    const query = new URLSearchParams(more);
    const answer = await fetch(`${url}/dataset/${project}/upload?${query}`, {
      method: 'POST',
      headers: {
        authorization: 'Bearer a-key-for-tests',
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: file,
    });
    return String(Object(await answer.json()).id);
  };
  const upload = (project: string, image: Uint8Array, batch = 'first') =>
    send(project, image, { name: `image-${image.length}.png`, batch });
  const batchOf = async (project: string) => {
    const { body } = await tell('GET', `/acme/${project}/batches`);
    return String(Object(Object(body.batches)[0]).id);
  };
  const annotate = (project: string, imageId: string, more = '', label = 'red') => {
    const object = `<object><name>${label}</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>9</xmax><ymax>9</ymax></bndbox></object>`;
    const annotationFile = `<annotation>${object}</annotation>`;
    const path = `/dataset/${project}/annotate/${imageId}?name=a.xml${more}`;
    return tell('POST', path, { annotationFile });
  };
  const image = async (project: string, imageId: string) => {
    const { body } = await tell('GET', `/acme/${project}/images/${imageId}`);
    return Object(body.image);
  };
  const ended = async (taskId: string) => {
    for (;;) {
      const { body } = await tell('GET', `/acme/asynctasks/${taskId}`);
      if (['completed', 'failed'].includes(String(body.status))) return body;
      await delay(20);
    }
  };
  return { newProject, send, upload, batchOf, annotate, image, ended };
}

/** A picture of 64 x 64 with one red square whose place is this number, 0 to 15. */
export function redAt(place: number, more: readonly Square[] = []): Promise<Buffer> {
  const left = (place % 4) * 16;
  const top = Math.floor(place / 4) * 16;
  return squaresOn(64, 64, [{ left, top, colour: red }, ...more]);
}

export function blueAt(place: number): Promise<Buffer> {
  return squaresOn(64, 64, [
    { left: (place % 4) * 16, top: Math.floor(place / 4) * 16, colour: blue },
  ]);
}
