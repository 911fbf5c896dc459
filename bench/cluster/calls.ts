// The calls that are measured, each on another image.

import sharp from 'sharp';
import { images } from '../../src/contract/images.ts';
import { projects } from '../../src/contract/projects.ts';
import { search } from '../../src/contract/search.ts';
import type { Client } from '../../src/http-client/client.ts';
import { workspace } from './platforms.ts';

export const project = 'cells';

export async function makeProject(client: Client): Promise<void> {
  const input = {
    workspace,
    name: project,
    type: 'object-detection',
    annotation: 'cells',
  } as const;
  await client.call(projects.projects_create, input);
}

/** A photo of some 20 KB, and as many others as are wanted, which differ by a comment within. */
export async function makePhotos(): Promise<(number: number) => Buffer> {
  const noise = { type: 'gaussian' as const, mean: 120, sigma: 12 };
  const photo = await sharp({
    create: { width: 480, height: 320, channels: 3, background: '#888', noise },
  })
    .jpeg({ quality: 50 })
    .toBuffer();
  return (number) => {
    const comment = Buffer.from([0xff, 0xfe, 0, 6, 0, 0, 0, 0]);
    comment.writeUInt32BE(number, 4);
    return Buffer.concat([photo.subarray(0, 2), comment, photo.subarray(2)]);
  };
}

/** Tells its id. */
export async function upload(client: Client, number: number, photo: Buffer): Promise<string> {
  const file = { name: `${number}.jpg`, content: photo };
  const { body } = await client.call(images.images_upload, { project, file, split: 'train' });
  return body.id;
}

/** Three boxes of one of ten classes. */
export async function annotate(client: Client, imageId: string, number: number): Promise<void> {
  await client.call(images.images_annotate, {
    project,
    imageId,
    name: 'labels.txt',
    overwrite: true,
    annotationFile: [0.2, 0.5, 0.8].map((x) => `0 ${x} 0.5 0.1 0.1`).join('\n'),
    labelmap: { 0: `class-${number % 10}` },
  });
}

export async function find(client: Client, number: number): Promise<void> {
  const query = `project:${project} class:class-${number % 10} split:train`;
  await client.call(search.workspace_search, { workspace, query });
}

export async function get(client: Client, imageId: string): Promise<void> {
  await client.call(images.images_get, { workspace, project, imageId });
}

export async function remove(client: Client, imageId: string): Promise<void> {
  await client.call(images.images_delete, { workspace, project, images: [imageId] });
}
