// Builds the release: dist/fovea.js and its parts, or into the folder that is named.

import { buildRelease } from './build/build-release.ts';

const { bytes } = await buildRelease(process.argv[2] ?? 'dist');
for (const [path, size] of bytes) process.stderr.write(`${String(size).padStart(9)}  ${path}\n`);
