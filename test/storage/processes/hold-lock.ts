// Takes a lock and keeps it until it is killed.

import { writeSync } from 'node:fs';
import { tryLock } from '../../../src/storage/file-lock.ts';

const [path = '', mode] = process.argv.slice(2);
const lock = tryLock(path, mode === 'shared' ? 'shared' : 'exclusive');
writeSync(1, lock === undefined ? 'refused\n' : 'taken\n');
// Only its end ends it.
setInterval(() => lock, 1000);
