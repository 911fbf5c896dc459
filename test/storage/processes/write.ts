// Keeps content and rows until it is killed, and says each time what it was promised.

import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../../src/clock.ts';
import { openBlobFolder } from '../../../src/storage/blob-store.ts';
import { openDatabase } from '../../../src/storage/database.ts';
import { fileTable } from '../file-table.ts';

const [folder = ''] = process.argv.slice(2);
const database = openDatabase(join(folder, 'files.db'), [fileTable]);
const blobs = await openBlobFolder(join(folder, 'blobs'), systemClock);

const waysToPut = [
  (content: Uint8Array) => blobs.put(content),
  (content: Uint8Array) => blobs.put(inPieces(content)),
  (content: Uint8Array) => {
    const path = join(folder, randomUUID());
    writeFileSync(path, content);
    return blobs.putFile(path);
  },
] as const;

for (let round = 0; ; round += 1) {
  const content = randomBytes(randomInt(60_000));
  const put = waysToPut[round % waysToPut.length] ?? waysToPut[0];
  const { hash } = await put(content);
  database.transaction(() => {
    database.run('INSERT INTO files (hash) VALUES (?)', [hash]);
    database.run('UPDATE totals SET files = files + 1');
  });
  writeSync(1, `kept ${hash}\n`);
}

async function* inPieces(content: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += 10_000) yield content.subarray(at, at + 10_000);
}
