// Files of the release that are compressed by brotli: a tenth to a fifth smaller than in the gzip
// of the package.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';

export type Compression = 'best' | 'quick';

/** What is in the file, compressed. */
export function compressFile(path: string, compression: Compression): Buffer {
  return compression === 'best' ? best(path) : compressed(readFileSync(path), 6);
}

/** It takes half a minute for the largest, so it is done once for each version. */
function best(path: string): Buffer {
  const bytes = readFileSync(path);
  const hash = createHash('sha256').update(bytes).digest('hex');
  const kept = resolve('node_modules/.cache/fovea', `${hash}.br`);
  if (existsSync(kept)) return readFileSync(kept);
  const made = compressed(bytes, constants.BROTLI_MAX_QUALITY);
  mkdirSync(dirname(kept), { recursive: true });
  // Another build may read it at the same time.
  writeFileSync(`${kept}.${process.pid}`, made);
  renameSync(`${kept}.${process.pid}`, kept);
  return made;
}

function compressed(bytes: Uint8Array, quality: number): Buffer {
  return brotliCompressSync(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: quality,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });
}
