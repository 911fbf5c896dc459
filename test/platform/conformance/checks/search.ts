// Search: in a project, in a workspace, in the catalog, and exports of what was found.

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { expectStatus } from '../../../conformance/http.ts';
import { picture } from '../../../fixtures/pictures.ts';
import { check, type FamilyChecks, type Kit } from '../check.ts';
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

function inProject(kit: Kit, project: string, json: Readonly<Record<string, unknown>>) {
  return askFor(kit, found, { method: 'POST', path: at(kit, project, '/search'), json });
}

function inWorkspace(kit: Kit, json: Readonly<Record<string, unknown>>) {
  return askFor(kit, found, { method: 'POST', path: `/${kit.workspace}/search/v1`, json });
}

/** A project with three pictures: two tagged, one of them with two boxes. */
async function withPictures(kit: Kit) {
  const project = await newProject(kit);
  const first = await upload(kit, project, 10, { tag: project, split: 'train' });
  const second = await upload(kit, project, 120, { tag: project, split: 'valid' });
  const third = await upload(kit, project, 250);
  await annotate(kit, project, first, [
    ['RBC', 4, 4, 10, 10],
    ['RBC', 20, 20, 8, 8],
  ]);
  return { project, first, second, third };
}

/** The export once it is ready; a minute at most. */
async function readyExport(kit: Kit, taskId: string) {
  const path = `/${kit.workspace}/search/export/${taskId}`;
  for (let attempt = 0; attempt < 600; attempt += 1) {
    const answer = await askFor(kit, exported, { path });
    if (answer.ready) return answer;
    await sleep(100);
  }
  assert.fail(`${path} was not ready within a minute`);
}

export const searchChecks: FamilyChecks = {
  default: [
    check('finds images of a project', ['17.3'], async (kit) => {
      const { project, first, second, third } = await withPictures(kit);
      const all = await inProject(kit, project, {});
      assert.deepEqual(idsOf(all), [first, second, third].toSorted());
      assert.equal(all.total, 3);
      assert.deepEqual(
        idsOf(await inProject(kit, project, { tag: project })),
        [first, second].toSorted(),
      );
      const both = await inProject(kit, project, { tag: project, class_name: 'RBC' });
      assert.deepEqual(idsOf(both), [first]);
      const page = await inProject(kit, project, { offset: 1, limit: 1 });
      assert.deepEqual([page.results.length, page.total], [1, 3]);
      const alike = await inProject(kit, project, { like_image: first });
      assert.equal(alike.results[0]?.id, first);
    }),
    check(
      'refuses a search in a project that is not there or not understood',
      ['17.3'],
      async (kit) => {
        const json = {};
        await refused(
          kit,
          { method: 'POST', path: at(kit, 'no-such-project', '/search'), json },
          404,
        );
        const project = await newProject(kit);
        const path = at(kit, project, '/search');
        await refused(kit, { method: 'POST', path, json: { limit: 251 } }, 400);
        await refused(kit, { method: 'POST', path, json: { image_base64: 'bm8=' } }, 415);
        await refused(kit, { method: 'POST', path, json: { like_image: 'none' } }, 404);
      },
    ),
    check('finds images of a workspace, page by page', ['17.4', '28.3'], async (kit) => {
      const { project, first, second } = await withPictures(kit);
      const query = `tag:${project}`;
      assert.deepEqual(idsOf(await inWorkspace(kit, { query })), [first, second].toSorted());
      const bounded = `${query} AND class:RBC>=2 -split:valid`;
      assert.deepEqual(idsOf(await inWorkspace(kit, { query: bounded })), [first]);
      const page = await inWorkspace(kit, { query, pageSize: 1 });
      const { continuationToken } = page;
      const next = await inWorkspace(kit, { query, pageSize: 1, continuationToken });
      assert.deepEqual([...idsOf(page), ...idsOf(next)].toSorted(), [first, second].toSorted());
      assert.ok(!next.continuationToken, 'no page follows the last one');
      const path = `/${kit.workspace}/search/v1`;
      for (const json of [{ query: '(' }, { query: 'nosuchfield:x' }, {}]) {
        await refused(kit, { method: 'POST', path, json }, 400);
      }
      const other = { query: '*', continuationToken };
      await refused(kit, { method: 'POST', path, json: other }, 400);
    }),
    check('finds public projects by words and by image', ['17.1', '17.2'], async (kit) => {
      const project = await newProject(kit, { public: true });
      const hidden = await newProject(kit);
      await upload(kit, project, 211);
      await upload(kit, hidden, 212);
      const slugs = async (q: string) => {
        const { results } = await askFor(kit, catalog, { path: '/catalog/search', query: { q } });
        return results.map((result) => result.project);
      };
      assert.deepEqual(await slugs(project), [project]);
      assert.deepEqual(await slugs(hidden), []);
      await refused(kit, { path: '/catalog/search' }, 400);
      const image_base64 = (await picture(211)).toString('base64');
      const call = { method: 'POST', path: '/catalog/search', json: { image_base64 } } as const;
      const { results } = await askFor(kit, catalog, call);
      const similar = results.map((result) => result.project);
      assert.ok(similar.includes(project) && !similar.includes(hidden));
      await refused(kit, { ...call, json: { image_base64: 'bm8=' } }, 415);
    }),
    check('exports what a search finds', ['17.5', '17.6'], async (kit) => {
      const { project } = await withPictures(kit);
      const path = `/${kit.workspace}/search/export`;
      const json = { query: `tag:${project}`, format: 'coco', dataset: project };
      const { link, taskId = link } = await askFor(
        kit,
        started,
        { method: 'POST', path, json },
        202,
      );
      const ready = await readyExport(kit, taskId ?? '');
      const call = { path: pathOf(kit, ready.link ?? '') };
      const reply = await kit.stranger.send(call);
      expectStatus(call, reply, 200);
      assert.equal(Buffer.from(reply.bytes.subarray(0, 2)).toString(), 'PK');
      const both = { ...json, annotationGroup: 'cells' };
      await refused(kit, { method: 'POST', path, json: both }, 400);
      await refused(kit, { method: 'POST', path, json: { ...json, format: 'none' } }, 400);
      await refused(kit, { path: `${path}/no-such-task` }, 404);
    }),
  ],
  other: [
    check('shows nothing of another workspace in a search', ['17.4', '17.6'], async (kit) => {
      const { project, first } = await withPictures(kit);
      const path = `/${kit.workspace}/search/v1`;
      const other = kit.other ?? kit.stranger;
      await refused(other, { method: 'POST', path, json: { query: `tag:${project}` } }, 403);
      const search = { method: 'POST', path: at(kit, project, '/search'), json: {} } as const;
      await refused(other, search, 403);
      assert.ok(first);
    }),
  ],
};
