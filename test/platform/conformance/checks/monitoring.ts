// Statistics of inference, and metadata of its records.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { testImage } from '../../../fixtures/images.ts';
import { type Context, check, type FamilyChecks } from '../check.ts';
import { ask, askFor, newProject, refused } from '../steps.ts';
import { inferenceOf } from './annotation.ts';
import { eventWith } from './vision-events.ts';

const figure = z.number().nullable();
const stats = z.looseObject({
  num_inferences: figure,
  num_errors: figure,
  avg_confidence: figure,
  avg_response_time: figure,
  inference_stats: z.array(z.looseObject({ model_name: z.string(), predicted_class: z.string() })),
});

function statsOf(context: Context, modelNames: string) {
  const path = `/${context.workspace}/inference-stats`;
  return askFor(context, stats, { path, query: { modelNames } });
}

export const monitoringChecks: FamilyChecks = {
  default: [
    check('statistics count what events saw', ['20.1'], async (context) => {
      const useCaseId = `conformance-${randomUUID()}`;
      const detections = [0.25, 0.75].map((confidence) => ({
        class: 'cap',
        confidence,
        x: 5,
        y: 5,
        width: 2,
        height: 2,
      }));
      const event = await eventWith(context, detections);
      await ask(context, { path: '/vision-events', json: { ...event, useCaseId } }, 201);
      const { num_inferences, avg_confidence, inference_stats } = await statsOf(context, useCaseId);
      assert.deepEqual([num_inferences, avg_confidence], [1, 0.5]);
      assert.deepEqual(
        inference_stats.map(({ predicted_class }) => predicted_class),
        ['cap'],
      );
    }),
    check('statistics have a window in a form of its own', ['20.1'], async (context) => {
      const path = `/${context.workspace}/inference-stats`;
      const [early, late] = ['2020-01-01 00:00:00', '2020-01-02 00:00:00'];
      const query = { startTime: early, endTime: late };
      assert.equal((await askFor(context, stats, { path, query })).num_inferences, 0);
      await refused(context, { path, query: { startTime: late, endTime: early } }, 400);
      await refused(context, { path, query: { startTime: '2020-01-01T00:00:00Z' } }, 400);
    }),
    check('metadata goes to the records of events', ['20.2'], async (context) => {
      const event = await eventWith(context, []);
      await ask(context, { path: '/vision-events', json: event }, 201);
      const path = `/${context.workspace}/inference-stats/metadata`;
      const field = { field_name: 'truth', field_value: 'cap' };
      await ask(
        context,
        { path, json: { data: [{ inference_ids: [event.eventId], ...field }] } },
        200,
      );
      const unknown = [{ inference_ids: [event.eventId, randomUUID()], ...field }];
      await refused(context, { path, json: { data: unknown } }, 400);
    }),
  ],
  model: [
    check('statistics count inferences', ['20.1', '20.2'], async (context) => {
      const project = await newProject(context);
      const before = await statsOf(context, 'local');
      const run = inferenceOf(project, await testImage(4));
      const shape = z.looseObject({ inference_id: z.string() });
      const { inference_id: id } = await askFor(context, shape, run);
      const after = await statsOf(context, 'local');
      assert.ok(Number(after.num_inferences) > Number(before.num_inferences));
      const path = `/${context.workspace}/inference-stats/metadata`;
      const data = [{ inference_ids: [id], field_name: 'truth', field_value: 'cap' }];
      await ask(context, { path, json: { data } }, 200);
    }),
  ],
};
