// Text files below the file roots, bounded in size.

import { invalidArgument } from '../../src/errors.ts';
import { fileAt, fileSize } from '../format.ts';
import { readRealFile } from '../local-file.ts';

/**
 * The text of a file, without a byte order mark. `path` is a real path from the file roots. Throws
 * `invalid_input` naming `argument` where it is a folder, too large or no UTF-8 text.
 */
export async function readText(path: string, argument: string, bytesMax: number): Promise<string> {
  const bytes = await readRealFile(path, argument, (size) => {
    if (size <= bytesMax) return;
    const sizes = `${fileSize(size)}, more than ${fileSize(bytesMax)}`;
    throw invalidArgument(argument, `${fileAt(path)} has ${sizes}`);
  });
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    if (cause instanceof TypeError) {
      throw invalidArgument(argument, `${fileAt(path)} is no UTF-8 text`);
    }
    throw cause;
  }
}
