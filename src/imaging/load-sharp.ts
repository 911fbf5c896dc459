// Loads sharp on first use: the native one if it is installed beside Fovea, else the bundled
// WebAssembly.

import { isMainThread, workerData } from 'node:worker_threads';
import { lazyStart } from '../lazy-start.ts';

export type SharpFunction = typeof import('sharp')['default'];

/** Which sharp a process draws with. */
export interface SharpBuild {
  readonly isNative: boolean;
  readonly version: string;
  /** Why an installed sharp is not used: ends a sentence. Undefined: used, or not installed. */
  readonly refusal: string | undefined;
}

interface Loaded {
  readonly sharp: SharpFunction;
  readonly build: SharpBuild;
}

/** Ready for use: with the decoders that we allow, one thread for each image, and no cache. */
export async function loadSharp(): Promise<SharpFunction> {
  return (await prepared.get()).sharp;
}

/** Decodes nothing, and changes nothing for those that do. */
export async function findSharpBuild(): Promise<SharpBuild> {
  return (await chosen.get()).build;
}

const chosen = lazyStart(choose);

const prepared = lazyStart(async () => {
  const found = await chosen.get();
  prepare(found);
  return found;
});

/** An installed sharp may be of any version: it is used only if it works. */
async function choose(): Promise<Loaded> {
  let refusal: string | undefined;
  try {
    const { default: sharp } = await import('sharp');
    refusal = refusalOf(sharp.versions);
    if (refusal === undefined) {
      return { sharp, build: { isNative: true, version: sharp.versions.sharp ?? '', refusal } };
    }
  } catch (thrown) {
    if (!isMissing(thrown)) refusal = 'it cannot be loaded';
  }
  const { openWasmSharp } = await import('./wasm-sharp.ts');
  const sharp = openWasmSharp();
  return { sharp, build: { isNative: false, version: sharp.versions.sharp ?? '', refusal } };
}

/** Ours in WebAssembly gives memory back at once, which theirs does not. */
function refusalOf(versions: SharpFunction['versions']): string | undefined {
  if (!/^0\.35\.\d+$/.test(versions.sharp ?? '')) return 'it is another version than 0.35';
  return 'emscripten' in versions ? 'its native part is missing' : undefined;
}

function isMissing(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.message.startsWith("Cannot find package 'sharp'");
}

function prepare({ sharp, build }: Loaded): void {
  // Work is spread over images, not within one; every image is read once.
  sharp.concurrency(1);
  sharp.cache(false);
  // The list belongs to the whole process: while a thread sets it, for a moment no other could read
  // a file. So the first thread sets it (image-thread-pool.ts). In WebAssembly each has its own.
  if (isMainThread || !build.isNative || isFirstThread(workerData)) allowDecoders(sharp);
}

function isFirstThread(data: unknown): boolean {
  return typeof data === 'object' && data !== null && 'allowsDecoders' in data
    ? data.allowsDecoders === true
    : false;
}

/** Only the decoders that we name: no SVG, PDF or scripted format by a disguised file. */
function allowDecoders(sharp: SharpFunction): void {
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: decoders.map((name) => `VipsForeignLoad${name}Buffer`) });
}

const decoders = ['Jpeg', 'Png', 'Webp', 'Tiff', 'Heif'];
