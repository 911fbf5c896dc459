// The lists that hosts get: cost, snapshot, and what the compact profile reaches, through a client.

import { readFileSync } from 'node:fs';
import { encode } from 'gpt-tokenizer/encoding/cl100k_base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { buildToolList } from '../../scripts/generate/build-tool-list.ts';
import { modelTokens } from '../../scripts/generate/model-tokens.ts';
import { snapshot, toolLists } from '../../scripts/generate/tool-lists.ts';
import { tools } from '../../tools/index.ts';
import { type Facts, type Fovea, launchFovea } from '../fixtures/fovea.ts';

const all = toolLists(buildToolList(tools));
const [full] = all;

const wayOf = {
  reads: 'operations_read',
  adds: 'operations_write',
  changes: 'operations_write',
  removes: 'operations_delete',
};

/** What people want, in their words, and what does it. */
const wishes: [string, string][] = [
  ['undo a deletion', 'trash_restore'],
  ['what is in the trash?', 'trash_list'],
  ['throw away a project', 'projects_delete'],
  ['rename a folder', 'folders_update'],
  ['make a new folder', 'folders_create'],
  ['put two projects into one folder', 'folders_set_projects'],
  ['remove the tag "blurry" from an image', 'images_tag'],
  ['delete pictures for good', 'images_delete'],
  ['label one image from an annotation file', 'images_annotate'],
  ['let a model label the batch automatically', 'autolabel_start'],
  ['assign images to a labeler', 'annotation_jobs_create'],
  ['how far is the labeling job', 'annotation_jobs_get'],
  ['stop a training early and keep the weights', 'trainings_stop'],
  ['cancel the running training', 'trainings_cancel'],
  ['show metrics of all trained models', 'models_list'],
  ['which model is deployed', 'deployment_get'],
  ['deploy another model', 'deployment_set_model'],
  ['run the model on a picture', 'inference_run'],
  ['detect objects in a video', 'video_inference_start'],
  ['create an API key for a program', 'api_keys_create'],
  ['revoke a leaked key', 'api_keys_revoke'],
  ['rebalance the train and test splits', 'projects_rebalance_splits'],
  ['preview augmentations before generating', 'versions_preview'],
  ['upload a zip with a dataset', 'images_upload_zip'],
  ['find public datasets of cars', 'catalog_search'],
  ['copy a public dataset into my workspace', 'projects_fork'],
  ['set metadata on many images at once', 'images_set_metadata_bulk'],
  ['attach a video clip to an event', 'events_attach_video'],
  ['keep an event from being cleaned up', 'events_hold'],
  ['why was an event removed from the device', 'events_ledger'],
  ['how full is the event store', 'events_stats'],
  ['collect images for active learning', 'active_learning_enable'],
  ['log out', 'auth_sign_out'],
];

const foundSchema = z.object({
  operations: z.array(z.object({ operation: z.string(), arguments: z.unknown() })),
  others: z.array(z.string()).default([]),
});

/** What a profile may cost: Cursor takes 40 tools; all of them cost at most 170 tokens a tool. */
const budgets: Readonly<Record<string, { readonly tools: number; readonly tokens: number }>> = {
  default: { tools: 40, tokens: 8_000 },
  compact: { tools: 17, tokens: 3_000 },
};

const fullBudget = { tools: tools.length, tokens: tools.length * 170 };

describe.each(all)('the list $name', ({ name, tools: listed, instructions, toolset }) => {
  it('costs no more than its budget', () => {
    const [profile = ''] = name.match(/compact|default/) ?? [];
    const { tools: count, tokens } = budgets[profile] ?? fullBudget;
    expect(listed.length).toBeLessThanOrEqual(count);
    expect(modelTokens(listed)).toBeLessThanOrEqual(tokens);
    expect(encode(instructions).length).toBeLessThanOrEqual(400);
  });

  it('is what its snapshot says, or its toolset as the full list has it', () => {
    if (toolset === undefined) {
      const written = readFileSync(`test/tool-lists/${name}.json`, 'utf8');
      expect(snapshot({ name, tools: listed, instructions }, full)).toBe(written);
      return;
    }
    const names = tools.filter((tool) => tool.toolset === toolset).map((tool) => tool.name);
    expect(listed).toEqual(full.tools.filter((tool) => names.includes(tool.name)));
    expect(listed.map((tool) => tool.name)).toEqual(names);
  });

  it('speaks of no tool that it has not', () => {
    const said = instructions.match(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? [];
    expect(said.filter((word) => !listed.some((tool) => tool.name === word))).toEqual([]);
    if (name === 'full') expect(said).toContain('workspace_get');
  });
});

it('a fixed project is asked for by no tool', () => {
  const fixed = all.find(({ name }) => name === 'project-fixed')?.tools ?? [];
  expect(fixed.flatMap(({ inputSchema }) => inputSchema.required ?? [])).not.toContain('project');
});

describe('compact', () => {
  let fovea: Fovea;

  beforeAll(async () => {
    fovea = await launchFovea({ FOVEA_TOOL_PROFILE: 'compact' });
  });

  afterAll(() => fovea.close());

  it('lists these tools, the same to hosts of both lines and twice in a row', async () => {
    const newer = await launchFovea({ FOVEA_TOOL_PROFILE: 'compact' }, { mode: 'auto' });
    const lists = [
      await fovea.client.listTools(),
      await fovea.client.listTools(),
      await newer.client.listTools(),
    ];
    await newer.close();
    expect(lists[0]?.tools.map(({ name }) => name)).toEqual([
      'workspace_get',
      'projects_create',
      'projects_get',
      'projects_health',
      'images_upload',
      'workspace_search',
      'versions_export',
      'tasks_wait',
      'trainings_start',
      'events_list',
      'auth_sign_in',
      'doctor',
      'operations_find',
      'operations_read',
      'operations_write',
      'operations_delete',
    ]);
    expect(lists[0]?.tools).toEqual(all.find(({ name }) => name === 'compact')?.tools);
    expect(lists[1]?.tools).toEqual(lists[0]?.tools);
    expect(lists[2]?.tools).toEqual(lists[0]?.tools);
    expect(lists.map(({ nextCursor }) => nextCursor)).toEqual([undefined, undefined, undefined]);
  });

  it.each(wishes)('finds "%s": %s', async (wish, operation) => {
    const found = foundSchema.parse(await fovea.ok('operations_find', { query: wish }));
    const names = [...found.operations.map(({ operation: name }) => name), ...found.others];
    expect(names.slice(0, 5)).toContain(operation);
    for (const { arguments: schema } of found.operations) {
      expect(schema).toHaveProperty('properties');
    }
  });

  it('gives the whole schema of one operation, with what no list shows', async () => {
    const found = await fovea.ok('operations_find', { query: 'versions_generate' });
    expect(found).toMatchObject({
      operation: 'versions_generate',
      call: 'operations_write',
      effect: 'adds',
      arguments: {
        properties: { preprocessing: { properties: { tile: { properties: { rows: {} } } } } },
      },
    });
    expect(await fovea.ok('operations_find', { query: ' EVENTS_COUNT ' })).toMatchObject({
      operation: 'events_count',
      call: 'operations_read',
      arguments: { properties: { workflow_id: { type: 'string' } } },
    });
  });

  it('gives all operations of a toolset, and the toolsets where nothing fits', async () => {
    const { operations } = await fovea.ok('operations_find', { query: 'folders' });
    expect(operations).toHaveLength(5);
    const none = await fovea.ok('operations_find', { query: 'zzzzzzzzzzzzzzzz' });
    expect(none).toMatchObject({ operations: [], toolsets: expect.arrayContaining(['trash']) });
  });

  it('reaches every operation by exactly one of the three', async () => {
    const reachers = ['operations_read', 'operations_write', 'operations_delete'];
    for (const { name, effect } of tools) {
      const ways: string[] = [];
      for (const reacher of reachers) {
        const args = { operation: name, arguments: { no_such_argument: 1 } };
        const { text } = await fovea.call(reacher, args);
        if (text.includes('no_such_argument: ')) ways.push(reacher);
      }
      expect([name, ways]).toEqual([name, [wayOf[effect]]]);
    }
  }, 60_000);

  it('corrects a call by the wrong way, and the corrected call works', async () => {
    const folder = (name: string) => ({ operation: 'folders_create', arguments: { name } });
    const wrongs: [string, Facts][] = [
      ['operations_read', folder('one')],
      ['operations_delete', folder('two')],
      ['operations_write', { operation: 'folders_create', name: 'three' }],
      ['operations_write', { operation: 'folder_create', arguments: { name: 'four' } }],
      ['folders_create', { name: 'five' }],
    ];
    for (const [tool, args] of wrongs) {
      const { isError, data } = await fovea.call(tool, args);
      expect(isError).toBe(true);
      const { corrected } = Object(data.error);
      expect(corrected).toMatchObject({ tool: 'operations_write' });
      await fovea.ok(corrected.tool, corrected.arguments);
    }
    const { data } = await fovea.ok('operations_read', { operation: 'folders_list' });
    const names = Array.isArray(data) ? data.map(({ name }) => name) : [];
    expect(names.toSorted()).toEqual(['five', 'four', 'one', 'three', 'two']);
  });

  it('takes arguments as JSON text', async () => {
    const args = '{"name": "Cells", "type": "object-detection", "annotation": "cells"}';
    const made = await fovea.ok('operations_write', {
      operation: 'projects_create',
      arguments: args,
    });
    expect(made).toMatchObject({ id: 'local/cells' });
  });

  it.each([
    [{}, 'operation: '],
    [{ operation: 7 }, 'operation: '],
    [{ operation: ['folders_list'] }, 'operation: '],
    [{ operation: 'operations_read' }, 'operation: '],
    [{ operation: 'operations_find' }, 'operation: '],
    [{ operation: 'constructor' }, 'operation: '],
    [{ operation: 'folders_list', arguments: 'no JSON' }, 'arguments: '],
    [{ operation: 'folders_list', arguments: [1] }, 'arguments: '],
  ])('refuses %j', async (args, place) => {
    const { isError, text } = await fovea.call('operations_read', args);
    expect(isError).toBe(true);
    expect(text).toContain(place);
  });

  it('refuses what is nested too deep, also inside JSON text', async () => {
    const deep = `{"a":${'['.repeat(2_000)}${']'.repeat(2_000)}}`;
    const args = { operation: 'folders_list', arguments: deep };
    expect((await fovea.call('operations_read', args)).text).toContain('nested deeper');
  });

  it('gives following calls as this profile makes them', async () => {
    const read = { operation: 'workspace_whoami' };
    const { next } = await fovea.ok('operations_read', read);
    expect(next).toMatchObject([{ tool: 'workspace_get', arguments: {} }]);
  });

  it('asks for the same confirmation as the tool itself', async () => {
    await fovea.ok('operations_write', {
      operation: 'folders_create',
      arguments: { name: 'kept' },
    });
    const listed = await fovea.ok('operations_read', { operation: 'folders_list' });
    const { id: folderId } = Object(Array.isArray(listed.data) ? listed.data[0] : {});
    const call = { operation: 'folders_delete', arguments: { folderId, confirm: 'yes' } };
    expect((await fovea.call('operations_delete', call)).text).toContain('confirm');
    const after = await fovea.ok('operations_read', { operation: 'folders_list' });
    expect(after.data).toEqual(listed.data);
  });
});

it('the full profile has none of the four', async () => {
  const fovea = await launchFovea();
  const { tools: listed } = await fovea.client.listTools();
  expect(listed).toEqual(all.find(({ name }) => name === 'full')?.tools);
  for (const tool of ['operations_find', 'operations_read', 'operations_delete']) {
    await expect(fovea.call(tool, { operation: 'folders_list' })).rejects.toThrow(tool);
  }
  await fovea.close();
});

it('who may only read can reach nothing else', async () => {
  const fovea = await launchFovea({ FOVEA_TOOL_PROFILE: 'compact', FOVEA_READ_ONLY: '1' });
  const names = (await fovea.client.listTools()).tools.map(({ name }) => name);
  expect(names).toContain('operations_read');
  expect(names).not.toContain('operations_write');
  expect(names).not.toContain('operations_delete');
  const args = { operation: 'folders_create', arguments: { name: 'one' } };
  for (const way of ['operations_read', 'operations_write', 'operations_delete']) {
    const refused = await fovea.call(way, args);
    expect(refused).toMatchObject({ isError: true, data: { error: { code: 'forbidden' } } });
  }
  await expect(fovea.call('folders_create', { name: 'one' })).rejects.toThrow('FOVEA_READ_ONLY');
  expect(await fovea.ok('operations_read', { operation: 'folders_list' })).toMatchObject({
    data: [],
  });
  await fovea.close();
});

it('a toolset holds inside the four as well', async () => {
  const fovea = await launchFovea({
    FOVEA_TOOL_PROFILE: 'compact',
    FOVEA_TOOLSETS: 'search,trash',
  });
  const names = (await fovea.client.listTools()).tools.map(({ name }) => name);
  expect(names).toEqual([
    'workspace_search',
    'operations_find',
    'operations_read',
    'operations_write',
  ]);
  const refused = await fovea.call('operations_read', { operation: 'folders_list' });
  expect(refused).toMatchObject({ isError: true, data: { error: { code: 'forbidden' } } });
  const { operations } = await fovea.ok('operations_find', { query: 'delete a folder' });
  expect(JSON.stringify(operations)).not.toContain('folders_');
  await fovea.close();
});
