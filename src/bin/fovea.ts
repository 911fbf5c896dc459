#!/usr/bin/env node
// The entry of all commands: prepares fast loading, and refuses an older Node.

import * as nodeModule from 'node:module';
import { join } from 'node:path';
import { nodeLimits } from '../limits/node.ts';

const { nodeMin, nodeMajorWithout } = nodeLimits;
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const isOlder = major < nodeMin.major || (major === nodeMin.major && minor < nodeMin.minor);
if (isOlder || major === nodeMajorWithout) {
  const needed = `${nodeMin.major}.${nodeMin.minor}`;
  const found = `this is ${process.versions.node}, at ${process.execPath}`;
  const without = `not ${nodeMajorWithout}`;
  process.stderr.write(`fovea: Node ${needed} or newer is needed, ${without}; ${found}.\n`);
  process.exitCode = 2;
} else {
  // Beside the code and not in a shared temporary folder, where others could plant compiled code.
  // Where this folder cannot be written, Node goes without.
  nodeModule.enableCompileCache(join(import.meta.dirname, '.compile-cache'));
  await import('./main.ts');
}
