// Images of an event: bytes in, annotations, and the same bytes out.

import assert from 'node:assert/strict';
import { type Check, type Context, check } from '../check.ts';
import { base64, photo } from '../samples.ts';
import { create, eventOf, list, read, refusedEvents, stored } from '../steps.ts';

type Members = Readonly<Record<string, unknown>>;

const box = { class: 'scratch', x: 1640.25, y: 12, width: 800, height: 6.5, confidence: 0.75 };
const segment = {
  ...box,
  points: [
    [10, 20],
    [30.5, 20],
    [30, 40],
  ],
};
const joint = { id: 0, x: 12.5, y: 14, occluded: false };
const pose = { ...box, class: 'hand', keypoints: [joint, { ...joint, id: 1, occluded: true }] };

export const imageChecks: readonly Check[] = [
  check(
    'bytes come back as they were sent',
    ['1.4', '4.2', '4.3', '18.1', '6.4'],
    async (context) => {
      const event = await stored(context, {
        images: [{ base64Image: base64(photo.jpeg), inputBase64Image: base64(photo.png) }],
      });
      const [image] = event.images;
      assert.deepEqual(await served(context, image?.file_id), ['image/jpeg', base64(photo.jpeg)]);
      assert.deepEqual(await served(context, image?.input_file_id), [
        'image/png',
        base64(photo.png),
      ]);
    },
  ),
  check('file counts', ['6.15'], async (context) => {
    const none = await stored(context);
    assert.deepEqual([none.original_file_count, none.current_file_count], [0, 0]);
    const both = { base64Image: base64(photo.jpeg), inputBase64Image: base64(photo.png) };
    const event = await stored(context, { images: [both, { base64Image: base64(photo.png) }] });
    assert.deepEqual([event.original_file_count, event.current_file_count], [3, 3]);
  }),
  check('image_ids name images that are served', ['9.1', '18.1'], async (context) => {
    const images = [photo.jpeg, photo.png].map((one) => ({ base64Image: base64(one) }));
    const { image_ids, id } = await create(context, eventOf(context, { images }));
    const event = await read(context, id);
    assert.deepEqual(
      image_ids,
      event.images.map(({ file_id }) => file_id),
    );
  }),
  check(
    'members that are optional',
    ['4.1', '4.2', '4.3', '4.8', '3.12', '6.4'],
    async (context) => {
      const nothing = { label: null, base64Image: null, inputBase64Image: null, metadata: null };
      const event = await stored(context, { images: [{}, nothing, { label: 'overview' }] });
      const empty = {
        file_id: null,
        input_file_id: null,
        label: null,
        object_detections: [],
        classifications: [],
        instance_segmentations: [],
        keypoints: [],
        metadata: null,
      };
      assert.deepEqual(event.images, [empty, empty, { ...empty, label: 'overview' }]);
      assert.deepEqual((await stored(context, { images: [] })).images, []);
      assert.deepEqual((await stored(context)).images, []);
    },
  ),
  check('types of the members', ['3.12', '4.1', '4.2', '4.3', '4.8', '15.18'], (context) =>
    refusedEvents(context, 422, [
      eventOf(context, { images: {} }),
      eventOf(context, { images: ['photo.jpg'] }),
      ...wrongImages([
        { label: 5 },
        { base64Image: 5 },
        { inputBase64Image: {} },
        { metadata: 'wide' },
        { objectDetections: {} },
        { classifications: 'bad' },
        { instanceSegmentations: [5] },
        { keypoints: [[]] },
      ]).map((images) => eventOf(context, images)),
    ]),
  ),
  check('what does not decode', ['15.4', '18.6', '15.1'], (context) =>
    refusedEvents(
      context,
      400,
      wrongImages([
        { base64Image: 'no base64 at all!' },
        { inputBase64Image: '%%%%' },
        { base64Image: base64(photo.jpeg), inputBase64Image: '====' },
        { base64Image: base64(photo.jpeg).slice(0, 41) },
      ]).map((images) => eventOf(context, images)),
    ),
  ),
  check('the second image does not decode', ['15.4', '18.6'], (context) =>
    refusedEvents(context, 400, [
      eventOf(context, { images: [{ base64Image: base64(photo.jpeg) }, { base64Image: '!' }] }),
    ]),
  ),
  check(
    'annotations come back as they were sent',
    ['5.1', '5.7', '4.4', '6.5'],
    async (context) => {
      const annotations = {
        objectDetections: [box, { ...box, confidence: 0 }, { ...box, confidence: 1, x: -3 }],
        classifications: [{ class: 'bad', confidence: 1 }],
        instanceSegmentations: [segment],
        keypoints: [pose],
      };
      const [image] = (await stored(context, { images: [annotations] })).images;
      assert.deepEqual(image?.object_detections, annotations.objectDetections);
      assert.deepEqual(image?.classifications, annotations.classifications);
      assert.deepEqual(image?.instance_segmentations, annotations.instanceSegmentations);
      assert.deepEqual(image?.keypoints, annotations.keypoints);
    },
  ),
  check('detections: each member', ['5.1', '5.2', '4.4'], (context) =>
    refusedLists(context, 'objectDetections', [...lacking(box), ...outOfRange(box)]),
  ),
  check('classifications: each member', ['5.3', '4.5', '5.2'], (context) => {
    const one = { class: 'bad', confidence: 0.5 };
    return refusedLists(context, 'classifications', [...lacking(one), ...outOfRange(one)]);
  }),
  check('segmentations: each member', ['5.4', '4.6', '5.2'], (context) =>
    refusedLists(context, 'instanceSegmentations', [
      ...lacking(segment),
      ...outOfRange(segment),
      { ...segment, points: [[1, 2, 3]] },
      { ...segment, points: [[1]] },
      { ...segment, points: [{ x: 1, y: 2 }] },
      { ...segment, points: [['1', '2']] },
    ]),
  ),
  check('keypoints: each member', ['5.5', '5.6', '4.7', '5.2'], (context) =>
    refusedLists(context, 'keypoints', [
      ...lacking(pose),
      ...outOfRange(pose),
      ...[
        { x: 1, y: 2 },
        { id: 0, y: 2 },
        { id: 0, x: 1 },
      ].map((entry) => ({
        ...pose,
        keypoints: [entry],
      })),
      { ...pose, keypoints: [{ ...joint, id: 0.5 }] },
      { ...pose, keypoints: [{ ...joint, occluded: 'partly' }] },
    ]),
  ),
  check('keypoint entries without occluded', ['18.10', '5.6'], async (context) => {
    const entries = [{ id: 0, x: 12.5, y: 14 }];
    const { images } = await stored(context, {
      images: [{ keypoints: [{ ...pose, keypoints: entries }] }],
    });
    const [entry] = images[0]?.keypoints[0]?.keypoints ?? [];
    assert.deepEqual([entry?.id, entry?.x, entry?.y], [0, 12.5, 14]);
  }),
  check(
    'metadata of an image is kept, and not queried',
    ['4.8', '4.9', '10.14'],
    async (context) => {
      const image = { metadata: { lens: 'wide', nested: { shutter: [1, 250] } } };
      const event = await stored(context, { images: [image], custom_metadata: { lens: 'tele' } });
      assert.deepEqual(event.images[0]?.metadata, image.metadata);
      const found = await list(context, { metadata_filter: 'lens:wide' });
      assert.equal(found.count, 0);
      assert.equal((await list(context, { metadata_filter: 'lens:tele' })).count, 1);
    },
  ),
  check('ranges of an image', ['18.2'], async (context) => {
    const event = await stored(context, { images: [{ base64Image: base64(photo.jpeg) }] });
    await expectRanges(context, `/images/${event.images[0]?.file_id}`, photo.jpeg);
  }),
  check('images that are not there', ['15.12', '15.1'], async (context) => {
    for (const id of [
      'nothing',
      '..%2f..%2fetc%2fpasswd',
      '0198c5a0-0000-7000-8000-000000000000',
    ]) {
      const { status, json } = await context.client.send({ path: `/images/${id}` });
      assert.equal(status, 404, id);
      assert.equal(typeof Object(json).detail, 'string');
    }
  }),
];

/** Whole, first bytes, middle, last bytes, beyond the end. */
export async function expectRanges(
  context: Context,
  path: string,
  content: Uint8Array,
): Promise<void> {
  const size = content.length;
  const ranges = [
    ['bytes=0-9', 206, `bytes 0-9/${size}`, content.slice(0, 10)],
    ['bytes=5-', 206, `bytes 5-${size - 1}/${size}`, content.slice(5)],
    ['bytes=-7', 206, `bytes ${size - 7}-${size - 1}/${size}`, content.slice(-7)],
    [`bytes=${size}-`, 416, `bytes */${size}`, undefined],
  ] as const;
  const whole = await context.client.send({ path });
  assert.equal(whole.status, 200);
  assert.equal(whole.headers.get('accept-ranges'), 'bytes');
  assert.equal(base64(whole.bytes), base64(content));
  for (const [range, status, contentRange, expected] of ranges) {
    const reply = await context.client.send({ path, headers: { range } });
    assert.equal(reply.status, status, range);
    assert.equal(reply.headers.get('content-range'), contentRange);
    if (expected) assert.equal(base64(reply.bytes), base64(expected), range);
  }
}

async function served(context: Context, id: string | null | undefined) {
  const { status, headers, bytes } = await context.client.send({ path: `/images/${id}` });
  assert.equal(status, 200);
  return [headers.get('content-type'), base64(bytes)];
}

function wrongImages(images: readonly Members[]): readonly Members[] {
  return images.map((image) => ({ images: [image] }));
}

async function refusedLists(
  context: Context,
  name: string,
  entries: readonly Members[],
): Promise<void> {
  const events = wrongImages(entries.map((entry) => ({ [name]: [entry] })));
  await refusedEvents(
    context,
    422,
    events.map((images) => eventOf(context, images)),
  );
}

/** Without each of its members in turn, and with each one of a wrong type. */
function lacking(entry: Members): readonly Members[] {
  return Object.keys(entry).flatMap((name) => [
    Object.fromEntries(Object.entries(entry).filter(([other]) => other !== name)),
    { ...entry, [name]: null },
    { ...entry, [name]: { wrong: true } },
  ]);
}

function outOfRange(entry: Members): readonly Members[] {
  return [1.01, -0.01, 90].map((confidence) => ({ ...entry, confidence }));
}
