#!/usr/bin/env node
// The entry of all commands: only what makes the rest load faster.

import { enableCompileCache } from 'node:module';

enableCompileCache();
await import('./main.ts');
