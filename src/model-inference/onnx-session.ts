// A model in the ONNX runtime that is installed: the one for Node, else WebAssembly.

import { availableParallelism } from 'node:os';
import { FoveaError } from '../errors.ts';
import { createOnDevice } from './execution-providers.ts';

/** What a model takes or gives. A side that is not fixed is undefined. */
export interface Slot {
  readonly name: string;
  /** For example `float32`; undefined where it is no tensor. */
  readonly type: string | undefined;
  readonly dims: readonly (number | undefined)[];
}

export interface Tensor {
  readonly values: Float32Array;
  readonly dims: readonly number[];
}

/** What one input of a model is given. */
export interface Feed {
  readonly type: 'float32' | 'int64';
  readonly values: Float32Array | BigInt64Array;
  readonly dims: readonly number[];
}

export interface OnnxSession {
  readonly inputs: readonly Slot[];
  readonly outputs: readonly Slot[];
  /**
   * Gives these outputs, in this order; whole numbers become floats, and of other types there are
   * no values. Throws `upstream_failed` where the runtime does.
   */
  run(input: Tensor, outputNames: readonly string[]): Promise<readonly Tensor[]>;
  /** The same with inputs and the output by their names. */
  runNamed(feeds: ReadonlyMap<string, Feed>, outputName: string): Promise<Tensor>;
  /** Frees its memory, as far as the runtime does. */
  close(): Promise<void>;
}

type Runtime = Pick<typeof import('onnxruntime-web'), 'InferenceSession' | 'Tensor'> & {
  /** That for Node alone tells what it can run models on. */
  readonly listSupportedBackends?: () => readonly { readonly name: string }[];
};

/**
 * Loads a model. Throws `not_implemented` where no runtime is installed, `invalid_input` for a file
 * that the runtime refuses.
 */
export async function openOnnxSession(file: Uint8Array): Promise<OnnxSession> {
  const runtime = await loadRuntime();
  const { InferenceSession, Tensor } = runtime;
  const options = { intraOpNumThreads: Math.max(1, Math.floor(availableParallelism() / 2)) };
  const create = (executionProviders?: readonly string[]) =>
    InferenceSession.create(file, {
      ...options,
      ...(executionProviders && { executionProviders }),
    });
  const session = await createOnDevice(runtime.listSupportedBackends?.(), create).catch(
    (thrown) => {
      throw refusedByRuntime(thrown);
    },
  );
  const [inputName = ''] = session.inputNames;
  const ask = async (feeds: ReadonlyMap<string, Feed>, wanted: readonly string[]) => {
    const tensors = [...feeds].map(([name, { type, values, dims }]) => [
      name,
      new Tensor(type, values, dims),
    ]);
    const given = session.run(Object.fromEntries(tensors), [...wanted]);
    return given.catch((thrown) => {
      throw failedInRuntime(thrown);
    });
  };
  return {
    inputs: session.inputMetadata.map(slotOf),
    outputs: session.outputMetadata.map(slotOf),
    run: async ({ values, dims }, wanted) => {
      const answers = await ask(new Map([[inputName, { type: 'float32', values, dims }]]), wanted);
      return wanted.map((name) => {
        const output = answers[name];
        if (output === undefined) throw failedInRuntime(undefined);
        return { values: floatsOf(output.data), dims: output.dims };
      });
    },
    runNamed: async (feeds, wanted) => {
      const output = (await ask(feeds, [wanted]))[wanted];
      if (!(output?.data instanceof Float32Array)) throw failedInRuntime(undefined);
      return { values: output.data, dims: output.dims };
    },
    close: () => session.release(),
  };
}

function floatsOf(data: unknown): Float32Array {
  if (data instanceof Float32Array) return data;
  if (data instanceof BigInt64Array) return Float32Array.from(data, Number);
  const isWhole = data instanceof Int32Array || data instanceof Uint8Array;
  return isWhole ? Float32Array.from(data) : new Float32Array(0);
}

/**
 * The runtime for Node is native: it uses all that the processor has. Where it is not installed,
 * the one of WebAssembly does the same, some three times slower, and needs no install scripts.
 */
async function loadRuntime(): Promise<Runtime> {
  const native = await import('onnxruntime-node').catch(absent);
  if (native !== undefined) return native.default;
  const portable = await import('onnxruntime-web').catch(absent);
  if (portable === undefined) throw noRuntime();
  // It would start threads of its own, with files that the bundle does not have.
  portable.env.wasm.numThreads = 1;
  return portable;
}

function absent(): undefined {
  return undefined;
}

/** What is to be said where neither is installed. */
export function noRuntime(): FoveaError {
  return new FoveaError('not_implemented', 'No ONNX runtime is installed.', {
    hint: 'Run `npm install onnxruntime-node` (or onnxruntime-web) beside Fovea.',
  });
}

type Metadata = Awaited<ReturnType<Runtime['InferenceSession']['create']>>['inputMetadata'][number];

function slotOf(metadata: Metadata): Slot {
  const { name } = metadata;
  if (!metadata.isTensor) return { name, type: undefined, dims: [] };
  const dims = metadata.shape.map((side) =>
    typeof side === 'number' && side > 0 ? side : undefined,
  );
  return { name, type: metadata.type, dims };
}

function refusedByRuntime(thrown: unknown): FoveaError {
  const message = 'is not a model that the ONNX runtime can load';
  return new FoveaError('invalid_input', `model: ${message}`, {
    problems: [{ path: 'model', message }],
    hint: 'Export it anew, with an opset that the installed runtime knows.',
    ...words(thrown),
  });
}

function failedInRuntime(thrown: unknown): FoveaError {
  return new FoveaError('upstream_failed', 'The model failed on this image.', {
    hint: 'Run the model on it elsewhere, to see whether it can.',
    retry: 'never',
    ...words(thrown),
  });
}

/** The words of the runtime are those of others. */
function words(thrown: unknown) {
  if (!(thrown instanceof Error)) return {};
  return { cause: thrown, upstream: { status: 0, message: thrown.message.slice(0, 500) } };
}
