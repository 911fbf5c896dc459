// The Event Store: what needs no key, and what must never cost an event.

import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { type Attack, single, type Target } from './attack.ts';
import { nested, repeated } from './dense-bodies.ts';
import { form, formHeaders, json, type Request } from './raw-request.ts';

const event = {
  event_schema: 'custom',
  event_data: {},
  inference_timestamp: '2026-11-21T06:29:50Z',
};

const post = (more: object): Request => json('/v2/events', { ...event, ...more });

function query(name: string, text: string): Attack {
  return single('event-store', `events: ${name}`, () => ({ path: `/v2/events?${text}` }));
}

const onePixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const bodies: readonly Attack[] = [
  single('event-store', 'events: an image of 36 MB of base64', () =>
    post({ images: [{ base64Image: 'A'.repeat(36_000_000) }] }),
  ),
  single('event-store', 'events: twelve images of 3 MB', () => {
    const image = Buffer.concat([Buffer.from(onePixel, 'base64'), Buffer.alloc(3_000_000)]);
    return post({ images: repeated(12, () => ({ base64Image: image.toString('base64') })) });
  }),
  single('event-store', 'events: 20,000 images of one pixel', () =>
    post({ images: repeated(20_000, () => ({ base64Image: onePixel })) }),
  ),
  single('event-store', 'events: 100,000 images of nothing', () =>
    post({ images: repeated(100_000, () => ({})) }),
  ),
  single('event-store', 'events: 900,000 points of one outline', () => {
    const box = { class: 'a', x: 1, y: 1, width: 1, height: 1, confidence: 1 };
    const points = repeated(600_000, () => [1, 1]);
    return post({ images: [{ instanceSegmentations: [{ ...box, points }] }] });
  }),
  single('event-store', 'events: event_data 60 levels deep, 300,000 times', () =>
    json(
      '/v2/events',
      JSON.stringify(event).replace('{}', `{"a":[${repeated(15_000, () => nested(55))}]}`),
    ),
  ),
  single('event-store', 'events: event_data of 45 MB', () =>
    post({ event_data: { value: 'a'.repeat(45_000_000) } }),
  ),
  single('event-store', 'events: custom_metadata of 100 values of 400 KB', () =>
    post({
      custom_metadata: Object.fromEntries(repeated(100, (at) => [`a${at}`, 'b'.repeat(400_000)])),
    }),
  ),
  single('event-store', 'events: custom_metadata of 100 values of 10 KB', () =>
    post({
      custom_metadata: Object.fromEntries(repeated(100, (at) => [`a${at}`, 'b'.repeat(10_000)])),
    }),
  ),
  single('event-store', 'events: 900,000 equal members', () =>
    json('/v2/events', `{${'"a":0,'.repeat(900_000)}"b":0}`),
  ),
  single('event-store', 'events: a billion nested brackets, cut at 40 MB', () =>
    json('/v2/events', '['.repeat(40_000_000)),
  ),
];

const filters = repeated(400, (at) => `metadata_filter=a${at}:gt:1`).join('&');

const queries: readonly Attack[] = [
  query('400 filters of metadata', filters),
  query('4,000 devices', `device_id__in=${repeated(3_000, (at) => at).join(',')}`),
  query('a filter of 15,800 digits', `metadata_filter=a:eq:${'1'.repeat(15_800)}x`),
  query('a filter of 12 KB', `metadata_filter=a:eq:${'b'.repeat(12_000)}`),
  query('a path of 7,000 names', `event_data_filter=${'a.'.repeat(7_000)}:1`),
  query('1,501 terms on detections', `detection_filter=class:a${',count:1'.repeat(1_500)}`),
  query('all of them, a thousand', 'limit=1000&include_drafts=true&sort_direction=asc'),
  query(
    'times at the ends of time',
    'start_time=0001-01-01T00:00:00Z&end_time=9999-12-31T23:59:59Z',
  ),
];

/** A page of a thousand events that are each as large as one may be made cheaply. */
const largePage: Attack = {
  name: 'events: a page of 200 events of 1 MB',
  target: 'event-store',
  restarts: true,
  prepare: async (target) => {
    for (let count = 0; count < 200; count += 1) {
      const custom_metadata = { note: `${count}${'a'.repeat(1_000_000)}` };
      await target.ask(post({ event_data: {}, custom_metadata }));
    }
    return () => target.send({ path: '/v2/events?limit=1000' });
  },
};

/** Filters that no index knows, on events with as many detections as one may have. */
const looks: Attack = {
  name: 'events: eight counts at once of 1,800,000 detections',
  target: 'event-store',
  restarts: true,
  prepare: async (target) => {
    const classifications = repeated(30_000, (at) => ({ class: `c${at % 7}`, confidence: 0.5 }));
    for (let at = 0; at < 60; at += 1) await target.ask(post({ images: [{ classifications }] }));
    const terms = 'class:ne:a,class:ne:b,class:ne:c,class:ne:d,confidence:gte:0,count:gte:40000';
    const detections = repeated(4, () => `detection_filter=${terms}`).join('&');
    const path = `/events/count/stats?${detections}`;
    return () => Promise.all(repeated(8, () => target.send({ path })));
  },
};

const many: readonly Attack[] = [
  {
    name: 'events: 2,000 creates at once',
    target: 'event-store',
    // On twice as many connections as there may be.
    mayCut: true,
    prepare: async (target) => () =>
      Promise.all(repeated(2_000, (at) => target.send(post({ device_id: `d${at}` })))),
  },
  {
    name: 'events: 400 drafts, each with a file of 50 KB',
    target: 'event-store',
    prepare: async (target) => async () => {
      const content = Buffer.alloc(50_000, 'a');
      for (let at = 0; at < 400; at += 20) {
        await Promise.all(repeated(20, () => draftWithFile(target, content)));
      }
    },
  },
  {
    name: 'events: eight files of 30 MB at once',
    target: 'event-store',
    prepare: async (target) => () =>
      Promise.all(repeated(8, () => draftWithFile(target, Buffer.alloc(30_000_000, 'a')))),
  },
];

async function draftWithFile(target: Target, content: Uint8Array): Promise<void> {
  const { text } = await target.send(post({ draft: true }));
  const { id } = Object(JSON.parse(text));
  const file = { name: 'file', fileName: 'a.bin', content };
  await target.send(form(`/v2/events/${id}/local-only-files`, [file]));
}

/** Sizes that are only announced may refuse, and never evict. */
const announced: Attack = {
  name: 'events: two uploads that only announce 100 MB',
  target: 'full-event-store',
  mayCut: true,
  prepare: async (target) => {
    const drafts: string[] = [];
    for (let at = 0; at < 47; at += 1) {
      const { id } = Object(await target.ask(post({ draft: true })));
      const file = { name: 'file', fileName: 'a.bin', content: Buffer.alloc(1_000_000, `${at} `) };
      await target.ask(form(`/v2/events/${id}/local-only-files`, [file]));
      await target.ask({ path: `/v2/events/${id}/finalize`, method: 'POST' });
    }
    for (let at = 0; at < 2; at += 1) {
      drafts.push(String(Object(await target.ask(post({ draft: true }))).id));
    }
    const before = await countOf(target);
    return async () => {
      const sockets = drafts.map((id) => announce(target, id));
      await wait(4_000);
      for (const socket of sockets) socket.destroy();
      const after = await countOf(target);
      if (after < before) target.fail(`${before - after} of ${before} finalized events are gone`);
    };
  },
};

function announce(target: Target, id: string) {
  const socket = connect(target.port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(
    `POST /v2/events/${id}/local-only-files HTTP/1.1\r\nHost: 127.0.0.1:${target.port}\r\n` +
      `Content-Type: ${formHeaders['content-type']}\r\nContent-Length: 40000000\r\n\r\n` +
      '--fovea-attacks-boundary\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\na',
  );
  return socket;
}

async function countOf(target: Target): Promise<number> {
  const page = Object(await target.ask({ path: '/v2/events?limit=1000' }));
  return page.events.length;
}

export const eventStoreAttacks: readonly Attack[] = [
  ...bodies,
  ...queries,
  ...many,
  largePage,
  looks,
  announced,
];
