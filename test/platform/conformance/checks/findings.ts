// What the health of a project finds wrong with its images, beyond the documented statistics.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import * as z from 'zod';
import { uploaded } from '../answers.ts';
import type { Context } from '../check.ts';
import { check, type FamilyChecks } from '../check.ts';
import { annotate, askFor, at, newProject, refused, runTask, upload } from '../steps.ts';

export const findingChecks: FamilyChecks = {
  default: [
    check('the health counts boxes that are worth a look', ['29.10'], async (context) => {
      const slug = await newProject(context);
      const first = await upload(context, slug, 1);
      await annotate(context, slug, first, [
        ['RBC', 20, 10, 10, 10],
        ['RBC', 20, 10, 3, 10],
        ['RBC', 0, 10, 10, 10],
        ['RBC', 20, 10, 10, 10],
        ['WBC', 20, 10, 10, 10],
      ]);
      const { boxes } = await healthOf(context, slug);
      const [none, one] = [
        { count: 0, images: [] },
        { count: 1, images: ['picture-1.png'] },
      ];
      assert.deepEqual(boxes, {
        checked: 5,
        complete: true,
        withoutArea: none,
        tiny: one,
        atEdge: one,
        overEdge: none,
        duplicate: one,
      });
    }),
    check('the health finds near-duplicates and leaks', ['29.11', '29.13'], async (context) => {
      const slug = await newProject(context);
      const photo = await readFile('sample/blood-cells/JPEGImages/BloodImage_00040.jpg');
      const copy = await sharp(photo).resize(400).jpeg().toBuffer();
      const ids = [
        await sendPhoto(context, slug, 'photo.jpg', photo, 'train'),
        await sendPhoto(context, slug, 'copy.jpg', copy, 'valid'),
      ];
      const { nearDuplicates, leaks } = await healthOf(context, slug);
      const [example] = leaks.examples;
      assert.deepEqual(example?.images.map(({ id }) => id).toSorted(), ids.toSorted());
      assert.deepEqual([nearDuplicates.groups, leaks.groups, leaks.images], [1, 1, 2]);
      assert.deepEqual([nearDuplicates.compared, nearDuplicates.complete], [2, true]);
      const path = at(context, slug, '/health-findings');
      const query = { finding: 'leaks', picture: 'true' };
      const page = await askFor(context, groupPage, { path, query });
      assert.deepEqual([page.total, page.groups.length], [1, 1]);
      const next = await askFor(context, groupPage, {
        path,
        query: { finding: 'leaks', offset: '1' },
      });
      assert.deepEqual([next.total, next.groups.length, next.sheet], [1, 0, undefined]);
      assert.ok(page.sheet, 'the page has no picture');
      await refused(context, { path, query: { finding: 'beauty' } }, 400);
    }),
    check('a rebalance keeps near-duplicates together', ['29.16'], async (context) => {
      const slug = await newProject(context);
      const photo = await readFile('sample/blood-cells/JPEGImages/BloodImage_00040.jpg');
      const copy = await sharp(photo).resize(400).jpeg().toBuffer();
      await sendPhoto(context, slug, 'photo.jpg', photo, 'train');
      await sendPhoto(context, slug, 'copy.jpg', copy, 'valid');
      const path = at(context, slug, '/splits/rebalance');
      const { result } = await runTask(context, {
        path,
        json: { splits: { train: 1, valid: 1, test: 0 } },
      });
      assert.deepEqual(keptTogether.parse(result), {
        splits: { train: 2, valid: 0, test: 0 },
        keptTogether: { groups: 1, images: 2, compared: 2, complete: true },
      });
      assert.equal((await healthOf(context, slug)).leaks.groups, 0);
    }),
    check('the health names files that were refused', ['29.7', '29.12'], async (context) => {
      const slug = await newProject(context);
      const photo = await readFile('sample/blood-cells/JPEGImages/BloodImage_00040.jpg');
      const half = photo.subarray(0, photo.length / 2);
      for (const name of ['half.jpg', 'copy.jpg', 'half.jpg']) {
        await refused(context, photoCall(slug, name, half, 'train'), 400);
      }
      const before = await healthOf(context, slug);
      assert.deepEqual([before.stats.numImages, before.refused.total], [0, 2]);
      const files = before.refused.files.map(({ file }) => file);
      assert.deepEqual(files, ['half.jpg', 'copy.jpg']);
      await sendPhoto(context, slug, 'half.jpg', photo, 'train');
      assert.equal((await healthOf(context, slug)).refused.total, 1);
    }),
    check('a duplicate is told with what is there', ['29.14'], async (context) => {
      const slug = await newProject(context);
      const photo = await readFile('sample/blood-cells/JPEGImages/BloodImage_00040.jpg');
      const id = await sendPhoto(context, slug, 'first.jpg', photo, 'valid');
      const call = photoCall(slug, 'second.jpg', photo, 'train');
      const again = await askFor(context, uploaded.extend(duplicate), call);
      assert.deepEqual(again, { ...again, id, duplicate: true, split: 'valid', name: 'first.jpg' });
    }),
  ],
};

const count = z.int().min(0);
const duplicate = { duplicate: z.literal(true), split: z.string(), name: z.string() };

const groups = z.array(
  z.looseObject({
    images: z.array(z.looseObject({ id: z.string(), name: z.string(), split: z.string() })),
    total: count,
  }),
);

const keptTogether = z.object({
  splits: z.object({ train: count, valid: count, test: count }),
  keptTogether: z.looseObject({}),
});

const found = { groups: count, images: count, examples: groups };

const findings = z.looseObject({
  stats: z.looseObject({ numImages: count }),
  boxes: z.looseObject({}),
  nearDuplicates: z.looseObject({ ...found, compared: count, plain: count, complete: z.boolean() }),
  leaks: z.looseObject(found),
  refused: z.looseObject({
    total: count,
    files: z.array(z.looseObject({ file: z.string(), reason: z.string(), time: z.string() })),
  }),
});

const groupPage = z.looseObject({ total: count, groups, sheet: z.string().optional() });

function healthOf(context: Context, slug: string) {
  return askFor(context, findings, { path: at(context, slug, '/health') });
}

function photoCall(slug: string, name: string, bytes: Uint8Array, split: string) {
  const body = new FormData();
  body.set('split', split);
  body.set('file', new Blob([Uint8Array.from(bytes)]), name);
  return { method: 'POST' as const, path: `/dataset/${slug}/upload`, body };
}

async function sendPhoto(
  context: Context,
  slug: string,
  name: string,
  bytes: Uint8Array,
  split: string,
): Promise<string> {
  return (await askFor(context, uploaded, photoCall(slug, name, bytes, split))).id;
}
