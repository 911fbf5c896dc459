// event_data against event_schema, and what public producers send.

import assert from 'node:assert/strict';
import { type Check, type Context, check } from '../check.ts';
import { base64, photo } from '../samples.ts';
import { create, eventOf, list, read, refusedEvents, stored } from '../steps.ts';

type Members = Readonly<Record<string, unknown>>;

/** What the public producers write under each schema. */
const conforming: readonly (readonly [string, Members])[] = [
  ['quality_check', { result: 'pass', externalId: 'part-7' }],
  ['quality_check', { result: 'fail' }],
  ['inventory_count', { location: 'A7', itemCount: 12, itemType: 'bolt', externalId: 'x' }],
  ['inventory_count', { itemCount: 0 }],
  ['safety_alert', { alertType: 'no_helmet', severity: 'high', description: 'Gate 2' }],
  ['safety_alert', { alertType: 'no-helmet', severity: 'low', externalId: 'x' }],
  ['custom', { value: 'anything', externalId: 'x' }],
  ['custom', { value: 'a'.repeat(10_000) }],
  ['operator_feedback', { relatedEventId: 'e-1', feedback: 'correct' }],
];

const notConforming: readonly (readonly [string, Members])[] = [
  ['quality_check', { result: 'maybe' }],
  ['quality_check', { externalId: 'part-7' }],
  ['quality_check', { result: 'pass', externalId: 'x'.repeat(1_001) }],
  ['quality_check', { result: 'pass', colour: 'red' }],
  ['inventory_count', { itemCount: 'twelve' }],
  ['inventory_count', { itemCount: 1.5 }],
  ['safety_alert', { alertType: 'no_helmet', severity: 'extreme' }],
  ['safety_alert', { alertType: 'no helmet!', severity: 'low' }],
  ['safety_alert', { alertType: 'a', severity: 'low', description: 'a'.repeat(10_001) }],
  ['custom', { value: 5 }],
  ['custom', { value: 'a'.repeat(10_001) }],
  ['operator_feedback', { relatedEventId: 'e-1', feedback: 'perhaps' }],
  ['no_such_schema', { value: 'seen' }],
];

export const schemaChecks: readonly Check[] = [
  check('event_data that conforms', ['3.9', '14.1', '6.10', '6.11'], async (context) => {
    for (const [event_schema, event_data] of conforming) {
      const event = await stored(context, { event_schema, event_data });
      assert.equal(event.event_schema, event_schema);
      assert.deepEqual(event.event_data, event_data);
    }
  }),
  check('event_data that does not conform', ['3.9', '14.1', '15.3', '15.1', '18.6'], (context) =>
    refusedEvents(
      context,
      400,
      notConforming.map(([event_schema, event_data]) =>
        eventOf(context, { event_schema, event_data }),
      ),
    ),
  ),
  check('feedback finds its event', ['14.3', '10.8', '10.7'], async (context) => {
    const event = await stored(context, { event_data: { value: 'seen', externalId: 'part-9' } });
    const feedback = await stored(context, {
      event_schema: 'operator_feedback',
      event_data: { relatedEventId: event.id, feedback: 'incorrect' },
    });
    const related = await list(context, { related_event_id: event.id });
    assert.deepEqual(
      related.events.map(({ id }) => id),
      [feedback.id],
    );
    const external = await list(context, { external_id: 'part-9' });
    assert.deepEqual(
      external.events.map(({ id }) => id),
      [event.id],
    );
    assert.equal((await list(context, { related_event_id: 'nothing' })).count, 0);
  }),
  check('the event writer of public workflows', ['18.9', '18.11', '18.10'], (context) =>
    taken(context, {
      inference_timestamp: '2026-11-21T06:29:50.125000+00:00',
      event_schema: 'quality_check',
      event_data: { result: 'fail', externalId: 'part-11' },
      images: [workflowImage],
      displayImagePosition: 0,
      custom_metadata: { line: 'A', shift: 2, is_night: false, score: 0.5 },
    }),
  ),
  check('the vision events block of public workflows', ['18.9', '18.11', '18.10'], (context) =>
    taken(context, {
      inference_timestamp: '2026-11-21T06:29:50.125000+00:00',
      event_schema: 'safety_alert',
      event_data: { alertType: 'no_helmet', severity: 'medium', description: 'Gate 2' },
      images: [{ ...workflowImage, label: 'workflow' }],
      displayImagePosition: 0,
      custom_metadata: {},
      solution: 'line-3',
    }),
  ),
  check('feedback of the vision events block', ['18.9', '14.3'], (context) =>
    taken(context, {
      inference_timestamp: '2026-11-21T06:29:50+00:00',
      event_schema: 'operator_feedback',
      event_data: { relatedEventId: 'e-7', feedback: 'inconclusive' },
      images: [],
      custom_metadata: {},
      solution: 'line-3',
    }),
  ),
];

const seenBox = { class: 'helmet', x: 320.5, y: 200, width: 40, height: 52, confidence: 0.912 };

/** One image as workflows make it: bare base64 JPEG, output and original, entries of id, x, y. */
const workflowImage = {
  base64Image: base64(photo.jpeg),
  inputBase64Image: base64(photo.jpeg),
  objectDetections: [seenBox],
  classifications: [{ class: 'unsafe', confidence: 0.71 }],
  instanceSegmentations: [
    {
      ...seenBox,
      points: [
        [300, 180],
        [340, 180],
        [320, 226.5],
      ],
    },
  ],
  keypoints: [
    {
      ...seenBox,
      keypoints: [
        { id: 0, x: 310, y: 190 },
        { id: 1, x: 330, y: 190 },
      ],
    },
  ],
};

/** As the producers see it: exactly 201, and a JSON body with an id. They send no device_id. */
async function taken(context: Context, event: Members): Promise<void> {
  const { id } = await create(context, event);
  const { event_data, draft, images } = await read(context, id);
  assert.deepEqual(event_data, event.event_data);
  assert.equal(draft, false);
  assert.equal(images.length, Array.isArray(event.images) ? event.images.length : 0);
}
