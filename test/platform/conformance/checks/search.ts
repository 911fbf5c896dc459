// Search: in a project, in a workspace, in the catalog, and exports of what was found.

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { expectStatus } from '../../../conformance/http.ts';
import { testImage } from '../../../fixtures/images.ts';
import { type Context, check, type FamilyChecks } from '../check.ts';
import { annotate, askFor, at, newProject, pathOf, refused, upload } from '../steps.ts';

const found = z.looseObject({
  results: z.array(z.looseObject({ id: z.string().optional() })),
  total: z.int().min(0).optional(),
  continuationToken: z.string().nullable().optional(),
});

const catalog = z.looseObject({ results: z.array(z.looseObject({})) });
const started = z.looseObject({ link: z.string().optional(), taskId: z.string().optional() });
const exported = z.looseObject({ ready: z.boolean().optional(), link: z.url().optional() });

/** Ids of what was found, without their order. */
function idsOf({ results }: z.output<typeof found>): readonly (string | undefined)[] {
  return results.map(({ id }) => id).toSorted();
}

function inProject(context: Context, project: string, json: Readonly<Record<string, unknown>>) {
  return askFor(context, found, { method: 'POST', path: at(context, project, '/search'), json });
}

function inWorkspace(context: Context, json: Readonly<Record<string, unknown>>) {
  return askFor(context, found, { method: 'POST', path: `/${context.workspace}/search/v1`, json });
}

/** A project with three pictures: two tagged, one of them with two boxes. */
async function withPictures(context: Context) {
  const project = await newProject(context);
  const first = await upload(context, project, 10, { tag: project, split: 'train' });
  const second = await upload(context, project, 120, { tag: project, split: 'valid' });
  const third = await upload(context, project, 250);
  await annotate(context, project, first, [
    ['RBC', 4, 4, 10, 10],
    ['RBC', 20, 20, 8, 8],
  ]);
  return { project, first, second, third };
}

/** The export once it is ready; a minute at most. */
async function readyExport(context: Context, taskId: string) {
  const path = `/${context.workspace}/search/export/${taskId}`;
  for (let attempt = 0; attempt < 600; attempt += 1) {
    const answer = await askFor(context, exported, { path });
    if (answer.ready) return answer;
    await sleep(100);
  }
  assert.fail(`${path} was not ready within a minute`);
}

export const searchChecks: FamilyChecks = {
  default: [
    check('finds images of a project', ['17.3'], async (context) => {
      const { project, first, second, third } = await withPictures(context);
      const all = await inProject(context, project, {});
      assert.deepEqual(idsOf(all), [first, second, third].toSorted());
      assert.equal(all.total, 3);
      assert.deepEqual(
        idsOf(await inProject(context, project, { tag: project })),
        [first, second].toSorted(),
      );
      const both = await inProject(context, project, { tag: project, class_name: 'RBC' });
      assert.deepEqual(idsOf(both), [first]);
      const page = await inProject(context, project, { offset: 1, limit: 1 });
      assert.deepEqual([page.results.length, page.total], [1, 3]);
      const alike = await inProject(context, project, { like_image: first });
      assert.equal(alike.results[0]?.id, first);
    }),
    check(
      'refuses a search in a project that is not there or not understood',
      ['17.3'],
      async (context) => {
        const json = {};
        await refused(
          context,
          { method: 'POST', path: at(context, 'no-such-project', '/search'), json },
          404,
        );
        const project = await newProject(context);
        const path = at(context, project, '/search');
        await refused(context, { method: 'POST', path, json: { limit: 251 } }, 400);
        await refused(context, { method: 'POST', path, json: { image_base64: 'bm8=' } }, 415);
        await refused(context, { method: 'POST', path, json: { like_image: 'none' } }, 404);
      },
    ),
    check('finds images of a workspace, page by page', ['17.4', '28.3'], async (context) => {
      const { project, first, second } = await withPictures(context);
      const query = `tag:${project}`;
      assert.deepEqual(idsOf(await inWorkspace(context, { query })), [first, second].toSorted());
      const bounded = `${query} AND class:RBC>=2 -split:valid`;
      assert.deepEqual(idsOf(await inWorkspace(context, { query: bounded })), [first]);
      const page = await inWorkspace(context, { query, pageSize: 1 });
      const { continuationToken } = page;
      const next = await inWorkspace(context, { query, pageSize: 1, continuationToken });
      assert.deepEqual([...idsOf(page), ...idsOf(next)].toSorted(), [first, second].toSorted());
      assert.ok(!next.continuationToken, 'no page follows the last one');
      const path = `/${context.workspace}/search/v1`;
      for (const json of [{ query: '(' }, { query: 'nosuchfield:x' }, {}]) {
        await refused(context, { method: 'POST', path, json }, 400);
      }
      const other = { query: '*', continuationToken };
      await refused(context, { method: 'POST', path, json: other }, 400);
    }),
    check('finds public projects by words and by image', ['17.1', '17.2'], async (context) => {
      const project = await newProject(context, { public: true });
      const hidden = await newProject(context);
      await upload(context, project, 211);
      await upload(context, hidden, 212);
      const slugs = async (q: string) => {
        const { results } = await askFor(context, catalog, {
          path: '/catalog/search',
          query: { q },
        });
        return results.map((result) => result.project);
      };
      assert.deepEqual(await slugs(project), [project]);
      assert.deepEqual(await slugs(hidden), []);
      await refused(context, { path: '/catalog/search' }, 400);
      const image_base64 = (await testImage(211)).toString('base64');
      const call = { method: 'POST', path: '/catalog/search', json: { image_base64 } } as const;
      const { results } = await askFor(context, catalog, call);
      const similar = results.map((result) => result.project);
      assert.ok(similar.includes(project) && !similar.includes(hidden));
      await refused(context, { ...call, json: { image_base64: 'bm8=' } }, 415);
    }),
    check('exports what a search finds', ['17.5', '17.6'], async (context) => {
      const { project } = await withPictures(context);
      const path = `/${context.workspace}/search/export`;
      const json = { query: `tag:${project}`, format: 'coco', dataset: project };
      const { link, taskId = link } = await askFor(
        context,
        started,
        { method: 'POST', path, json },
        202,
      );
      const ready = await readyExport(context, taskId ?? '');
      const call = { path: pathOf(context, ready.link ?? '') };
      const reply = await context.stranger.send(call);
      expectStatus(call, reply, 200);
      assert.equal(Buffer.from(reply.bytes.subarray(0, 2)).toString(), 'PK');
      const both = { ...json, annotationGroup: 'cells' };
      await refused(context, { method: 'POST', path, json: both }, 400);
      await refused(context, { method: 'POST', path, json: { ...json, format: 'none' } }, 400);
      await refused(context, { path: `${path}/no-such-task` }, 404);
    }),
  ],
  other: [
    check('shows nothing of another workspace in a search', ['17.4', '17.6'], async (context) => {
      const { project, first } = await withPictures(context);
      const path = `/${context.workspace}/search/v1`;
      const other = context.other ?? context.stranger;
      await refused(other, { method: 'POST', path, json: { query: `tag:${project}` } }, 403);
      const search = { method: 'POST', path: at(context, project, '/search'), json: {} } as const;
      await refused(other, search, 403);
      assert.ok(first);
    }),
  ],
};
