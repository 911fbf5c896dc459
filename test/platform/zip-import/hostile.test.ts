// Archives that mean no good: what is wrong with one file is said of that file, and nothing is
// believed that an archive says of itself.

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { images } from '../../../src/contract/images.ts';
import { testImage } from '../../fixtures/images.ts';
import { startTestPlatform, type TestPlatform } from '../../fixtures/platform.ts';
import {
  ended,
  newProject,
  type Packed,
  plainZip,
  problemOf,
  put,
  sendZip,
  zipOf,
} from './zip-files.ts';

let platform: TestPlatform;
let project: string;
let pixels: Buffer;

beforeAll(async () => {
  platform = await startTestPlatform();
  project = await newProject(platform);
  pixels = await testImage(1);
});

afterAll(() => platform.close());

/** An image of its own for each call. */
let shade = 100;
async function fresh(): Promise<Buffer> {
  shade += 1;
  return testImage(shade);
}

/** What is said of one odd file, beside a good one that must be taken all the same. */
async function problemWith(
  odd: Packed,
): Promise<{ problem: unknown; images: unknown; failed: unknown }> {
  const good = { name: 'good.png', content: await fresh() };
  const { status, result } = await sendZip(platform, project, zipOf([good, odd]));
  expect(status).toBe('completed');
  const files: unknown = result.files;
  const [line] = Array.isArray(files) ? files : [];
  return { problem: line?.problem, images: result.images, failed: result.failed };
}

describe('a name', () => {
  it.each([
    ['../../etc/cron.d/evil.png', 'its path leads out of the archive'],
    ['a/../../evil.png', 'its path leads out of the archive'],
    ['..\\..\\evil.png', 'its path leads out of the archive'],
    ['/etc/evil.png', 'its path is absolute'],
    ['\\\\server\\share\\evil.png', 'its path is absolute'],
    ['C:\\Windows\\evil.png', 'its path is absolute'],
    ['c:evil.png', 'its path is absolute'],
    ['evil\0.png', 'its name has control characters'],
    ['evil\r\n.png', 'its name has control characters'],
    [`${'a'.repeat(1_001)}.png`, 'its name is longer than 1000 characters'],
    [`${'a/'.repeat(33)}evil.png`, 'it lies in more than 32 folders'],
  ])('%j is refused', async (name, problem) => {
    const found = await problemWith({ name, content: await fresh() });
    expect(found).toEqual({ problem, images: 1, failed: 1 });
  });

  it.each(['folder\\image.png', './image.png', 'a//b.png', 'ünïcode/画像.png'])(
    '%j is taken',
    async (name) => {
      const found = await problemWith({ name, content: await fresh() });
      expect(found).toMatchObject({ images: 2, failed: 0 });
    },
  );

  it('in UTF-8 is read as that even where the archive does not say so, as macOS writes it', async () => {
    const name = Buffer.from('größe.png');
    const zip = zipOf([{ name, content: 'no image', flags: 0 }]);
    const task = await sendZip(platform, project, zip);
    expect(problemOf(task, 'größe.png')).toContain('not an image');
  });

  it('in the code page of MS-DOS is read as that', async () => {
    const zip = zipOf([
      { name: Buffer.from('gr\x94\xe1e.png', 'latin1'), content: 'no', flags: 0 },
    ]);
    const task = await sendZip(platform, project, zip);
    expect(problemOf(task, 'größe.png')).toContain('not an image');
  });

  it('that another file has is refused, whatever the case of its letters', async () => {
    const [first, second] = [await fresh(), await fresh()];
    const zip = plainZip({ 'A/image.png': first, 'a/IMAGE.png': second });
    const task = await sendZip(platform, project, zip);
    expect(task.result).toMatchObject({ images: 1, failed: 1 });
    expect(problemOf(task, 'a/IMAGE.png')).toBe('another file of the archive has the same name');
  });
});

describe('a file', () => {
  it('that is a symbolic link is refused', async () => {
    const found = await problemWith({ name: 'link.png', content: '/etc/passwd', mode: 0o120777 });
    expect(found).toEqual({ problem: 'it is a symbolic link', images: 1, failed: 1 });
  });

  it('that is a device is refused', async () => {
    const found = await problemWith({ name: 'null.png', content: '', mode: 0o020666 });
    expect(found).toEqual({ problem: 'it is no plain file', images: 1, failed: 1 });
  });

  it('that is encrypted is refused', async () => {
    const found = await problemWith({ name: 'a.png', content: await fresh(), flags: 0x801 });
    expect(found).toEqual({ problem: 'it is encrypted', images: 1, failed: 1 });
  });

  it('of an unknown compression method is refused', async () => {
    const found = await problemWith({ name: 'a.png', content: await fresh(), method: 93 });
    const problem = 'its compression method 93 is not read; use Deflate';
    expect(found).toEqual({ problem, images: 1, failed: 1 });
  });

  it('that is an archive itself is no image', async () => {
    const found = await problemWith({ name: 'inner.png', content: plainZip({ 'a.png': pixels }) });
    expect(found.problem).toContain('is a ZIP archive');
    expect(found).toMatchObject({ images: 1, failed: 1 });
  });

  it('with other bytes than were packed is refused', async () => {
    const found = await problemWith({ name: 'a.png', content: await fresh(), statedCrc32: 1 });
    const problem = 'its bytes are not those that the archive promises';
    expect(found).toEqual({ problem, images: 1, failed: 1 });
  });

  it('that is larger than it says is refused', async () => {
    const found = await problemWith({
      name: 'a.png',
      content: await fresh(),
      method: 8,
      statedBytes: 10,
    });
    const problem = 'its bytes are not those that the archive promises';
    expect(found).toEqual({ problem, images: 1, failed: 1 });
  });

  it('that expands without end is not unpacked to its end, whatever size it states', async () => {
    const head = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
    const bomb = Buffer.concat([head, Buffer.alloc(30 * 1024 * 1024)]);
    const found = await problemWith({ name: 'b.png', content: bomb, method: 8, statedBytes: 99 });
    expect(found).toEqual({ problem: 'has more than 20971520 bytes', images: 1, failed: 1 });
  });

  it('whose compressed bytes are damaged is refused', async () => {
    const zip = zipOf([
      { name: 'good.png', content: await fresh() },
      { name: 'bad.png', content: await fresh(), method: 8 },
    ]);
    const at = zip.indexOf('bad.png') + 'bad.png'.length;
    zip.fill(0xff, at, at + 20);
    const task = await sendZip(platform, project, zip);
    expect(task.result).toMatchObject({ images: 1, failed: 1 });
    expect(problemOf(task, 'bad.png')).toBe('its compressed bytes are damaged');
  });

  it('that systems add is passed over without a word', async () => {
    const zip = plainZip({
      'a.png': await fresh(),
      '__MACOSX/._a.png': 'resource fork',
      '.DS_Store': 'x',
      'sub/Thumbs.db': 'x',
    });
    const { result } = await sendZip(platform, project, zip);
    expect(result).toMatchObject({ images: 1, failed: 0, files: [] });
  });

  it('of hostile XML ends nothing', async () => {
    const xml = '<!DOCTYPE a [<!ENTITY b "b">]><annotation>&b;</annotation>';
    const zip = plainZip({ 'a.png': await fresh(), 'a.xml': xml });
    const task = await sendZip(platform, project, zip);
    expect(task.result).toMatchObject({ images: 1, annotationsRefused: 1, annotated: 0 });
    expect(problemOf(task, 'a.png')).toContain('must not have a document type');
  });
});

describe('an annotation', () => {
  it.each(['a.xml', 'a.txt'])('of one image has its bound: %s', async (name) => {
    const content = ' '.repeat(1024 * 1024 + 1);
    const zip = zipOf([
      { name: 'a.png', content: await fresh() },
      { name, content, method: 8 },
    ]);
    const task = await sendZip(platform, project, zip);
    expect(task.result).toMatchObject({ images: 1, annotationsRefused: 1, annotated: 0 });
    expect(problemOf(task, 'a.png')).toBe(`${name}: has more than 1048576 bytes`);
  });

  it('that takes seconds to read leaves the service answering, and the others are taken', async () => {
    const yaml = `${'- '.repeat(100)}a\n`.repeat(1_000);
    const zip = zipOf([
      { name: 'sub/data.yaml', content: yaml, method: 8 },
      { name: 'set/data.yaml', content: 'names: [cat]' },
      { name: 'set/a.png', content: await fresh() },
      { name: 'set/a.txt', content: '0 0.5 0.5 0.25 0.25' },
    ]);
    const { body } = await platform.client.call(images.images_upload_zip, {
      workspace: 'acme',
      project,
    });
    expect((await put(String(body.signedUrl), zip)).status).toBe(200);
    const counts = await Promise.all(
      Array.from({ length: 4 }, () => answersWhileReading(body.taskId)),
    );
    const answers = counts.reduce((sum, count) => sum + count);
    const task = await ended(platform, body.taskId);
    expect(task.result).toMatchObject({ images: 1, annotated: 1, boxes: 1, failed: 0 });
    expect(problemOf(task, 'sub/data.yaml')).toBe('has no class names');
    // Read in the thread that serves, it would let some tens through before it.
    expect(answers).toBeGreaterThan(100);
  });

  it.each([
    ['no image', `{"images": [${'[],'.repeat(1_000_000)}0]}`, 'images[0]: must be an object'],
    [
      'one too large',
      `{"images": [], "annotations": [[${'0,'.repeat(2_200_000)}0]]}`,
      'annotations[0]: has more than 4194304 bytes',
    ],
    ['an end too early', '{"images": [', 'is JSON that ends too early'],
    ['depth', `{"images": ${'['.repeat(1_000_000)}`, 'is nested deeper than 32 levels'],
  ])('file about many images that has %s is passed over', async (_what, json, problem) => {
    const zip = zipOf([
      { name: 'set.json', content: json, method: 8 },
      { name: 'a.png', content: await fresh() },
    ]);
    const task = await sendZip(platform, project, zip);
    expect(task.result).toMatchObject({ images: 1, unannotated: 1 });
    expect(problemOf(task, 'set.json')).toBe(problem);
  });

  it('file about many images may have its annotations before its images', async () => {
    const own = (id: number) => ({ image_id: id, category_id: 1, bbox: [1, 1, 2, 2] });
    const set = {
      annotations: [own(9), own(9), own(8), own(7)],
      categories: [{ id: 1, name: 'cat' }],
      images: [
        { id: 7, file_name: 'seven.png' },
        { id: 9, file_name: 'nine.png' },
        { id: 8, file_name: 'not-there.png' },
      ],
    };
    const zip = zipOf([
      { name: 'set.json', content: JSON.stringify(set), method: 8 },
      { name: 'seven.png', content: await fresh() },
      { name: 'nine.png', content: await fresh() },
    ]);
    const task = await sendZip(platform, project, zip);
    expect(task.result).toMatchObject({ images: 2, annotated: 2, boxes: 3 });
    const left = await readdir(join(platform.data, 'scratch'));
    expect(left).toEqual([]);
  });

  it('file about many images counts as one of 200', async () => {
    const sets = Array.from({ length: 201 }, (_, n) => ({
      name: `${n}.json`,
      content: '{"images": [], "annotations": []}',
    }));
    const zip = zipOf([{ name: 'a.png', content: await fresh() }, ...sets]);
    const task = await sendZip(platform, project, zip);
    expect(task.result).toMatchObject({ images: 1 });
    const report = await fetch(String(task.reportUrl));
    expect(await report.text()).toContain('200.json,passed over');
    expect(problemOf(task, '200.json')).toBe('is one of more than 200 JSON files for many images');
  });

  /** How often others are answered after a task has begun, and before it takes its first image. */
  async function answersWhileReading(taskId: string): Promise<number> {
    const where = { workspace: 'acme', taskId };
    for (let answers = 0; ; ) {
      const { body } = await platform.client.call(images.images_upload_zip_status, where);
      const { status, progress } = body;
      if (status !== 'created' && status !== 'pending' && status !== 'running') return answers;
      if (typeof progress === 'object' && progress !== null) return answers;
      const health = await fetch(`${platform.url}/health`);
      expect([health.status, (await health.text()).length > 0]).toEqual([200, true]);
      if (status === 'running') answers += 1;
      await new Promise((next) => setTimeout(next, 5));
    }
  }
});

describe('an archive', () => {
  it.each([
    ['no zip file', Buffer.from('this is not a zip file, but long enough to be one')],
    ['one byte', Buffer.from('P')],
    ['an end without a list', zipOf([]).subarray(0, 20)],
    ['more files stated than listed', zipOf([{ name: 'a.png', content: 'x' }], { count: 3 })],
  ])('that is %s fails as a whole', async (_what, bytes) => {
    const task = await sendZip(platform, project, bytes);
    expect(task).toMatchObject({
      status: 'failed',
      error: 'The file is not a zip file, or the list of its files is damaged.',
    });
  });

  it('whose list has more than 4,096 bytes of extra fields for a file fails as a whole', async () => {
    const content = await fresh();
    const taken = await sendZip(
      platform,
      project,
      zipOf([{ name: 'a.png', content, extraBytes: 4_096 }]),
    );
    expect(taken).toMatchObject({ status: 'completed', result: { images: 1, failed: 0 } });
    const refused = await sendZip(
      platform,
      project,
      zipOf([{ name: 'a.png', content, extraBytes: 4_100 }]),
    );
    expect(refused).toMatchObject({
      status: 'failed',
      error: 'The file is not a zip file, or the list of its files is damaged.',
    });
  });

  it('that was cut off fails as a whole', async () => {
    const zip = plainZip({ 'a.png': await fresh() });
    const task = await sendZip(platform, project, zip.subarray(0, zip.length - 30));
    expect(task.status).toBe('failed');
  });

  it('whose files share their bytes fails as a whole', async () => {
    const content = await fresh();
    const zip = zipOf([
      { name: 'a.png', content },
      { name: 'b.png', content, sharesWith: 0 },
    ]);
    const task = await sendZip(platform, project, zip);
    const error = 'The zip file has files that share their bytes.';
    expect(task).toMatchObject({ status: 'failed', error });
  });

  it('of more than 10,000 files fails before any is taken, and names their number', async () => {
    const names = Array.from({ length: 10_001 }, (_, n) => ({ name: `${n}.png`, content: pixels }));
    const task = await sendZip(platform, project, zipOf(names));
    const error = 'The zip file has 10001 files; at most 10000 are taken.';
    expect(task).toMatchObject({ status: 'failed', error, result: {} });
  });

  it('that states more entries than any archive may have fails before they are read', async () => {
    const zip = zipOf([{ name: 'a.png', content: 'x' }], { count: 65_535 });
    const task = await sendZip(platform, project, zip);
    const error = 'The zip file has 65535 entries; at most 10000 files are taken.';
    expect(task).toMatchObject({ status: 'failed', error });
  });

  it('without any file is taken: nothing was in it', async () => {
    const task = await sendZip(platform, project, zipOf([]));
    expect(task).toMatchObject({ status: 'completed', result: { images: 0, failed: 0 } });
  });
});
