// The files of an export, as rows of an end state.

import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asRecord, type JsonObject } from '../../src/json-object.ts';
import { readZip } from '../../test/fixtures/read-zip.ts';
import { listOf, textOf } from './facts.ts';

/**
 * A row for each file: texts whole, other files by a hash of their bytes. Where a file is a list
 * of images, its lines are sorted: which image came first is chance.
 */
export async function exportRows(link: string): Promise<readonly (readonly [string, string])[]> {
  const answer = await fetch(link);
  if (!answer.ok) throw new Error(`an export: ${answer.status} ${await answer.text()}`);
  const folder = await mkdtemp(join(tmpdir(), 'fovea-export-'));
  try {
    const file = join(folder, 'export.zip');
    await writeFile(file, new Uint8Array(await answer.arrayBuffer()));
    const files = [...(await readZip(file))].sort(([a], [b]) => (a < b ? -1 : 1));
    return files.map(([name, content]) => [name, contentOf(name, content)]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function contentOf(name: string, content: Buffer): string {
  if (name.endsWith('.tfrecord')) return recordsOf(content).map(hashOf).sort().join(' ');
  if (!/\.(json|txt|yaml|csv|xml|pbtxt|labels)$/.test(name)) {
    return hashOf(content);
  }
  const text = content.toString();
  if (name.endsWith('.coco.json')) return cocoOf(JSON.parse(text));
  if (name.endsWith('.json')) return listOf(JSON.parse(text)).map(textOf).sort().join('\n');
  return text
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .split('\n')
    .sort()
    .join('\n');
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16);
}

/** Each has a length of 8 bytes and a checksum of 4 before it, and a checksum behind. */
function recordsOf(content: Buffer): readonly Buffer[] {
  const records: Buffer[] = [];
  for (let at = 0; at < content.length; ) {
    const end = at + 12 + Number(content.readBigUInt64LE(at));
    records.push(content.subarray(at + 12, end));
    at = end + 4;
  }
  return records;
}

/** Categories in their order, and the annotations of each image by its name. */
function cocoOf(coco: JsonObject): string {
  const annotations = Map.groupBy(listOf(coco.annotations), ({ image_id }) => image_id);
  const images = listOf(coco.images).map(({ id, file_name, width, height }) => {
    const own = (annotations.get(id) ?? []).map(({ id: _, image_id: _image, ...rest }) => rest);
    return textOf({ file_name, width, height, annotations: own.map(textOf).sort() });
  });
  return [textOf(asRecord(coco).categories), ...images.sort()].join('\n');
}
