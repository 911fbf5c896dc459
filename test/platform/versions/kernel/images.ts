// Images to try the kernel on, and what its refusals look like.

import { expect } from 'vitest';
import type { RawImage } from '../../../../src/platform/image-file.ts';

/** Red counts the pixels from 0, row by row; green is 100 ahead, blue 200. */
export function numbered(width: number, height: number): RawImage {
  const data = Uint8Array.from(
    { length: width * height * 3 },
    (_, at) => Math.trunc(at / 3) + (at % 3) * 100,
  );
  return { data, width, height };
}

/** An error of that code that names that argument. */
export function refusal(code: string, path?: string): unknown {
  const problems = path === undefined ? {} : { problems: [expect.objectContaining({ path })] };
  return expect.objectContaining({ code, ...problems });
}
