// The events tools as a host has them, on a `fovea event-store` of its own.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { bloodCells } from '../fixtures/detected-images.ts';
import { type EventStoreProcess, startEventStoreProcess } from '../fixtures/event-store-process.ts';
import { type Facts, type Fovea, launchFovea } from '../fixtures/fovea.ts';
import { mp4 } from '../fixtures/mp4-files.ts';
import { create, passed, refused, testDraftLife } from './draft-event-suite.ts';

let store: EventStoreProcess;
let fovea: Fovea;

beforeAll(async () => {
  store = await startEventStoreProcess({
    environment: { MAX_VIDEO_UPLOAD_BYTES: '4000000', MAX_LOCAL_ONLY_UPLOAD_BYTES: '1000' },
  });
  fovea = await launchFovea({ FOVEA_DEVICE_URL: store.url });
});

afterAll(async () => {
  await fovea.close();
  await store.stop();
});

/** The pictures of a result. */
async function picturesOf(name: string, args: Facts): Promise<readonly Buffer[]> {
  const { content } = await fovea.client.callTool({ name, arguments: args });
  return content.flatMap((block) =>
    block.type === 'image' ? [Buffer.from(block.data, 'base64')] : [],
  );
}

describe('the life of a draft', () => {
  testDraftLife(() => fovea);
});

describe('images', () => {
  test('go by path, and come back as a small picture with words', async () => {
    const [cell] = bloodCells(1);
    const image = { ...cell, inputFile: cell?.file };
    const made = await fovea.call('events_create', { ...passed, images: [image] });
    expect(made.data.image_ids).toHaveLength(2);
    expect(made.text).toMatch(/with 2 images \(\d+\.\d kB\)\. It is kept until 20[\d-]+T[\d:]+Z, /);
    expect(made.text).toContain('Next: events_hold {"event_id":');
    const shown = await fovea.call('events_get', { event_id: made.data.id });
    expect(shown.text).toContain(
      ': 1 image, 18 detections ("RBC" 14, "Platelets" 3, "WBC" 1). It is kept until ',
    );
    const [stored] = Object(shown.data.images);
    expect(stored).toMatchObject({
      label: 'BloodImage_00040',
      file_id: expect.any(String),
      input_file_id: expect.any(String),
    });
    expect(stored.object_detections).toHaveLength(18);
    const [picture, ...others] = await picturesOf('events_get', { event_id: made.data.id });
    expect(others).toEqual([]);
    expect(picture?.length).toBeLessThanOrEqual(200 * 1024);
    expect(await sharp(picture).metadata()).toMatchObject({ format: 'jpeg', width: 696 });
  });

  test('the boxes are drawn where they were detected', async () => {
    const file = join(fovea.folder, 'green.png');
    const background = { r: 0, g: 200, b: 0 };
    await sharp({ create: { width: 640, height: 640, channels: 3, background } }).toFile(file);
    const box = { class: 'hole', x: 320, y: 320, width: 300, height: 200, confidence: 0.5 };
    const images = [{ file, objectDetections: [box] }];
    const event_id = await create(fovea, { images });
    const [picture] = await picturesOf('events_get', { event_id });
    const { data, info } = await sharp(picture).raw().toBuffer({ resolveWithObject: true });
    const isGround = (x: number, y: number) => {
      const at = (y * info.width + x) * info.channels;
      const [red = 0, green = 0, blue = 0] = data.subarray(at, at + 3);
      return red < 40 && green > 160 && blue < 40;
    };
    // The picture is as large as the image; it ends 28 pixels from the edges of the sheet.
    const [left, top] = [28, info.height - 28 - 640];
    expect(isGround(left + 100, top + 320)).toBe(true);
    expect(isGround(left + 170, top + 320)).toBe(false);
    expect(isGround(left + 320, top + 320)).toBe(true);
    expect(isGround(left + 470, top + 320)).toBe(false);
  });

  test('of several events: the main images of the latest ones, where they are asked for', async () => {
    const [first, second] = bloodCells(2);
    const images = [first, second];
    await create(fovea, { images, displayImagePosition: 1, device_id: 'shown' });
    await create(fovea, { device_id: 'shown' });
    const latest = await fovea.call('events_latest', { limit: 2 });
    expect(latest.text).toMatch(/^The latest 2 events\. Event "[\w-]+"/);
    expect(await picturesOf('events_latest', { limit: 2 })).toHaveLength(1);
    expect(await picturesOf('events_latest', { limit: 2, preview: false })).toEqual([]);
    expect(await picturesOf('events_list', { device_id: 'shown' })).toEqual([]);
    expect(await picturesOf('events_list', { device_id: 'shown', preview: true })).toHaveLength(1);
    const { events } = await fovea.ok('events_list', { device_id: 'shown' });
    expect(Object(events)[1].images).toEqual([
      { file_id: expect.any(String), label: first?.label, detections: expect.anything() },
      { file_id: expect.any(String), label: second?.label, detections: expect.anything() },
    ]);
    expect(Object(events)[0]).not.toHaveProperty('images');
  });

  test('that cannot be drawn take nothing away from the words', async () => {
    const file = join(fovea.folder, 'cut.jpg');
    await writeFile(file, Buffer.from('ffd8ffe000104a46494600010100000100010000ffdb', 'hex'));
    const event_id = await create(fovea, { images: [{ file }] });
    const shown = await fovea.call('events_get', { event_id });
    expect(shown).toMatchObject({ isError: false });
    expect(shown.data.preview_notes).toEqual([expect.stringContaining('cannot be shown')]);
  });
});

describe('questions', () => {
  const stamped = { event_schema: 'inventory_count', event_data: { itemCount: 3 } };
  const ids: string[] = [];

  beforeAll(async () => {
    for (let shelf = 0; shelf < 5; shelf++) {
      const custom_metadata = { shelf, hall: shelf < 3 ? 'a' : 'b' };
      ids.push(await create(fovea, { ...stamped, device_id: 'paged', custom_metadata }));
    }
  });

  test.each(['desc', 'asc'])('a list is paged without loss or repetition, %s', async (order) => {
    const found: string[] = [];
    let args: Facts | undefined = { device_id: 'paged', limit: 2, sort_direction: order };
    for (let pages = 0; args && pages < 9; pages++) {
      const { text, data } = await fovea.call('events_list', args);
      found.push(...Object(data.events).map(({ id }: Facts) => id));
      const [next] = Object(data.next ?? []);
      expect(text).toContain(
        next ? ' More follow. By age, the oldest is kept' : 'on this page. By age, the oldest is',
      );
      args = next?.arguments;
    }
    expect(found).toEqual(order === 'asc' ? ids : ids.toReversed());
  });

  test('a list that is too long for a result goes on where it ended', async () => {
    const value = 'x'.repeat(9_000);
    const event = { event_schema: 'custom', event_data: { value }, device_id: 'long' };
    const all = [];
    for (let index = 0; index < 6; index++) all.push(await create(fovea, event));
    const first = await fovea.ok('events_list', { device_id: 'long' });
    expect(Object(first.events).map(({ id }: Facts) => id)).toEqual(all.toReversed().slice(0, 4));
    const [{ tool, arguments: more }] = Object(first.next);
    const second = await fovea.ok(tool, more);
    expect(Object(second.events).map(({ id }: Facts) => id)).toEqual(all.toReversed().slice(4));
    expect(second).toMatchObject({ next_timestamp: null });
  });

  test.each<[readonly string[], readonly number[]]>([
    [['hall:a'], [2, 1, 0]],
    [
      ['shelf:gte:1', 'shelf:lt:4'],
      [3, 2, 1],
    ],
    [['hall:ne:a', 'shelf:3'], [3]],
    [['shelf:9'], []],
  ])('metadata %j', async (metadata_filter, places) => {
    const { events } = await fovea.ok('events_list', { device_id: 'paged', metadata_filter });
    expect(Object(events).map(({ id }: Facts) => ids.indexOf(String(id)))).toEqual(places);
  });

  test('an empty list says what excluded all', async () => {
    const fields = { device_id: 'line-3', event_schema: 'quality_check' };
    const passed = { event_data: { result: 'pass' }, custom_metadata: { line: 3 } };
    await create(fovea, { ...fields, ...passed });
    const notesOf = async (filters: Facts) => {
      const { events, notes } = await fovea.ok('events_list', filters);
      expect(events).toEqual([]);
      return notes;
    };
    expect(await notesOf({ metadata_filter: ['line:3', 'result:fail'] })).toEqual([
      expect.stringMatching(/^custom_metadata has "line" in the latest \d+ events: "3"\.$/),
      '"result" stands in event_data: ask for it in event_data_filter.',
      'No event meets "result:fail" of metadata_filter.',
    ]);
    expect(await notesOf({ metadata_filter: ['shift:1'] })).toEqual([
      expect.stringMatching(/^None of the latest \d+ events has "shift" in custom_metadata\.$/),
    ]);
    expect(await notesOf({ device_id: 'line-4' })).toEqual([
      expect.stringMatching(
        /^None of the latest \d+ events has the device_id asked for: .*"line-3"/,
      ),
    ]);
  });

  test('counts what is there, from when to when', async () => {
    const { text, data } = await fovea.call('events_count', { device_id: 'paged' });
    expect(text).toMatch(/^5 of \d+ events, from 20\S+Z to 20\S+Z\.\n/);
    expect(data).toMatchObject({ filtered_count: 5 });
    const none = await fovea.call('events_count', { device_id: 'nobody' });
    expect(none.text).toMatch(/^0 of \d+ events\.\n/);
  });

  test('what event_data must look like', async () => {
    const { schemas } = await fovea.ok('event_schemas_list');
    expect(Object(schemas).map(({ name }: Facts) => name)).toContain('safety_alert');
  });
});

describe('the state of the store', () => {
  test('is told in words: usage, drafts, upload, what is held', async () => {
    const event_id = await create(fovea, { draft: true });
    const held = await fovea.call('events_hold', { event_id, reason: 'Complaint 42.' });
    const forEver = ' It is kept for ever, since it is held; events_release ends that.';
    expect(held.text).toMatch(/^No cleanup removes event "[\w-]+"\./);
    expect(held.text).toContain(forEver);
    expect(held.data.next).toMatchObject([{ tool: 'events_get', arguments: { event_id } }]);
    const shown = await fovea.call('events_get', { event_id });
    expect(shown.text).toContain(forEver);
    expect(shown.text).not.toContain('Next: events_hold');
    const { text, data } = await fovea.call('events_stats');
    expect(text).toMatch(
      /^\d+ of 10000000 events; [\d.]+ % of [\d.]+ [MGT]B; [\d.]+ MB on the disk; \d drafts?, the oldest open for \d+ s; 1 held\. An event is kept for 1 day\. Cloud upload is off\. Nothing was ever removed\./,
    );
    expect(data).toMatchObject({ held_records: 1, capacity_blocked: false });
    expect((await fovea.call('events_release', { event_id })).text).toMatch(
      /follows the usual retention again\. It is kept until 20\S+Z, by its age/,
    );
    expect(await fovea.ok('events_stats')).toMatchObject({ held_records: 0 });
    expect(await fovea.ok('events_ledger')).toMatchObject({ lines: [] });
    const retried = await fovea.call('events_retry_upload');
    expect(retried.text).toContain('but cloud upload is off: nothing sends them.');
  });
});

describe('what an agent is told', () => {
  test.each<[string, string, () => Facts, RegExp]>([
    [
      'a wrong member of event_data',
      'events_create',
      () => ({ event_data: { result: 'ok' } }),
      /event_data\.result: must be one of[\s\S]*event_schemas_list/,
    ],
    [
      'an unknown event schema',
      'events_create',
      () => ({ event_schema: 'quality' }),
      /event_schema: [\s\S]*quality_check/,
    ],
    [
      'a misspelt argument',
      'events_create',
      () => ({ event_dat: {} }),
      /event_dat: is not known; did you mean "event_data"\?/,
    ],
    [
      'a wrong time',
      'events_create',
      () => ({ inference_timestamp: 'now' }),
      /inference_timestamp: /,
    ],
    [
      'an image that is not there',
      'events_create',
      () => ({ images: [{ file: 'none.jpg' }] }),
      /images\[0\]\.file: "none\.jpg" does not exist/,
    ],
    [
      'an image outside the file roots',
      'events_create',
      () => ({ images: [{ inputFile: '/etc/hostname' }] }),
      /images\[0\]\.inputFile: .*outside/,
    ],
    [
      'a file that is no image',
      'events_create',
      () => ({ images: [{ file: 'package.json' }] }),
      /images\[0\]\.file: is not an image/,
    ],
    [
      'detections with mistakes',
      'events_create',
      () => ({ images: [{ objectDetections: [{ class: 'a', x: 1 }] }] }),
      /images\[0\]\.objectDetections\[0\]\.(y|width|height|confidence)/,
    ],
    ['a wrong time of a list', 'events_list', () => ({ start_time: 'yesterday' }), /start_time/],
    [
      'a wrong direction',
      'events_list',
      () => ({ sort_direction: 'up' }),
      /sort_direction: expected one of asc, desc/,
    ],
    [
      'a wrong filter',
      'events_list',
      () => ({ metadata_filter: ['shelf'] }),
      /metadata_filter\[0\]: must be key:value/,
    ],
    [
      'a wrong filter on facts',
      'events_count',
      () => ({ event_data_filter: ['result'] }),
      /event_data_filter\[0\]: must be key:value or key:op:value/,
    ],
    [
      'a wrong filter on detections',
      'events_list',
      () => ({ detection_filter: ['bolt'] }),
      /detection_filter\[0\]: must be terms as in class:person,confidence:gte:0\.5,count:gte:3/,
    ],
    [
      'terms of a detection that are apart',
      'events_list',
      () => ({ detection_filter: ['class:bolt', 'confidence:gte:0.5'] }),
      /each of several filters names a class; terms of one filter stand in one text/,
    ],
    ['too high a limit', 'events_latest', () => ({ limit: 2_000 }), /limit: /],
    ['an unknown event', 'events_get', () => ({ event_id: 'e1' }), /not_found[\s\S]*events_list/],
    [
      'an unknown draft',
      'events_finalize',
      () => ({ event_id: 'e1' }),
      /not_found[\s\S]*events_list/,
    ],
    [
      'an unknown event to hold',
      'events_hold',
      () => ({ event_id: 'e1', reason: 'a' }),
      /not_found/,
    ],
    ['a hold without a reason', 'events_hold', () => ({ event_id: 'e1' }), /reason: is required/],
    ['an unknown event to release', 'events_release', () => ({ event_id: 'e1' }), /not_found/],
    ['an unknown event to retry', 'events_retry_upload', () => ({ event_id: 'e1' }), /not_found/],
    [
      'an unknown reason',
      'events_ledger',
      () => ({ reason: 'hunger' }),
      /reason: expected one of age, /,
    ],
    [
      'a count of what is no text',
      'events_count',
      () => ({ device_id: 3 }),
      /device_id: expected a string/,
    ],
    ['arguments where there are none', 'events_stats', () => ({ all: true }), /all: is not known/],
    ['schemas likewise', 'event_schemas_list', () => ({ all: true }), /all: is not known/],
    [
      'a video for nobody',
      'events_attach_video',
      () => ({ event_id: 'e1', file: join(fovea.folder, 'good.mp4') }),
      /not_found/,
    ],
    [
      'a file outside the file roots',
      'events_attach_file',
      () => ({ event_id: 'e1', file: '/etc/hostname' }),
      /file: .*outside/,
    ],
    ['no file', 'events_attach_file', () => ({ event_id: 'e1' }), /file: is required/],
  ])('%s', async (_name, tool, args, words) => {
    await writeFile(join(fovea.folder, 'good.mp4'), mp4());
    const whole = tool === 'events_create' ? { ...passed, ...args() } : args();
    expect(await refused(fovea, tool, whole)).toMatch(words);
  });

  test('a file that is no video, and files that are too large', async () => {
    const event_id = await create(fovea, { draft: true });
    const [large, larger] = [join(fovea.folder, 'large.txt'), join(fovea.folder, 'larger.mp4')];
    await writeFile(large, 'x'.repeat(2_000));
    await writeFile(larger, mp4(5_000_000));
    const noVideo = await refused(fovea, 'events_attach_video', { event_id, file: large });
    expect(noVideo).toMatch(/unsupported_media[\s\S]*events_attach_file takes any file/);
    const video = await refused(fovea, 'events_attach_video', { event_id, file: larger });
    expect(video).toMatch(/too_large[\s\S]*MAX_VIDEO_UPLOAD_BYTES/);
    const file = await refused(fovea, 'events_attach_file', { event_id, file: large });
    expect(file).toMatch(/too_large[\s\S]*MAX_LOCAL_ONLY_UPLOAD_BYTES/);
    expect(await fovea.ok('events_get', { event_id })).toMatchObject({ current_file_count: 0 });
  });
});

describe('a store at its limits', () => {
  test('that makes room says what it removed', async () => {
    const small = await startEventStoreProcess({ environment: { MAX_RECORDS: '3' } });
    const host = await launchFovea({ FOVEA_DEVICE_URL: small.url });
    const first = await create(host);
    for (let index = 0; index < 5; index++) await create(host);
    const { text, data } = await host.call('events_stats');
    expect(text).toMatch(/Removed so far: \d+ for record_limit\. Of the last \d, \d were never/);
    expect(Object(data.next)).toMatchObject([{ tool: 'events_ledger' }]);
    const { lines } = await host.ok('events_ledger', { event_id: first });
    expect(lines).toMatchObject([{ event_id: first, reason: 'record_limit' }]);
    expect(await refused(host, 'events_get', { event_id: first })).toContain('events_ledger');
    await host.close();
    await small.stop();
  });

  test('that waits for uploads says what blocks it, and what would help', async () => {
    const environment = {
      MAX_RECORDS: '2',
      CLOUD_UPLOAD_ENABLED: '1',
      CLOUD_UPLOAD_URL: 'http://127.0.0.1:9',
      CLOUD_UPLOAD_API_KEY: 'a-key',
    };
    const full = await startEventStoreProcess({ environment });
    const host = await launchFovea({ FOVEA_DEVICE_URL: full.url });
    expect(await refused(host, 'events_create', passed)).toMatch(/solution.*DEFAULT_SOLUTION_ID/);
    await create(host, { solution: 'line' });
    await create(host, { solution: 'line' });
    const text = await refused(host, 'events_create', { ...passed, solution: 'line' });
    expect(text).toContain('Error (full, state)');
    expect(text).toMatch(/Hint: To make room: let 2 waiting events upload .*raise MAX_RECORDS/);
    const stats = await host.call('events_stats');
    expect(stats.text).toMatch(
      /Blocked: <([0-9a-f]{8})>The store .*<\/\1>. To take in events again: let 2 waiting events upload/,
    );
    expect(stats.text).toMatch(/2 events \([\d.]+ \w+\) wait for upload/);
    const { checks } = await host.ok('doctor');
    expect(Object(checks)).toContainEqual(
      expect.objectContaining({ check: 'event store', ok: false, fix: expect.anything() }),
    );
    await host.close();
    await full.stop();
  });
});

test('a result names no operation that the profile does not list without the way to it', async () => {
  const small = await launchFovea({
    FOVEA_DEVICE_URL: store.url,
    FOVEA_TOOL_PROFILE: 'default',
  });
  onTestFinished(() => small.close());
  const { text } = await small.call('events_create', { ...passed, draft: true });
  expect(text).toContain(
    ' events_attach_video (by operations_write) and events_attach_file add files until ',
  );
});
