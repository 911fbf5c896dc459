// The service as a whole: root and workspace, health of a dataset, errors, addresses, versioning.

import assert from 'node:assert/strict';
import * as z from 'zod';
import { health, whoami, workspace } from '../answers.ts';
import { check, type FamilyChecks } from '../check.ts';
import { annotate, ask, askFor, at, getObject, newProject, refused, upload } from '../steps.ts';

export const serviceChecks: FamilyChecks = {
  default: [
    check('GET / says whose key it is', ['10.1', '2.1', '9.1', '9.2'], async (kit) => {
      const found = await askFor(kit, whoami, { path: '/' });
      assert.equal(found.workspace, kit.workspace);
      const byQuery = { path: '/', query: { api_key: kit.key } };
      assert.deepEqual(await ask(kit.stranger, byQuery, 200), found);
    }),
    check('a workspace lists its projects by slug', ['10.2', '1.7', '2.2', '11.1'], async (kit) => {
      const slug = await newProject(kit);
      const found = await askFor(kit, workspace, { path: `/${kit.workspace}` });
      assert.equal(found.workspace.url, kit.workspace);
      const ids = found.workspace.projects.map(({ id }) => id);
      assert.ok(ids.includes(`${kit.workspace}/${slug}`), `${slug} is not among ${ids}`);
      const { project } = await askFor(kit, projectAnswer, { path: at(kit, slug) });
      assert.equal(project.id, `${kit.workspace}/${slug}`);
    }),
    check(
      'the health of a dataset counts images, boxes and classes',
      ['5.1', '5.2', '5.3', '5.4', '5.5', '5.6', '11.5', '11.6', '3.1'],
      async (kit) => {
        const slug = await newProject(kit);
        const [first, second] = [
          await upload(kit, slug, 1, { split: 'train' }),
          await upload(kit, slug, 2, { split: 'valid' }),
          await upload(kit, slug, 3, { split: 'test' }),
        ];
        await annotate(kit, slug, first, [
          ['RBC', 2, 2, 10, 10],
          ['RBC', 20, 2, 10, 10],
          ['WBC', 2, 20, 20, 20],
        ]);
        await annotate(kit, slug, second, []);
        const path = at(kit, slug, '/health');
        const found = await askFor(kit, health, { path, query: { regenerate: 'true' } });
        assert.deepEqual(found.stats, {
          numImages: 3,
          numAnnotations: 3,
          avgImageSize: [64, 48],
          medianImageRatio: 64 / 48,
          missingAnnotations: 1,
          nullAnnotations: 1,
          classDistribution: { RBC: 2, WBC: 1 },
        });
        assert.deepEqual(await askFor(kit, health, { path }), found);
        const { project } = await askFor(kit, projectAnswer, { path: at(kit, slug) });
        assert.deepEqual(project.splits, { train: 1, valid: 1, test: 1 });
      },
    ),
    check(
      'errors have the shape of the specification',
      ['27.1', '27.4', '27.7', '9.3'],
      async (kit) => {
        const projects = `/${kit.workspace}/projects`;
        await refused(kit, { method: 'POST', path: projects, json: { name: 7 } }, 400);
        await refused(kit, { method: 'POST', path: projects, json: ['a list'] }, 400);
        await refused(kit, { path: at(kit, 'there-is-no-such-project') }, 404);
        const slug = await newProject(kit);
        await refused(kit, { path: at(kit, slug, '/health'), query: { regenerate: 'maybe' } }, 400);
        await refused(kit, { path: at(kit, slug, '/999') }, 404);
      },
    ),
    check('what is refused leaves nothing', ['29.7'], async (kit) => {
      const before = await getObject(kit, `/${kit.workspace}`);
      const json = { name: 'conformance-refused', type: 'no-such-type', annotation: 'cells' };
      await refused(kit, { method: 'POST', path: `/${kit.workspace}/projects`, json }, 400);
      const names = (found: unknown) => workspace.parse(found).workspace.projects.map(nameOf);
      const after = names(await getObject(kit, `/${kit.workspace}`));
      assert.equal(names(before).includes('conformance-refused'), false);
      assert.equal(after.includes('conformance-refused'), false);
    }),
    check('members beyond ours pass', ['9.4'], async (kit) => {
      await newProject(kit, { color_of_the_fence: 'green' });
    }),
    check('an unknown address is 404, another method 405 with Allow', ['29.5'], async (kit) => {
      await refused(kit, { path: `/${kit.workspace}/a/b/c/d/e/f/g` }, 404);
      const call = { method: 'PATCH', path: `/${kit.workspace}/projects`, json: {} } as const;
      await refused(kit, call, 405);
      const { headers } = await kit.client.send(call);
      assert.match(headers.get('allow') ?? '', /\bPOST\b/);
    }),
    check('v1 and v2 stand where the specification has them alone', ['28.3'], async (kit) => {
      const slug = await newProject(kit);
      for (const path of [`/v1${at(kit, slug)}`, `/v2${at(kit, slug)}`, `/v1/${kit.workspace}`]) {
        const { status } = await kit.client.send({ path });
        assert.ok(status === 400 || status === 404, `GET ${path}: ${status}`);
      }
    }),
    check('health of the service needs no key', ['29.1'], async (kit) => {
      const found = await askFor(kit.stranger, z.looseObject({ status: z.string() }), {
        path: '/health',
      });
      assert.equal(found.status, 'ok');
    }),
  ],
};

const projectAnswer = z.looseObject({
  project: z.looseObject({
    id: z.string(),
    splits: z.record(z.string(), z.number()),
  }),
});

function nameOf({ name }: { readonly name: string }): string {
  return name;
}
