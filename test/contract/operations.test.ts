// The contract against the list of operations, row by row, and the rules that every row keeps.

import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { operations } from '../../src/contract/index.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { scopes } from '../../src/contract/scopes.ts';
import rows from './operations.json' with { type: 'json' };

const all: readonly Operation[] = Object.values(operations);
const byId = new Map(all.map((operation) => [operation.id, operation]));

describe('each row of the list', () => {
  test('is an operation, and each operation is a row', () => {
    expect(all.map(({ id }) => id).sort()).toEqual(rows.map(({ tool }) => tool).sort());
    expect(all).toHaveLength(76);
  });

  test.each(rows)('$tool goes where the row says', (row) => {
    const { toolset, host, method, path } = operationOf(row.tool);
    expect({ toolset, host, method, path }).toEqual({
      toolset: row.toolset,
      host: row.host,
      method: row.method,
      path: row.path,
    });
  });

  test.each(rows)('$tool answers, acts and takes files as the row says', (row) => {
    const { success, effect, recoverable, bodyType } = operationOf(row.tool);
    if (row.success !== null) expect(success).toBe(row.success);
    expect(kindOf(effect)).toBe(row.traits[0]);
    expect(recoverable).toBe(row.traits.includes('trash'));
    expect(bodyType === 'multipart').toBe(row.traits.includes('multipart'));
  });

  test('runs on after its answer where the row has a task, and where another handle is known', () => {
    const tasks = rows.filter(({ traits }) => traits.includes('task')).map(({ tool }) => tool);
    const longRunning = all.filter((operation) => operation.longRunning).map(({ id }) => id);
    const others = ['versions_generate', 'video_inference_start'];
    expect(longRunning.sort()).toEqual([...tasks, ...others].sort());
  });
});

describe('each operation', () => {
  test('is found under its own id in a record that cannot change', () => {
    for (const [id, operation] of Object.entries(operations)) expect(operation.id).toBe(id);
    expect(Object.isFrozen(operations)).toBe(true);
  });

  test.each(all)('$id has a path parameter for each placeholder and no other', (operation) => {
    const placeholders = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(Object.keys(operation.pathParameters.shape).sort()).toEqual(placeholders.sort());
  });

  test.each(all)('$id has no name in two places', (operation) => {
    const names = membersOf(operation).map(([name]) => name);
    expect(names).toEqual([...new Set(names)]);
  });

  test.each(all)('$id describes each member', (operation) => {
    const silent = membersOf(operation).filter(([, schema]) => !describes(schema));
    expect(silent.map(([name]) => name)).toEqual([]);
  });

  test.each(all)('$id changes no value: no defaults, no transforms', (operation) => {
    const { pathParameters, query, body, answer } = operation;
    const found = [pathParameters, query, body, answer].flatMap((schema) => typesIn(schema));
    const changing = ['default', 'prefault', 'transform', 'pipe', 'catch', 'success'];
    expect(found.filter((type) => changing.includes(type))).toEqual([]);
  });

  test.each(all)('$id refuses unknown path and query parameters', (operation) => {
    for (const schema of [operation.pathParameters, operation.query]) {
      const { error } = schema.safeParse({ surprise: 1 });
      expect(error?.issues.map(({ code }) => code)).toContain('unrecognized_keys');
    }
  });

  test.each(all)('$id has a body only where it says so', (operation) => {
    const { bodyType, body, method, rawMember } = operation;
    if (bodyType === 'none') expect(Object.keys(body.shape)).toEqual([]);
    if (method === 'GET') expect(bodyType).toBe('none');
    if (rawMember !== undefined) expect(Object.keys(body.shape)).toContain(rawMember);
  });

  test.each(all)('$id asks only for a scope that exists', ({ scope }) => {
    expect([undefined, ...scopes]).toContain(scope);
  });
});

describe('what single rows owe to the specifications', () => {
  test('video inference takes the key in the query, and its status once a minute', () => {
    const video = all.filter(({ toolset }) => toolset === 'video');
    expect(video.map(({ credential }) => credential)).toEqual(Array(3).fill('api_key_query'));
    expect(operations.video_inference_get.intervalMs).toBe(60_000);
  });

  test('device operations take the device key', () => {
    const device = all.filter(({ host }) => host === 'device');
    expect(device.map(({ id }) => id).sort()).toEqual([
      'events_attach_file',
      'events_attach_video',
      'events_count',
      'events_create',
      'events_finalize',
      'events_get',
      'events_latest',
      'events_list',
    ]);
    expect(new Set(device.map(({ credential }) => credential))).toEqual(new Set(['device_key']));
  });

  test('the query parameters of events_list are those of the specification', () => {
    // Event Store 18.12 and 18.13.
    const added = ['detection_filter', 'event_data_filter'];
    const names = Object.keys(operations.events_list.query.shape);
    expect(names).toEqual(expect.arrayContaining(added));
    expect(names.filter((name) => !added.includes(name)).sort()).toEqual([
      'device_id',
      'device_id__in',
      'end_time',
      'event_schema',
      'event_schema__in',
      'external_id',
      'external_id__in',
      'include_drafts',
      'limit',
      'metadata_filter',
      'related_event_id',
      'sort_direction',
      'start_time',
      'workflow_id',
      'workflow_id__in',
    ]);
  });

  test('an event of the store has the members of the specification', () => {
    expect(Object.keys(operations.events_create.body.shape).sort()).toEqual([
      'custom_metadata',
      'device_id',
      'displayImagePosition',
      'draft',
      'event_data',
      'event_schema',
      'image_id',
      'images',
      'inference_timestamp',
      'solution',
      'stream_id',
      'workflow_id',
      'workflow_version',
    ]);
  });

  test('what adds is repeatable only where the facts say so', () => {
    const repeatable = all.filter(({ effect, idempotent }) => effect === 'adds' && idempotent);
    expect(repeatable.map(({ id }) => id)).toEqual([
      'images_upload',
      'vision_events_create',
      'vision_events_create_batch',
    ]);
    expect(all.filter(({ effect, idempotent }) => effect !== 'adds' && !idempotent)).toEqual([]);
  });

  test('what raw bodies fill', () => {
    const raw = all.filter(({ rawMember }) => rawMember !== undefined);
    expect(raw.map(({ id, rawMember }) => [id, rawMember])).toEqual([
      ['images_upload', 'file'],
      ['images_annotate', 'annotationFile'],
    ]);
  });
});

function operationOf(id: string): Operation {
  const operation = byId.get(id);
  if (!operation) throw new Error(`no operation ${id}`);
  return operation;
}

function kindOf(effect: Operation['effect']): string {
  if (effect === 'reads') return 'read';
  return effect === 'removes' ? 'destructive' : 'write';
}

function membersOf({ pathParameters, query, body }: Operation): [string, z.core.$ZodType][] {
  return [pathParameters, query, body].flatMap((schema) => Object.entries(schema.shape));
}

function describes(schema: z.core.$ZodType): boolean {
  const own = z.globalRegistry.get(schema)?.description;
  if (typeof own === 'string' && own.length > 0) return true;
  const isWrapped = schema instanceof z.ZodOptional || schema instanceof z.ZodNullable;
  return isWrapped && describes(schema.unwrap());
}

/** The types of a schema and of all schemas in it. */
function typesIn(value: unknown, seen = new Set<unknown>()): string[] {
  if (typeof value !== 'object' || value === null || seen.has(value)) return [];
  seen.add(value);
  if (value instanceof z.core.$ZodType) {
    return [value._zod.def.type, ...typesIn({ ...value._zod.def }, seen)];
  }
  return Object.values(value).flatMap((member) => typesIn(member, seen));
}
