// Small real pictures and videos, and how they look on the wire.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, 'samples');

export const photo = { jpeg: sample('photo.jpg'), png: sample('photo.png') };

/** Videos with the types that they may be recognized as. */
export const videos = [
  { name: 'mp4', content: sample('clip.mp4'), types: ['video/mp4'] },
  { name: 'mov', content: sample('clip.mov'), types: ['video/quicktime'] },
  { name: 'webm', content: sample('clip.webm'), types: ['video/webm'] },
  { name: 'mkv', content: sample('clip.mkv'), types: ['video/x-matroska', 'video/matroska'] },
  { name: 'avi', content: sample('clip.avi'), types: ['video/x-msvideo', 'video/vnd.avi'] },
] as const;

export const clip = sample('clip.mp4');

/** The same video, made longer with an empty box of the format. */
export function longClip(bytes: number): Uint8Array<ArrayBuffer> {
  const padding = new Uint8Array(bytes - clip.length);
  new DataView(padding.buffer).setUint32(0, padding.length);
  padding.set(new TextEncoder().encode('free'), 4);
  return new Uint8Array(Buffer.concat([clip, padding]));
}

export function base64(content: Uint8Array): string {
  return Buffer.from(content).toString('base64');
}

export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

/** A part of a multipart body with the boundary XX, without the line after its content. */
export function part(disposition: string, content: Uint8Array | string, header = '') {
  const head = `--XX\r\nContent-Disposition: form-data; ${disposition}\r\n${header}\r\n`;
  return Buffer.concat([Buffer.from(head), Buffer.from(content)]);
}

/** A multipart body of these parts, with its end. */
export function multipart(...parts: readonly Buffer[]): Uint8Array<ArrayBuffer> {
  const lines = parts.flatMap((one) => [one, Buffer.from('\r\n')]);
  return new Uint8Array(Buffer.concat([...lines, Buffer.from('--XX--\r\n')]));
}

export const multipartType = { 'content-type': 'multipart/form-data; boundary=XX' };

/** The part that carries the file. */
export function filePart(content: Uint8Array | string): Buffer {
  return part('name="file"; filename="clip.mp4"', content, 'Content-Type: video/mp4\r\n');
}

function sample(name: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(join(folder, name)));
}
