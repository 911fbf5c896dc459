// Deployment and active learning.

import assert from 'node:assert/strict';
import * as z from 'zod';
import { check, type FamilyChecks } from '../check.ts';
import { askFor, at, newProject, refused } from '../steps.ts';

const deployed = z.looseObject({
  project: z.looseObject({ id: z.string(), type: z.string(), classes: z.array(z.string()) }),
  model: z.looseObject({}).nullable(),
  workflow: z.looseObject({}).nullable(),
});
const settings = z.looseObject({
  enabled: z.boolean(),
  collectionLimits: z.looseObject({}),
  filters: z.array(z.looseObject({})),
});
const queues = z.looseObject({
  page: z.int(),
  total: z.int(),
  images: z.array(z.unknown()),
});

export const deploymentChecks: FamilyChecks = {
  default: [
    check('a new project has nothing deployed', ['19.1'], async (context) => {
      const slug = await newProject(context);
      const shown = await askFor(context, deployed, { path: at(context, slug, '/deploy') });
      assert.equal(shown.project.id, `${context.workspace}/${slug}`);
      assert.equal(shown.model, null);
      const path = at(context, slug, '/deploy/model');
      for (const model of [
        { type: 'model_id', modelId: 'no-such-model/1' },
        { type: 'model_id' },
        { type: 'sam3', classes: ['cell'] },
        { type: 'magic' },
        {},
      ]) {
        await refused(context, { path, json: { model } }, 400);
      }
      await refused(context, { path: at(context, 'no-such-project', '/deploy') }, 404);
    }),
    check(
      'active learning is switched on and off, and set',
      ['19.3', '19.4', '19.5', '19.6', '19.7'],
      async (context) => {
        const slug = await newProject(context);
        const path = at(context, slug, '/deploy/active-learning');
        assert.equal((await askFor(context, settings, { path })).enabled, false);
        const on = await askFor(context, settings, { path: `${path}/enable`, json: {} });
        assert.equal(on.enabled, true);
        const filters = [{ type: 'classConfidence', max: 0.5 }];
        const json = { collectionLimits: { perDay: 5 }, filters };
        const configuration = `${path}/configuration`;
        const changed = await askFor(context, settings, { path: configuration, json });
        assert.equal(changed.collectionLimits.perDay, 5);
        assert.deepEqual(changed.filters, filters);
        // What a change leaves out stays as it is.
        const more = { collectionLimits: { perHour: 2 } };
        const { collectionLimits } = await askFor(context, settings, {
          path: configuration,
          json: more,
        });
        assert.deepEqual([collectionLimits.perDay, collectionLimits.perHour], [5, 2]);
        await refused(
          context,
          { path: configuration, json: { filters: [{ type: 'magic' }] } },
          400,
        );
        await refused(
          context,
          { path: configuration, json: { collectionLimits: { perDay: 0 } } },
          400,
        );
        const off = await askFor(context, settings, { path: `${path}/disable`, json: {} });
        assert.equal(off.enabled, false);
        assert.deepEqual((await askFor(context, settings, { path })).filters, filters);
        const found = await askFor(context, queues, { path: `${path}/images` });
        assert.deepEqual([found.page, found.total, found.images], [1, 0, []]);
        await refused(context, { path: `${path}/images`, query: { pageSize: '51' } }, 400);
      },
    ),
  ],
};
