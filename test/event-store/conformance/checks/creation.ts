// POST /v2/events: fields, types, defaults, spellings.

import assert from 'node:assert/strict';
import { type Check, type Context, check } from '../check.ts';
import { base64, photo } from '../samples.ts';
import { create, eventOf, read, refused, refusedEvents, stored } from '../steps.ts';

const optionalTexts = [
  'solution',
  'workflow_id',
  'workflow_version',
  'device_id',
  'stream_id',
  'image_id',
] as const;

export const creationChecks: readonly Check[] = [
  check('the least event', ['1.1', '2.1', '9.1', '3.5', '3.9', '3.10'], async (context) => {
    const { id, created_at, image_ids, draft } = await create(context, {
      event_schema: 'custom',
      event_data: {},
      inference_timestamp: '2026-11-21T06:29:50Z',
    });
    assert.deepEqual({ image_ids, draft }, { image_ids: [], draft: false });
    const event = await read(context, id);
    assert.equal(event.created_at, created_at);
    assert.deepEqual(event.event_data, {});
  }),
  check(
    'each required member',
    ['3.5', '3.9', '3.10', '9.10', '15.18', '15.2'],
    async (context) => {
      const { event_schema: _schema, ...withoutSchema } = eventOf(context);
      const { event_data: _data, ...withoutData } = eventOf(context);
      const { inference_timestamp: _time, ...withoutTime } = eventOf(context);
      await refusedEvents(context, 422, [withoutSchema, withoutData, withoutTime, {}]);
    },
  ),
  check(
    'texts that are optional',
    ['3.1', '3.3', '3.4', '3.6', '3.7', '3.8', '6.2'],
    async (context) => {
      for (const name of optionalTexts) {
        const given = await stored(context, { [name]: 'Linie 3 – 検査' });
        if (name !== 'image_id') assert.equal(given[name], 'Linie 3 – 検査', name);
        const { id } = await create(context, { ...eventOf(context), [name]: null });
        if (name !== 'image_id') assert.equal((await read(context, id))[name], null, name);
        for (const value of [5, true, [], {}]) {
          await refusedEvents(context, 422, [eventOf(context, { [name]: value })]);
        }
      }
    },
  ),
  check('texts that are left out are null', ['6.2', '6.9', '6.12'], async (context) => {
    const { device_id: _device, ...event } = eventOf(context);
    const answer = await read(context, (await create(context, event)).id);
    assert.deepEqual(
      [
        answer.solution,
        answer.workflow_id,
        answer.workflow_version,
        answer.device_id,
        answer.stream_id,
        answer.display_image_position,
        answer.custom_metadata,
      ],
      [null, null, null, null, null, null, null],
    );
  }),
  check('times of inference', ['3.5', '6.3', '18.8'], async (context) => {
    const moment = Date.parse('2026-11-21T06:29:50.125Z');
    const spellings = [
      '2026-11-21T06:29:50.125Z',
      '2026-11-21T06:29:50.125+00:00',
      '2026-11-21T06:29:50.125000+00:00',
      '2026-11-21T08:29:50.125+02:00',
      '2026-11-21T06:29:50.125000',
    ];
    for (const inference_timestamp of spellings) {
      const { inference_timestamp: read } = await stored(context, { inference_timestamp });
      const zoned = /(Z|[+-]\d\d:\d\d)$/.test(read) ? read : `${read}Z`;
      assert.equal(Date.parse(zoned), moment, `${inference_timestamp} came back as ${read}`);
    }
  }),
  check('what is no time of inference', ['3.5', '15.18'], async (context) => {
    const wrong = ['yesterday', '', '2026-13-41T06:29:50Z', '21.11.2026', null, true, {}];
    const events = wrong.map((inference_timestamp) => eventOf(context, { inference_timestamp }));
    await refusedEvents(context, 422, events);
  }),
  check('types of event_schema and event_data', ['3.9', '3.10', '15.18'], async (context) => {
    await refusedEvents(context, 422, [
      eventOf(context, { event_schema: 5 }),
      eventOf(context, { event_schema: null }),
      eventOf(context, { event_data: null }),
      eventOf(context, { event_data: 'seen' }),
      eventOf(context, { event_data: ['seen'] }),
    ]);
  }),
  check('custom_metadata', ['3.11', '6.12'], async (context) => {
    const metadata = { line: 3, shift: 'früh', 'is night': false, share: 0.25, 'a-b': -7 };
    assert.deepEqual(
      (await stored(context, { custom_metadata: metadata })).custom_metadata,
      metadata,
    );
    const open = { camera: { lens: [1, { focus: null }] }, größe: 1e-7, a: null, b: {} };
    assert.deepEqual((await stored(context, { custom_metadata: open })).custom_metadata, open);
    const { custom_metadata } = await stored(context, { custom_metadata: null });
    assert.equal(custom_metadata, null);
    await refusedEvents(context, 422, [
      eventOf(context, { custom_metadata: 'line 3' }),
      eventOf(context, { custom_metadata: ['line', 3] }),
    ]);
  }),
  check('displayImagePosition', ['3.13', '6.9'], async (context) => {
    const images = [{ label: 'a' }, { label: 'b' }].map((image) => ({
      ...image,
      base64Image: base64(photo.jpeg),
    }));
    const event = await stored(context, { images, displayImagePosition: 1 });
    assert.equal(event.display_image_position, 1);
    assert.equal(event.images[1]?.label, 'b');
    const none = await stored(context, { images, displayImagePosition: null });
    assert.equal(none.display_image_position, null);
    await refusedEvents(context, 422, [
      eventOf(context, { images, displayImagePosition: 0.5 }),
      eventOf(context, { images, displayImagePosition: 'first' }),
      eventOf(context, { images, displayImagePosition: -1 }),
    ]);
  }),
  check('draft', ['3.14', '2.4', '8.1', '8.2', '9.1', '6.16', '6.17'], async (context) => {
    const draft = await create(context, eventOf(context, { draft: true }));
    assert.equal(draft.draft, true);
    const open = await read(context, draft.id);
    assert.deepEqual([open.draft, open.finalized_at], [true, null]);
    for (const more of [{}, { draft: false }]) {
      const created = await create(context, eventOf(context, more));
      assert.equal(created.draft, false);
      const event = await read(context, created.id);
      assert.equal(event.draft, false);
      assert.notEqual(event.finalized_at, null);
    }
    await refusedEvents(context, 422, [
      eventOf(context, { draft: 5 }),
      eventOf(context, { draft: [] }),
    ]);
  }),
  check('a payload of the cloud', ['1.3', '1.4'], async (context) => {
    const cloudEvent = {
      eventId: 'b2a0b1c2-0000-4000-8000-000000000000',
      eventType: 'quality_check',
      useCaseId: 'line-3',
      timestamp: '2026-11-21T06:29:50Z',
      eventData: { result: 'pass' },
    };
    await refusedEvents(context, 422, [
      cloudEvent,
      eventOf(context, { images: [{ sourceId: 'source-1' }] }),
    ]);
  }),
  check('what is no JSON object', ['15.18', '15.2'], async (context) => {
    const headers = { 'content-type': 'application/json' };
    for (const body of ['', '{', '[]', '5', 'null', '"event"', '{"event_schema":}']) {
      await refused(context, { method: 'POST', path: '/v2/events', body, headers }, 422);
    }
  }),
  check('JSON under another content type', ['15.18', '15.2', '18.6'], async (context) => {
    const body = JSON.stringify(eventOf(context));
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml']) {
      const headers = { 'content-type': type };
      await refused(context, { method: 'POST', path: '/v2/events', body, headers }, 422);
    }
  }),
  check('all in camelCase', ['2.2', '17.1'], (context) =>
    spelled(context, camelEvent, 'camelCase'),
  ),
  check('all in snake_case', ['18.11'], (context) => spelled(context, snakeEvent, 'snake_case')),
  check('a mixture of spellings', ['18.11', '2.2'], (context) =>
    spelled(context, { ...camelEvent, ...mixture, images: camelEvent.images }, 'a mixture'),
  ),
  check('event_data and metadata keep their spelling', ['2.2', '6.11', '6.12'], async (context) => {
    const event = await stored(context, {
      event_schema: 'inventory_count',
      event_data: { itemCount: 7, itemType: 'Bolt_M8', externalId: 'Order_7' },
      custom_metadata: { lineName: 'A', shift_name: 'B' },
    });
    assert.deepEqual(event.event_data, {
      itemCount: 7,
      itemType: 'Bolt_M8',
      externalId: 'Order_7',
    });
    assert.deepEqual(event.custom_metadata, { lineName: 'A', shift_name: 'B' });
  }),
  check('answers are snake_case', ['2.2', '17.1'], async (context) => {
    const { id } = await create(context, eventOf(context, { images: camelEvent.images }));
    const event = await read(context, id);
    const names = [...Object.keys(event), ...event.images.flatMap((image) => Object.keys(image))];
    assert.deepEqual(
      names.filter((name) => /[A-Z]/.test(name)),
      [],
    );
  }),
];

const box = { class: 'scratch', x: 10.5, y: 12, width: 8, height: 6, confidence: 0.9 };

const camelEvent = {
  solution: 'line-3',
  workflowId: 'w-1',
  workflowVersion: '7',
  inferenceTimestamp: '2026-11-21T06:29:50.125Z',
  streamId: 's-1',
  imageId: 'i-1',
  eventSchema: 'custom',
  eventData: { value: 'seen' },
  customMetadata: { line: 3 },
  displayImagePosition: 0,
  images: [
    {
      label: 'workflow',
      base64Image: base64(photo.jpeg),
      inputBase64Image: base64(photo.png),
      objectDetections: [box],
      classifications: [{ class: 'bad', confidence: 0.5 }],
      instanceSegmentations: [
        {
          ...box,
          points: [
            [1, 2],
            [3, 4],
            [5, 6.5],
          ],
        },
      ],
      keypoints: [{ ...box, keypoints: [{ id: 0, x: 1, y: 2, occluded: true }] }],
      metadata: { lensName: 'wide' },
    },
  ],
};

const snakeEvent = {
  solution: 'line-3',
  workflow_id: 'w-1',
  workflow_version: '7',
  inference_timestamp: '2026-11-21T06:29:50.125Z',
  stream_id: 's-1',
  image_id: 'i-1',
  event_schema: 'custom',
  event_data: { value: 'seen' },
  custom_metadata: { line: 3 },
  display_image_position: 0,
  images: camelEvent.images.map((image) => ({
    label: image.label,
    base64_image: image.base64Image,
    input_base64_image: image.inputBase64Image,
    object_detections: image.objectDetections,
    classifications: image.classifications,
    instance_segmentations: image.instanceSegmentations,
    keypoints: image.keypoints,
    metadata: image.metadata,
  })),
};

/** Over the camelCase event: undefined members are left out of the JSON. */
const mixture = {
  workflow_id: 'w-1',
  workflowId: undefined,
  inference_timestamp: '2026-11-21T06:29:50.125Z',
  inferenceTimestamp: undefined,
  event_schema: 'custom',
  eventSchema: undefined,
  event_data: { value: 'seen' },
  eventData: undefined,
};

async function spelled(
  context: Context,
  event: Readonly<Record<string, unknown>>,
  spelling: string,
): Promise<void> {
  const { id } = await create(context, event);
  const answer = await read(context, id);
  const [image] = answer.images;
  assert.deepEqual(
    {
      solution: answer.solution,
      workflow: [answer.workflow_id, answer.workflow_version],
      stream: answer.stream_id,
      schema: answer.event_schema,
      data: answer.event_data,
      metadata: answer.custom_metadata,
      position: answer.display_image_position,
      label: image?.label,
      hasBoth: [typeof image?.file_id, typeof image?.input_file_id],
      detections: image?.object_detections,
      classifications: image?.classifications,
      segmentations: image?.instance_segmentations,
      keypoints: image?.keypoints,
      imageMetadata: image?.metadata,
    },
    {
      solution: 'line-3',
      workflow: ['w-1', '7'],
      stream: 's-1',
      schema: 'custom',
      data: { value: 'seen' },
      metadata: { line: 3 },
      position: 0,
      label: 'workflow',
      hasBoth: ['string', 'string'],
      detections: [box],
      classifications: [{ class: 'bad', confidence: 0.5 }],
      segmentations: [
        {
          ...box,
          points: [
            [1, 2],
            [3, 4],
            [5, 6.5],
          ],
        },
      ],
      keypoints: [{ ...box, keypoints: [{ id: 0, x: 1, y: 2, occluded: true }] }],
      imageMetadata: { lensName: 'wide' },
    },
    spelling,
  );
}
