// What a model may do is what the key of its host may do: every tool, over stdio, with keys that
// only read, that are disabled, and that are of another workspace.

import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { images } from '../../src/contract/images.ts';
import { scopes } from '../../src/contract/scopes.ts';
import list from '../../tools/list.json' with { type: 'json' };
import { type Facts, type Fovea, launchFovea } from '../fixtures/fovea.ts';
import { testImage } from '../fixtures/images.ts';
import { startTestPlatform, type TestPlatform } from '../fixtures/platform.ts';
import { makeKey, makeProject, send } from '../platform/api-key-requests.ts';

let platform: TestPlatform;
const hosts = new Map<string, Fovea>();

beforeAll(async () => {
  platform = await startTestPlatform();
  await makeProject(platform, 'Cells');
  const reads = scopes.filter((scope) => scope.endsWith(':read'));
  const reader = await makeKey(platform, { scopes: reads });
  const disabled = await makeKey(platform);
  const line = `PATCH /acme/api-keys/${disabled.keyId}`;
  await send(platform, platform.key, line, { disabled: true });
  const other = await platform.otherWorkspace();
  const launch = async (name: string, key: string) => {
    const { url } = platform;
    const addresses = { FOVEA_BASE_URL: url, FOVEA_SERVERLESS_URL: url };
    hosts.set(name, await launchFovea({ ...addresses, FOVEA_API_KEY: key }));
  };
  await Promise.all([
    launch('reader', reader.key),
    launch('disabled', disabled.key),
    launch('other', other.key),
  ]);
  const upload = { project: 'cells', file: { name: 'one.png', content: await testImage(1) } };
  await platform.client.call(images.images_upload, upload);
}, 60_000);

afterAll(async () => {
  await Promise.all([...hosts.values()].map((host) => host.close()));
  await platform.close();
});

/** Below a file root of every host. */
const file = resolve('sample/blood-cells/JPEGImages/BloodImage_00040.jpg');

/** Those of the platform: what is of this machine or of a device asks it nothing. */
// The platform is at an address here, and some tools are offered beside the embedded one alone.
const offered = list
  .filter((tool) => !('embeddedOnly' in tool))
  .filter(({ toolset }) => !['auth', 'doctor', 'events'].includes(toolset))
  // It reads a video first; then it asks as images_upload does.
  .filter(({ name }) => name !== 'video_frames_upload');

/** Tools that ask the service nothing with these arguments, or not the management API. */
const local = new Set([
  'versions_preview',
  'versions_preview_files',
  'inference_run',
  'activity_list',
]);

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** The least value that a schema takes. */
function sample(schema: Schema): unknown {
  if (schema.enum) return schema.enum[0];
  if (schema.type === 'integer' || schema.type === 'number') return 1;
  if (schema.type === 'boolean') return true;
  if (schema.type === 'array') return [sample(schema.items ?? {})];
  if (schema.type !== 'object') return 'cells';
  const { properties = {}, required = [] } = schema;
  return Object.fromEntries(required.map((name) => [name, sample(properties[name] ?? {})]));
}

const event = { eventType: 'custom', useCaseId: 'u', timestamp: new Date().toISOString() };

/** What `sample` cannot know. */
const special: Readonly<Record<string, () => Facts>> = {
  projects_fork: () => ({ source_project: 'cells' }),
  versions_generate: () => ({ preprocessing: {}, augmentation: {} }),
  images_upload: () => ({ files: [file] }),
  images_annotate: () => ({ annotation: '0 .5 .5 .1 .1', name: 'a.txt', labelmap: { 0: 'a' } }),
  images_delete: () => ({ images: ['cells'] }),
  images_tag: () => ({ operation: 'add', tags: ['a'] }),
  images_set_metadata: () => ({ metadata: { a: 1 } }),
  images_set_metadata_bulk: () => ({ updates: [{ imageId: 'x', metadata: { a: 1 } }] }),
  annotation_jobs_create: () => ({
    batch: 'first',
    num_images: 1,
    labelerEmail: 'a@example.com',
    reviewerEmail: 'a@example.com',
  }),
  autolabel_start: () => ({
    modelType: 'local',
    ontology: { cell: 'cell' },
    accept_cost: true,
  }),
  trainings_start: () => ({ accept_cost: true }),
  catalog_search_by_image: () => ({ image: file }),
  deployment_set_model: () => ({ model: { type: 'model_id', modelId: 'm' } }),
  inference_stats_set_metadata: () => ({
    data: [{ inference_ids: ['a'], field_name: 'b', field_value: 'c' }],
  }),
  vision_events_create: () => ({ ...event, eventId: '1' }),
  vision_events_create_batch: () => ({ events: [{ ...event, eventId: '1' }] }),
  vision_events_upload_image: () => ({ file }),
  video_inference_start: () => ({
    input_url: 'https://example.com/a.mp4',
    models: [{ model_id: 'm', model_version: '1', inference_type: 'object-detection' }],
  }),
  api_keys_update: () => ({ name: 'x' }),
  folders_update: () => ({ name: 'x' }),
  trainings_recipe: () => ({ modelType: 'rfdetr-small' }),
  search_export_start: () => ({ query: '*', format: 'coco', dataset: 'cells' }),
  trash_restore: () => ({ type: 'project', id: 'x' }),
  projects_create: () => ({ name: 'x', type: 'object-detection', annotation: 'x' }),
  projects_rebalance_splits: () => ({ splits: { train: 1, valid: 0, test: 0 } }),
  trainings_cancel: () => ({ confirm: 'cells/1' }),
  trainings_stop: () => ({ confirm: 'cells/1' }),
  tasks_wait: () => ({ taskId: 'x', project: undefined }),
  inference_run: () => ({ url: 'https://example.com/x.png' }),
};

function argumentsFor({ name, inputSchema }: (typeof list)[number]): Facts {
  const schema: Schema = inputSchema;
  const names = Object.keys(schema.properties ?? {});
  const known = Object.fromEntries(
    Object.entries({ workspace: 'acme', project: 'cells' }).filter(([key]) => names.includes(key)),
  );
  return { ...Object(sample(schema)), ...known, ...special[name]?.() };
}

async function codeOf(host: string, tool: (typeof list)[number]) {
  const { isError, data, text } = (await hosts.get(host)?.call(tool.name, argumentsFor(tool))) ?? {
    isError: false,
    data: {},
    text: '',
  };
  const { code } = Object(Object(data).error);
  return { code: isError ? String(code) : 'answered', text };
}

const writers = offered.filter(({ scope }) => !scope?.endsWith(':read'));
const readers = offered.filter(({ scope }) => scope?.endsWith(':read'));

describe('with a key that only reads', () => {
  it.each(writers)('$name is refused, and says what is missing', async (tool) => {
    const { code, text } = await codeOf('reader', tool);
    expect([code, text]).toEqual(['forbidden', expect.stringContaining(String(tool.scope))]);
  });

  it.each(readers)('$name is not', async (tool) => {
    const { code, text } = await codeOf('reader', tool);
    expect(['forbidden', 'unauthenticated', 'invalid_input'], text).not.toContain(code);
  });
});

describe('with a key that is disabled', () => {
  it.each(offered)('$name is refused', async (tool) => {
    if (local.has(tool.name)) return;
    const { code, text } = await codeOf('disabled', tool);
    expect(code, text).toBe('unauthenticated');
  });
});

describe('with a key of another workspace', () => {
  it.each(offered)('$name gets nothing of this one', async (tool) => {
    if (local.has(tool.name)) return;
    const { code, text } = await codeOf('other', tool);
    const names = Object.keys(tool.inputSchema.properties);
    if (names.includes('workspace')) expect(code, text).toBe('forbidden');
    else if (names.includes('project')) expect(['forbidden', 'not_found'], text).toContain(code);
  });
});

it('nothing was changed by all that', async () => {
  const { body } = await send(platform, platform.key, 'GET /acme');
  expect(body).toMatchObject({
    workspace: { projects: [{ id: 'acme/cells', images: 1, unannotated: 1 }] },
  });
});
