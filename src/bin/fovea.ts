#!/usr/bin/env node
// The entry of all commands: only what makes the rest load faster.

import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// Beside the code and not in a shared temporary folder, where others could plant compiled code.
// Where this folder cannot be written, Node goes without.
enableCompileCache(join(import.meta.dirname, '.compile-cache'));
await import('./main.ts');
