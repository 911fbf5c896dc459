// A writing process is killed again and again: what it was promised is there afterwards.
//
// This does not prove that data survives a power cut. The page cache outlives a killed process, so
// a missing fsync goes unnoticed here: that takes a file system whose unsynced pages are dropped.

import { createHash, randomInt } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { openBlobFolder } from '../../src/storage/blob-store.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { startChild } from './child-process.ts';
import { fileTable } from './file-table.ts';

const rounds = 20;

test('nothing acknowledged is lost, and nothing is torn', async () => {
  const folder = await temporaryFolder();
  const promised = new Set<string>();
  for (let round = 0; round < rounds; round += 1) {
    const writer = startChild('write.ts', folder);
    await writer.says('kept');
    await delay(randomInt(120));
    await writer.kill();
    for (const line of writer.lines) promised.add(line.replace('kept ', ''));
    expect(readDatabase(folder).integrity).toBe('ok');
  }
  expect(promised.size).toBeGreaterThanOrEqual(rounds);
  const { hashes, total } = readDatabase(folder);
  expect([...promised].filter((hash) => !hashes.includes(hash))).toEqual([]);
  expect(total).toBe(hashes.length);
  expect(await unreadable(folder, hashes)).toEqual([]);
  expect(await torn(join(folder, 'blobs'))).toEqual([]);
});

function readDatabase(folder: string) {
  const database = openDatabase(join(folder, 'files.db'), [fileTable]);
  try {
    return {
      integrity: database.get('PRAGMA integrity_check', [], (row) => row.text('integrity_check')),
      hashes: database.all('SELECT hash FROM files', [], (row) => row.text('hash')),
      total: database.get('SELECT files FROM totals', [], (row) => row.integer('files')),
    };
  } finally {
    database.close();
  }
}

async function unreadable(folder: string, hashes: readonly string[]): Promise<readonly string[]> {
  const blobs = await openBlobFolder(join(folder, 'blobs'), systemClock);
  const found: string[] = [];
  for (const hash of hashes) await blobs.get(hash).catch(() => found.push(hash));
  return found;
}

/** Files in their place that do not hold what their name says, with or without a row. */
async function torn(blobs: string): Promise<readonly string[]> {
  const found: string[] = [];
  const entries = await readdir(blobs, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((each) => each.isFile() && each.name.length === 64)) {
    const content = await readFile(join(entry.parentPath, entry.name));
    const hash = createHash('sha256').update(content).digest('hex');
    if (hash !== entry.name) found.push(entry.name);
  }
  return found;
}
