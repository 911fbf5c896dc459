// Writes files with rows, each acknowledged on stdout, with or without the syncs that it takes.

import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const [folder = '', synchronous = '', syncsFiles = ''] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const database = new DatabaseSync(join(folder, 'control.db'));
database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}`);
database.exec('CREATE TABLE files (name TEXT PRIMARY KEY)');
const insert = database.prepare('INSERT INTO files (name) VALUES (?)');
const descriptor = openSync(folder, 'r');

for (let count = 0; ; count += 1) {
  const name = `file-${count}`;
  const draft = join(folder, `${name}.new`);
  const file = openSync(draft, 'w');
  writeFileSync(file, Buffer.alloc(20_000, 'x'));
  if (syncsFiles === 'true') fsyncSync(file);
  closeSync(file);
  renameSync(draft, join(folder, name));
  if (syncsFiles === 'true') fsyncSync(descriptor);
  insert.run(name);
  writeSync(1, `${name}\n`);
}
