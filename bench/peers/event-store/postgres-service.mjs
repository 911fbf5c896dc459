// An Event Store in a few lines: node:http, zod and PostgreSQL, a durable commit for each request.

import { randomUUID } from 'node:crypto';
import { open, rename } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import pg from 'pg';
import * as z from 'zod';

const [socketFolder, filesFolder, port] = process.argv.slice(2);
const pool = new pg.Pool({ host: socketFolder, user: 'postgres', database: 'postgres', max: 16 });

const detection = z.object({
  class: z.string(),
  x: z.number(),
  y: z.number(),
  width: z.number(),
  height: z.number(),
  confidence: z.number(),
});

const image = z.object({
  label: z.string().nullish(),
  base64Image: z.string().nullish(),
  objectDetections: z.array(detection).optional(),
});

const eventInput = z.object({
  event_schema: z.string(),
  event_data: z.record(z.string(), z.unknown()),
  inference_timestamp: z.iso.datetime({ offset: true }),
  solution: z.string().nullish(),
  workflow_id: z.string().nullish(),
  device_id: z.string().nullish(),
  stream_id: z.string().nullish(),
  custom_metadata: z.record(z.string(), z.unknown()).nullish(),
  images: z.array(image).optional(),
  displayImagePosition: z.int().nullish(),
  draft: z.boolean().optional(),
});

await prepare();
createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    answer(request, Buffer.concat(chunks)).then(
      ([status, body]) => send(response, status, body),
      () => send(response, 500, { detail: 'The request failed.' }),
    );
  });
}).listen(Number(port), '127.0.0.1');

async function prepare() {
  for (const setting of ['fsync', 'synchronous_commit']) {
    const { rows } = await pool.query(`SHOW ${setting}`);
    if (rows[0][setting] !== 'on') throw new Error(`${setting} is not on.`);
  }
  await pool.query(
    'CREATE TABLE IF NOT EXISTS events (seq BIGSERIAL PRIMARY KEY, id UUID UNIQUE, ' +
      'created_at TIMESTAMPTZ, device_id TEXT, event_schema TEXT, workflow_id TEXT, ' +
      'external_id TEXT, related_event_id TEXT, draft BOOLEAN, body JSONB)',
  );
  for (const column of [
    'device_id',
    'event_schema',
    'workflow_id',
    'external_id',
    'related_event_id',
  ]) {
    await pool.query(`CREATE INDEX IF NOT EXISTS by_${column} ON events (${column})`);
  }
}

async function answer(request, bytes) {
  if (request.method === 'GET') return [200, { status: 'ok' }];
  const checked = eventInput.safeParse(JSON.parse(bytes.toString()));
  if (!checked.success) return [422, { detail: checked.error.issues }];
  return [201, await create(checked.data)];
}

async function create(event) {
  const imageIds = [];
  for (const image of event.images ?? []) {
    if (!image.base64Image) continue;
    imageIds.push(await keep(Buffer.from(image.base64Image, 'base64')));
    image.base64Image = null;
  }
  const id = randomUUID();
  const createdAt = new Date().toISOString();
  await pool.query({
    name: 'create',
    text:
      'INSERT INTO events (id, created_at, device_id, event_schema, workflow_id, external_id, ' +
      'related_event_id, draft, body) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)',
    values: [
      id,
      createdAt,
      event.device_id,
      event.event_schema,
      event.workflow_id,
      event.event_data.externalId,
      event.event_data.relatedEventId,
      event.draft === true,
      JSON.stringify(event),
    ],
  });
  return {
    id,
    image_ids: imageIds,
    created_at: createdAt,
    draft: event.draft === true,
    message: 'Event stored.',
  };
}

/** A file that is on the disk, under its name, when this resolves. */
async function keep(content) {
  const id = randomUUID();
  const path = join(filesFolder, id);
  const file = await open(`${path}.part`, 'wx');
  await file.writeFile(content);
  await file.sync();
  await file.close();
  await rename(`${path}.part`, path);
  const folder = await open(filesFolder, 'r');
  await folder.sync();
  await folder.close();
  return id;
}

function send(response, status, body) {
  const bytes = Buffer.from(JSON.stringify(body));
  const headers = { 'content-type': 'application/json', 'content-length': bytes.length };
  response.writeHead(status, headers).end(bytes);
}
