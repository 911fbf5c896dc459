// The query image of a similarity search, sent as base64.

import { FoveaError, invalidArgument } from '../../errors.ts';
import { readDescribedImage } from '../../imaging/image-thread-pool.ts';
import type { Descriptor } from '../../imaging/similarity-descriptor.ts';
import { limits } from '../../limits.ts';

/** Said with each answer: what likeness means here. */
const similarityNote = 'Similar by look (colours and their layout), not by meaning.';

/** The same with what is missing: new images are looked at behind their upload. */
export function similarityNotes(isDescribed: boolean): readonly string[] {
  if (isDescribed) return [similarityNote];
  return [similarityNote, 'Some new images are not found yet: their look is being read.'];
}

/**
 * How an image looks that was sent as base64, also as a data URL. Throws `invalid_input`,
 * `too_large` and `unsupported_media` for the member `path`.
 */
export async function describeQueryImage(base64: string, path: string): Promise<Descriptor> {
  return (await readQueryImage(base64, path)).look;
}

export interface QueryImage {
  readonly bytes: Uint8Array;
  readonly look: Descriptor;
}

/** The same with the bytes of the file. */
export async function readQueryImage(base64: string, path: string): Promise<QueryImage> {
  // With a line break after each 76 characters, and a prefix.
  if (base64.length > limits.searchImageBytesMax * 1.4 + 200) throw tooLarge(path, base64.length);
  const text = base64.replace(/^data:[^,]{0,100};base64,/, '');
  // Its decoder passes over white space, and over all else too.
  if (/[^\w+/=\s-]|=[\w+/-]/.test(text) || !/[\w+/-]/.test(text)) {
    throw invalidArgument(path, 'must be the bytes of an image file as base64');
  }
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length > limits.searchImageBytesMax) throw tooLarge(path, bytes.length);
  const { descriptor } = await readDescribedImage(bytes).catch((thrown) => {
    throw about(path, thrown);
  });
  if (descriptor === undefined) throw invalidArgument(path, 'is too large a BMP; send a JPEG');
  return { bytes, look: descriptor };
}

function tooLarge(path: string, length: number): FoveaError {
  const message = `has ${length} bytes; at most ${limits.searchImageBytesMax} are accepted`;
  return new FoveaError('too_large', `${path}: ${message}`, { problems: [{ path, message }] });
}

/** What was wrong with a file, said of the member that it came in. */
function about(path: string, thrown: unknown): unknown {
  if (!(thrown instanceof FoveaError) || thrown.problems.length === 0) return thrown;
  const problems = thrown.problems.map(({ message }) => ({ path, message }));
  const message = problems.map((problem) => `${path}: ${problem.message}`).join('; ');
  return new FoveaError(thrown.code, message, { problems, cause: thrown });
}
