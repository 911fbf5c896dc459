// What is kept as it is given has a bound, and its error names the member; at the bound it is kept.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPlatform, type TestPlatform } from '../fixtures/platform.ts';
import { createProject, resultOf, upload } from './labelled-projects.ts';
import { callsTo } from './platform-with-model.ts';

let platform: TestPlatform;
let calls: ReturnType<typeof callsTo>;
let imageId: string;
const seldom = 'x'.repeat(201);
const half = '\ud800';

beforeAll(async () => {
  platform = await startTestPlatform();
  calls = callsTo(platform.url);
  const project = await createProject(platform.client, 'Cells');
  imageId = await upload(platform.client, project, 1);
});

afterAll(() => platform.close());

function messageOf(body: Record<string, unknown>): string {
  return String(Object(body.error).message);
}

/** So many members, with names of their own. */
function members(count: number, value: unknown = 'v', prefix = 'key'): Record<string, unknown> {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`${prefix}-${n}`, value]));
}

function list(count: number, prefix = 'entry'): readonly string[] {
  return Array.from({ length: count }, (_, n) => `${prefix}-${n}`);
}

async function send(path: string, body: unknown) {
  const answer = await calls.tell('POST', path.replace('IMAGE', imageId), body);
  return [answer.status, answer.status === 400 ? messageOf(answer.body) : ''];
}

const project = { name: 'Fine', type: 'object-detection', annotation: 'things' };
const event = {
  eventId: 'e',
  eventType: 'custom',
  useCaseId: 'line',
  timestamp: new Date().toISOString(),
};
const training = { modelType: 'rfdetr-small' };
const autolabel = { batchId: 'b', modelType: 'local' };
const metadataOf = '/acme/images/IMAGE/metadata';
const tagsOf = '/acme/cells/images/IMAGE/tags';

describe('400, with the name of the member, for', () => {
  const halfWord = 'has half of a character (a surrogate without its other one)';
  it.each<readonly [what: string, path: string, body: object, message: string]>([
    [
      'too many groups of a folder',
      '/acme/groups',
      { name: 'f', auth_groups: { read: list(101) } },
      'auth_groups.read: must have at most 100 items, has 101',
    ],
    [
      'a long group of a folder',
      '/acme/groups',
      { name: 'f', auth_groups: { write: ['a', seldom] } },
      'auth_groups.write[1]: must have at most 200 characters, has 201',
    ],
    [
      'another member of the groups',
      '/acme/groups',
      { name: 'f', auth_groups: { admin: ['x'] } },
      'auth_groups.admin: is not known; known are read, write',
    ],
    [
      'a long external id',
      '/acme/groups',
      { name: 'f', external_id: 'x'.repeat(257) },
      'external_id: must have at most 256 characters, has 257',
    ],
    [
      'too many projects of a folder',
      '/acme/groups',
      { name: 'f', projects: list(10_001) },
      'projects: must have at most 10000 items, has 10001',
    ],
    [
      'too many keys',
      metadataOf,
      { metadata: members(101) },
      'metadata: must have at most 100 members',
    ],
    [
      'a long value',
      metadataOf,
      { metadata: { note: 'x'.repeat(1_001) } },
      'metadata.note: must have at most 1000 characters, has 1001',
    ],
    [
      'a long key',
      metadataOf,
      { metadata: { [seldom]: 1 } },
      `metadata.${'x'.repeat(60)}…: is not a valid name here: must have at most 200 characters, has 201`,
    ],
    [
      'half a character in a key',
      metadataOf,
      { metadata: { [`a${half}`]: 1 } },
      `is not a valid name here: ${halfWord}`,
    ],
    ['too many tags', tagsOf, { operation: 'set', tags: list(101) }, 'tags: must have at most 100'],
    ['too many tags to add', metadataOf, { addTags: list(101) }, 'addTags: must have at most 100'],
    [
      'too many keys to remove',
      metadataOf,
      { removeMetadata: list(1_001) },
      'removeMetadata: must have at most 1000 items',
    ],
    [
      'updates of many images that are too large together',
      '/acme/images/metadata',
      {
        updates: list(100, 'image').map((id) => ({
          imageId: id,
          metadata: members(100, 'x'.repeat(900)),
        })),
      },
      'updates: has more than 8388608 bytes as JSON: send less at once',
    ],
    [
      'half a character in the name of a project',
      '/acme/projects',
      { ...project, name: `${half} x` },
      `name: ${halfWord}`,
    ],
    [
      'half a character in what is labelled',
      '/acme/projects',
      { ...project, annotation: `x${half}` },
      `annotation: ${halfWord}`,
    ],
    [
      'half a character in the name of a folder',
      '/acme/groups',
      { name: half },
      `name: ${halfWord}`,
    ],
    [
      'half a character in the name of a key',
      '/acme/api-keys',
      { name: half },
      `name: ${halfWord}`,
    ],
    [
      'half a character in the name of a workflow',
      '/acme/workflows',
      { name: half, config: {} },
      `name: ${halfWord}`,
    ],
    [
      'a large config of a workflow',
      '/acme/workflows',
      { name: 'w', config: { a: 'x'.repeat(256 * 1024) } },
      'config: has 262152 bytes as JSON; at most 262144 are taken',
    ],
    [
      'a long class of a filter',
      '/acme/cells/deploy/active-learning/configuration',
      { filters: [{ type: 'classConfidence', classes: [seldom], min: 0.5 }] },
      'filters[0].classes[0]: must have at most 200 characters, has 201',
    ],
    [
      'a large recipe',
      '/acme/cells/1/v2/trainings',
      { ...training, trainRecipe: { notes: 'x'.repeat(64 * 1024) } },
      'trainRecipe: has 65548 bytes as JSON; at most 65536 are taken',
    ],
    [
      'too many prompts',
      '/acme/cells/autolabel',
      { ...autolabel, ontology: members(1_001) },
      'ontology: must have at most 1000 members',
    ],
    [
      'too many thresholds',
      '/acme/cells/autolabel',
      { ...autolabel, confidenceThresholds: members(1_001, 0.5) },
      'confidenceThresholds: must have at most 1000 members',
    ],
    [
      'a long name of a field of an inference',
      '/acme/inference-stats/metadata',
      { data: [{ inference_ids: ['i'], field_name: seldom, field_value: 'v' }] },
      'data[0].field_name: must have at most 100 characters, has 201',
    ],
    [
      'a long value of a field of an inference',
      '/acme/inference-stats/metadata',
      { data: [{ inference_ids: ['i'], field_name: 'f', field_value: 'x'.repeat(1_001) }] },
      'data[0].field_value: must have at most 1000 characters, has 1001',
    ],
    [
      'large data of an event',
      '/vision-events',
      { ...event, eventData: { a: 'x'.repeat(256 * 1024) } },
      'eventData: has 262152 bytes as JSON; at most 262144 are taken',
    ],
    [
      'a large event',
      '/vision-events',
      { ...event, comment: 'x'.repeat(8 * 1024 * 1024) },
      'has more than 8388608 bytes as JSON',
    ],
    [
      'a large event of several',
      '/vision-events/batch',
      { events: [event, { ...event, comment: 'x'.repeat(8 * 1024 * 1024) }] },
      'events[1]: has more than 8388608 bytes as JSON',
    ],
    [
      'too many images of an event',
      '/vision-events',
      { ...event, images: list(101).map((sourceId) => ({ sourceId })) },
      'images: must have at most 100 items, has 101',
    ],
    [
      'more detections than one call may bring',
      '/vision-events',
      {
        ...event,
        images: list(11).map((sourceId) => ({
          sourceId,
          classifications: Array.from({ length: 1_000 }, () => ({ class: 'a', confidence: 1 })),
        })),
      },
      'images: has 11000 detections; one call takes at most 10000',
    ],
    [
      'a long id of a device',
      '/vision-events',
      { ...event, deviceId: 'x'.repeat(257) },
      'deviceId: must have at most 256 characters, has 257',
    ],
  ])('%s', async (_what, path, body, message) => {
    const [status, words] = await send(path, body);
    expect(status).toBe(400);
    expect(words).toContain(message);
  });
});

it('takes and gives back what is at the bound', async () => {
  const groups = list(100).map((name) => name.padEnd(200, '-'));
  const auth_groups = { read: groups, write: groups };
  const made = await calls.tell('POST', '/acme/groups', { name: 'Full', auth_groups });
  expect(made.status).toBe(201);
  const { body } = await calls.tell('GET', '/acme/groups');
  expect(body.data).toMatchObject([{ name: 'Full', auth_groups }]);
  const config = { a: 'x'.repeat(256 * 1024 - 8) };
  expect(await send('/acme/workflows', { name: 'Large', config })).toEqual([201, '']);
  const workflow = await calls.tell('GET', '/acme/workflows/large');
  expect(workflow.body.workflow).toMatchObject({ config });
  expect(await send('/acme/projects', { ...project, name: 'Zellen 😀' })).toEqual([201, '']);
});

describe('an image has at most 100 keys and 100 tags in all', () => {
  async function newImage(shade: number): Promise<string> {
    return upload(platform.client, 'cells', shade);
  }

  async function shown(id: string) {
    const { body } = await calls.tell('GET', `/acme/cells/images/${id}`);
    const { metadata, tags } = Object(body.image);
    return { keys: Object.keys(metadata).length, tags: tags.length };
  }

  it('whatever it had before', async () => {
    const id = await newImage(10);
    const path = `/acme/images/${id}/metadata`;
    const value = 'x'.repeat(1_000);
    expect(await send(path, { metadata: members(100, value), addTags: list(60, 'a') })).toEqual([
      200,
      '',
    ]);
    expect(await send(path, { metadata: { more: 1 } })).toEqual([
      400,
      'metadata: the image would have 101 keys; at most 100 are taken',
    ]);
    expect(await send(path, { addTags: list(41, 'b') })).toEqual([
      400,
      'addTags: the image would have 101 tags; at most 100 are taken',
    ]);
    const tags = `/acme/cells/images/${id}/tags`;
    expect(await send(tags, { operation: 'add', tags: list(41, 'b') })).toEqual([
      400,
      'tags: the image would have 101 tags; at most 100 are taken',
    ]);
    expect(await shown(id)).toEqual({ keys: 100, tags: 60 });
    const exchange = {
      metadata: { more: 1, 'key-1': 2 },
      removeMetadata: ['key-0'],
      addTags: list(41, 'b'),
      removeTags: ['a-0'],
    };
    expect(await send(path, exchange)).toEqual([200, '']);
    expect(await send(tags, { operation: 'add', tags: ['a-1'] })).toEqual([200, '']);
    expect(await send(tags, { operation: 'set', tags: list(100, 'c') })).toEqual([200, '']);
    expect(await shown(id)).toEqual({ keys: 100, tags: 100 });
  });

  it('from the beginning', async () => {
    const form = new FormData();
    form.set('file', new Blob(['no image']), 'a.png');
    form.set('metadata', JSON.stringify(members(101)));
    const headers = { authorization: `Bearer ${platform.key}` };
    const url = `${platform.url}/dataset/cells/upload`;
    const answer = await fetch(url, { method: 'POST', headers, body: form });
    expect(answer.status).toBe(400);
    expect(messageOf(Object(await answer.json()))).toContain('metadata: must have at most 100');
    const tags = list(101)
      .map((tag) => `tag=${tag}`)
      .join('&');
    const tagged = await fetch(`${url}?${tags}`, { method: 'POST', headers, body: form });
    expect(messageOf(Object(await tagged.json()))).toContain('tag: must have at most 100');
  });

  it('when many are changed: the others are changed all the same', async () => {
    const ids = [await newImage(11), await newImage(12), await newImage(13)];
    const [first = '', second = '', third = ''] = ids;
    const full = { metadata: members(100), addTags: list(100, 'tag') };
    const { body } = await calls.tell('POST', '/acme/images/metadata', {
      updates: ids.map((id) => ({ imageId: id, ...full })),
    });
    expect(await resultOf(platform.client, String(body.taskId))).toMatchObject({ succeeded: 3 });
    const again = await calls.tell('POST', '/acme/images/metadata', {
      updates: [
        { imageId: first, metadata: { more: 1 }, addTags: ['more'] },
        { imageId: second, metadata: { more: 1 }, removeMetadata: ['key-0'] },
        { imageId: third, metadata: members(50), addTags: list(50, 'tag') },
      ],
    });
    expect(await resultOf(platform.client, String(again.body.taskId))).toEqual({
      succeeded: 2,
      failed: 1,
      failedItems: [
        {
          imageId: first,
          error:
            'metadata: the image would have 101 keys; at most 100 are taken; ' +
            'addTags: the image would have 101 tags; at most 100 are taken',
        },
      ],
    });
    expect(await shown(first)).toEqual({ keys: 100, tags: 100 });
    expect(await shown(second)).toEqual({ keys: 100, tags: 100 });
  });
});
