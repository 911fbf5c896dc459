// What others wrote, read back through a host by everything that reads: nothing of it leaves the
// fence of its answer, whatever it says.

import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import list from '../../tools/list.json' with { type: 'json' };
import { type EventStoreProcess, startEventStoreProcess } from '../fixtures/event-store-process.ts';
import { type Facts, type Fovea, launchFovea } from '../fixtures/fovea.ts';
import { expectFenced, expectFencedResource, expectFencedText, unseenIn } from './expect-fenced.ts';
import { records, textsOf } from './injected-records.ts';
import { type Seeded, seedEvents, seedPlatform } from './store-records.ts';

let store: EventStoreProcess;
let fovea: Fovea;
let seeded: Seeded;
const seen = new Set<string>();
const progress: string[] = [];

beforeAll(async () => {
  store = await startEventStoreProcess();
  fovea = await launchFovea({ FOVEA_DEVICE_URL: store.url });
  const make = async (name: string, args: Facts) => {
    const result = await call(fovea, name, args);
    if (result.isError) throw new Error(`${name}: ${JSON.stringify(result.content)}`);
    return Object.fromEntries(Object.entries(result.structuredContent ?? {}));
  };
  const platform = await seedPlatform(make, fovea);
  seeded = { ...platform, eventIds: await seedEvents(make, fovea) };
  // What storing them said is fenced as well, and shows nothing about reading them.
  seen.clear();
}, 120_000);

afterAll(async () => {
  await fovea.close();
  await store.stop();
});

/** A call whose answer keeps its fence, whether it succeeds or not. */
async function call({ client }: Fovea, name: string, args: Facts): Promise<CallToolResult> {
  const onprogress = ({ message = '' }) => progress.push(message);
  const result = await client.callTool({ name, arguments: args }, { onprogress });
  for (const mark of expectFenced(result)) seen.add(mark);
  return result;
}

/** Every reading tool, with the arguments for each thing that was stored. */
function readings(): readonly (readonly [string, Facts])[] {
  const { projects, imageIds, eventIds, batchId, jobId, taskId, folderId, keyId } = seeded;
  const cells = { project: 'cells' };
  const of: Readonly<Record<string, readonly Facts[]>> = {
    projects_get: projects.map((project) => ({ project })),
    projects_health: projects.map((project) => ({ project, regenerate: true })),
    images_get: imageIds.map((imageId) => ({ ...cells, imageId })),
    images_search: [{ ...cells, fields: ['id', 'name', 'tags', 'user_metadata', 'labels'] }, cells],
    workspace_search: [{ query: '*' }, { query: textsOf('query')[0] }],
    batches_get: [{ ...cells, batchId }],
    annotation_jobs_get: [{ ...cells, jobId }],
    tasks_get: [{ taskId }],
    tasks_wait: [{ taskId }, { ...cells, version: 1 }],
    api_keys_get: [{ keyId }],
    folders_list: [{}, { groupId: folderId }],
    events_get: eventIds.map((event_id) => ({ event_id })),
    events_list: [{ preview: false }, { preview: true }],
    events_latest: [{ preview: true }],
    catalog_search: [{ q: 'MARK' }],
    catalog_search_by_image: [{ image: join(fovea.folder, 'seen.png') }],
  };
  const others: Facts = { ...cells, version: 1, taskId, jobId, job_id: 'none' };
  return list
    .filter((tool) => tool.annotations.readOnlyHint && !('appOnly' in tool))
    .flatMap(({ name, inputSchema }) => {
      const known = Object.keys(inputSchema.properties);
      const plain = Object.entries(others).filter(([argument]) => known.includes(argument));
      return (of[name] ?? [Object.fromEntries(plain)]).map((args) => [name, args] as const);
    });
}

test('there are forty records, each with its mark', () => {
  expect(records).toHaveLength(40);
  for (const { mark, text } of records) expect(text.split(mark)).toHaveLength(2);
});

test('every reading tool keeps them in its fence, and gives them all', async () => {
  for (const [name, args] of readings()) await call(fovea, name, args);
  const found = records.filter(({ mark }) => seen.has(mark));
  const stored = records.filter(({ place }) => place !== 'service-error');
  expect(found.map(({ mark, place }) => [mark, place])).toEqual(
    stored.map(({ mark, place }) => [mark, place]),
  );
}, 120_000);

test('through the compact profile likewise', async () => {
  const compact = await launchFovea({
    FOVEA_DEVICE_URL: store.url,
    FOVEA_HOME: fovea.home,
    FOVEA_TOOL_PROFILE: 'compact',
    FOVEA_FILE_ROOTS: fovea.folder,
  });
  try {
    const { tools } = await compact.client.listTools();
    const listed = tools.map(({ name }) => name);
    seen.clear();
    for (const [operation, args] of readings()) {
      const inner = { operation, arguments: args };
      if (listed.includes(operation)) await call(compact, operation, args);
      else await call(compact, 'operations_read', inner);
    }
    expect(seen.size).toBe(records.length - textsOf('service-error').length);
  } finally {
    await compact.close();
  }
}, 120_000);

test('resources keep them in their fence', async () => {
  const [imageId] = seeded.imageIds;
  const uris = [
    'fovea://workspace',
    ...seeded.projects.map((project) => `fovea://projects/${project}`),
    `fovea://projects/cells/images/${imageId}`,
    'fovea://projects/cells/versions/1',
    ...seeded.eventIds.map((id) => `fovea://events/${id}`),
    `fovea://tasks/${seeded.taskId}`,
  ];
  const marks: string[] = [];
  for (const uri of uris) {
    const { contents } = await fovea.client.readResource({ uri });
    for (const content of contents) {
      if ('text' in content) marks.push(...expectFencedResource(content.text));
    }
  }
  expect(new Set(marks).size).toBeGreaterThan(25);
});

test('completions and prompts show nothing that cannot be seen', async () => {
  const uri = 'fovea://projects/{project}';
  const argument = { name: 'project', value: 'MARK' };
  const ref = { type: 'ref/resource' as const, uri };
  const { completion } = await fovea.client.complete({ ref, argument });
  expect(completion.values).toHaveLength(textsOf('project-name').length);
  for (const value of completion.values) expect(value).toMatch(/^[a-z0-9-]+$/);
  for (const { text } of records) {
    const given = { name: 'audit_dataset', arguments: { project: text } };
    const { messages } = await fovea.client.getPrompt(given);
    const said = JSON.stringify(messages);
    expect(unseenIn(said)).toEqual([]);
    expect(said).toMatch(/Audit the dataset of the project [^\n]*MARK\d\d/i);
  }
});

test('what writing tools say of them is fenced, also where they fail', async () => {
  const [imageId = ''] = seeded.imageIds;
  const cells = { project: 'cells' };
  const [, long] = seeded.projects;
  await call(fovea, 'versions_preview', { project: long, augmentation: {} });
  await call(fovea, 'versions_preview', { ...cells, augmentation: { flip: { horizontal: true } } });
  await call(fovea, 'versions_export', { ...cells, version: 1, format: 'coco' });
  await call(fovea, 'images_tag', { ...cells, imageId, operation: 'add', tags: ['again'] });
  const save_to = join(fovea.folder, 'out.png');
  await call(fovea, 'images_download', { ...cells, imageId, save_to });
  await call(fovea, 'events_retry_upload', { event_id: seeded.eventIds[0] });
  await call(fovea, 'projects_delete', { project: long });
  await call(fovea, 'trash_list', {});
});

test('files whose names attack are refused without saying them as ours', async () => {
  const folder = join(fovea.folder, 'broken');
  await mkdir(folder);
  const names = textsOf('file-name').flatMap((name) => [name, `${name}.xml`, `${name}.txt`]);
  for (const name of names) await writeFile(join(folder, name), `\u0000 ${name} \xff`, 'latin1');
  const shared = join(folder, `${textsOf('file-name')[0]}.json`);
  await writeFile(shared, '{"images": 7}');
  const [good = ''] = textsOf('file-name').map((name) => join(fovea.folder, name));
  const cells = { project: 'cells' };
  const refused = [
    ['images_upload', { ...cells, files: [folder] }],
    ['images_upload', { ...cells, files: [join(folder, '*.png')] }],
    ['images_upload', { ...cells, files: [good], annotations: folder }],
    ['images_upload', { ...cells, files: [good], annotations: shared }],
    ['images_upload', { ...cells, files: [good], list: shared }],
    ['images_upload', { ...cells, files: [good], annotations: folder, labelmap_file: shared }],
    ['images_upload', { ...cells, files: [join(folder, names[0] ?? '')] }],
    ['versions_preview', { files: [folder] }],
    ['versions_preview', { files: [good], annotations: shared }],
    ['images_upload_zip', { ...cells, path: folder }],
    ['images_upload_zip', { ...cells, path: shared }],
    ['catalog_search_by_image', { image: join(folder, names[0] ?? '') }],
    ['inference_run', { ...cells, version: 'local', file: join(folder, names[0] ?? '') }],
  ] as const;
  for (const [name, args] of refused) await call(fovea, name, args);
});

test('no progress message has any of it', () => {
  for (const message of progress) expectFencedText(message, 'no-tag');
});

describe('a service that answers with attacks alone', () => {
  test.each(textsOf('service-error'))('%j', async (text) => {
    const bodies = [{ error: text }, { error: { message: text, type: text, hint: text } }];
    for (const body of bodies) {
      const service = await startService(body);
      const host = await launchFovea({ FOVEA_BASE_URL: urlOf(service), FOVEA_API_KEY: 'a-key' });
      const [mark] = /MARK\d\d/.exec(text) ?? [];
      const result = await call(host, 'projects_get', { workspace: 'w', project: 'p' });
      expect(result.isError).toBe(true);
      expect(seen).toContain(mark);
      await call(host, 'projects_create', {
        workspace: 'w',
        name: 'A',
        type: 'object-detection',
        annotation: 'a',
      });
      await call(host, 'doctor', {});
      await host.close();
      service.close();
    }
  });
});

async function startService(body: unknown): Promise<Server> {
  const server = createServer((_request, response) => {
    response.writeHead(409, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

function urlOf(server: Server): string {
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}
