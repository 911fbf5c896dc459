// TFRecord: files, features, and the checksum against the vectors of RFC 3720.

import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { crc32c } from '../../src/export-formats/tfrecord-encoding.ts';
import { testImage } from '../fixtures/images.ts';
import { boxOf, dataset, exportBytes, image } from './sample-dataset.ts';
import { readExamples, slowCrc32c } from './tfrecord-reader.ts';

const ascending = Uint8Array.from({ length: 32 }, (_, at) => at);
const readCommand = Buffer.from(
  '01c00000' +
    '00000000'.repeat(3) +
    '14000000' +
    '00000400' +
    '00000014' +
    '00000018' +
    '28000000' +
    '00000000' +
    '02000000' +
    '00000000',
  'hex',
);

/** RFC 3720, appendix B.4, whose bytes stand in the order in which they are sent. */
test.each([
  ['32 zeros', new Uint8Array(32), 0x8a9136aa],
  ['32 ones', new Uint8Array(32).fill(0xff), 0x62a8ab43],
  ['32 ascending bytes', ascending, 0x46dd794e],
  ['32 descending bytes', ascending.toReversed(), 0x113fdb5c],
  ['an iSCSI read command', readCommand, 0xd9963a56],
  ['nothing', new Uint8Array(0), 0],
  ['the digits', Buffer.from('123456789'), 0xe3069283],
])('CRC-32C of %s', (_what, bytes, sum) => {
  expect(crc32c([bytes])).toBe(sum);
  expect(crc32c([bytes.subarray(0, 5), bytes.subarray(5)])).toBe(sum);
  expect(slowCrc32c(bytes)).toBe(sum);
});

test('has the images and a label map in each split, named for what is labelled', async () => {
  const bytes = await testImage(1);
  const jpeg = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), Buffer.alloc(300, 7)]);
  const opened = (content: Uint8Array) => async () => Readable.from([content]);
  const files = await exportBytes(
    'tfrecord',
    dataset([
      image({
        boxes: [boxOf(160, 120, 320, 240), boxOf(640, 240, 64, 48, 'é "漢"')],
        open: opened(bytes),
      }),
      image({ split: 'test', fileName: 'empty.jpg', boxes: [], open: opened(jpeg) }),
    ]),
  );
  expect([...files.keys()]).toEqual([
    'README.dataset.txt',
    'train/cells_label_map.pbtxt',
    'train/cells.tfrecord',
    'test/cells_label_map.pbtxt',
    'test/cells.tfrecord',
  ]);
  expect(files.get('test/cells_label_map.pbtxt')?.toString()).toBe(
    'item {\n  name: "Platelets"\n  id: 1\n  display_name: "Platelets"\n}\n' +
      'item {\n  name: "RBC"\n  id: 2\n  display_name: "RBC"\n}\n' +
      'item {\n  name: "é \\"漢\\""\n  id: 3\n  display_name: "é \\"漢\\""\n}\n',
  );
  const [example, ...others] = readExamples(files.get('train/cells.tfrecord') ?? Buffer.alloc(0));
  expect(others).toEqual([]);
  expect(Object.fromEntries(example ?? [])).toEqual({
    'image/encoded': [Buffer.from(bytes)],
    'image/filename': [Buffer.from('cell.jpg')],
    'image/format': [Buffer.from('png')],
    'image/height': [480],
    'image/width': [640],
    'image/object/bbox/xmin': [0, Math.fround(0.95)],
    'image/object/bbox/xmax': [0.5, Math.fround(1.05)],
    'image/object/bbox/ymin': [0, Math.fround(0.45)],
    'image/object/bbox/ymax': [0.5, Math.fround(0.55)],
    'image/object/class/text': [Buffer.from('RBC'), Buffer.from('é "漢"')],
    'image/object/class/label': [2, 3],
  });
  const [empty] = readExamples(files.get('test/cells.tfrecord') ?? Buffer.alloc(0));
  expect(empty?.get('image/format')).toEqual([Buffer.from('jpeg')]);
  expect(empty?.get('image/encoded')).toEqual([jpeg]);
  expect(empty?.get('image/object/class/label')).toEqual([]);
});

test('names files safely', async () => {
  const { info, ...rest } = dataset([image()]);
  const files = await exportBytes('tfrecord', { ...rest, info: { ...info, annotation: '../a/b' } });
  expect([...files.keys()].slice(1)).toEqual(['train/_a_b_label_map.pbtxt', 'train/_a_b.tfrecord']);
});
