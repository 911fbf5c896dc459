// Opens a database and says so. Its steps fail when they run twice.

import { writeSync } from 'node:fs';
import { openDatabase } from '../../../src/storage/database.ts';
import { steps } from '../steps.ts';

const [path = ''] = process.argv.slice(2);
const database = openDatabase(path, steps);
writeSync(1, `opened ${database.all('SELECT * FROM history', [], (row) => row.text('step'))}\n`);
database.close();
