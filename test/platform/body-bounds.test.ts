// Bodies that would cost more than their operation may: a clear no, and the service goes on.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPlatform, type TestPlatform } from '../fixtures/platform.ts';
import { createProject } from './labelled-projects.ts';

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform();
  await createProject(platform.client, 'Cells');
});

afterAll(() => platform.close());

async function send(method: string, path: string, body: string) {
  const answer = await fetch(`${platform.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${platform.key}`, 'content-type': 'application/json' },
    body,
  });
  const told: unknown = answer.status === 204 ? {} : await answer.json();
  const error: unknown = Reflect.get(Object(told), 'error');
  const message = typeof error === 'string' ? error : String(Reflect.get(Object(error), 'message'));
  return { status: answer.status, message };
}

const zeros = (count: number) => `[${'0,'.repeat(count - 1)}0]`;
const members = (count: number, name: string) =>
  Array.from({ length: count }, (_, n) => `"${name}${n}":0`).join();
const event = `"eventId":"e","eventType":"custom","useCaseId":"u","timestamp":"${new Date().toISOString()}"`;
const box = '"class":"a","x":1,"y":1,"width":1,"height":1,"confidence":1';
const outline = (points: string) =>
  `{${event},"images":[{"sourceId":"s","instanceSegmentations":[{${box},"points":${points}}]}]}`;

describe('is refused before it is parsed', () => {
  it.each([
    [
      'a long list',
      ['DELETE', '/acme/cells/images', `{"images":${zeros(12_000)}}`],
      'The body has more than 12000 values.',
    ],
    [
      'a long body',
      ['DELETE', '/acme/cells/images', `{"images":${zeros(1_900_000)}}`],
      'The body may have 1048576 bytes.',
    ],
    [
      'many unknown members',
      ['POST', '/acme/cells/generate', `{${members(2_001, 'm')}}`],
      'The body has an object with more than 2000 members.',
    ],
    [
      'many near names',
      ['POST', '/acme/api-keys', `{"name":"a",${members(2_000, 'scope')}}`],
      'The body has an object with more than 2000 members.',
    ],
    [
      'many members of metadata',
      ['POST', '/acme/images/i/metadata', `{"metadata":{${members(2_001, 'key')}}}`],
      'The body has an object with more than 2000 members.',
    ],
    [
      'a name given many times',
      ['POST', '/acme/projects', `{${'"name":"a",'.repeat(2_000)}"name":"a"}`],
      'The body has an object with more than 2000 members.',
    ],
    [
      'many points',
      ['POST', '/vision-events', outline(zeros(100_000))],
      'The body has more than 100000 values.',
    ],
    [
      'very many short texts',
      [
        'POST',
        '/vision-events',
        `{${event},"comment":[${`"${'x'.repeat(16_000)}",`.repeat(300)}0]}`,
      ],
      'The body has more than 4194304 bytes beside its long texts.',
    ],
    [
      'a text that is longer than a file',
      ['POST', '/acme/projects', `{"name":"${'x'.repeat(1_048_576)}"}`],
      'The body may have 1048576 bytes.',
    ],
  ])('413: %s', async (_what, [method = '', path = '', body = ''], message) => {
    expect(await send(method, path, body)).toEqual({ status: 413, message });
  });

  it('400: deep nesting', async () => {
    const deep = `{"name":"a","config":${'['.repeat(32)}${']'.repeat(32)}}`;
    expect(await send('POST', '/acme/workflows', deep)).toEqual({
      status: 400,
      message: 'The body is nested deeper than 32 levels.',
    });
  });

  it('413: a body that tells no length, with the piece in which it is too much', async () => {
    let sent = 0;
    const pieces = new ReadableStream({
      pull(controller) {
        sent += 1;
        const start = sent === 1 ? '{"images":[' : '';
        controller.enqueue(Buffer.from(`${start}${'0,'.repeat(10_000)}`));
        if (sent === 1_000) controller.close();
      },
    });
    const headers = {
      authorization: `Bearer ${platform.key}`,
      'content-type': 'application/json',
    };
    const init: RequestInit = { method: 'DELETE', headers, body: pieces, duplex: 'half' };
    const answer = await fetch(`${platform.url}/acme/cells/images`, init);
    expect(answer.status).toBe(413);
    expect(await answer.text()).toContain('more than 12000 values');
  });
});

describe('is refused with the first of its problems', () => {
  const rest = 'the rest was not looked at';
  it.each([
    [
      'zeros for ids',
      ['DELETE', '/acme/cells/images', `{"images":${zeros(11_000)}}`],
      'images[0]: expected a string, got 0; ',
      rest,
    ],
    [
      'zeros for points',
      ['POST', '/vision-events', outline(zeros(90_000))],
      'images[0].instanceSegmentations[0].points[0]: expected an array, got 0; ',
      rest,
    ],
    [
      'unknown members',
      ['POST', '/acme/cells/generate', `{${members(1_900, 'm')}}`],
      'preprocessing: is required (an object)',
      'and 1852 more problems',
    ],
    [
      'names near to one',
      ['POST', '/acme/api-keys', `{"name":"a",${members(1_900, 'scope')}}`],
      'scope0: is not known; did you mean "scopes"?; ',
      'and 1850 more problems',
    ],
    [
      'many scopes',
      ['POST', '/acme/api-keys', JSON.stringify({ scopes: Array(11_000).fill('a') })],
      'scopes: must have at most 200 items, has 11000',
      'has 11000',
    ],
    [
      'a long question',
      ['POST', '/acme/cells/search', JSON.stringify({ prompt: 'a '.repeat(2_000_000) })],
      'prompt: must have at most 4000 characters, has 4000000',
      '',
    ],
    [
      'JSON in a text',
      ['DELETE', '/acme/cells/images', JSON.stringify({ images: zeros(100_000) })],
      'images: is JSON text that has more than 12000 values',
      '',
    ],
  ])('%s', async (_what, [method = '', path = '', body = ''], first, last) => {
    const { status, message } = await send(method, path, body);
    expect(status).toBe(400);
    expect(message.slice(0, first.length)).toBe(first);
    expect(message.endsWith(last)).toBe(true);
  });
});

it('a long text is no long list: files and images go through', async () => {
  const file = '\n'.repeat(6_000_000);
  const annotated = await send(
    'POST',
    '/dataset/cells/annotate/none?name=a.txt',
    JSON.stringify({ annotationFile: file }),
  );
  expect(annotated.status).toBe(404);
  const searched = await send(
    'POST',
    '/acme/cells/search',
    JSON.stringify({ image_base64: 'A'.repeat(3_000_000) }),
  );
  expect(searched.message).not.toContain('The body');
});
