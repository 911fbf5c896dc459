// An encoder of images, in the thread that runs it: pixels in, a vector out.

import type { RawImage } from '../imaging/raw-image.ts';
import { wrongFolder } from './embedder-folder.ts';
import { namesOf, openEncoderSession, toUnitVector, vectorOutput } from './encoder-session.ts';
import { type ImagePreparation, toPixelValues } from './image-preparation.ts';
import type { OnnxSession } from './onnx-session.ts';

export interface ImageEncoder {
  readonly dimensions: number;
  /** An image scaled as the preparation says. Errors as toUnitVector, and those of the runtime. */
  embed(image: RawImage): Promise<Float32Array>;
  close(): Promise<void>;
}

/** Runs it once on a black image: then the length of its vectors is known. */
export async function openImageEncoder(
  model: Uint8Array,
  preparation: ImagePreparation,
): Promise<ImageEncoder> {
  const session = await openEncoderSession(model, 'an image encoder');
  try {
    const embed = encoderOf(session, preparation);
    const { length } = await embed({ data: new Uint8Array(3), width: 1, height: 1 });
    return { dimensions: length, embed, close: () => session.close() };
  } catch (thrown) {
    await session.close();
    throw thrown;
  }
}

function encoderOf(session: OnnxSession, preparation: ImagePreparation): ImageEncoder['embed'] {
  const { canvas } = preparation;
  const input = session.inputs.find(({ name }) => name === 'pixel_values');
  if (input === undefined || session.inputs.length > 1) {
    throw wrongFolder(
      `has an image encoder that takes ${namesOf(session.inputs)}, and not pixel_values alone`,
    );
  }
  const [, channels = 3, height = canvas.height, width = canvas.width] = input.dims;
  if (input.type !== 'float32' || channels !== 3) {
    throw wrongFolder('has an image encoder that does not take pixel_values of 3 planes, float32');
  }
  if (height !== canvas.height || width !== canvas.width) {
    throw wrongFolder(
      `has an image encoder for ${width} x ${height} pixels, and a preprocessor_config.json for ` +
        `${canvas.width} x ${canvas.height}`,
    );
  }
  const what = 'an image encoder';
  const output = vectorOutput(session, ['image_embeds', 'pooler_output'], what);
  return async (image) => {
    const values = toPixelValues(preparation, image);
    const dims = [1, 3, canvas.height, canvas.width];
    const feeds = new Map([['pixel_values', { type: 'float32', values, dims } as const]]);
    return toUnitVector(await session.runNamed(feeds, output), what);
  };
}
