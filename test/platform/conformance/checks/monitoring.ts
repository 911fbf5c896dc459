// Statistics of inference, and metadata of its records.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { picture } from '../../../fixtures/pictures.ts';
import { check, type FamilyChecks, type Kit } from '../check.ts';
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

function statsOf(kit: Kit, modelNames: string) {
  const path = `/${kit.workspace}/inference-stats`;
  return askFor(kit, stats, { path, query: { modelNames } });
}

export const monitoringChecks: FamilyChecks = {
  default: [
    check('statistics count what events saw', ['20.1'], async (kit) => {
      const useCaseId = `conformance-${randomUUID()}`;
      const detections = [0.25, 0.75].map((confidence) => ({
        class: 'cap',
        confidence,
        x: 5,
        y: 5,
        width: 2,
        height: 2,
      }));
      const event = await eventWith(kit, detections);
      await ask(kit, { path: '/vision-events', json: { ...event, useCaseId } }, 201);
      const { num_inferences, avg_confidence, inference_stats } = await statsOf(kit, useCaseId);
      assert.deepEqual([num_inferences, avg_confidence], [1, 0.5]);
      assert.deepEqual(
        inference_stats.map(({ predicted_class }) => predicted_class),
        ['cap'],
      );
    }),
    check('statistics have a window in a form of its own', ['20.1'], async (kit) => {
      const path = `/${kit.workspace}/inference-stats`;
      const [early, late] = ['2020-01-01 00:00:00', '2020-01-02 00:00:00'];
      const query = { startTime: early, endTime: late };
      assert.equal((await askFor(kit, stats, { path, query })).num_inferences, 0);
      await refused(kit, { path, query: { startTime: late, endTime: early } }, 400);
      await refused(kit, { path, query: { startTime: '2020-01-01T00:00:00Z' } }, 400);
    }),
    check('metadata goes to the records of events', ['20.2'], async (kit) => {
      const event = await eventWith(kit, []);
      await ask(kit, { path: '/vision-events', json: event }, 201);
      const path = `/${kit.workspace}/inference-stats/metadata`;
      const field = { field_name: 'truth', field_value: 'cap' };
      await ask(kit, { path, json: { data: [{ inference_ids: [event.eventId], ...field }] } }, 200);
      const unknown = [{ inference_ids: [event.eventId, randomUUID()], ...field }];
      await refused(kit, { path, json: { data: unknown } }, 400);
    }),
  ],
  model: [
    check('statistics count inferences', ['20.1', '20.2'], async (kit) => {
      const project = await newProject(kit);
      const before = await statsOf(kit, 'local');
      const run = inferenceOf(project, await picture(4));
      const shape = z.looseObject({ inference_id: z.string() });
      const { inference_id: id } = await askFor(kit, shape, run);
      const after = await statsOf(kit, 'local');
      assert.ok(Number(after.num_inferences) > Number(before.num_inferences));
      const path = `/${kit.workspace}/inference-stats/metadata`;
      const data = [{ inference_ids: [id], field_name: 'truth', field_value: 'cap' }];
      await ask(kit, { path, json: { data } }, 200);
    }),
  ],
};
