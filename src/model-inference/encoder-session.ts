// What encoders of images and of texts have in common: the runtime, and vectors of length 1, whose
// products are cosines.

import { FoveaError } from '../errors.ts';
import { limits } from '../limits.ts';
import { wrongFolder } from './embedder-folder.ts';
import { readOnnxMetadata } from './onnx-metadata.ts';
import { type OnnxSession, openOnnxSession, type Slot, type Tensor } from './onnx-session.ts';

/** Throws as openOnnxSession, of a file that is refused in the name of FOVEA_EMBEDDER. */
export async function openEncoderSession(
  model: Uint8Array,
  what: EncoderName,
): Promise<OnnxSession> {
  try {
    // Refuses weights in other files, which could be any.
    readOnnxMetadata(model);
    return await openOnnxSession(model);
  } catch (thrown) {
    const isRefused = thrown instanceof FoveaError && thrown.code === 'invalid_input';
    throw isRefused ? wrongFolder(`has ${what} that the ONNX runtime cannot load`) : thrown;
  }
}

/**
 * Throws `invalid_input` for FOVEA_EMBEDDER where it is no vector for one image or text, and
 * `upstream_failed` where its numbers have no direction.
 */
export function toUnitVector({ values, dims }: Tensor, what: EncoderName): Float32Array {
  const [batch, dimensions = 0] = dims;
  const isVector = dims.length === 2 && batch === 1 && values.length === dimensions;
  if (!isVector || dimensions < 2 || dimensions > limits.vectorDimensionsMax) {
    throw wrongFolder(
      `has ${what} that gives [${dims.slice(0, 6).join(', ')}] where one vector of 2 to ` +
        `${limits.vectorDimensionsMax} numbers belongs`,
    );
  }
  const length = Math.hypot(...values);
  if (!Number.isFinite(length) || length === 0) {
    throw new FoveaError('upstream_failed', 'The embedding model gave no usable numbers.', {
      retry: 'never',
    });
  }
  return values.map((value) => value / length);
}

export type EncoderName = 'an image encoder' | 'a text encoder';

/** The name of the output with one vector. Throws `invalid_input` where there is none. */
export function vectorOutput(
  { outputs }: OnnxSession,
  names: readonly string[],
  what: EncoderName,
): string {
  const wanted = names.find((name) => outputs.some((output) => output.name === name));
  if (wanted !== undefined) return wanted;
  const given = namesOf(outputs);
  throw wrongFolder(`has ${what} that gives ${given}, and none of ${names.join(', ')}`);
}

/** Some of them, for an error. */
export function namesOf(slots: readonly Slot[]): string {
  const names = slots.slice(0, 5).map(({ name }) => JSON.stringify(name.slice(0, 40)));
  return names.join(', ') || 'nothing';
}
