// Projects and images that attacks work on.

import { testImage } from '../../test/fixtures/images.ts';
import type { Target } from './attack.ts';
import { form, json } from './raw-request.ts';

export interface Scene {
  readonly project: string;
  readonly imageId: string;
  /** Of the image. */
  readonly name: string;
}

let count = 0;

/** A new project with one small image. */
export async function freshScene(target: Target, type = 'object-detection'): Promise<Scene> {
  count += 1;
  const values = { name: `attack ${process.pid} ${count}`, type, annotation: 'things' };
  const made = await target.ask(json('/local/projects', values));
  const project = String(Object(made).id).replace('local/', '');
  const name = 'image.png';
  const content = await testImage(count);
  const parts = [{ name: 'file', fileName: name, type: 'image/png', content }];
  const image = await target.ask(form(`/dataset/${project}/upload`, parts));
  return { project, imageId: String(Object(image).id), name };
}

/** Asks until the state is as expected, within a time limit. */
export async function waitFor<Value>(
  look: () => Promise<Value | undefined>,
  msMax: number,
): Promise<Value | undefined> {
  const endMs = performance.now() + msMax;
  for (;;) {
    const value = await look();
    if (value !== undefined || performance.now() > endMs) return value;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
