// The whole list of tools, as hosts see it: annotations, texts, schemas, size. Its names stand in
// test/tool-lists/full.json.

import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { buildToolList } from '../../scripts/generate/build-tool-list.ts';
import { modelTokens } from '../../scripts/generate/model-tokens.ts';
import { flatSchema } from '../../src/contract/check.ts';
import { deviceOperations } from '../../src/contract/device-operations.ts';
import { embeddedOperations } from '../../src/contract/index.ts';
import { isJsonObject } from '../../src/json-object.ts';
import { withoutLocalFiles } from '../../src/mcp/tool-list.ts';
import { toolsListEntries } from '../../src/mcp/tools-list-entries.ts';
import { tools } from '../../tools/index.ts';

const all = buildToolList(tools);
const everything = {
  workspace: undefined,
  project: undefined,
  toolsets: undefined,
  readOnly: false,
  toolProfile: 'full',
} as const;
const list = toolsListEntries(all, everything);

/** Tools without further effect. A wrong hint lets a host call without asking. */
const readers = [
  'workspace_whoami',
  'workspace_get',
  'activity_list',
  'projects_list',
  'projects_get',
  'projects_health',
  'projects_findings',
  'models_list',
  'versions_list',
  'versions_diff',
  'versions_get',
  'trainings_list',
  'trainings_recipe',
  'evaluations_list',
  'evaluations_get',
  'evaluations_compare',
  'api_keys_list',
  'api_keys_get_publishable',
  'api_keys_get',
  'api_keys_try',
  'folders_list',
  'images_get',
  'batches_list',
  'batches_get',
  'images_upload_zip_status',
  'annotation_jobs_list',
  'annotation_jobs_get',
  'autolabel_get',
  'catalog_search',
  'catalog_search_by_image',
  'images_search',
  'workspace_search',
  'trash_list',
  'tasks_list',
  'tasks_get',
  'tasks_wait',
  'deployment_get',
  'active_learning_get',
  'active_learning_images',
  'inference_stats_get',
  'events_list',
  'events_get',
  'events_latest',
  'events_count',
  'events_stats',
  'events_ledger',
  'event_schemas_list',
  'auth_status',
  'auth_userinfo',
  'doctor',
];

const irrecoverable = [
  'trainings_cancel',
  'trainings_stop',
  'evaluations_delete',
  'api_keys_revoke',
  'folders_delete',
  'images_delete',
];

/** The settings of a version have some thirty steps, and a detection has four kinds. */
const tokensMax: Readonly<Record<string, number>> = {
  versions_generate: 1_200,
  versions_preview: 1_380,
  events_create: 750,
  vision_events_create: 750,
  vision_events_create_batch: 750,
};

/** Arguments of the contract that a tool has under other names; none: it has no use for it. */
const otherNames: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  // Files go by path.
  images_upload: {
    file: ['files'],
    image: ['url'],
    tag: ['tags'],
    annotationFile: ['annotations'],
    annotationName: ['annotations'],
  },
  // Chosen ids keep their order, and a query says whether it has one.
  annotation_review: { ordered: [] },
  // The hosted API has no revisions, and renames no classes.
  images_annotate: { annotationFile: ['file', 'annotation'], revision: [], class_state: [] },
  images_search: { image_base64: ['image'] },
  catalog_search_by_image: { image_base64: ['image'] },
  inference_run: { image: ['url'] },
  // It polls past the cache by itself.
  versions_export: { nocache: [] },
  // events_list finds the newest with a filter.
  events_latest: { metadata_filter: [], event_data_filter: [], detection_filter: [] },
};

const operationsWithTool = Object.values({ ...embeddedOperations, ...deviceOperations }).filter(
  ({ id }) => all.some(({ name }) => name === id),
);

/** All descriptions of a schema, at every depth. */
function descriptionsIn(schema: unknown): readonly string[] {
  if (!isJsonObject(schema)) return [];
  const { description, properties, items } = schema;
  const members = isJsonObject(properties) ? Object.values(properties) : [];
  const own = typeof description === 'string' ? [description] : [];
  return [...own, ...[...members, items].flatMap(descriptionsIn)];
}

/** The paths of all members of a schema, sorted. */
function membersIn(schema: unknown): readonly string[] {
  const paths = new Set<string>();
  collectMembers(schema, '', paths);
  return [...paths].toSorted();
}

function collectMembers(schema: unknown, path: string, paths: Set<string>): void {
  if (!isJsonObject(schema)) return;
  const { properties, items, prefixItems, anyOf, oneOf } = schema;
  for (const [name, member] of isJsonObject(properties) ? Object.entries(properties) : []) {
    paths.add(`${path}${name}`);
    collectMembers(member, `${path}${name}.`, paths);
  }
  const elements = Array.isArray(prefixItems) ? [prefixItems[0]] : [items];
  for (const element of elements) collectMembers(element, `${path}[].`, paths);
  for (const options of [anyOf, oneOf]) {
    for (const option of Array.isArray(options) ? options : []) collectMembers(option, path, paths);
  }
}

describe('the list of tools', () => {
  it('marks as reading what only reads', () => {
    const marked = list.filter(({ annotations }) => annotations.readOnlyHint);
    expect(marked.map(({ name }) => name)).toEqual(readers);
  });

  it('knows what is of no use to a host elsewhere', () => {
    const needing = all.filter(({ usesFiles }) => usesFiles);
    expect(needing.map(({ name }) => name)).toEqual([
      'versions_preview',
      'images_download',
      'catalog_search_by_image',
      'vision_events_upload_image',
      'video_frames_upload',
      'events_attach_video',
      'events_attach_file',
    ]);
    const naming = all.filter(({ fileArguments }) => fileArguments !== undefined);
    expect(Object.fromEntries(naming.map((tool) => [tool.name, tool.fileArguments]))).toEqual({
      versions_export: ['save_to', 'overwrite'],
      evaluations_create: ['predictions'],
      images_upload: ['files', 'annotations', 'labelmap_file', 'list'],
      images_annotate: ['file'],
      search_export_get: ['save_to'],
      images_upload_zip: ['path'],
      images_search: ['image'],
      inference_run: ['file', 'save_to'],
      video_inference_start: ['file'],
      video_inference_get: ['save_to'],
      events_create: ['images'],
    });
    const left = withoutLocalFiles(all);
    expect(left).toHaveLength(all.length - needing.length);
    const arguments_ = left.flatMap(({ inputSchema }) => Object.keys(inputSchema.properties));
    for (const name of ['files', 'file', 'save_to', 'annotations', 'labelmap_file', 'list']) {
      expect(arguments_).not.toContain(name);
    }
  });

  it('names the scope of every tool of a platform, and of nothing that is of this machine', () => {
    const scoped = all.filter(({ scope }) => scope !== undefined);
    const without = all.filter(({ scope }) => scope === undefined);
    expect(without.map(({ name }) => name)).toEqual([
      'auth_sign_in',
      'auth_status',
      'auth_sign_out',
      'auth_userinfo',
      'doctor',
    ]);
    expect(Object.fromEntries(scoped.map(({ name, scope }) => [name, scope]))).toMatchObject({
      workspace_whoami: 'workspace:read',
      tasks_wait: 'workspace:read',
      versions_preview: 'version:read',
      projects_rebalance_splits: 'project:update',
      images_upload: 'image:create',
    });
  });

  it('lets who may only read sign in, and nothing else', () => {
    const offered = toolsListEntries(all, {
      ...everything,
      readOnly: true,
      toolProfile: 'full' as const,
    });
    const changing = offered.filter(({ annotations }) => !annotations.readOnlyHint);
    expect(changing.map(({ name }) => name)).toEqual(['auth_sign_in', 'auth_sign_out']);
  });

  it('asks for the name of what cannot come back', () => {
    const asking = list.filter(({ inputSchema }) => inputSchema.required?.includes('confirm'));
    expect(asking.map(({ name }) => name)).toEqual(irrecoverable);
    for (const { description } of asking) expect(description).toContain('Cannot be undone');
  });

  it('costs at most 170 tokens a tool', () => {
    expect(modelTokens(list) / list.length).toBeLessThanOrEqual(170);
  });

  it.each(list)('$name is told in whole sentences', (listed) => {
    expect(listed.title.split(' ').length).toBeLessThanOrEqual(4);
    expect(listed.title.length).toBeLessThanOrEqual(60);
    expect(listed.description.length).toBeLessThanOrEqual(400);
    expect(listed.description).toMatch(/\.$/);
    expect(modelTokens([listed])).toBeLessThanOrEqual(tokensMax[listed.name] ?? 450);
  });

  it.each(list)('$name describes every parameter', ({ description, inputSchema }) => {
    const parameters = Object.values(inputSchema.properties);
    for (const parameter of parameters) expect(parameter).toHaveProperty('description');
    const told = [description, ...descriptionsIn(inputSchema)];
    expect(told.filter((text) => (text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0) < 4)).toEqual([]);
  });

  it.each(tools.map((tool) => [tool.name, tool] as const))(
    '%s lists every member of its arguments, at every depth',
    (name, { input }) => {
      const schema = z.toJSONSchema(input, {
        io: 'input',
        unrepresentable: 'any',
        reused: 'inline',
      });
      const listed = all.find((tool) => tool.name === name)?.inputSchema;
      expect(membersIn(listed)).toEqual(membersIn(schema));
    },
  );

  it.each(operationsWithTool)('$id lists every argument of the contract', (operation) => {
    const { properties } = all.find(({ name }) => name === operation.id)?.inputSchema ?? {};
    const listed = Object.keys(properties ?? {});
    const named = otherNames[operation.id] ?? {};
    const expected = Object.keys(flatSchema(operation).shape).flatMap(
      (name) => named[name] ?? name,
    );
    expect(expected.filter((name) => !listed.includes(name))).toEqual([]);
  });

  it.each(list)('$name has no schema that a host cannot read', ({ inputSchema }) => {
    expect(inputSchema.type).toBe('object');
    expect(JSON.stringify(inputSchema)).not.toMatch(/"(\$ref|anyOf|oneOf|allOf|\$schema)"/);
    expect(JSON.stringify(inputSchema)).not.toMatch(/base64/i);
  });
});
