// Dataset versions: settings, frozen results, exports.

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { sentenceOf } from '../../../conformance/http.ts';
import type { StatementNumber } from '../../../conformance/statements.ts';
import { type Context, check, type FamilyChecks } from '../check.ts';
import { annotate, askFor, at, ended, newProject, pathOf, refused, upload } from '../steps.ts';
import { generateVersion } from './projects.ts';

type Members = Readonly<Record<string, unknown>>;

const generated = z.looseObject({ version: z.int(), url: z.url() });
const versionAnswer = z.looseObject({
  version: z.looseObject({
    id: z.string(),
    name: z.string(),
    images: z.int(),
    generating: z.boolean(),
    splits: z.looseObject({ train: z.int(), valid: z.int(), test: z.int() }),
    preprocessing: z.looseObject({}),
    augmentation: z.looseObject({}),
    exports: z.array(z.string()).optional(),
  }),
});
const exported = z.looseObject({ export: z.looseObject({ link: z.url() }) });
const deleted = z.looseObject({ deleted: z.literal(true), type: z.literal('version') });

/** A key of the settings: what it takes, and what it must refuse. */
type Row = readonly [
  number: StatementNumber,
  key: string,
  value: unknown,
  wrong: readonly unknown[],
];

const flags = { horizontal: true, vertical: false };
const percent: readonly unknown[] = [{ percent: '5' }, { percent: 101 }, {}];

/** Those that have a form for boxes too. */
const both: readonly Row[] = [
  ['4.2', 'blur', { pixels: 1.5 }, [{ pixels: -1 }, { pixel: 1 }, 3]],
  ['4.3', 'brightness', { brighten: true, darken: true, percent: 10 }, [{ percent: 10 }, {}]],
  ['4.4', 'crop', { min: 0, max: 20 }, [{ min: 20, max: 0 }, { min: 0 }]],
  ['4.5', 'exposure', { percent: 10 }, percent],
  ['4.6', 'flip', flags, [{ horizontal: 'yes' }, { sideways: true }]],
  ['4.7', 'noise', { percent: 1 }, percent],
  ['4.8', 'ninety', { clockwise: true, 'counter-clockwise': true }, [{ clockwise: 1 }, {}]],
  ['4.9', 'rotate', { degrees: 10 }, [{ degrees: -1 }, { degrees: '10' }]],
  ['4.10', 'shear', { horizontal: 5, vertical: 5 }, [{}, { horizontal: 'a' }]],
];

const wholeOnly: readonly Row[] = [
  ['4.11', 'cutout', { count: 1, percent: 10 }, [{ count: 1.5, percent: 10 }, { count: 1 }]],
  ['4.12', 'hue', { degrees: 10 }, [{ degrees: 'a' }, {}]],
  ['4.13', 'rgrayscale', { percent: 50 }, percent],
  ['4.14', 'saturation', { percent: 10 }, percent],
  ['4.15', 'mosaic', true, ['yes', 1]],
  ['4.16', 'image', { versions: 2 }, [{ versions: 0 }, { versions: 1.5 }, { versions: 1e9 }]],
];

const box = { x_min: 10, x_max: 90, y_min: 10, y_max: 90 };
const sized = { mode: 'fixed_size', tileWidth: 32, tileHeight: 24, overlap: 0, padding: 'black' };

const preprocessing: readonly Row[] = [
  ['4.18', 'auto-orient', true, ['yes']],
  ['4.19', 'contrast', { type: 'Contrast Stretching' }, [{ type: 'More' }, {}]],
  ['4.20', 'filter-null', { percent: 50 }, percent],
  ['4.21', 'filter-tags', { spoilt: false }, [['spoilt'], { spoilt: 1 }]],
  ['4.22', 'grayscale', true, ['yes']],
  ['4.24', 'remap', { cell: 'body' }, [{ cell: 1 }, ['cell']]],
  ['4.25', 'resize', { width: 32, height: 32, format: 'Stretch to' }, [{ width: 32 }]],
  [
    '4.26',
    'static-crop',
    box,
    [
      { ...box, x_min: 95 },
      { ...box, y_max: 101 },
    ],
  ],
  ['4.27', 'tile', { rows: 2, columns: 2 }, [{ rows: 2 }, { rows: 0, columns: 2 }]],
];

/** A project with two labelled train images and one of valid. */
async function labelled(context: Context): Promise<string> {
  const slug = await newProject(context);
  for (const [shade, split] of ['train', 'train', 'valid'].entries()) {
    const id = await upload(context, slug, shade, { split });
    await annotate(context, slug, id, [['cell', 8, 8, 24, 24]]);
  }
  return slug;
}

/** Generates a version, waits for it, and gives it as it is shown. */
async function generate(context: Context, slug: string, settings: Members) {
  const json = { preprocessing: {}, augmentation: {}, ...settings };
  const { version, url } = await askFor(context, generated, {
    path: at(context, slug, '/generate'),
    json,
  });
  const task = await ended(context, pathOf(context, url));
  assert.equal(task.status, 'completed', `${JSON.stringify(settings)}: ${task.error}`);
  return (await askFor(context, versionAnswer, { path: at(context, slug, `/${version}`) })).version;
}

/** All rows in one version come back as given; each wrong value is refused, with its key. */
async function holds(
  context: Context,
  part: 'preprocessing' | 'augmentation',
  rows: readonly Row[],
) {
  const slug = await labelled(context);
  const given = Object.fromEntries(rows.map(([, key, value]) => [key, value]));
  assert.deepEqual((await generate(context, slug, { [part]: given }))[part], given);
  const path = at(context, slug, '/generate');
  for (const [, key, , wrongs] of rows) {
    for (const wrong of wrongs) {
      const json = { preprocessing: {}, augmentation: {}, [part]: { [key]: wrong } };
      assert.match(await refused(context, { path, json }, 400), new RegExp(key));
    }
  }
}

const numbersOf = (rows: readonly Row[]) => rows.map(([number]) => number);

export const versionChecks: FamilyChecks = {
  default: [
    check(
      'a version has its name, its number and its counts',
      ['1.4', '2.3', '4.1', '11.8', '11.22', '28.4'],
      async (context) => {
        const slug = await labelled(context);
        const first = await generate(context, slug, { versionName: 'as it was' });
        assert.equal(first.name, 'as it was');
        assert.equal(first.images, 3);
        assert.deepEqual({ ...first.splits }, { train: 2, valid: 1, test: 0 });
        assert.ok(first.id.endsWith(`/${slug}/1`), first.id);
        // A copy of each train image beside it.
        const augmentation = {
          brightness: { brighten: true, percent: 40 },
          image: { versions: 2 },
        };
        const second = await generate(context, slug, { augmentation });
        assert.ok(second.id.endsWith(`/${slug}/2`), second.id);
        assert.deepEqual({ ...second.splits }, { train: 4, valid: 1, test: 0 });
        const json = { preprocessing: {}, augmentation: {}, versionName: 7 };
        await refused(context, { path: at(context, slug, '/generate'), json }, 400);
        await refused(context, { path: at(context, slug, '/3') }, 404);
      },
    ),
    check(
      'augmentation of the whole image comes back as it was given',
      [...numbersOf(both), ...numbersOf(wholeOnly), '28.2'],
      (context) => holds(context, 'augmentation', [...both, ...wholeOnly]),
    ),
    check(
      'augmentation inside boxes comes back as it was given',
      [...numbersOf(both), '4.17'],
      async (context) => {
        await holds(
          context,
          'augmentation',
          both.map(([number, key, ...rest]) => [number, `bb${key}`, ...rest]),
        );
        // What has no form for boxes is refused under that name.
        const path = at(context, await newProject(context), '/generate');
        const json = { preprocessing: {}, augmentation: { bbhue: { degrees: 5 } } };
        await refused(context, { path, json }, 400);
      },
    ),
    check('preprocessing comes back as it was given', numbersOf(preprocessing), (context) =>
      holds(context, 'preprocessing', preprocessing),
    ),
    check('isolate makes an image of each box', ['4.23'], async (context) => {
      const slug = await newProject(context);
      const id = await upload(context, slug, 1);
      await annotate(context, slug, id, [
        ['cell', 2, 2, 10, 10],
        ['cell', 30, 20, 12, 12],
      ]);
      assert.equal((await generate(context, slug, { preprocessing: { isolate: true } })).images, 2);
    }),
    check('tiles by size and by aspect', ['4.28', '4.29'], async (context) => {
      const slug = await labelled(context);
      const { images } = await generate(context, slug, { preprocessing: { tile: sized } });
      assert.equal(images, 12);
      const tile = {
        mode: 'fixed_aspect',
        aspectRatio: 2,
        span: 'width',
        overlap: 0,
        padding: 'black',
      };
      const byAspect = await generate(context, slug, { preprocessing: { tile } });
      // Tiles as wide as the image and half as high: two cover it.
      assert.equal(byAspect.images, 6);
      const path = at(context, slug, '/generate');
      const json = { preprocessing: { tile: { mode: 'fixed' } }, augmentation: {} };
      await refused(context, { path, json }, 400);
    }),
    check('a version is frozen', ['1.5', '4.30', '8.9'], async (context) => {
      const slug = await labelled(context);
      await generateVersion(context, slug);
      const path = at(context, slug, '/1');
      const before = await askFor(context, versionAnswer, { path });
      await upload(context, slug, 9);
      const { images } = await generate(context, slug, {});
      assert.equal(images, 4);
      assert.deepEqual(await askFor(context, versionAnswer, { path }), before);
    }),
    check('a version is exported, and deleted', ['1.6', '11.9', '11.10'], async (context) => {
      const slug = await labelled(context);
      await generateVersion(context, slug);
      await refused(context, { path: at(context, slug, '/1/cocoa') }, 400);
      const link = await linkOf(context, at(context, slug, '/1/coco'));
      const zip = await context.stranger.send({ path: pathOf(context, link) });
      assert.equal(zip.status, 200);
      assert.equal(zip.bytes.toString('latin1', 0, 4), 'PK\u0003\u0004');
      const { version } = await askFor(context, versionAnswer, { path: at(context, slug, '/1') });
      assert.deepEqual(version.exports, ['coco']);
      await askFor(context, deleted, { method: 'DELETE', path: at(context, slug, '/1') });
      await refused(context, { path: at(context, slug, '/1') }, 404);
    }),
  ],
};

/** The link to an export, once it is written: 202 before. */
async function linkOf(context: Context, path: string): Promise<string> {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    const reply = await context.client.send({ path });
    if (reply.status === 200) return exported.parse(reply.json).export.link;
    assert.equal(reply.status, 202, sentenceOf({ path }));
    await sleep(100);
  }
  assert.fail(`${path} was not written within a minute`);
}
