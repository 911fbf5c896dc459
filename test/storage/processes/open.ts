// Waits for a file called `go`, opens a database, and says so. Its steps fail when they run twice.

import { existsSync, writeSync } from 'node:fs';
import { openDatabase } from '../../../src/storage/database.ts';
import { steps } from '../traced-migrations.ts';

const [path = '', go = ''] = process.argv.slice(2);
writeSync(1, 'ready\n');
while (!existsSync(go)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
const database = openDatabase(path, steps);
writeSync(1, `opened ${database.all('SELECT * FROM history', [], (row) => row.text('step'))}\n`);
database.close();
