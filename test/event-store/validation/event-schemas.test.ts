// What event_data must look like, for the known schemas and for those of a folder.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterEach, describe, expect, test } from 'vitest';
import { builtInSchemas } from '../../../src/event-store/validation/built-in-schemas.ts';
import { loadEventSchemas } from '../../../src/event-store/validation/event-schemas.ts';

const folders: string[] = [];

afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fovea-schemas-'));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

describe('the known schemas', async () => {
  const schemas = await loadEventSchemas(undefined);

  test.each([
    ['quality_check', { result: 'pass', externalId: 'a-1' }],
    ['quality_check', { result: 'fail', external_id: 'a-1' }],
    ['inventory_count', { location: 'A', itemCount: 3, itemType: 'bolt', externalId: 'x' }],
    ['inventory_count', { item_count: 0, item_type: 'bolt' }],
    ['safety_alert', { alertType: 'no-helmet_2', severity: 'high', description: 'd' }],
    ['custom', { value: 'x'.repeat(10_000) }],
    ['custom', {}],
    ['operator_feedback', { relatedEventId: 'e', feedback: 'inconclusive' }],
  ])('%s takes %j', (name, data) => {
    expect(() => schemas.check(name, data)).not.toThrow();
  });

  test.each([
    ['quality_check', {}, "event_data: must have required property 'result'"],
    ['quality_check', { result: 'maybe' }, 'event_data.result: must be one of "pass", "fail"'],
    ['quality_check', { result: 'pass', externalID: 'x' }, 'did you mean "externalId"'],
    ['quality_check', { result: 'pass', externalId: 'x'.repeat(1_001) }, 'event_data.externalId'],
    ['inventory_count', { itemCount: 2.5 }, 'event_data.itemCount: must be integer'],
    ['safety_alert', { severity: 'extreme' }, 'must be one of "low", "medium", "high"'],
    ['safety_alert', { alertType: 'no helmet' }, 'event_data.alertType'],
    ['custom', { value: 'x'.repeat(10_001) }, 'event_data.value'],
    ['custom', { value: 7 }, 'event_data.value: must be string'],
    ['operator_feedback', { feedback: 'correct' }, "required property 'relatedEventId'"],
    ['quality_chek', {}, 'event_schema: there is no such event schema'],
    ['__proto__', {}, 'event_schema: there is no such event schema'],
  ])('%s refuses %j', (name, data, message) => {
    expect(() => schemas.check(name, data)).toThrow(message);
  });

  test.each(Object.entries(builtInSchemas))('%s is a valid JSON Schema', (_name, schema) => {
    const ajv = new Ajv2020();
    expect([ajv.validateSchema(schema), ajv.errors]).toEqual([true, null]);
  });

  test('the nearest name is told', () => {
    expect(() => schemas.check('quality_chek', {})).toThrow(
      expect.objectContaining({ code: 'bad_request', hint: 'Did you mean "quality_check"?' }),
    );
  });
});

describe('a folder of schemas', () => {
  const weld = {
    type: 'object',
    properties: { seam: { type: 'integer', minimum: 1 }, seen_at: { format: 'date-time' } },
    required: ['seam'],
    unevaluatedProperties: false,
  };

  test('adds them to the known ones, with their own spelling', async () => {
    const draft7 = { $schema: 'http://json-schema.org/draft-07/schema#', required: ['a'] };
    const folder = await folderWith({
      'weld_seam.json': JSON.stringify(weld),
      'old.json': JSON.stringify(draft7),
      'README.md': 'no schema',
    });
    const schemas = await loadEventSchemas(folder);
    expect([...schemas.all.keys()].slice(-2)).toEqual(['old', 'weld_seam']);
    expect(schemas.all.get('weld_seam')).toEqual(weld);
    schemas.check('weld_seam', { seam: 4, seen_at: '2026-11-20T10:00:00Z' });
    schemas.check('old', { a: null, more: 1 });
    expect(() => schemas.check('weld_seam', { seam: 0 })).toThrow('event_data.seam: must be >= 1');
    expect(() => schemas.check('weld_seam', { seam: 1, seen_at: 'noon' })).toThrow('seen_at');
    expect(() => schemas.check('weld_seam', { seam: 1, seenAt: 'x' })).toThrow('event_data');
    expect(() => schemas.check('old', {})).toThrow("required property 'a'");
  });

  test.each([
    ['broken.json', '{', 'must hold a JSON object'],
    ['list.json', '[]', 'must hold a JSON object'],
    ['wrong.json', '{"type": "widget"}', 'is not a valid JSON Schema'],
    ['async.json', '{"$async": true}', 'must not be "$async"'],
    ['custom.json', '{}', 'is the name of a schema that Fovea brings'],
    ['bad name.json', '{}', 'must be 1 to 64 letters'],
  ])('%s is refused by its name', async (name, text, message) => {
    const folder = await folderWith({ [name]: text });
    await expect(loadEventSchemas(folder)).rejects.toThrow(
      `EVENT_SCHEMAS_FOLDER/${name}: ${message}`,
    );
  });

  test('a folder among them', async () => {
    const folder = await folderWith({});
    await mkdir(join(folder, 'inner.json'));
    await expect(loadEventSchemas(folder)).rejects.toThrow(
      'EVENT_SCHEMAS_FOLDER/inner.json: must be a file that can be read',
    );
  });

  test('a folder that is not there', async () => {
    await expect(loadEventSchemas('/nowhere/at/all')).rejects.toThrow('EVENT_SCHEMAS_FOLDER');
  });
});
