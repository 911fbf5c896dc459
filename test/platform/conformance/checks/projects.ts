// Projects: splits and their rebalance, fork, metadata of several images.

import assert from 'node:assert/strict';
import * as z from 'zod';
import type { StatementNumber } from '../../../conformance/statements.ts';
import { taskStarted } from '../answers.ts';
import { type Context, check, type FamilyChecks } from '../check.ts';
import {
  annotate,
  ask,
  askFor,
  at,
  ended,
  newProject,
  pathOf,
  refused,
  runTask,
  upload,
} from '../steps.ts';
import { withKey } from './api-keys.ts';

const splitCounts = z.looseObject({ train: z.int(), valid: z.int(), test: z.int() });
const projectAnswer = z.looseObject({
  project: z.looseObject({
    id: z.string(),
    images: z.int(),
    splits: splitCounts,
    classes: z.record(z.string(), z.int()),
  }),
  versions: z.array(z.looseObject({ id: z.string() })),
});
const imageAnswer = z.looseObject({
  image: z.looseObject({
    split: z.string(),
    tags: z.array(z.string()),
    metadata: z.record(z.string(), z.unknown()),
  }),
});
const forked = z.looseObject({
  forked: z.literal(true),
  datasetUrl: z.string().min(1),
  id: z.string().min(1),
  name: z.string(),
  url: z.string().min(1),
});
const generated = z.looseObject({ version: z.int(), url: z.url() });

const shares = { train: 70, valid: 20, test: 10 };

async function projectOf(context: Context, slug: string) {
  return askFor(context, projectAnswer, { path: at(context, slug) });
}

/** Generates a version without any change; resolves once it is there. */
export async function generateVersion(context: Context, slug: string): Promise<number> {
  const json = { preprocessing: {}, augmentation: {} };
  const { version, url } = await askFor(context, generated, {
    path: at(context, slug, '/generate'),
    json,
  });
  assert.equal((await ended(context, pathOf(context, url))).status, 'completed');
  return version;
}

async function splitOf(context: Context, slug: string, id: string): Promise<string> {
  const { image } = await askFor(context, imageAnswer, {
    path: at(context, slug, `/images/${id}`),
  });
  return image.split;
}

function splitsOf(context: Context, slug: string, ids: readonly string[]) {
  return Promise.all(ids.map((id) => splitOf(context, slug, id)));
}

async function rebalance(context: Context, slug: string, json: object): Promise<void> {
  const path = at(context, slug, '/splits/rebalance');
  const { status } = await runTask(context, { path, json: { splits: shares, ...json } });
  assert.equal(status, 'completed');
}

/** So many images in train, or in the split that is named. */
async function fill(
  context: Context,
  slug: string,
  count: number,
  fields: Record<string, string> = {},
) {
  const ids: string[] = [];
  for (let shade = 0; shade < count; shade += 1) {
    ids.push(await upload(context, slug, shade, { split: 'train', ...fields }));
  }
  return ids;
}

function differences(before: readonly string[], after: readonly string[]): number {
  return before.filter((split, place) => split !== after[place]).length;
}

const rebalanceRows: readonly StatementNumber[] = [
  ...(['3.2', '3.3', '11.11', '11.12', '11.13', '11.19'] as const),
];

export const projectChecks: FamilyChecks = {
  default: [
    check('a rebalance moves as few images as possible', rebalanceRows, async (context) => {
      const slug = await newProject(context);
      const ids = await fill(context, slug, 10);
      await rebalance(context, slug, {});
      const once = await splitsOf(context, slug, ids);
      assert.equal(once.filter((split) => split !== 'train').length, 3);
      assert.deepEqual((await projectOf(context, slug)).project.splits, {
        train: 7,
        valid: 2,
        test: 1,
      });
      // 50, 50, 0 of 7, 2, 1: the one of test and two of train.
      await rebalance(context, slug, {
        mode: 'rebalance',
        splits: { train: 3, valid: 3, test: 0 },
      });
      const twice = await splitsOf(context, slug, ids);
      assert.equal(differences(once, twice), 3);
      await rebalance(context, slug, { splits: { train: 50, valid: 50, test: 0 } });
      assert.deepEqual(await splitsOf(context, slug, ids), twice);
    }),
    check(
      'the next version has the new balance, and an older one the old',
      ['3.4', '1.5', '8.9'],
      async (context) => {
        const slug = await newProject(context);
        await fill(context, slug, 4);
        const splitsIn = async (version: number) => {
          const shape = z.looseObject({ version: z.looseObject({ splits: splitCounts }) });
          const path = at(context, slug, `/${version}`);
          return (await askFor(context, shape, { path })).version.splits;
        };
        const first = await generateVersion(context, slug);
        await rebalance(context, slug, { splits: { train: 1, valid: 1, test: 0 } });
        const second = await generateVersion(context, slug);
        assert.deepEqual(await splitsIn(first), { train: 4, valid: 0, test: 0 });
        assert.deepEqual(await splitsIn(second), { train: 2, valid: 2, test: 0 });
      },
    ),
    check('a shuffle reassigns every image at random', ['11.14', '11.16'], async (context) => {
      const slug = await newProject(context);
      const ids = await fill(context, slug, 20);
      const splits = { train: 1, valid: 1, test: 0 };
      await rebalance(context, slug, { mode: 'shuffle', splits });
      const once = await splitsOf(context, slug, ids);
      assert.equal(once.filter((split) => split === 'train').length, 10);
      // The counts are right already; by chance nothing moves once in 184,756 times.
      await rebalance(context, slug, { mode: 'shuffle', grouping: 'global', splits });
      assert.notDeepEqual(await splitsOf(context, slug, ids), once);
      assert.deepEqual((await projectOf(context, slug)).project.splits, {
        train: 10,
        valid: 10,
        test: 0,
      });
    }),
    check('a shuffle by batch gives each batch the shares', ['11.17'], async (context) => {
      const slug = await newProject(context);
      const first = await fill(context, slug, 10, { batch: 'one' });
      const second: string[] = [];
      for (let shade = 10; shade < 14; shade += 1) {
        second.push(await upload(context, slug, shade, { split: 'valid', batch: 'two' }));
      }
      const splits = { train: 1, valid: 1, test: 0 };
      await rebalance(context, slug, { mode: 'shuffle', grouping: 'batch', splits });
      const trainOf = async (ids: readonly string[]) =>
        (await splitsOf(context, slug, ids)).filter((split) => split === 'train').length;
      assert.deepEqual([await trainOf(first), await trainOf(second)], [5, 2]);
    }),
    check('classes leave all other images in their split', ['11.18', '11.21'], async (context) => {
      const slug = await newProject(context);
      const ids = await fill(context, slug, 5);
      const [one = '', two = '', mixed = ''] = ids;
      const box = (name: string) => [name, 2, 2, 10, 10] as const;
      await annotate(context, slug, one, [box('cat')]);
      await annotate(context, slug, two, [box('cat'), box('cat')]);
      await annotate(context, slug, mixed, [box('cat'), box('dog')]);
      const splits = { train: 0, valid: 1, test: 0 };
      await rebalance(context, slug, { classes: ['cat'], splits });
      assert.deepEqual(await splitsOf(context, slug, ids), [
        'valid',
        'valid',
        'train',
        'train',
        'train',
      ]);
      const path = at(context, slug, '/splits/rebalance');
      await refused(context, { path, json: { splits, classes: ['cat'], mode: 'shuffle' } }, 400);
      await refused(context, { path, json: { splits, classes: ['no-such-class'] } }, 400);
    }),
    check(
      'a rebalance refuses what the specification does not have',
      ['11.12', '11.15'],
      async (context) => {
        const slug = await newProject(context);
        const path = at(context, slug, '/splits/rebalance');
        for (const json of [
          {},
          { splits: { train: 0, valid: 0, test: 0 } },
          { splits: { train: 1.5, valid: 1, test: 1 } },
          { splits: { train: -1, valid: 1, test: 1 } },
          { splits: { train: 1, valid: 1 } },
          { splits: { train: '70', valid: 20, test: 10 } },
          { splits: shares, mode: 'sort' },
          { splits: shares, mode: 'shuffle', grouping: 'class' },
          { splits: shares, grouping: 'batch' },
        ]) {
          await refused(context, { path, json }, 400);
        }
      },
    ),
    check('a rebalance needs project:update', ['11.20'], async (context) => {
      const slug = await newProject(context);
      const call = { path: at(context, slug, '/splits/rebalance'), json: { splits: shares } };
      await withKey(context, { scopes: ['project:read', 'image:tag'] }, async ({ key }) => {
        assert.match(await refused(context.clientWith(key), call, 403), /project:update/);
      });
      await withKey(context, { scopes: ['project:update'] }, async ({ key }) => {
        await askFor(context.clientWith(key), taskStarted, call, 202);
      });
    }),
    check('a fork copies a project in the background', ['11.2', '6.4', '11.3'], async (context) => {
      const slug = await newProject(context, { public: true });
      const ids = await fill(context, slug, 3);
      await annotate(context, slug, ids[0] ?? '', [['cat', 2, 2, 10, 10]]);
      const path = `/${context.workspace}/projects/fork`;
      const url = `${context.client.url}${at(context, slug)}`;
      const started = await askFor(context, taskStarted, { path, json: { url } }, 202);
      const { result } = await ended(context, pathOf(context, started.url));
      const { id, datasetUrl } = forked.parse(result);
      context.projects.add(datasetUrl);
      assert.equal(id, `${context.workspace}/${datasetUrl}`);
      assert.notEqual(datasetUrl, slug);
      const copy = await projectOf(context, datasetUrl);
      assert.equal(copy.project.images, 3);
      assert.deepEqual(copy.project.classes, { cat: 1 });
      await refused(context, { path, json: {} }, 400);
      await refused(context, { path, json: { url: 'https://example.com/a/b' } }, 400);
      await refused(context, { path, json: { source_project: 'no-such-project' } }, 404);
    }),
    check('metadata and tags of several images', ['15.9'], async (context) => {
      const slug = await newProject(context);
      const [one = '', two = ''] = await fill(context, slug, 2);
      const path = `/${context.workspace}/images/metadata`;
      const updates = [
        { imageId: one, metadata: { lamp: 'on' }, addTags: ['a'] },
        { imageId: two, addTags: ['b'] },
        { imageId: 'no-such-image', addTags: ['b'] },
      ];
      const { result } = await runTask(context, { path, json: { updates } });
      const shape = z.looseObject({
        succeeded: z.literal(2),
        failed: z.literal(1),
        failedItems: z.tuple([z.looseObject({ imageId: z.literal('no-such-image') })]),
      });
      shape.parse(result);
      const shown = await ask(context, { path: at(context, slug, `/images/${one}`) }, 200);
      const { image } = imageAnswer.parse(shown);
      assert.deepEqual([image.metadata, image.tags], [{ lamp: 'on' }, ['a']]);
      await refused(context, { path, json: { updates: [...updates, { imageId: one }] } }, 400);
      await refused(context, { path, json: { updates: [] } }, 400);
    }),
  ],
  other: [
    check('a private project of another workspace is not forked', ['11.2'], async (context) => {
      const [hidden, open] = [
        await newProject(context),
        await newProject(context, { public: true }),
      ];
      const other = context.other ?? context.client;
      const { workspace } = await askFor(other, z.looseObject({ workspace: z.string() }), {
        path: '/',
      });
      assert.notEqual(workspace, context.workspace, 'the other key is of another workspace');
      const path = `/${workspace}/projects/fork`;
      const call = (slug: string) => ({
        path,
        json: { source_project: `${context.workspace}/${slug}` },
      });
      await refused(other, call(hidden), 404);
      const started = await askFor(other, taskStarted, call(open), 202);
      await refused(context, { path: `/${context.workspace}/asynctasks/${started.taskId}` }, 404);
    }),
  ],
};
