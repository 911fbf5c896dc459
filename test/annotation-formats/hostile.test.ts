// Annotation files that are made to be expensive, as they come over HTTP: counted before anything
// is built of them, and read in a thread.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPlatform, type TestPlatform } from '../fixtures/platform.ts';
import { createProject, upload } from '../platform/labelled-projects.ts';
import { voc } from './sample-annotations.ts';

let platform: TestPlatform;
let project: string;
let imageId: string;

beforeAll(async () => {
  platform = await startTestPlatform();
  project = await createProject(platform.client, 'Cells');
  imageId = await upload(platform.client, project, 1);
});

afterAll(() => platform.close());

interface Outcome {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

async function annotate(name: string, text: string, labelmap?: object): Promise<Outcome> {
  const body = labelmap === undefined ? text : JSON.stringify({ annotationFile: text, labelmap });
  const type = labelmap === undefined ? 'text/plain' : 'application/json';
  const path = `/dataset/${project}/annotate/${imageId}?name=${name}&overwrite=true`;
  const answer = await fetch(`${platform.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${platform.key}`, 'content-type': type },
    body,
  });
  return { status: answer.status, body: Object(await answer.json()) };
}

function messageOf({ body }: Outcome): unknown {
  return Object(body.error).message;
}

function object(edges = [1, 2, 3, 4]): string {
  const [xmin, ymin, xmax, ymax] = edges;
  const box = `<xmin>${xmin}</xmin><ymin>${ymin}</ymin><xmax>${xmax}</xmax><ymax>${ymax}</ymax>`;
  return `<object><name>cat</name><bndbox>${box}</bndbox></object>\n`;
}

const plain = (objects: string) => voc(objects, '');
const line = (label: string) => `${label} 0.5 0.5 0.1 0.1\n`;
const range = <Value>(count: number, make: (n: number) => Value) =>
  Array.from({ length: count }, (_, n) => make(n));
const coco = (members: object) =>
  JSON.stringify({ images: [{ id: 1, file_name: '1' }], ...members });

describe('an annotation file is refused with', () => {
  it.each<
    readonly [what: string, name: string, text: () => string, status: number, message: string]
  >([
    [
      'many objects',
      'a.xml',
      () => plain(object().repeat(10_001)),
      413,
      'has 10001 boxes for the image; at most 10000 fit',
    ],
    [
      'many tags',
      'a.xml',
      () => plain('<a/>'.repeat(250_000)),
      413,
      'has more than 250000 tags of XML',
    ],
    [
      'many comments',
      'a.xml',
      () => plain('<!---->'.repeat(250_000)),
      413,
      'has more than 250000 tags of XML',
    ],
    [
      'many bytes of XML',
      'a.xml',
      () => plain(' '.repeat(3 * 1024 * 1024)),
      413,
      'XML of one image may have 3145728 bytes',
    ],
    [
      'tags in tags',
      'a.xml',
      () => plain(`\n${'<a>'.repeat(100_000)}`),
      400,
      'line 4: has more than 32 elements in each other',
    ],
    [
      'a long tag',
      'a.xml',
      () => plain(`<${'a'.repeat(1_000_000)}>`),
      400,
      'line 3: has a tag of more than 1000 characters',
    ],
    [
      'many attributes',
      'a.xml',
      () => plain(`<a ${'b="1" '.repeat(100_000)}/>`),
      400,
      'line 3: has a tag of more than 1000 characters',
    ],
    [
      'a tag without an end',
      'a.xml',
      () => '<'.repeat(900),
      400,
      'line 1: is not well-formed XML: a tag has no end',
    ],
    [
      'an open comment',
      'a.xml',
      () => plain('<!--'.repeat(500_000)),
      400,
      'line 3: begins <!-- without an end',
    ],
    [
      'open CDATA',
      'a.xml',
      () => plain('<![CDATA['.repeat(250_000)),
      400,
      'line 3: begins <![CDATA[ without an end',
    ],
    [
      'an open instruction',
      'a.xml',
      () => plain('<?'.repeat(1_000_000)),
      400,
      'line 3: begins <? without an end',
    ],
    [
      'a declaration',
      'a.xml',
      () => plain('<!'.repeat(1_000_000)),
      400,
      'line 3: must not have a document type',
    ],
    [
      'an endless number',
      'a.xml',
      () => plain(object([1, 2, 3, 4]).replace('>1<', `>${'1'.repeat(1_000_000)}x<`)),
      400,
      'line 3, "cat" box 1, xmin: must be a number, for example 12 or 12.5',
    ],
    [
      'a wrong box behind many',
      'a.xml',
      () => plain(object().repeat(9_000) + object([9, 2, 3, 4])),
      400,
      'line 9003, "cat" box 9001: xmin 9 is larger than xmax 3',
    ],
    [
      'many values of JSON',
      'a.json',
      () => `{"images":[${'0,'.repeat(2_000_000)}0]}`,
      413,
      'has more than 2000000 values',
    ],
    ['deep JSON', 'a.json', () => '['.repeat(1_000_000), 413, 'is nested deeper than 32 levels'],
    [
      'many members',
      'a.json',
      () => `{${range(10_001, (n) => `"k${n}":0`).join()}}`,
      413,
      'has an object with more than 10000 members',
    ],
    [
      'many COCO boxes',
      'a.json',
      () => coco({ annotations: range(10_001, () => ({ image_id: 1 })) }),
      413,
      'has 10001 boxes for the image; at most 10000 fit',
    ],
    ['many lines', 'a.txt', () => '\n'.repeat(20_000), 413, 'has more than 20000 lines'],
    [
      'many boxes of YOLO',
      'a.txt',
      () => line('cat').repeat(10_001),
      413,
      'has 10001 boxes for the image; at most 10000 fit',
    ],
    [
      'many numbers in a line',
      'a.txt',
      () => `\ncat ${'0.5 '.repeat(250_000)}`,
      413,
      'line 2: has more than 250000 numbers so far',
    ],
    [
      'an endless share',
      'a.txt',
      () => `cat 0.5 0.5 0.1 ${'1'.repeat(1_000_000)}x`,
      400,
      'line 1, value 4: must be a number, for example 12 or 12.5',
    ],
    [
      'many points',
      'a.txt',
      () => `cat ${'0.5 0.25 '.repeat(1_001)}\n`.repeat(100),
      413,
      'has outlines of 100100 points for the image; at most 100000 fit',
    ],
    [
      'many classes',
      'a.txt',
      () => range(201, (n) => line(`c${n}`)).join(''),
      413,
      'has 201 different classes for the image; at most 200 fit',
    ],
  ])('%s', async (_what, name, text, status, message) => {
    const outcome = await annotate(name, text());
    expect([messageOf(outcome), outcome.status]).toEqual([`annotationFile: ${message}`, status]);
  });

  it('a labelmap of more classes than a data set has', async () => {
    const labelmap = Object.fromEntries(range(20_001, (n) => [n, `c${n}`]));
    const outcome = await annotate('a.txt', line('1'), labelmap);
    expect([messageOf(outcome), outcome.status]).toEqual([
      'The body has an object with more than 20000 members.',
      413,
    ]);
  });
});

describe('an annotation file is taken with', () => {
  it.each<readonly [what: string, name: string, text: () => string]>([
    ['10,000 objects', 'a.xml', () => plain(object().repeat(10_000))],
    ['10,000 boxes of YOLO', 'a.txt', () => line('cat').repeat(10_000)],
    [
      '10,000 boxes of 200 classes',
      'a.txt',
      () => range(10_000, (n) => line(`c${n % 200}`)).join(''),
    ],
  ])('%s', async (_what, name, text) => {
    const outcome = await annotate(name, text());
    expect([outcome.status, outcome.body.boxes]).toEqual([200, 10_000]);
    const { url, key } = platform;
    const got = await fetch(`${url}/acme/${project}/images/${imageId}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const { image } = Object(await got.json());
    expect(image.annotation.boxes).toHaveLength(10_000);
  });

  it('more warnings than are told one by one: their number is told', async () => {
    const { status, body } = await annotate('a.txt', 'cat 0.5 0.5 0 0\n'.repeat(1_200));
    expect(status).toBe(200);
    expect(Object(body.warnings)).toHaveLength(1_001);
    expect(Object(body.warnings)[1_000]).toEqual({ message: 'and 200 more warnings' });
  });
});

it('leaves the service free for others while it reads', async () => {
  let hasEnded = false;
  const reading = annotate('a.xml', plain(object().repeat(9_000))).finally(() => {
    hasEnded = true;
  });
  let turns = 0;
  for (; !hasEnded; turns += 1) await new Promise((next) => setTimeout(next, 1));
  expect((await reading).status).toBe(200);
  // One that read at once would leave two or three; a fast one leaves few milliseconds in all.
  expect(turns).toBeGreaterThan(5);
});
