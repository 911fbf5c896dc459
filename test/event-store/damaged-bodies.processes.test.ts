// Thousands of damaged multipart bodies: each is taken or refused, none is a fault of the service,
// and the files on the disk are exactly those of the ones that were taken.

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openTestEventStore, plainEvent, type TestEventStore } from '../fixtures/event-store.ts';
import { type DamagedBody, damagedBodies } from './fuzz/damaged-bodies.ts';

/** What is taken waits for the disk, and all that wait do so together. */
const atOnce = 32;

// Both take bodies apart by the same code, and differ in what they do with the parts: of the
// second a share is enough, of all damages and places.
test.each([
  ['videos', 1],
  ['local-only-files', 7],
])(
  'of %s: no answer is a 5xx, and no file is left that is not listed',
  { timeout: 300_000 },
  async (kind, each) => {
    const service = await openTestEventStore({ settings: { DRAFT_SWEEP_SECONDS: '86400' } });
    try {
      const id = (await service.post('/v2/events', { ...plainEvent, draft: true })).text('id');
      const all = damagedBodies();
      expect(all.length).toBeGreaterThan(5_000);
      const bodies = all.filter((_body, place) => place % each === 0);
      const path = `/v2/events/${id}/${kind}`;
      const kept = new Set<string>();
      const unexpected: string[] = [];
      for (let start = 0; start < bodies.length; start += atOnce) {
        const some = bodies.slice(start, start + atOnce);
        const answers = await Promise.all(some.map((body) => send(service, path, body)));
        for (const { name, status, fileId } of answers) {
          if (![201, 400, 413, 415, 422].includes(status)) unexpected.push(`${status}: ${name}`);
          if (fileId !== undefined) kept.add(fileId);
        }
      }
      const errors = service.logLines.filter((line) => line.includes(' error '));
      expect({ unexpected, errors }).toEqual({ unexpected: [], errors: [] });
      expect(kept.size).toBeGreaterThan(0);
      expect(await filesOnDisk(service)).toEqual([...kept].sort());
    } finally {
      await service.close();
    }
  },
);

interface Sent {
  readonly name: string;
  readonly status: number;
  /** Of what was taken. */
  readonly fileId: string | undefined;
}

async function send(
  { url }: TestEventStore,
  path: string,
  { name, pieces }: DamagedBody,
): Promise<Sent> {
  const answer = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=XX' },
    body: ReadableStream.from(pieces),
    duplex: 'half',
  });
  const body: unknown = await answer.json();
  const fileId = new Map(Object.entries(Object(body))).get('file_id');
  return { name, status: answer.status, fileId: typeof fileId === 'string' ? fileId : undefined };
}

/** Names of all files of the service, those that are being written included. */
async function filesOnDisk({ data }: TestEventStore): Promise<readonly string[]> {
  const entries = await readdir(join(data, 'files'), { recursive: true, withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
  return names.filter((name) => !name.startsWith('.')).sort();
}
