// Annotation files that take too long: each has its time, and the others are read all the same.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { openZipAnnotationReader } from '../../../src/platform/annotation-threads/zip-annotation-reader.ts';
import { createDiskReservations } from '../../../src/platform/disk-reservations.ts';
import type { ZipEntry } from '../../../src/platform/zip-import/open-zip.ts';
import { coco, voc } from '../zip-import/zip-files.ts';

/** Sequences in sequences, which the parser of YAML takes a minute or more for. */
const slowYaml = `${'- '.repeat(100)}a\n`.repeat(20_000);

function entry(path: string): ZipEntry {
  const sizes = { compressedBytes: 0, statedBytes: 0, crc32: 0, offset: 0 };
  return { path, isDeflated: false, ...sizes };
}

function open(
  files: Readonly<Record<string, string>>,
  more: { msMax?: number; allMsMax?: number; signal?: AbortSignal } = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'fovea-reader-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const reader = openZipAnnotationReader({
    zip: {
      read: async ({ path }) => Buffer.from(files[path] ?? ''),
      copy: async ({ path }, target) => {
        const bytes = Buffer.from(files[path] ?? '');
        writeFileSync(target, bytes);
        return bytes.length;
      },
    },
    folder,
    diskReservations: createDiskReservations(async () => 1e9),
    imagePaths: ['a.png'],
    clock: systemClock,
    signal: new AbortController().signal,
    ...more,
  });
  onTestFinished(() => reader.close());
  return reader;
}

const image = { name: 'a.png', width: 64, height: 48 };
const own = { image, labelmap: undefined, projectType: 'object-detection', bytesMax: 1e6 } as const;
const tooSlow = { problem: 'takes too long to be read' };

it('ends a file that takes too long, and still has the document that it had read before', async () => {
  const reader = open(
    { 'slow.yaml': slowYaml, 'set.json': coco('cat', 'a.png'), 'a.xml': voc('a.png', 'dog') },
    // Later it would need too much memory.
    { msMax: 700 },
  );
  const set = entry('set.json');
  expect(await reader.addDocument(set, 1e6)).toMatchObject({ bytes: expect.any(Number) });
  expect(await reader.classList(entry('slow.yaml'), 1e8)).toMatchObject(tooSlow);
  const question = { images: [entry('a.png')], own: [], named: new Map() };
  const paired = await reader.pair({ ...question, projectType: 'object-detection' });
  const source = 'pairs' in paired ? paired.pairs.sources.get('a.png') : undefined;
  expect(source).toMatchObject({ kind: 'document', name: 'a.png' });
  expect(await reader.ofDocument(set, 'a.png', image)).toMatchObject({
    read: { annotation: { labels: [['cat', 1]] } },
  });
  expect(await reader.own(entry('a.xml'), own)).toMatchObject({
    read: { annotation: { labels: [['dog', 1]] } },
  });
});

it('leaves the thread that asks free for others', async () => {
  const reader = open({ 'slow.yaml': slowYaml }, { msMax: 500 });
  let hasEnded = false;
  const reading = reader.classList(entry('slow.yaml'), 1e8).finally(() => {
    hasEnded = true;
  });
  let turns = 0;
  for (; !hasEnded; turns += 1) await new Promise((next) => setTimeout(next, 1));
  expect(await reading).toMatchObject(tooSlow);
  expect(turns).toBeGreaterThan(20);
});

it('reads nothing more once all files together took too long', async () => {
  const files = { 'slow.yaml': slowYaml, 'a.xml': voc('a.png', 'dog') };
  const reader = open(files, { allMsMax: 100 });
  expect(await reader.classList(entry('slow.yaml'), 1e8)).toMatchObject(tooSlow);
  expect(await reader.own(entry('a.xml'), own)).toMatchObject({
    problem: 'was not read: the files before it took too long',
  });
});

it('ends at once when its work is taken away', async () => {
  const stop = new AbortController();
  const reader = open({ 'slow.yaml': slowYaml }, { signal: stop.signal });
  const reading = reader.classList(entry('slow.yaml'), 1e8);
  stop.abort(new Error('taken away'));
  await expect(reading).rejects.toThrow('taken away');
});

it('starts no thread after its end', async () => {
  const reader = open({ 'a.xml': voc('a.png', 'dog') });
  reader.close();
  await expect(reader.own(entry('a.xml'), own)).rejects.toMatchObject({ code: 'cancelled' });
});

it('hands back no outlines that would hold up everybody else', async () => {
  const document = JSON.parse(coco('cat', 'a.png'));
  const outline = Array.from({ length: 400_002 }, () => 1);
  document.annotations[0].segmentation = [outline];
  const reader = open({ 'a.json': JSON.stringify(document) });
  expect(await reader.own(entry('a.json'), own)).toMatchObject({
    problem: 'has outlines of 200001 points for the image; at most 100000 fit',
  });
});

it('takes a line of spaces in a list of a split for no path', async () => {
  const text = `${' '.repeat(4_000_000)}x\na 1\nimages/a.png\nnobody\n`;
  const reader = open({ 'train.txt': text });
  expect(await reader.namesOfSplit(entry('train.txt'), 1e8)).toMatchObject({ names: ['a'] });
});
