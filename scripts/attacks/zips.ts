// Zip files: of more than they say, of very many entries, and of texts that are dear to read.

import { setTimeout as wait } from 'node:timers/promises';
import { type Packed, zipOf } from '../../test/platform/zip-import/zip-files.ts';
import type { Attack, Target } from './attack.ts';
import { freshScene, waitFor } from './attacked-projects.ts';
import { slowPng } from './colour-profile.ts';
import { freshKey } from './credentials.ts';
import { nested, repeated, vocFile, zeros } from './dense-bodies.ts';
import { blackPng, smallPng } from './image-bytes.ts';
import { form, json, type Request } from './raw-request.ts';

/** The longest work on a zip file of less than a megabyte. */
const workMsMax = 12_000;
const smallBytesMax = 1024 * 1024;

interface ZipOptions {
  /** Its task must fail. */
  readonly isRefused?: boolean;
}

function zip(name: string, make: () => Buffer, { isRefused = false }: ZipOptions = {}): Attack {
  return {
    name: `zip: ${name}`,
    target: 'platform',
    prepare: async (target) => {
      const content = make();
      const { taskId, put } = await openUpload(target, content);
      return async () => {
        const { status } = await target.send(put);
        if (status >= 400) return;
        const ended = await waitFor(() => end(target, taskId), workMsMax);
        target.record(ended ?? 'works on');
        if (isRefused && ended === 'completed') target.fail('is taken');
        if (ended !== undefined) return;
        target.worksOn();
        if (content.length < smallBytesMax) {
          target.fail(`${Math.round(content.length / 1024)} KB take more than ${workMsMax} ms`);
        }
      };
    },
  };
}

/** A zip of another project is worked at while somebody else uploads small images. */
const slowImages: Attack = {
  name: 'zip: of six PNG of 16,400 x 10,900 with a colour profile, and small PNG of another',
  target: 'platform',
  prepare: async (target) => {
    const key = await freshKey(target);
    const names = repeated(6, (at) => `a${at}.png`);
    const content = zipOf(names.map((name) => packed(name, slowPng())));
    const { taskId, put } = await openUpload(target, content);
    const { project } = await freshScene(target);
    const upload = () => {
      const file = { name: 'file', fileName: 'a.png', type: 'image/png', content: smallPng() };
      return Object.assign(form(`/dataset/${project}/upload`, [file]), { key });
    };
    const quietly = await target.bystander(upload());
    return async () => {
      await target.send(put);
      await wait(begunMs);
      for (const request of repeated(3, upload)) await target.bystander(request, quietly.ms);
      const ended = await waitFor(() => end(target, taskId), workMsMax);
      target.record(ended ?? 'works on');
      if (ended === undefined) target.worksOn();
    };
  },
};

/** Time after which the first image of a zip is being read. */
const begunMs = 1_500;

/** A task that waits for a zip of a new project, and the request that brings it. */
async function openUpload(
  target: Target,
  body: Uint8Array,
): Promise<{ readonly taskId: string; readonly put: Request }> {
  const { project } = await freshScene(target);
  const started = Object(await target.ask(json(`/local/${project}/upload/zip`, {})));
  const { pathname, search } = new URL(String(started.signedUrl));
  const put = { path: pathname + search, method: 'PUT', body, key: '' };
  return { taskId: String(started.taskId), put };
}

async function end(target: Target, taskId: string): Promise<string | undefined> {
  const task = Object(await target.ask({ path: `/local/upload/zip/${taskId}` }));
  const status = String(task.status);
  return status === 'completed' || status === 'failed' ? status : undefined;
}

const picture = (width = 64, height = 64) =>
  blackPng({ width, height, bits: 8, colour: 0, interlaced: false });

const image: Packed = { name: 'a.png', content: picture(100, 100) };

const packed = (name: string, content: string | Uint8Array): Packed => ({
  name,
  content,
  method: 8,
});

/** Many entries that are all the same bytes. */
function shared(count: number, nameOf: (at: number) => string, first: Packed): readonly Packed[] {
  const small = { content: '', method: first.method ?? 0, sharesWith: 0 } as const;
  return [first, ...repeated(count - 1, (at) => ({ ...small, name: nameOf(at + 1) }))];
}

export const zipAttacks: readonly Attack[] = [
  zip('of 12 KB, a VOC file of 11,000 objects', () =>
    zipOf([image, packed('a.xml', vocFile(11_000))]),
  ),
  zip('of 40 KB, VOC files of 9,000 objects for ten images', () =>
    zipOf(
      repeated(10, (at): readonly Packed[] => [
        { name: `a${at}.png`, content: picture(100 + at, 50) },
        packed(`a${at}.xml`, vocFile(8_900)),
      ]).flat(),
    ),
  ),
  zip('of 29,000 empty files', () =>
    zipOf(repeated(29_000, (at) => ({ name: `a${at}.png`, content: '' }))),
  ),
  zip('of 60,000 folders', () =>
    zipOf(repeated(60_000, (at) => ({ name: `a${at}/`, content: '' }))),
  ),
  zip('of 20,000 names of 900 letters', () =>
    zipOf(repeated(20_000, (at) => ({ name: `${at}${'a'.repeat(900)}.txt`, content: '' }))),
  ),
  zip('of 5,000 paths 400 folders deep', () =>
    zipOf(repeated(5_000, (at) => ({ name: `${'a/'.repeat(400)}${at}.png`, content: '' }))),
  ),
  zip('of one file of 1 GB of zeros', () =>
    zipOf([packed('a.png', Buffer.alloc(1_000_000_000)), image]),
  ),
  zip('of COCO with images of 25 million zeros', () =>
    zipOf([image, packed('_annotations.coco.json', zeros(25_000_000))]),
  ),
  zip('of COCO, 20 million brackets deep', () =>
    zipOf([image, packed('_annotations.coco.json', `{"images":[],"a":${nested(10_000_000)}}`)]),
  ),
  zip('of COCO with 600,000 boxes on one image', () => {
    const one = '{"id":1,"image_id":1,"category_id":1,"bbox":[1,1,9,9]}';
    const boxes = repeated(600_000, () => one).join(',');
    const head = '{"images":[{"id":1,"file_name":"a.png"}],"categories":[{"id":1,"name":"a"}]';
    return zipOf([image, packed('_annotations.coco.json', `${head},"annotations":[${boxes}]}`)]);
  }),
  zip('of YOLO, 60 MB of lines', () =>
    zipOf([image, packed('a.txt', '0 0.5 0.5 0.2 0.2\n'.repeat(3_300_000))]),
  ),
  zip('of data.yaml with aliases of aliases', () => {
    const more = repeated(9, (at) => `a${at + 1}: &a${at + 1} [${`*a${at},`.repeat(9)}*a${at}]`);
    return zipOf([image, packed('data.yaml', `a0: &a0 [x]\n${more.join('\n')}\nnames: *a9\n`)]);
  }),
  zip('of data.yaml of 1 MB, a line of brackets', () =>
    zipOf([image, packed('data.yaml', `names: ${'['.repeat(1_000_000)}`)]),
  ),
  zip('of two PNG of 16,400 x 10,900', () => {
    const shape = { width: 16_400, height: 10_900, bits: 16, colour: 6 } as const;
    return zipOf([
      { name: 'a.png', content: blackPng({ ...shape, interlaced: true }) },
      { name: 'b.png', content: blackPng({ ...shape, interlaced: false }) },
    ]);
  }),
  zip('of 2,000 files that share the same bytes', () =>
    zipOf(shared(2_000, (at) => `a${at}.png`, packed('a0.png', Buffer.alloc(15_000_000)))),
  ),
  zip(
    'of 900 files whose entries in the list have 64,000 bytes more',
    () =>
      zipOf(repeated(900, (at) => ({ name: `a${at}.png`, content: `a${at}`, extraBytes: 64_000 }))),
    { isRefused: true },
  ),
  slowImages,
  zip('of CreateML with 700,000 entries', () => {
    const one = '{"image":"b.png","annotations":[]}';
    return zipOf([image, packed('a.createml.json', `[${repeated(700_000, () => one)}]`)]);
  }),
  zip('that is cut in the middle', () => {
    const whole = zipOf(repeated(1_000, (at) => ({ name: `a${at}.png`, content: picture() })));
    return whole.subarray(0, whole.length / 2);
  }),
  zip('that says it has 65,000 files', () => zipOf([image], { count: 65_000 })),
  zip('that is 5 MB of something else', () => Buffer.alloc(5_000_000, 'PK\x05\x06')),
];
