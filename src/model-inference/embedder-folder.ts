// The folder of FOVEA_EMBEDDER: an encoder of images and one of texts, with what belongs to them,
// as published for transformers.js. Nothing is loaded here: files are found, and their sizes
// checked.

import { readFile, realpath, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type ErrorCode, FoveaError, invalidArgument } from '../errors.ts';
import { isJsonObject, type JsonObject } from '../json-object.ts';
import { limits } from '../limits.ts';
import { imageFaults } from './image-faults.ts';

export interface EmbedderFolder {
  /** What people call the model: the name of the folder. */
  readonly name: string;
  readonly vision: FolderFile;
  readonly text: FolderFile;
  readonly preprocessor: FolderFile;
  readonly tokenizer: FolderFile;
  readonly tokenizerConfig: FolderFile | undefined;
  readonly config: FolderFile | undefined;
  /** Changes when a file does. */
  readonly key: string;
}

export interface FolderFile {
  /** Without links: published folders in caches consist of them. */
  readonly path: string;
  readonly bytes: number;
}

/** Throws `invalid_input` for FOVEA_EMBEDDER, with what the folder lacks. */
export async function openEmbedderFolder(path: string): Promise<EmbedderFolder> {
  const facts = await stat(path).catch(() => undefined);
  if (facts === undefined) throw wrongFolder('names a folder that is not there');
  if (!facts.isDirectory()) throw wrongFolder('names no folder');
  const [vision, text] = [await encoderIn(path, 'vision'), await encoderIn(path, 'text')];
  const preprocessor = await needed(
    path,
    'preprocessor_config.json',
    limits.embedderConfigBytesMax,
  );
  const tokenizer = await needed(path, 'tokenizer.json', limits.embedderTokenizerBytesMax);
  const tokenizerConfig = await found(path, 'tokenizer_config.json', limits.embedderConfigBytesMax);
  const config = await found(path, 'config.json', limits.embedderConfigBytesMax);
  const all = [vision, text, preprocessor, tokenizer, tokenizerConfig, config];
  return {
    name: basename(path),
    vision,
    text,
    preprocessor,
    tokenizer,
    tokenizerConfig,
    config,
    key: JSON.stringify(all.map((file) => file && [file.path, file.bytes, file.changedMs])),
  };
}

/** The object in a file of JSON. Throws `invalid_input` for FOVEA_EMBEDDER. */
export async function readJsonFile({ path }: FolderFile): Promise<JsonObject> {
  const text = await readFile(path, 'utf8').catch(() => '');
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch {
    // Said below.
  }
  throw wrongFolder(`has a ${basename(path)} that is no JSON object`);
}

/** The error of all that is wrong with the folder: `message` ends a sentence about it. */
export function wrongFolder(message: string): FoveaError {
  return invalidArgument(
    setting,
    message,
    'It must name a folder as published for transformers.js: onnx/vision_model.onnx, ' +
      'onnx/text_model.onnx, preprocessor_config.json and tokenizer.json.',
  );
}

/**
 * Whether an image cannot be embedded whatever the model: a store that is away, a model that fails
 * and a folder that is wrong say nothing about the image.
 */
export function isFaultOfImage(thrown: unknown): thrown is FoveaError {
  if (!(thrown instanceof FoveaError)) return false;
  return imageFaults.includes(thrown.code) && !isAboutFolder(thrown);
}

/** Whether the folder, its encoders or the runtime is what went wrong. */
export function isFaultOfEmbedder(thrown: unknown): thrown is FoveaError {
  if (!(thrown instanceof FoveaError)) return false;
  return isAboutFolder(thrown) || faultsOfModels.includes(thrown.code);
}

function isAboutFolder({ problems }: FoveaError): boolean {
  return problems.some(({ path }) => path === setting);
}

const faultsOfModels: readonly ErrorCode[] = ['upstream_failed', 'timed_out', 'not_implemented'];

const setting = 'FOVEA_EMBEDDER';

interface FoundFile extends FolderFile {
  readonly changedMs: number;
}

/** The most exact first; half precision, which not each processor has, after those of bytes. */
const variants = ['', '_quantized', '_int8', '_uint8', '_fp16', '_q4', '_bnb4'] as const;

async function encoderIn(folder: string, what: 'vision' | 'text'): Promise<FoundFile> {
  for (const variant of variants) {
    const path = join('onnx', `${what}_model${variant}.onnx`);
    const file = await found(folder, path, limits.modelBytesMax);
    // Weights in a second file are larger than what is loaded here.
    const hasMore = file && (await stat(join(folder, `${path}_data`)).catch(() => undefined));
    if (file && !hasMore) return file;
  }
  throw wrongFolder(`names a folder without onnx/${what}_model.onnx`);
}

async function needed(folder: string, name: string, bytesMax: number): Promise<FoundFile> {
  const file = await found(folder, name, bytesMax);
  if (file === undefined) throw wrongFolder(`names a folder without ${name}`);
  return file;
}

async function found(
  folder: string,
  name: string,
  bytesMax: number,
): Promise<FoundFile | undefined> {
  const path = await realpath(join(folder, name)).catch(() => undefined);
  const facts = path === undefined ? undefined : await stat(path).catch(() => undefined);
  if (path === undefined || !facts?.isFile()) return undefined;
  if (facts.size === 0) throw wrongFolder(`has an empty ${name}`);
  if (facts.size > bytesMax) {
    throw wrongFolder(`has a ${name} of ${facts.size} bytes; at most ${bytesMax} are read`);
  }
  return { path, bytes: facts.size, changedMs: facts.mtimeMs };
}
