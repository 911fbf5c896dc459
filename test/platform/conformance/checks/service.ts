// The service as a whole: root and workspace, health of a dataset, errors, addresses, versioning.

import assert from 'node:assert/strict';
import * as z from 'zod';
import { health, whoami, workspace } from '../answers.ts';
import { check, type FamilyChecks } from '../check.ts';
import { annotate, ask, askFor, at, getObject, newProject, refused, upload } from '../steps.ts';

export const serviceChecks: FamilyChecks = {
  default: [
    check('GET / says whose key it is', ['10.1', '2.1', '9.1', '9.2'], async (context) => {
      const found = await askFor(context, whoami, { path: '/' });
      assert.equal(found.workspace, context.workspace);
      const byQuery = { path: '/', query: { api_key: context.key } };
      assert.deepEqual(await ask(context.stranger, byQuery, 200), found);
    }),
    check(
      'a workspace lists its projects by slug',
      ['10.2', '1.7', '2.2', '11.1'],
      async (context) => {
        const slug = await newProject(context);
        const found = await askFor(context, workspace, { path: `/${context.workspace}` });
        assert.equal(found.workspace.url, context.workspace);
        const ids = found.workspace.projects.map(({ id }) => id);
        assert.ok(ids.includes(`${context.workspace}/${slug}`), `${slug} is not among ${ids}`);
        const { project } = await askFor(context, projectAnswer, { path: at(context, slug) });
        assert.equal(project.id, `${context.workspace}/${slug}`);
      },
    ),
    check(
      'the health of a dataset counts images, boxes and classes',
      ['5.1', '5.2', '5.3', '5.4', '5.5', '5.6', '11.5', '11.6', '3.1'],
      async (context) => {
        const slug = await newProject(context);
        const [first, second] = [
          await upload(context, slug, 1, { split: 'train' }),
          await upload(context, slug, 2, { split: 'valid' }),
          await upload(context, slug, 3, { split: 'test' }),
        ];
        await annotate(context, slug, first, [
          ['RBC', 2, 2, 10, 10],
          ['RBC', 20, 2, 10, 10],
          ['WBC', 2, 20, 20, 20],
        ]);
        await annotate(context, slug, second, []);
        const path = at(context, slug, '/health');
        const found = await askFor(context, health, { path, query: { regenerate: 'true' } });
        assert.deepEqual(found.stats, {
          numImages: 3,
          numAnnotations: 3,
          avgImageSize: [64, 48],
          medianImageRatio: 64 / 48,
          missingAnnotations: 1,
          nullAnnotations: 1,
          classDistribution: { RBC: 2, WBC: 1 },
        });
        assert.deepEqual(await askFor(context, health, { path }), found);
        const { project } = await askFor(context, projectAnswer, { path: at(context, slug) });
        assert.deepEqual(project.splits, { train: 1, valid: 1, test: 1 });
      },
    ),
    check(
      'errors have the shape of the specification',
      ['27.1', '27.4', '27.7', '9.3'],
      async (context) => {
        const projects = `/${context.workspace}/projects`;
        await refused(context, { method: 'POST', path: projects, json: { name: 7 } }, 400);
        await refused(context, { method: 'POST', path: projects, json: ['a list'] }, 400);
        await refused(context, { path: at(context, 'there-is-no-such-project') }, 404);
        const slug = await newProject(context);
        await refused(
          context,
          { path: at(context, slug, '/health'), query: { regenerate: 'maybe' } },
          400,
        );
        await refused(context, { path: at(context, slug, '/999') }, 404);
      },
    ),
    check('what is refused leaves nothing', ['29.7'], async (context) => {
      const before = await getObject(context, `/${context.workspace}`);
      const json = { name: 'conformance-refused', type: 'no-such-type', annotation: 'cells' };
      await refused(context, { method: 'POST', path: `/${context.workspace}/projects`, json }, 400);
      const names = (found: unknown) => workspace.parse(found).workspace.projects.map(nameOf);
      const after = names(await getObject(context, `/${context.workspace}`));
      assert.equal(names(before).includes('conformance-refused'), false);
      assert.equal(after.includes('conformance-refused'), false);
    }),
    check('members beyond ours pass', ['9.4'], async (context) => {
      await newProject(context, { color_of_the_fence: 'green' });
    }),
    check('an unknown address is 404, another method 405 with Allow', ['29.5'], async (context) => {
      await refused(context, { path: `/${context.workspace}/a/b/c/d/e/f/g` }, 404);
      const call = { method: 'PATCH', path: `/${context.workspace}/projects`, json: {} } as const;
      await refused(context, call, 405);
      const { headers } = await context.client.send(call);
      assert.match(headers.get('allow') ?? '', /\bPOST\b/);
    }),
    check('what is not served is called so', ['29.9'], async (context) => {
      for (const [path, what] of [
        [`/${context.workspace}/devices/v2`, 'devices'],
        [`/${context.workspace}/devices/v2/d1/config`, 'devices'],
        [`/${context.workspace}/model-evals`, 'evaluations of models'],
      ] as const) {
        const words = await refused(context, { path }, 404);
        assert.ok(words.startsWith(`Not served here: ${what}.`), `GET ${path}: ${words}`);
      }
    }),
    check('v1 and v2 stand where the specification has them alone', ['28.3'], async (context) => {
      const slug = await newProject(context);
      for (const path of [
        `/v1${at(context, slug)}`,
        `/v2${at(context, slug)}`,
        `/v1/${context.workspace}`,
      ]) {
        const { status } = await context.client.send({ path });
        assert.ok(status === 400 || status === 404, `GET ${path}: ${status}`);
      }
    }),
    check('health of the service needs no key', ['29.1'], async (context) => {
      const found = await askFor(context.stranger, z.looseObject({ status: z.string() }), {
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
