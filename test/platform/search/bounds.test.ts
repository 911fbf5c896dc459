// What a search may ask: one more than that is refused before anything is looked at.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestPlatform, type TestPlatform } from '../../fixtures/platform.ts';
import { createProject, upload } from '../labelled-projects.ts';
import { callsTo } from '../platform-with-model.ts';

let platform: TestPlatform;
let calls: ReturnType<typeof callsTo>;

beforeAll(async () => {
  platform = await startTestPlatform();
  calls = callsTo(platform.url);
  await upload(platform.client, await createProject(platform.client, 'Cells'), 1);
});

afterAll(() => platform.close());

function words(count: number, word: (place: number) => string): string {
  return Array.from({ length: count }, (_, place) => word(place)).join(' ');
}

async function send(method: string, path: string, body?: object): Promise<[number, string]> {
  const answer = await calls.tell(method, path, body);
  return [answer.status, answer.status < 300 ? '' : String(Object(answer.body.error).message)];
}

const inProject = '/acme/cells/search';
const inWorkspace = '/acme/search/v1';
const many = (name: string) => Array.from({ length: 51 }, () => name);

it.each<readonly [what: string, path: string, body: object, message: string]>([
  [
    'a long prompt',
    inProject,
    { prompt: 'x'.repeat(4_001) },
    'prompt: must have at most 4000 characters, has 4001',
  ],
  [
    'a prompt of many words',
    inProject,
    { prompt: words(201, (place) => `w${String.fromCharCode(0x4e00 + place)}`) },
    'prompt: has more than 200 words',
  ],
  [
    'a long tag',
    inProject,
    { tag: 'x'.repeat(1_001) },
    'tag: must have at most 1000 characters, has 1001',
  ],
  [
    'a long class',
    inProject,
    { class_name: 'x'.repeat(1_001) },
    'class_name: must have at most 1000 characters, has 1001',
  ],
  ['too many fields', inProject, { fields: many('id') }, 'fields: must have at most 50 items'],
  [
    'too many fields of a workspace',
    inWorkspace,
    { query: '*', fields: many('id') },
    'fields: must have at most 50 items',
  ],
  [
    'too many words with *',
    inWorkspace,
    { query: words(21, () => 'a*') },
    'query: at character 61: has more than 20 words and file names with *',
  ],
  [
    'too many names with *',
    inWorkspace,
    { query: words(21, (place) => `filename:*${place}`) },
    'has more than 20 words and file names with *',
  ],
  [
    'too many words in quotation marks',
    inWorkspace,
    { query: `"${words(201, () => 'a')}"` },
    'query: at character 1: has more than 200 conditions',
  ],
  [
    'a long token',
    inWorkspace,
    { query: '*', continuationToken: 'x'.repeat(4_001) },
    'continuationToken: must have at most 4000 characters, has 4001',
  ],
])('400 for %s', async (_what, path, body, message) => {
  const [status, said] = await send('POST', path, body);
  expect([status, said]).toEqual([400, expect.stringContaining(message)]);
});

it.each([
  [inProject, { prompt: words(200, () => 'x') }],
  [inProject, { prompt: words(700, () => 'same') }],
  [inWorkspace, { query: words(20, () => 'a*') }],
  [inWorkspace, { query: words(180, () => 'a') }],
  [inWorkspace, { query: `"${words(200, () => 'a')}"` }],
])('takes as much as that: %s', async (path, body) => {
  expect(await send('POST', path, body)).toEqual([200, '']);
});

it.each([
  ['a long line', 'x'.repeat(501), 'q: must have at most 500 characters, has 501'],
  ['too many words', words(51, (place) => `w${place}`), 'q: has more than 50 words and filters'],
  [
    'too many tags',
    `tag:${words(51, (place) => `t${place}`).replaceAll(' ', ',')}`,
    'q: has more than 50 words and filters',
  ],
])('400 for %s in the catalog', async (_what, q, message) => {
  expect(await send('GET', `/catalog/search?q=${encodeURIComponent(q)}`)).toEqual([400, message]);
});

it('names a field once, however often it is asked for', async () => {
  const { body } = await calls.tell('POST', inWorkspace, {
    query: '*',
    fields: ['split', 'split', 'name', 'name'],
  });
  const [image] = Array.isArray(body.results) ? body.results : [];
  expect(Object.keys(Object(image)).sort()).toEqual(['id', 'name', 'split']);
});
