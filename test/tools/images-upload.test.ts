// images_upload: which files, which annotations, what is reported, and going on.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Fixture, openScriptedService, steppingClock } from './scripted-service.ts';

let fixture: Fixture;

beforeEach(async () => {
  fixture = await openScriptedService();
});

afterEach(async () => {
  await fixture.close();
});

const upload = 'POST /dataset/cells/upload';

/** Accepts every image; its id is `id-` and its name. */
function acceptImages(): void {
  fixture.on(upload, ({ query }) => ({ json: { id: `id-${query.get('name')}`, success: true } }));
}

function acceptAnnotations(...names: string[]): void {
  for (const name of names) {
    fixture.on(`POST /dataset/cells/annotate/id-${name}`, () => ({
      json: { success: true, boxes: 2, warnings: [] },
    }));
  }
}

function sentNames(): readonly (string | null)[] {
  return fixture.requests
    .filter(({ path }) => path.endsWith('/upload'))
    .map(({ query }) => query.get('name'))
    .sort();
}

async function writeImages(...names: string[]): Promise<void> {
  for (const name of names) await fixture.write(`images/${name}`, `bytes of ${name}`);
}

describe('images_upload', () => {
  it('sends the files of a folder with the annotations of the same name', async () => {
    await writeImages('a.jpg', 'b.png', 'notes.txt');
    await fixture.write('labels/a.xml', '<annotation/>');
    acceptImages();
    acceptAnnotations('a.jpg');
    const { summary, data } = await fixture.call('images_upload', {
      project: 'cells',
      files: ['images'],
      annotations: 'labels',
      split: 'valid',
      batch: 'first',
      tags: ['night', 'wet'],
    });
    expect(summary).toBe(
      'Uploaded 2 images (split valid, batch "first", tags "night", "wet"), ' +
        '1 annotated with 2 boxes, 1 without an annotation.',
    );
    expect(data).toEqual({
      uploaded: 2,
      duplicates: 0,
      annotated: 1,
      boxes: 2,
      alreadyAnnotated: 0,
      withoutAnnotation: 1,
      withoutAnnotationFirst: ['b.png'],
      remaining: 0,
      failedTotal: 0,
      failed: [],
      warningsTotal: 0,
      warnings: [],
      images: [
        { file: 'a.jpg', id: 'id-a.jpg' },
        { file: 'b.png', id: 'id-b.png' },
      ],
    });
    const first = fixture.requests.find(({ body }) => body.includes('bytes of a.jpg'));
    expect(first?.query.getAll('tag')).toEqual(['night', 'wet']);
    expect(first?.query.get('split')).toBe('valid');
    const annotate = fixture.requests.find(({ path }) => path.includes('/annotate/'));
    expect(annotate?.query.get('name')).toBe('a.xml');
    expect(JSON.parse(annotate?.body ?? '')).toEqual({ annotationFile: '<annotation/>' });
    expect(fixture.progress).toHaveLength(2);
    expect(fixture.progress[1]).toMatch(/^2\/2 [ab]\.(jpg|png)$/);
  });

  it('counts what is there already, and does not stop at a bad file', async () => {
    await writeImages('a.jpg', 'b.gif', 'c.jpg', 'd.HEIC');
    for (const stem of ['a', 'b', 'c', 'd']) {
      await fixture.write(`labels/${stem}.txt`, '0 .5 .5 .1 .1');
    }
    fixture.on(upload, ({ query }) => {
      const name = query.get('name');
      if (name === 'b.gif' || name === 'd.HEIC')
        return { status: 400, json: { error: 'not an image' } };
      return { json: { id: `id-${name}`, success: true, duplicate: name === 'a.jpg' } };
    });
    fixture.on('POST /dataset/cells/annotate/id-a.jpg', () => ({
      status: 409,
      json: { error: 'already annotated' },
    }));
    fixture.on('POST /dataset/cells/annotate/id-c.jpg', () => ({
      status: 400,
      json: { error: { message: 'class 7 has no name', hint: 'pass a labelmap' } },
    }));
    const { summary, data } = await fixture.call('images_upload', {
      project: 'cells',
      files: ['images/*'],
      annotations: 'labels',
      labelmap: { 0: 'RBC' },
    });
    expect(summary).toBe(
      'Uploaded 1 image (split train), 1 there already, 1 annotated already, 2 failed, ' +
        '1 annotation refused.',
    );
    expect(data).toMatchObject({
      failedTotal: 3,
      annotationsRefused: 1,
      failed: [
        { file: 'b.gif', problem: 'not an image' },
        { file: 'd.HEIC', problem: 'not an image' },
        {
          file: 'c.jpg',
          problem: 'The image is there, its annotation not: class 7 has no name. pass a labelmap',
        },
      ],
    });
  });

  it('says that images which are there keep what they have, and what changes it', async () => {
    await writeImages('a.jpg', 'b.jpg');
    fixture.on(upload, ({ query }) => ({
      json: { id: 'i', success: true, duplicate: true, name: query.get('name'), split: 'test' },
    }));
    const call = (args: object) =>
      fixture.call('images_upload', { project: 'cells', files: ['images'], ...args });
    expect((await call({})).summary).toBe('Uploaded 0 images, 2 there already.');
    const { summary } = await call({ split: 'valid', tags: ['night'] });
    expect(summary).toBe(
      'Uploaded 0 images, 2 there already, 2 of them in another split, where they stay.' +
        ' Split, batch, tags and metadata of those there already stay as they are' +
        ' (images_set_metadata_bulk with a query changes tags and metadata,' +
        ' images_set_split the split).',
    );
  });

  it('names odd boxes', async () => {
    await writeImages('a.jpg');
    await fixture.write('labels/a.xml', '<annotation/>');
    acceptImages();
    const message = 'RBC box 13: zero width and height at 504, 337; kept as labelled';
    fixture.on('POST /dataset/cells/annotate/id-a.jpg', () => ({
      json: { success: true, boxes: 14, warnings: [{ problem: 'zero_size', box: 13, message }] },
    }));
    const { data } = await fixture.call('images_upload', {
      project: 'cells',
      files: ['images'],
      annotations: 'labels',
    });
    expect(data.warnings).toEqual([{ file: 'a.jpg', box: 13, problem: message }]);
  });

  it('sends an empty YOLO file as an image that shows nothing', async () => {
    await writeImages('a.jpg');
    await fixture.write('labels/a.txt', '');
    acceptImages();
    acceptAnnotations('a.jpg');
    await fixture.call('images_upload', {
      project: 'cells',
      files: ['images'],
      annotations: 'labels',
    });
    expect(JSON.parse(fixture.requests.at(-1)?.body ?? '')).toEqual({ annotationFile: '' });
  });

  it('takes only the images of a list, and names those without a file', async () => {
    await writeImages('a.jpg', 'b.jpg', 'c.jpg');
    await fixture.write('train.txt', 'a\r\n c.jpg \n\ndata/obj/b.png 1\nghost\n');
    acceptImages();
    const args = { project: 'cells', files: ['images'], list: 'train.txt' };
    const { data } = await fixture.call('images_upload', args);
    expect(data).toMatchObject({ uploaded: 2, missingTotal: 2, missing: ['b.png', 'ghost'] });
    expect(sentNames()).toEqual(['a.jpg', 'c.jpg']);
  });

  it('sends each image only its own part of a COCO file', async () => {
    await writeImages('a.jpg', 'b.jpg', 'c.jpg');
    const coco = {
      images: [
        { id: 1, file_name: 'train/a.jpg', width: 10, height: 10 },
        { id: 2, file_name: 'b.jpg', width: 10, height: 10 },
      ],
      annotations: [
        { id: 1, image_id: 1, category_id: 5, bbox: [1, 1, 2, 2] },
        { id: 2, image_id: 2, category_id: 5, bbox: [3, 3, 4, 4] },
      ],
      categories: [{ id: 5, name: 'RBC' }],
    };
    await fixture.write('images/_annotations.coco.json', JSON.stringify(coco));
    acceptImages();
    acceptAnnotations('a.jpg', 'b.jpg');
    const { data } = await fixture.call('images_upload', {
      project: 'cells',
      files: ['images'],
      annotations: 'images',
    });
    expect(data).toMatchObject({ annotated: 2, withoutAnnotation: 1 });
    const sent = fixture.requests.find(({ path }) => path.endsWith('annotate/id-a.jpg'));
    const { annotationFile } = JSON.parse(sent?.body ?? '');
    expect(JSON.parse(annotationFile)).toEqual({
      images: [{ id: 1, file_name: 'a.jpg', width: 10, height: 10 }],
      annotations: [{ id: 1, image_id: 1, category_id: 5, bbox: [1, 1, 2, 2] }],
      categories: [{ id: 5, name: 'RBC' }],
    });
  });

  it.each([
    ['is cut off', '{"images": [', 'is JSON that ends too early'],
    ['has no images', '{"images": [0]}', 'images[0]: must be an object'],
    ['is deep', `{"images": ${'['.repeat(100_000)}`, 'is nested deeper than 32 levels'],
  ])('refuses a COCO file that %s, and sends nothing', async (_what, text, problem) => {
    await writeImages('a.jpg');
    await fixture.write('coco.json', text);
    const input = { project: 'cells', files: ['images'], annotations: 'coco.json' };
    const error = await fixture.refused('images_upload', input);
    expect([error.code, error.message]).toEqual([
      'invalid_input',
      expect.stringMatching(/^annotations: "[^"]*coco.json" /),
    ]);
    expect(error.message).toContain(problem);
    expect(fixture.requests).toEqual([]);
  });

  it('counts images of a COCO file that have no file', async () => {
    await writeImages('a.jpg');
    const names = ['a.jpg', 'b.jpg', 'c.jpg'];
    const images = names.map((name, id) => ({ id, file_name: `train/${name}` }));
    await fixture.write('coco.json', JSON.stringify({ annotations: [], categories: [], images }));
    acceptImages();
    acceptAnnotations('a.jpg');
    const input = { project: 'cells', files: ['images'], annotations: 'coco.json' };
    const { data } = await fixture.call('images_upload', input);
    expect(data).toMatchObject({ annotated: 1, annotatedImagesWithoutFile: 2 });
  });

  it('takes the annotation from the most similar folder', async () => {
    await fixture.write('images/train/1.jpg', 'one');
    await fixture.write('labels/train/1.txt', 'of train');
    await fixture.write('labels/valid/1.txt', 'of valid');
    acceptImages();
    acceptAnnotations('1.jpg');
    await fixture.call('images_upload', {
      project: 'cells',
      files: ['images'],
      annotations: 'labels',
      labelmap: { 0: 'RBC' },
    });
    expect(JSON.parse(fixture.requests.at(-1)?.body ?? '')).toEqual({
      annotationFile: 'of train',
      labelmap: { 0: 'RBC' },
    });
  });

  it.each([
    ['data.yaml', 'path: .\nnames: ["RBC", \'W, BC\'] # two\nnc: 2\n', { 0: 'RBC', 1: 'W, BC' }],
    ['data.yaml', 'names:\n  - RBC\n  - WBC\nnc: 2\n', { 0: 'RBC', 1: 'WBC' }],
    ['data.yml', 'nc: 2\nnames:\n  0: RBC\n  4: "WBC"\n', { 0: 'RBC', 4: 'WBC' }],
    ['data.yaml', 'names: {0: RBC, 1: WBC}', { 0: 'RBC', 1: 'WBC' }],
    ['obj.names', 'RBC\r\nWBC\n\n', { 0: 'RBC', 1: 'WBC' }],
  ])('reads class names from %s %j', async (name, content, labelmap) => {
    await writeImages('a.jpg');
    await fixture.write('labels/a.txt', '0 .5 .5 .1 .1');
    await fixture.write(name, content);
    acceptImages();
    acceptAnnotations('a.jpg');
    await fixture.call('images_upload', {
      project: 'cells',
      files: ['images/a.jpg'],
      annotations: 'labels',
      labelmap_file: name,
    });
    expect(JSON.parse(fixture.requests.at(-1)?.body ?? '').labelmap).toEqual(labelmap);
  });

  it('stops when the time is up, and goes on with the next call', async () => {
    const names = ['1.jpg', '2.jpg', '3.jpg', '4.jpg', '5.jpg', '6.jpg', '7.jpg'];
    await writeImages(...names);
    acceptImages();
    const args = { project: 'cells', files: ['images'] };
    const clock = steppingClock(10_000);
    const first = await fixture.call('images_upload', args, { clock });
    expect(first.data).toMatchObject({ uploaded: 4, remaining: 3 });
    expect(first.summary).toBe('Uploaded 4 images (split train). 3 remain.');
    const [next] = first.next ?? [];
    expect(next).toMatchObject({ tool: 'images_upload', arguments: { ...args, offset: 4 } });
    const second = await fixture.call('images_upload', next?.arguments);
    expect(second.data).toMatchObject({ uploaded: 3, remaining: 0 });
    expect(sentNames()).toEqual(names);
  });

  it('stops where all images would fail, and says from where to go on', async () => {
    await writeImages('1.jpg', '2.jpg', '3.jpg', '4.jpg', '5.jpg', '6.jpg');
    // By name: the images travel side by side and may overtake each other.
    fixture.on(upload, ({ query }) =>
      Number.parseInt(query.get('name') ?? '', 10) <= 4
        ? { json: { id: `id-${query.get('name')}` } }
        : { status: 401, json: { error: 'the key has ended' } },
    );
    const args = { project: 'cells', files: ['images'] };
    const { data, next } = await fixture.call('images_upload', args);
    expect(data).toMatchObject({ uploaded: 4, remaining: 2, failed: [] });
    expect(data.stoppedBy).toEqual(expect.any(String));
    expect(next).toMatchObject([{ arguments: { ...args, offset: 4 } }]);
  });

  it('fails when not one image was accepted', async () => {
    await writeImages('1.jpg', '2.jpg');
    fixture.on(upload, () => ({ status: 400, json: { error: 'not an image' } }));
    const error = await fixture.refused('images_upload', { project: 'cells', files: ['images'] });
    expect(error.code).toBe('invalid_input');
    expect(error.message).toMatch(/^None of 2 images was accepted\. The first: /);
    expect(error.upstream?.message).toBe('not an image');
    expect(error.problems.map(({ path }) => path)).toEqual(['1.jpg', '2.jpg']);
  });

  it('fails at once where there is no such project', async () => {
    await writeImages('1.jpg', '2.jpg', '3.jpg', '4.jpg', '5.jpg', '6.jpg');
    const error = await fixture.refused('images_upload', { project: 'cells', files: ['images'] });
    expect(error.code).toBe('not_found');
    expect(fixture.requests.length).toBe(1);
  });

  it('sends a URL as it is', async () => {
    fixture.on(upload, ({ query }) => ({ json: { id: `from ${query.get('image')}` } }));
    const { data } = await fixture.call('images_upload', {
      project: 'cells',
      url: 'https://example.com/a.jpg',
    });
    expect(data).toEqual({ uploaded: 1, duplicates: 0, id: 'from https://example.com/a.jpg' });
  });

  it('ends when the call is cancelled', async () => {
    await writeImages('1.jpg');
    const cancel = new AbortController();
    fixture.on(upload, () => {
      cancel.abort();
      return { json: { id: 'late' } };
    });
    const { signal } = cancel;
    const args = { project: 'cells', files: ['images'] };
    await expect(fixture.call('images_upload', args, { signal })).rejects.toThrow();
  });

  it.each([
    [{}, 'files: give either files or url'],
    [{ files: ['images'], url: 'https://example.com/a.jpg' }, 'files: give either files or url'],
    [{ url: 'https://example.com/a.jpg', offset: 0 }, 'offset: goes with files, not with url'],
    [{ files: ['images'], name: 'x.jpg' }, 'name: is for one image; "files" stands for 2'],
    [{ files: ['images'], offset: 2 }, 'offset: must be less than 2, the number of images'],
    [{ files: ['images'], split: 'val' }, /^split: expected one of train, valid, test/],
    [{ files: ['images'], list: 'none.txt' }, 'list: "none.txt" does not exist'],
    [
      { files: ['images'], list: 'other.txt' },
      'list: none of its 1 names is one of the 2 images that "files" stands for',
    ],
    [
      { files: ['images'], labelmap: { 0: 'a' }, labelmap_file: 'obj.names' },
      'labelmap_file: give either labelmap or labelmap_file',
    ],
    [
      { files: ['images'], annotations: 'package.json' },
      'annotations: "package.json" is neither COCO nor CreateML JSON',
    ],
    [{ files: ['docs'] }, /^files: "docs" stands for no .*; what is there: 2 \.txt, 1 \.pdf$/],
    [{ files: ['../elsewhere'] }, /lies outside the folders that tools may use/],
  ])('refuses %j and sends nothing', async (args, message) => {
    await writeImages('1.jpg', '2.jpg');
    await fixture.write('docs/a.txt', 'a');
    await fixture.write('docs/b.txt', 'b');
    await fixture.write('docs/c.pdf', 'c');
    await fixture.write('other.txt', 'nobody');
    await fixture.write('package.json', '{}');
    const error = await fixture.refused('images_upload', { project: 'cells', ...args });
    expect(error.code).toBe('invalid_input');
    expect(error.message).toMatch(message);
    expect(fixture.requests).toEqual([]);
  });
});

describe('lists of splits, as Pascal VOC has them', () => {
  const folder = { project: 'cells', files: ['JPEGImages'] };

  async function writeDataset(lists: Readonly<Record<string, string>>): Promise<void> {
    for (const stem of ['a', 'b', 'c', 'd']) {
      await fixture.write(`JPEGImages/${stem}.jpg`, `bytes of ${stem}`);
    }
    for (const [name, text] of Object.entries(lists)) {
      await fixture.write(`ImageSets/Main/${name}.txt`, text);
    }
  }

  function sentSplits() {
    const sent = fixture.requests.filter(({ path }) => path.endsWith('/upload'));
    return Object.fromEntries(sent.map(({ query }) => [query.get('name'), query.get('split')]));
  }

  it('give each image its split where the call gives none', async () => {
    await writeDataset({ train: 'a\nb\n', val: 'c\n', trainval: 'a\nb\nc\n', test: 'd\n' });
    await fixture.write('ImageSets/Main/cell_train.txt', 'c 1\nd -1\n');
    acceptImages();
    const { summary } = await fixture.call('images_upload', folder);
    expect(sentSplits()).toEqual({
      'a.jpg': 'train',
      'b.jpg': 'train',
      'c.jpg': 'valid',
      'd.jpg': 'test',
    });
    expect(summary).toBe(
      'Uploaded 4 images. Splits as in ImageSets/Main: 2 train, 1 valid, 1 test.',
    );
  });

  it('count for nothing where the call gives one', async () => {
    await writeDataset({ train: 'a\n', val: 'b\n' });
    acceptImages();
    const { summary } = await fixture.call('images_upload', { ...folder, split: 'test' });
    expect(new Set(Object.values(sentSplits()))).toEqual(new Set(['test']));
    expect(summary).toBe('Uploaded 4 images (split test).');
  });

  it('are named where an image is in two of them or in none', async () => {
    await writeDataset({ train: 'a\nb.jpg\n', test: '\uFEFFb\r\na\r\n', trainval: 'c' });
    acceptImages();
    const { summary } = await fixture.call('images_upload', { ...folder, batch: 'first' });
    expect(sentSplits()).toEqual({
      'a.jpg': 'test',
      'b.jpg': 'train',
      'c.jpg': 'train',
      'd.jpg': null,
    });
    expect(summary).toBe(
      'Uploaded 4 images (batch "first"). Splits as in ImageSets/Main: 2 train, 0 valid, 1 test.' +
        ' 1 image in several lists, of which the first counts: "a.jpg" in test.txt and train.txt.' +
        ' 1 image in no list, for train: "d.jpg".',
    );
  });

  it('are found from the folder of the dataset, and refused where they are too large', async () => {
    await writeDataset({ val: 'a\nb\nc\nd\n' });
    acceptImages();
    await fixture.call('images_upload', { project: 'cells', files: ['.'] });
    expect(new Set(Object.values(sentSplits()))).toEqual(new Set(['valid']));
    await fixture.write('ImageSets/Main/val.txt', 'name\n'.repeat(900_000));
    await expect(fixture.call('images_upload', folder)).rejects.toMatchObject({
      problems: [{ path: 'files', message: expect.stringContaining('val.txt" has 4.5 MB') }],
    });
  });
});

describe('annotation files beside the images', () => {
  it('are named where none were asked for, with the call that reads them', async () => {
    await writeImages('a.jpg', 'a.xml', 'b.jpg', 'notes.txt', '_annotations.coco.json');
    acceptImages();
    const where = { project: 'cells', files: ['images'] };
    const { summary, next } = await fixture.call('images_upload', where);
    expect(summary).toMatch(
      /^Uploaded 2 images \(split train\)\. 2 annotation files beside them \(such as .+\) were/,
    );
    expect(next?.[0]).toMatchObject({
      tool: 'images_upload',
      arguments: { ...where, annotations: 'images' },
    });
  });

  it('are read from the folder of a pattern, as a pattern of them is refused', async () => {
    await writeImages('a.jpg', 'a.xml');
    acceptImages();
    const where = { project: 'cells', files: ['images/*'] };
    const { next } = await fixture.call('images_upload', where);
    expect(next?.[0]).toMatchObject({ arguments: { ...where, annotations: 'images' } });
    const { problems } = await fixture.refused('images_upload', {
      ...where,
      annotations: 'images/*',
    });
    expect(problems).toMatchObject([
      { path: 'annotations', message: expect.stringContaining('a pattern: name one folder') },
    ]);
  });

  it('are no matter where there are none, or where some were read', async () => {
    await writeImages('a.jpg', 'a.xml', 'notes.txt');
    acceptImages();
    acceptAnnotations('a.jpg');
    const read = { project: 'cells', files: ['images'], annotations: 'images' };
    expect((await fixture.call('images_upload', read)).summary).not.toContain('were not read');
    const alone = { project: 'cells', files: ['images/a.jpg'] };
    expect((await fixture.call('images_upload', alone)).summary).not.toContain('were not read');
  });
});
