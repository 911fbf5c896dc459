// Instantiates the compiled kernel, and manages its memory as a stack.

import { FoveaError, invalidArgument } from '../../errors.ts';
import type { Size } from '../transform-boxes.ts';
import { compiledKernel } from './compiled-wasm.ts';
import type { Pixels } from './operations.ts';

/** A compiled function. Takes and gives addresses and whole numbers. */
export type WasmFunction = (...values: readonly number[]) => number;

export interface WasmInstance {
  readonly call: ReturnType<typeof functionsOf>;
  mark(): number;
  release(mark: number): void;
  /** Takes bytes on top of the stack; gives their address, a multiple of 16. */
  allocate(bytes: number): number;
  /** Takes memory for an image on top of the stack; its bytes are not initialised. */
  allocatePixels(size: Size): Pixels;
  /** A view of memory; invalid after the next allocation. */
  view(pointer: number, bytes: number): Uint8Array;
  /** Runs a function and frees the memory that it took. Gives its result. */
  withScratch<Result>(work: () => Result): Result;
}

/** Compiles the kernel once per thread, at the first call, and instantiates it. */
export function createWasmInstance(): WasmInstance {
  compiled ??= new WebAssembly.Module(Buffer.from(compiledKernel, 'base64'));
  const { exports } = new WebAssembly.Instance(compiled, {});
  const call = functionsOf(exports);
  const stack = startStack(memoryOf(exports), call.freeMemory());
  return {
    ...stack,
    call,
    allocatePixels: ({ width, height }) => {
      checkSide(width);
      checkSide(height);
      return { pointer: stack.allocate(width * height * 3), width, height };
    },
    withScratch: (work) => {
      const mark = stack.mark();
      try {
        return work();
      } finally {
        stack.release(mark);
      }
    },
  };
}

/** The longest side of an image between two steps; longer than that of any stored image. */
const sideMax = 32_767;

/** The compiled functions work in blocks: so many bytes behind an image may be touched. */
const slackBytes = 64;

const pageBytes = 65_536;

/** One page less than 32 bits address, so that no address behind an image wraps around to 0. */
const memoryBytesMax = 2 ** 32 - pageBytes;

let compiled: WebAssembly.Module | undefined;

function startStack(memory: WebAssembly.Memory, base: number) {
  let all = new Uint8Array(memory.buffer);
  let top = align(base + slackBytes);
  const grow = (bytes: number): void => {
    const pages = Math.ceil((bytes - memory.buffer.byteLength) / pageBytes);
    if (pages <= 0) return;
    if (bytes > memoryBytesMax) throw outOfMemory();
    try {
      memory.grow(pages);
    } catch (cause) {
      throw outOfMemory(cause);
    }
    all = new Uint8Array(memory.buffer);
  };
  return {
    mark: () => top,
    release: (mark: number) => {
      top = mark;
    },
    allocate: (bytes: number) => {
      const pointer = top;
      const end = align(pointer + bytes + slackBytes);
      grow(end);
      top = end;
      return pointer;
    },
    view: (pointer: number, bytes: number) => all.subarray(pointer, pointer + bytes),
  };
}

function align(pointer: number): number {
  return Math.ceil(pointer / 16) * 16;
}

function checkSide(side: number): void {
  if (!Number.isInteger(side) || side < 0) {
    throw invalidArgument('size', 'a side of an image is a whole number of pixels from 0 on');
  }
  if (side > sideMax) {
    throw new FoveaError('too_large', `An image on its way has at most ${sideMax} pixels a side.`);
  }
}

function outOfMemory(cause?: unknown): FoveaError {
  const message = 'The image needs more memory than there is, on its way through the steps.';
  return new FoveaError('too_large', message, { cause });
}

function memoryOf({ memory }: WebAssembly.Exports): WebAssembly.Memory {
  if (memory instanceof WebAssembly.Memory) return memory;
  throw new FoveaError('internal', 'The compiled kernel has no memory.');
}

/** What assembly/kernel.ts exports. */
function functionsOf(exports: WebAssembly.Exports) {
  const find = (name: string): WasmFunction => {
    const found = exports[name];
    if (isWasmFunction(found)) return found;
    throw new FoveaError('internal', `The compiled kernel has no function ${name}.`);
  };
  return {
    add: find('add'),
    blur: find('blur'),
    blurScratch: find('blurScratch'),
    copyRows: find('copyRows'),
    decodeScan: find('decodeScan'),
    decodeScratch: find('decodeScratch'),
    encodeJpeg: find('encodeJpeg'),
    fill: find('fill'),
    freeMemory: find('freeMemory'),
    lookup: find('lookup'),
    mirrorRows: find('mirrorRows'),
    mix: find('mix'),
    resampleColumns: find('resampleColumns'),
    resampleRows: find('resampleRows'),
    rotateHue: find('rotateHue'),
    turnQuarter: find('turnQuarter'),
    upsample: find('upsample'),
    upsampleScratch: find('upsampleScratch'),
    warp: find('warp'),
  };
}

function isWasmFunction(value: unknown): value is WasmFunction {
  return typeof value === 'function';
}

declare global {
  /** The part of the WebAssembly API that is used here; @types/node does not declare it. */
  namespace WebAssembly {
    type Exports = Readonly<Record<string, unknown>>;
    class Module {
      constructor(bytes: Uint8Array);
    }
    class Instance {
      constructor(module: Module, imports: Readonly<Record<string, never>>);
      readonly exports: Exports;
    }
    class Memory {
      constructor(size: { readonly initial: number });
      readonly buffer: ArrayBuffer;
      grow(pages: number): number;
    }
  }
}
