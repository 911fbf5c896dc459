// Image files of every kind that decode to far more than they are.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import sharp from 'sharp';
import { type Attack, single, type Target } from './attack.ts';
import { slowPng } from './colour-profile.ts';
import { freshKey } from './credentials.ts';
import { repeated } from './dense-bodies.ts';
import {
  bigTiff,
  croppedAvif,
  oneStripTiff,
  tiffTypes,
  webpBehindChunks,
} from './disguised-images.ts';
import { exifEntriesInJpeg, selfPointingExif, withExif } from './exif-bytes.ts';
import {
  blackBmp,
  blackPng,
  chunk,
  loopingTiff,
  type PngShape,
  packedZeros,
  png,
  scansAgain,
  smallPng,
  withChunks,
} from './image-bytes.ts';
import { form, json, type Request } from './raw-request.ts';

const largest = { width: 16_400, height: 10_900 } as const;

const deepest: PngShape = { ...largest, bits: 16, colour: 6, interlaced: true };

const small = () => blackPng({ width: 8, height: 8, bits: 8, colour: 2, interlaced: false });

const fixture = (name: string) =>
  readFileSync(join(import.meta.dirname, '../../test/fixtures', name));

function ofColour(width: number, height: number) {
  const background = { r: 9, g: 90, b: 200 };
  return sharp({ create: { width, height, channels: 3, background }, limitInputPixels: false });
}

/** Name, and bytes of a file of at most 20 MB. */
const files: readonly (readonly [string, () => Buffer | Promise<Buffer>])[] = [
  ['PNG of 1.4 MB, 16 bits, interlaced, 16,400 x 10,900', () => blackPng(deepest)],
  ['PNG, 16 bits, 16,400 x 10,900', () => blackPng({ ...deepest, interlaced: false })],
  ['PNG, 8 bits, interlaced, 16,400 x 10,900', () => blackPng({ ...deepest, bits: 8 })],
  ['PNG, grey, interlaced, 16,400 x 10,900', () => blackPng({ ...deepest, bits: 8, colour: 0 })],
  [
    'PNG of more pixels than there may be',
    () =>
      blackPng({
        ...deepest,
        width: 60_000,
        height: 60_000,
        bits: 8,
        colour: 0,
        interlaced: false,
      }),
  ],
  [
    'PNG with a colour profile of 800 MB',
    () =>
      withChunks(small(), [
        chunk('iCCP', Buffer.concat([Buffer.from('a\0\0', 'latin1'), packedZeros(800_000_000)])),
      ]),
  ],
  [
    'PNG with 100 texts of 100 MB',
    () =>
      withChunks(
        small(),
        repeated(100, (at) =>
          chunk(
            'zTXt',
            Buffer.concat([Buffer.from(`a${at}\0\0`, 'latin1'), packedZeros(100_000_000)]),
          ),
        ),
      ),
  ],
  [
    'PNG of 1.5 million empty chunks',
    () =>
      withChunks(
        small(),
        repeated(1_500_000, () => emptyChunk),
      ),
  ],
  ['PNG without pixels', () => png([chunk('IHDR', Buffer.alloc(13)), chunk('IEND')])],
  [
    'PNG of 20 MB that is cut',
    () => Buffer.concat([blackPng(deepest).subarray(0, 1_000_000), Buffer.alloc(19_000_000, 'a')]),
  ],
  ['TIFF of a million directories in a circle', () => loopingTiff(1_000_000)],
  [
    'TIFF, packed, 16,400 x 10,900',
    () => ofColour(largest.width, largest.height).tiff({ compression: 'deflate' }).toBuffer(),
  ],
  ['BMP of 20 MB', () => blackBmp(2_600, 2_600)],
  [
    'BMP that says it is larger',
    () => {
      const bytes = blackBmp(100, 100);
      bytes.writeInt32LE(16_000, 18);
      bytes.writeInt32LE(-2_147_483_648, 22);
      return bytes;
    },
  ],
  [
    'JPEG, progressive, 16,400 x 10,900',
    () =>
      ofColour(largest.width, largest.height).jpeg({ progressive: true, quality: 20 }).toBuffer(),
  ],
  [
    'JPEG of 20,000 scans',
    async () =>
      scansAgain(
        await ofColour(6_000, 6_000).jpeg({ progressive: true, quality: 10 }).toBuffer(),
        20_000_000,
      ),
  ],
  [
    'WebP, 16,383 x 10,900',
    () => ofColour(16_383, largest.height).webp({ quality: 1, effort: 0 }).toBuffer(),
  ],
  ['AVIF of 178 million pixels', () => fixture('178-megapixels.avif')],
  [
    'AVIF of nothing but boxes',
    () =>
      Buffer.concat([
        Buffer.from('\0\0\0\x18ftypavif\0\0\0\0avifmif1', 'latin1'),
        ...repeated(2_000_000, () => emptyBox),
      ]),
  ],
];

/** Name, and bytes of a file that hides how much it takes: it must be refused. */
const disguised: readonly (readonly [string, () => Buffer | Promise<Buffer>])[] = [
  ['AVIF of 178 million pixels, cropped to 64 x 64', () => croppedAvif()],
  [
    'BigTIFF, tiles whose sides are numbers of 64 bits',
    () => bigTiff({ side: 4_096, type: tiffTypes.long8 }),
  ],
  ['TIFF, a JPEG of 8,192 x 8,192 in one strip', () => oneStripTiff(8_192)],
  [
    'WebP, lossless, 5,500 x 5,500, behind 1,001 unknown chunks',
    () => webpBehindChunks(5_500, 5_500, 1_001, { lossless: true, effort: 0 }),
  ],
];

/** Name, and bytes of a file that takes nearly as much memory as any that is accepted. */
const accepted: readonly (readonly [string, () => Buffer | Promise<Buffer>])[] = [
  [
    'PNG, 8 bits, interlaced, 6,900 x 6,900',
    () => blackPng({ ...deepest, width: 6_900, height: 6_900, bits: 8, colour: 2 }),
  ],
  [
    'PNG, 16 bits, interlaced, 3,500 x 3,500',
    () => blackPng({ ...deepest, width: 3_500, height: 3_500 }),
  ],
  [
    'JPEG, progressive, 6,900 x 6,900',
    () => ofColour(6_900, 6_900).jpeg({ progressive: true, quality: 20 }).toBuffer(),
  ],
  ['WebP, 5,500 x 5,500', () => ofColour(5_500, 5_500).webp({ quality: 1, effort: 0 }).toBuffer()],
  [
    'WebP, lossless, 4,350 x 4,350',
    () => ofColour(4_350, 4_350).webp({ lossless: true, effort: 0 }).toBuffer(),
  ],
  ['AVIF, 2,850 x 2,850', () => ofColour(2_850, 2_850).avif({ effort: 0 }).toBuffer()],
  [
    'TIFF, tiles of 4,096 x 800',
    () => {
      const tile = { tile: true, tileWidth: 4_096, tileHeight: 800 };
      return ofColour(16_400, 10_900)
        .tiff({ compression: 'deflate', ...tile })
        .toBuffer();
    },
  ],
];

const emptyChunk = chunk('teSt');
const emptyBox = Buffer.from('\0\0\0\x08free', 'latin1');

const partOf = (content: Uint8Array, name = 'file') => ({
  name,
  fileName: 'a.png',
  type: 'image/png',
  content,
});

const upload = (target: Target, content: Uint8Array): Request =>
  form(`/dataset/${target.id('project')}/upload`, [partOf(content)]);

function mustRefuse(name: string, make: () => Buffer | Promise<Buffer>): Attack {
  return {
    name: `image: ${name}`,
    target: 'platform',
    prepare: async (target) => {
      const request = upload(target, await make());
      return async () => {
        const { status } = await target.send(request);
        if (status >= 200 && status < 300) target.fail('is taken');
      };
    },
  };
}

/** Time after which the first images are being read. */
const begunMs = 300;

/** Uploads of one key, and meanwhile a small image of another, who must not wait for them. */
function besideOthers(name: string, make: () => Promise<readonly Buffer[]>): Attack {
  return {
    name: `image: ${name}, and a small PNG of another`,
    target: 'platform',
    prepare: async (target) => {
      const key = await freshKey(target);
      const ofAnother = () => Object.assign(upload(target, smallPng()), { key });
      const requests = (await make()).map((content) => upload(target, content));
      const quietly = await target.bystander(ofAnother());
      return async () => {
        const sent = requests.map((request) => target.send(request));
        await wait(begunMs);
        await target.bystander(ofAnother(), quietly.ms);
        await Promise.all(sent);
      };
    },
  };
}

const exif = selfPointingExif(exifEntriesInJpeg);

const slowFormats = ['jpeg', 'png'] as const;

export const imageAttacks: readonly Attack[] = [
  ...[...files, ...accepted].map(([name, make]) =>
    single('platform', `image: ${name}`, async (target) => upload(target, await make())),
  ),
  ...disguised.map(([name, make]) => mustRefuse(name, make)),
  besideOthers('JPEG and PNG with an EXIF directory of 5,000 entries that points at itself', () =>
    Promise.all(slowFormats.map((format) => withExif(format, exif))),
  ),
  besideOthers('two PNG of 16,400 x 10,900 with a colour profile', async () =>
    repeated(2, slowPng),
  ),
  {
    name: 'image: four of the largest PNG at once',
    target: 'platform',
    prepare: async (target) => {
      const content = blackPng(deepest);
      // Other bytes, so that each is looked at.
      const requests = repeated(4, (at) =>
        upload(target, withChunks(content, [chunk('tEXt', Buffer.from(`a\0${at}`))])),
      );
      return () => Promise.all(requests.map((request) => target.send(request)));
    },
  },
  single('platform', 'image: the largest PNG as an image of an event', () =>
    form('/vision-events/upload', [partOf(blackPng(deepest))]),
  ),
  single('platform', 'image: the largest PNG in a preview', () =>
    form('/previews', [
      partOf(blackPng(deepest), 'images'),
      { name: 'preprocessing', content: '{}' },
      { name: 'augmentation', content: '{"image":{"versions":3}}' },
    ]),
  ),
  single('platform', 'image: the largest PNG in a search', (target) =>
    json(`/local/${target.id('project')}/search`, {
      image_base64: blackPng(deepest).toString('base64'),
    }),
  ),
  single(
    'platform',
    'image: the largest PNG for a model',
    () => form('/cells/1', [partOf(blackPng(deepest))]),
    { contractStatuses: [501] },
  ),
  single('event-store', 'image: the largest PNG in an event', () =>
    json('/v2/events', {
      event_schema: 'custom',
      event_data: {},
      inference_timestamp: '2026-11-21T06:29:50Z',
      images: [{ base64Image: blackPng(deepest).toString('base64') }],
    }),
  ),
];
