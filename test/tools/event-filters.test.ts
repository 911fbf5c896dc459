// Filters of events on facts and detections, as a host has them, on a `fovea event-store`.

import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EventStoreProcess, startEventStoreProcess } from '../fixtures/event-store-process.ts';
import { type Facts, type Fovea, launchFovea } from '../fixtures/fovea.ts';
import { create } from './draft-event-suite.ts';

let store: EventStoreProcess;
let fovea: Fovea;

const box = { x: 5, y: 5, width: 2, height: 2 };
const checks: readonly (readonly [result: string, line: number, confidence: readonly number[]])[] =
  [
    ['pass', 3, [0.9]],
    ['fail', 3, [0.8, 0.7]],
    ['fail', 4, [0.3]],
    ['fail', 3, []],
  ];
const made: string[] = [];

beforeAll(async () => {
  store = await startEventStoreProcess();
  fovea = await launchFovea({ FOVEA_DEVICE_URL: store.url });
  const file = join(fovea.folder, 'check.png');
  await sharp({ create: { width: 16, height: 16, channels: 3, background: '#888' } }).toFile(file);
  for (const [result, line, confidences] of checks) {
    const objectDetections = confidences.map((confidence) => ({
      ...box,
      class: 'scratch',
      confidence,
    }));
    const event = {
      event_schema: 'quality_check',
      event_data: { result },
      device_id: 'checks',
    };
    const images = [{ file, objectDetections }];
    made.push(await create(fovea, { ...event, custom_metadata: { line }, images }));
  }
});

afterAll(async () => {
  await fovea.close();
  await store.stop();
});

test.each<[Facts, readonly number[]]>([
  [{ event_data_filter: ['result:fail'] }, [3, 2, 1]],
  [{ event_data_filter: ['result:fail'], metadata_filter: ['line:3'] }, [3, 1]],
  [{ detection_filter: ['class:scratch,confidence:gte:0.5'] }, [1, 0]],
  [{ detection_filter: ['class:scratch,count>=2'] }, [1]],
  [{ detection_filter: ['class:scratch,count:0'], event_data_filter: ['result:fail'] }, [3]],
  [{ event_data_filter: ['result:pass'], metadata_filter: [] }, [0]],
])('%j', async (filters, places) => {
  const args = { device_id: 'checks', ...filters };
  const { events } = await fovea.ok('events_list', args);
  expect(Object(events).map(({ id }: Facts) => made.indexOf(String(id)))).toEqual(places);
  const counted = await fovea.call('events_count', args);
  expect(counted.text).toMatch(new RegExp(`^${places.length} of \\d+ events, from 20`));
  expect(counted.data).toMatchObject({ filtered_count: places.length, next_timestamp: null });
});

test.each<[Facts, readonly (string | RegExp)[]]>([
  [
    { event_data_filter: ['result:broken'] },
    [/^event_data has "result" in the latest \d+ events: .*"fail"/],
  ],
  [
    { event_data_filter: ['line:3'] },
    ['"line" stands in custom_metadata: ask for it in metadata_filter.'],
  ],
  [
    { event_data_filter: ['verdict:fail'] },
    [/^None of the latest \d+ events has "verdict" in event_data: .*"result"/],
  ],
  [
    { detection_filter: ['class:dent'] },
    [
      /^The latest \d+ events have detections of .*"scratch" \(at most 2 in an event, confidence up to 0\.9\)/,
    ],
  ],
  [
    { event_data_filter: ['result:pass'], detection_filter: ['class:dent'] },
    [/^event_data has/, /^The latest/, 'No event meets "class:dent" of detection_filter.'],
  ],
  [
    { event_data_filter: ['result:pass'], metadata_filter: ['line:4'] },
    [
      /^custom_metadata has "line"/,
      /^event_data has "result"/,
      'Each condition alone is met by some events, all filters by none.',
    ],
  ],
  [
    { event_data_filter: ['result:fail,pass'] },
    [
      /^event_data has "result"/,
      '"result:fail,pass" asks for the value "fail,pass", word by word: the operators are eq, ne, gt, lt, gte, lte, as in key:gte:5, and each condition is a text of its own.',
    ],
  ],
  [
    { metadata_filter: ['line:gte:>3'] },
    [/^custom_metadata has "line"/, /^"line:gte:>3" asks for the value ">3", word by word/],
  ],
  [
    { detection_filter: ['class:scratch|dent,confidence:gte:0.1'] },
    [
      /^The latest/,
      '"class:scratch|dent,confidence:gte:0.1" asks for the class "scratch|dent", word by word: terms are written class:person,confidence:gte:0.5,count:gte:3, and each class is a filter of its own.',
    ],
  ],
])('what excluded all: %j', async (filters, expected) => {
  const notes = expected.map((note) =>
    typeof note === 'string' ? note : expect.stringMatching(note),
  );
  expect(await fovea.ok('events_list', filters)).toMatchObject({ events: [], notes });
  expect(await fovea.ok('events_count', filters)).toMatchObject({ filtered_count: 0, notes });
});

test('a class that is counted and not there is told where events were found', async () => {
  const notes = [
    expect.stringMatching(
      /^None of the latest \d+ events has a detection of "Scratch": .*"scratch"/,
    ),
  ];
  const args = { device_id: 'checks', detection_filter: ['class:Scratch,count:0'] };
  expect(await fovea.ok('events_list', args)).toMatchObject({ count: 4, notes });
  expect(await fovea.ok('events_count', args)).toMatchObject({ filtered_count: 4, notes });
  const there = { ...args, detection_filter: ['class:scratch,count:0'] };
  expect(await fovea.ok('events_count', there)).not.toHaveProperty('notes');
});

test('lists without conditions filter nothing', async () => {
  const args = { device_id: 'checks', event_data_filter: [], detection_filter: [] };
  expect(await fovea.ok('events_list', args)).toMatchObject({ count: 4 });
  expect(await fovea.ok('events_count', args)).toMatchObject({ filtered_count: 4 });
});
