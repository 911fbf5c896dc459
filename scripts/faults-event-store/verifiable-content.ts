// Content that says what it must be: any byte of it that is wrong or missing shows.

import { createCipheriv } from 'node:crypto';

export type ContentKind = 'image' | 'video' | 'local_only';

/** As a store recognises its type: a JPEG, an MP4, or nothing that is known. */
const heads: Readonly<Record<ContentKind, Buffer>> = {
  image: Buffer.from('ffd8ffe000104a464946000101', 'hex'),
  video: Buffer.from('AAAAIGZ0eXBpc29tAAACAGlz', 'base64'),
  local_only: Buffer.from('a file of the fault trials:'),
};

/** The one content of that kind, seed and size. */
export function contentOf(kind: ContentKind, seed: number, bytes: number): Buffer {
  const key = Buffer.alloc(16);
  key.writeUInt32LE(seed, 0);
  key.writeUInt32LE(bytes, 4);
  const cipher = createCipheriv('aes-128-ctr', key, Buffer.alloc(16));
  const head = heads[kind];
  return Buffer.concat([head, cipher.update(Buffer.alloc(Math.max(0, bytes - head.length)))]);
}
