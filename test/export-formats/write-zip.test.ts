// The zip file of an export: its README, its bytes, its file names, and how it ends.

import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FoveaError } from '../../src/errors.ts';
import type { ExportImage } from '../../src/export-formats/export-dataset.ts';
import { checkExportFormat } from '../../src/export-formats/export-format.ts';
import { exportNames } from '../../src/export-formats/export-names.ts';
import { writeExport } from '../../src/export-formats/write-zip.ts';
import { readZip } from '../fixtures/read-zip.ts';
import { dataset, exported, image, oddBoxes } from './sample-dataset.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fovea-exports-'));
});
afterAll(() => rm(folder, { recursive: true }));

const coco = checkExportFormat('coco', 'object-detection');
const voc = checkExportFormat('voc', 'object-detection');

const three = [
  image(),
  image({ fileName: 'empty.png', boxes: [] }),
  image({ split: 'test', fileName: 'other.jpg', boxes: oddBoxes.slice(0, 1) }),
];

test('README.dataset.txt says what is in it, and names the odd boxes', async () => {
  expect(
    (await exported('coco', three)).get('README.dataset.txt'),
  ).toBe(`Blood cells, version 3: first try
Created 2023-11-14T22:13:20.000Z. Format: coco. Licence: MIT.

3 images, 5 boxes, 4 classes
  train: 2 images, 4 boxes
  test: 1 images, 1 boxes

Classes
  <WBC>: 1 boxes
  Platelets: 0 boxes
  RBC: 2 boxes
  salt & "pepper": 2 boxes

Boxes without an area or beyond the image, kept as labelled
  train/cell.jpg: RBC box 2: zero width and height at 504, 337; kept as labelled
  train/cell.jpg: RBC box 3: reaches over the upper edge by 20.35 and the right edge by 60.1 of 640 x 480 pixels; kept as labelled
`);
});

describe('the zip file', () => {
  test('has the bytes of the images', async () => {
    const pixels = 'x'.repeat(300_000);
    const open = async () => Readable.from([Buffer.from(pixels)]);
    const images = [image({ open }), image({ split: 'valid', fileName: 'scan.bmp', open })];
    const path = join(folder, 'images.zip');
    const progress: number[] = [];
    const { bytes, files } = await writeExport(voc, dataset(images), path, {
      onProgress: ({ done, total }) => progress.push(done / total),
    });
    expect(files).toBe(5);
    expect(progress).toEqual([0.5, 1]);
    // The JPEG is stored, the BMP is deflated.
    expect(bytes).toBeGreaterThan(300_000);
    expect(bytes).toBeLessThan(310_000);
    const entries = await readZip(path);
    expect(entries.get('train/cell.jpg')?.toString()).toBe(pixels);
    expect(entries.get('valid/scan.bmp')?.toString()).toBe(pixels);
  });

  test.each(['coco', 'voc', 'yolov8', 'tfrecord'])(
    'as %s takes images as it writes them, not all at first',
    async (name) => {
      const ahead: number[] = [];
      const made = {
        ...dataset([]),
        images: async function* () {
          let given = 1;
          for (; given <= 200; given++) {
            const own = given;
            const open = async () => {
              ahead.push(given - own);
              return Readable.from([Buffer.from('pixels')]);
            };
            yield image({ open });
          }
        },
      };
      const format = checkExportFormat(name, 'object-detection');
      await writeExport(format, made, join(folder, 'many.zip'));
      expect(ahead).toHaveLength(200);
      expect(Math.max(...ahead)).toBeLessThan(20);
    },
  );

  describe('with images that are files of this disk', () => {
    const long = Buffer.alloc(2_500_000, 'pixels');
    const kept = async (content: Buffer, asBefore = false) => {
      const own = await mkdtemp(join(folder, 'blobs-'));
      const paths = [join(own, 'now'), join(own, 'before')];
      await writeFile(paths[asBefore ? 1 : 0] ?? '', content);
      return { hash: createHash('sha256').update(content).digest('hex'), paths };
    };
    const neverOpened = () => Promise.reject(new Error('opened'));

    test('has their bytes, wherever they are, and counts them', async () => {
      const files = [
        await kept(Buffer.from('short')),
        await kept(Buffer.from('of an earlier release'), true),
        await kept(long),
        await kept(Buffer.alloc(0)),
        await kept(Buffer.alloc(262_144, 'read')),
      ];
      const images = files.map((file, index) =>
        image({ fileName: `${index}.jpg`, open: neverOpened, file }),
      );
      const path = join(folder, 'files.zip');
      const progress: string[] = [];
      const written = await writeExport(coco, dataset(images), path, {
        onProgress: ({ done, total }) => progress.push(`${done}/${total}`),
      });
      const entries = await readZip(path);
      expect(
        [0, 1, 2, 3, 4].map((index) => entries.get(`train/${index}.jpg`)?.toString('latin1')),
      ).toEqual(['short', 'of an earlier release', long.toString(), '', 'read'.repeat(65_536)]);
      expect(progress).toEqual(['1/5', '2/5', '3/5', '4/5', '5/5']);
      const content = await readFile(path);
      expect(written.bytes).toBe(content.length);
      expect(written.hash).toBe(createHash('sha256').update(content).digest('hex'));
    });

    test.each([
      ['short', Buffer.from('damaged')],
      ['long', Buffer.concat([long, Buffer.from('x')])],
    ])('is not there where a %s one is damaged', async (_length, content) => {
      const file = { ...(await kept(content)), hash: 'a'.repeat(64) };
      const own = await mkdtemp(join(folder, 'damaged-'));
      const images = [image({ open: neverOpened, file }), image({ fileName: 'whole.jpg' })];
      await expect(writeExport(coco, dataset(images), join(own, 'out.zip'))).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('content of "train/cell.jpg" is damaged or lost: upload'),
      });
      expect(await readdir(own)).toEqual([]);
    });

    test('has the bytes of many small ones, each under its own name', async () => {
      const names = Array.from({ length: 250 }, (_, index) => `${index}`);
      const images = await Promise.all(
        names.map(async (name) => {
          return image({
            fileName: `${name}.jpg`,
            open: neverOpened,
            file: await kept(Buffer.from(name)),
          });
        }),
      );
      const path = join(folder, 'small.zip');
      await writeExport(voc, dataset(images), path);
      const entries = await readZip(path);
      expect(names.map((name) => entries.get(`train/${name}.jpg`)?.toString())).toEqual(names);
    });

    test('is not there where one is damaged that many stand behind', async () => {
      const damaged = { ...(await kept(Buffer.from('damaged'))), hash: 'a'.repeat(64) };
      const whole = await kept(Buffer.from('whole'));
      const images = Array.from({ length: 1_000 }, (_, index) =>
        image({
          fileName: `${index}.jpg`,
          open: neverOpened,
          file: index === 10 ? damaged : whole,
        }),
      );
      const own = await mkdtemp(join(folder, 'damaged-early-'));
      await expect(writeExport(coco, dataset(images), join(own, 'out.zip'))).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('content of "train/10.jpg" is damaged or lost: upload'),
      });
      expect(await readdir(own)).toEqual([]);
    });

    test('is not there where one is missing', async () => {
      const file = { hash: 'a'.repeat(64), paths: [join(folder, 'gone'), join(folder, 'never')] };
      const own = await mkdtemp(join(folder, 'missing-'));
      const written = writeExport(
        coco,
        dataset([image({ open: neverOpened, file })]),
        join(own, 'out.zip'),
      );
      await expect(written).rejects.toMatchObject({ code: 'conflict' });
      expect(await readdir(own)).toEqual([]);
    });

    test('says that the folder of the export is gone', async () => {
      const written = writeExport(coco, dataset(three), join(folder, 'gone', 'out.zip'));
      await expect(written).rejects.toMatchObject({
        code: 'internal',
        message: 'The disk of the files failed.',
      });
    });
  });

  test('has the same bytes every time, in every time zone', async () => {
    const hashes = new Set<string>();
    const zone = process.env.TZ;
    for (const timeZone of ['UTC', 'Asia/Tokyo', 'America/New_York']) {
      process.env.TZ = timeZone;
      const path = join(folder, 'same.zip');
      await writeExport(coco, dataset(three), path);
      hashes.add(
        createHash('sha256')
          .update(await readFile(path))
          .digest('hex'),
      );
    }
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
    expect(hashes.size).toBe(1);
  });

  describe.each(['coco', 'tfrecord', 'png-mask-semantic'])('as %s', (name) => {
    const format = checkExportFormat(name, 'object-detection');
    const withImages = (open: ExportImage['open']) => dataset([image({ open }), image({ open })]);

    test.each([
      [
        'a stream that breaks',
        async () =>
          new Readable({
            read() {
              this.destroy(new Error('cut'));
            },
          }),
      ],
      ['an opener that fails', () => Promise.reject(new Error('no'))],
    ])('is not there after %s', async (_case, open) => {
      const own = await mkdtemp(join(folder, 'failed-'));
      const written = writeExport(format, withImages(open), join(own, 'out.zip'));
      await expect(written).rejects.toMatchObject({ code: 'internal' });
      expect(await readdir(own)).toEqual([]);
    });

    test('is not there after a cancelled export, and the open image is closed', async () => {
      const own = await mkdtemp(join(folder, 'cancelled-'));
      const controller = new AbortController();
      const endless = new Readable({
        read() {
          setImmediate(() => this.push(Buffer.alloc(65_536)));
        },
      });
      const open = async () => {
        setTimeout(() => controller.abort(), 20);
        return endless;
      };
      const { signal } = controller;
      const written = writeExport(format, withImages(open), join(own, 'out.zip'), { signal });
      await expect(written).rejects.toMatchObject({ code: 'cancelled' });
      expect(endless.destroyed).toBe(true);
      expect(await readdir(own)).toEqual([]);
    });

    test('is to be tried again where its images cannot be reached', async () => {
      const open = () => Promise.reject(new FoveaError('unavailable', 'The store is away.'));
      const written = writeExport(format, withImages(open), join(folder, 'later.zip'));
      await expect(written).rejects.toMatchObject({ code: 'unavailable' });
    });

    test('is not begun when it is cancelled already', async () => {
      const own = await mkdtemp(join(folder, 'cancelled-'));
      const signal = AbortSignal.abort();
      const written = writeExport(format, dataset(three), join(own, 'out.zip'), { signal });
      await expect(written).rejects.toMatchObject({ code: 'cancelled' });
      expect(await readdir(own)).toEqual([]);
    });

    test('reports each image once', async () => {
      const done: string[] = [];
      await writeExport(format, dataset(three), join(folder, 'progress.zip'), {
        onProgress: (progress) => done.push(`${progress.done}/${progress.total}`),
      });
      expect(done).toEqual(['1/3', '2/3', '3/3']);
    });
  });
});

describe('file names', () => {
  const named = (...fileNames: string[]) =>
    fileNames.map((fileName) => image({ fileName })).map(exportNames());

  test('are unique without regard to case and extension', () => {
    expect(named('a.jpg', 'a.jpg', 'A.JPG', 'a.png', 'a-2.jpg', 'b.jpg')).toEqual([
      'a.jpg',
      'a-2.jpg',
      'A-3.JPG',
      'a-4.png',
      'a-2-2.jpg',
      'b.jpg',
    ]);
  });

  test('may be the same in two splits', () => {
    const images = [image(), image({ split: 'valid' })];
    expect(images.map(exportNames())).toEqual(['cell.jpg', 'cell.jpg']);
  });

  test('are safe to unpack', () => {
    expect(
      named('../../etc/passwd', '/x.jpg', 'C:\\y.jpg', 'a:b?.jpg', '..', '', 'z\n.jpg', 'é漢.jpg'),
    ).toEqual(['passwd', 'x.jpg', 'y.jpg', 'a_b_.jpg', 'image', 'image-2', 'z_.jpg', 'é漢.jpg']);
    const [long = ''] = named(`${'漢'.repeat(200)}.jpg`);
    expect(long).toBe(`${'漢'.repeat(66)}.jpg`);
  });

  test('do not look like the label files of a format', () => {
    expect(named('_annotations.coco.json', 'a.txt', 'b.xml', '_darknet.labels')).toEqual([
      '_annotations.coco_json',
      'a_txt',
      'b_xml',
      '_darknet_labels',
    ]);
  });

  test('do not name a device of Windows', () => {
    expect(named('con.jpg', 'AUX.b.png', 'com1.jpg', 'nul', 'cone.jpg', 'a.con.jpg')).toEqual([
      '_con.jpg',
      '_AUX.b.png',
      '_com1.jpg',
      '_nul',
      'cone.jpg',
      'a.con.jpg',
    ]);
  });

  test('do not begin like a formula of a spreadsheet', () => {
    expect(named('=1+1.jpg', '+a.jpg', '-b.jpg', '@c.jpg', 'd=e.jpg')).toEqual([
      '_1+1.jpg',
      '_a.jpg',
      '_b.jpg',
      '_c.jpg',
      'd=e.jpg',
    ]);
  });

  test('stay those of their label files, however long', async () => {
    const long = Array.from({ length: 3 }, () => image({ fileName: `${'漢'.repeat(200)}.jpg` }));
    const paths = [...(await exported('voc', long)).keys()];
    expect(paths.filter((path) => path.endsWith('.xml'))).toEqual(
      paths.filter((path) => path.endsWith('.jpg')).map((path) => path.replace('.jpg', '.xml')),
    );
    expect(new Set(paths).size).toBe(7);
  });
});
