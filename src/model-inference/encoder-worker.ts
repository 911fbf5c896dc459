// The thread of an encoder: opens it, then embeds one image or text after the other.

import { createHash } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import { FoveaError } from '../errors.ts';
import { openRealFile, readRealFileNow } from '../file-access/open-real-file.ts';
import { limits } from '../limits.ts';
import { type EmbedderFolder, type FolderFile, readJsonFile } from './embedder-folder.ts';
import type { FromEncoder, ToEncoder } from './encoder-messages.ts';
import { type ImageEncoder, openImageEncoder } from './image-encoder.ts';
import { failedAnswer } from './model-messages.ts';
import { openTextEncoder, type TextEncoder } from './text-encoder.ts';

const port = parentPort;
if (port === null) throw new Error('encoder-worker runs in a thread of encoder-thread.ts');

let images: ImageEncoder | undefined;
let texts: TextEncoder | undefined;

port.on('message', (message: ToEncoder) => {
  answer(message).then(send, (thrown) => send(failedAnswer(thrown)));
});

async function answer(message: ToEncoder): Promise<FromEncoder> {
  switch (message.kind) {
    case 'fingerprint':
      return { kind: 'fingerprint', fingerprint: await fingerprintOf(message.folder) };
    case 'openImages': {
      await close();
      images = await openImageEncoder(readModel(message.model), message.preparation);
      return { kind: 'opened', dimensions: images.dimensions };
    }
    case 'openTexts': {
      await close();
      texts = await openTexts(message.folder);
      return { kind: 'opened', dimensions: texts.dimensions };
    }
    case 'embedImage':
      return { kind: 'embedded', vector: await (images ?? notOpen()).embed(message.image) };
    case 'embedText':
      return { kind: 'embedded', vector: await (texts ?? notOpen()).embed(message.text) };
  }
}

async function openTexts(folder: EmbedderFolder): Promise<TextEncoder> {
  const { tokenizer, tokenizerConfig, config } = folder;
  return openTextEncoder({
    model: readModel(folder.text),
    tokenizer: await readJsonFile(tokenizer),
    tokenizerConfig: tokenizerConfig ? await readJsonFile(tokenizerConfig) : {},
    config: config ? await readJsonFile(config) : {},
  });
}

function readModel({ path }: FolderFile): Uint8Array {
  return readRealFileNow(path, limits.modelBytesMax);
}

/** Of all that a vector depends on: another one of any file gives another fingerprint. */
async function fingerprintOf(folder: EmbedderFolder): Promise<string> {
  const { vision, text, preprocessor, tokenizer, tokenizerConfig, config } = folder;
  const whole = createHash('sha256');
  for (const file of [vision, text, preprocessor, tokenizer, tokenizerConfig, config]) {
    whole.update(file === undefined ? 'none' : await hashOf(file));
  }
  return whole.digest('hex');
}

async function hashOf({ path }: FolderFile): Promise<Buffer> {
  const handle = await openRealFile(path);
  const hash = createHash('sha256');
  for await (const bytes of handle.createReadStream()) hash.update(bytes);
  return hash.digest();
}

async function close(): Promise<void> {
  const open = [images, texts];
  [images, texts] = [undefined, undefined];
  await Promise.all(open.map((encoder) => encoder?.close()));
}

function notOpen(): never {
  throw new FoveaError('internal', 'The encoder is not open.');
}

function send(message: FromEncoder): void {
  port?.postMessage(message);
}
