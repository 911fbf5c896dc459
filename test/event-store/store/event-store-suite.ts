// What every Event Store must do, whatever it stands on.

import { describe, expect, test } from 'vitest';
import { arrivalOf } from '../../../src/event-store/ids.ts';
import type {
  EventQuery,
  EventStore,
  MetadataCondition,
} from '../../../src/event-store/store/store.ts';
import { type SettableClock, settableClock } from '../../fixtures/settable-clock.ts';
import { allPages, newEvent, newFile } from './new-events.ts';

type Open = (clock: SettableClock) => Promise<EventStore>;

/** The clock of a store starts here, in microseconds. */
const start = Date.UTC(2026, 10, 20) * 1000;
const newest: EventQuery = { limit: 100, order: 'newest_first' };
const oldest: EventQuery = { limit: 100, order: 'oldest_first' };

export function eventStoreSuite(name: string, open: Open): void {
  describe(name, () => {
    creation(open);
    wrongIds(open);
    drafts(open);
    pages(open);
    metadata(open);
    counts(open);
    removal(open);
    spared(open);
    uploads(open);
  });
}

function startClock(): SettableClock {
  return settableClock(start / 1000);
}

function creation(open: Open): void {
  test('an event comes back as it was given', async () => {
    const store = await open(startClock());
    const given = newEvent({
      solution: 'bolts',
      workflowId: 'w',
      workflowVersion: '2',
      deviceId: 'd',
      streamId: 's',
      imageId: 'i',
      externalId: 'e',
      relatedEventId: 'r',
      inferenceTimestamp: '2026-11-20 07:00',
      eventSchema: 'quality_check',
      eventData: { result: 'pass', text: 'ü"\n\u0000' },
      customMetadata: { line: 5, a: [1] },
      displayImagePosition: 0,
      images: [imageOfBolt],
      files: [newFile({ id: 'f1', label: 'left' })],
    });
    const { id, arrival } = await store.create(given);
    const { files: _, ...rest } = given;
    expect(await store.get(id)).toEqual({
      ...rest,
      id,
      arrival,
      apiVersion: 'v2',
      upload: 'waiting',
      finalizedAt: arrival,
      videos: [],
      localOnlyFiles: [],
      originalFileCount: 1,
      currentFileCount: 1,
      autoFinalizedAt: undefined,
      uploadError: undefined,
      uploadedAt: undefined,
      hold: undefined,
    });
    expect(await store.file('f1')).toMatchObject({ eventId: id, label: 'left', kind: 'image' });
  });

  test('the id carries the arrival, and the arrival is the time', async () => {
    const store = await open(startClock());
    const { id, arrival } = await store.create(newEvent());
    expect(arrival).toBe(start);
    expect(arrivalOf(id)).toBe(arrival);
  });

  test('no two arrivals are the same, and none goes back with the clock', async () => {
    const clock = startClock();
    const store = await open(clock);
    const first = await Promise.all([1, 2, 3].map(() => store.create(newEvent())));
    clock.advance(-3_600_000);
    const second = await store.create(newEvent());
    clock.advance(7_200_000);
    const third = await store.create(newEvent());
    const arrivals = [...first, second, third].map(({ arrival }) => arrival - start);
    expect(arrivals).toEqual([0, 1, 2, 3, 3_600_000_000]);
  });
}

const imageOfBolt = {
  file_id: 'f1',
  input_file_id: null,
  label: 'left',
  metadata: { lens: 'wide' },
  object_detections: [{ class: 'bolt', x: 1.5, y: 2, width: 3, height: 4, confidence: 1 }],
  classifications: [],
  instance_segmentations: [],
  keypoints: [],
};

function wrongIds(open: Open): void {
  test('an id that was never given names no event', async () => {
    const store = await open(startClock());
    const { id } = await store.create(newEvent());
    const other = id.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    for (const wrong of [other, '', 'latest', id.slice(0, -1)]) {
      expect(await store.get(wrong)).toBe(undefined);
      for (const call of [store.finalize(wrong), store.hold(wrong, 'r'), store.release(wrong)]) {
        await expect(call).rejects.toMatchObject({ code: 'not_found' });
      }
      const attach = store.attach(wrong, newFile({ kind: 'video' }));
      await expect(attach).rejects.toMatchObject({ code: 'not_found' });
    }
    expect(await store.file('unknown')).toBe(undefined);
  });

  test('a refused write undoes none that goes with it', async () => {
    const store = await open(startClock());
    const { id } = await store.create(newEvent());
    const answers = await Promise.allSettled([
      store.create(newEvent()),
      store.attach(id, newFile()),
      store.create(newEvent()),
      store.finalize('unknown'),
      store.create(newEvent()),
    ]);
    const statuses = answers.map(({ status }) => status);
    expect(statuses).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled']);
    expect(await store.usage()).toMatchObject({ records: 4, images: 0, fileDiskBytes: 0 });
  });
}

function drafts(open: Open): void {
  test('files go to drafts, in their order, and are listed by kind', async () => {
    const store = await open(startClock());
    const { id } = await store.create(newEvent({ draft: true, files: [newFile()] }));
    const video = newFile({ kind: 'video', label: 'v', contentType: 'video/mp4', bytes: 7 });
    const first = newFile({ kind: 'local_only', label: 'first' });
    const second = newFile({ kind: 'local_only', label: 'second' });
    for (const file of [first, video, second]) await store.attach(id, file);
    const event = await store.get(id);
    expect(event).toMatchObject({ draft: true, originalFileCount: 4, currentFileCount: 4 });
    expect(event?.videos).toEqual([{ ...video, eventId: id, sourceId: undefined }]);
    expect(event?.localOnlyFiles.map(({ label }) => label)).toEqual(['first', 'second']);
  });

  test('finalizing is done once, and said again', async () => {
    const clock = startClock();
    const store = await open(clock);
    const { id } = await store.create(newEvent({ draft: true }));
    clock.advance(5);
    const finalizedAt = start + 5000;
    const answer = { id, finalizedAt, autoFinalizedAt: undefined };
    expect(await store.finalize(id)).toEqual({ ...answer, alreadyFinalized: false });
    clock.advance(5);
    expect(await store.finalize(id)).toEqual({ ...answer, alreadyFinalized: true });
    expect(await store.get(id)).toMatchObject({ draft: false, upload: 'waiting', finalizedAt });
    const attach = store.attach(id, newFile({ kind: 'video' }));
    await expect(attach).rejects.toMatchObject({ code: 'conflict' });
  });

  test('the sweep finalizes old drafts, and leaves spared and young ones', async () => {
    const clock = startClock();
    const store = await open(clock);
    const [old, spared, other] = await Promise.all(
      [1, 2, 3].map(() => store.create(newEvent({ draft: true }))),
    );
    clock.advance(10);
    const young = await store.create(newEvent({ draft: true }));
    const sweep = (limit: number) => store.finalizeDrafts(young.arrival, [spared?.id ?? ''], limit);
    expect([await sweep(1), await sweep(5), await sweep(5)]).toEqual([1, 1, 0]);
    const times = { finalizedAt: start + 10_000, autoFinalizedAt: start + 10_000, draft: false };
    expect(await store.get(old?.id ?? '')).toMatchObject(times);
    expect(await store.get(other?.id ?? '')).toMatchObject(times);
    expect(await store.usage()).toMatchObject({ drafts: 2, oldestDraft: spared?.arrival });
    const again = await store.finalize(old?.id ?? '');
    expect(again).toMatchObject({ alreadyFinalized: true, autoFinalizedAt: start + 10_000 });
  });
}

function pages(open: Open): void {
  test('pages of events that came at once neither lose nor repeat', async () => {
    const store = await open(startClock());
    const created = await Promise.all(Array.from({ length: 25 }, () => store.create(newEvent())));
    const arrivals = created.map(({ arrival }) => arrival);
    const up = await allPages(store, { ...oldest, limit: 4 });
    expect(up.map(({ arrival }) => arrival)).toEqual(arrivals);
    const down = await allPages(store, { ...newest, limit: 4 });
    expect(down.map(({ arrival }) => arrival)).toEqual([...arrivals].reverse());
  });

  test('the next page is named by its first event, and only when there is one', async () => {
    const store = await open(startClock());
    for (let count = 0; count < 4; count += 1) await store.create(newEvent());
    const ends = async (limit: number) => [
      (await store.list({ ...newest, limit })).next,
      (await store.list({ ...oldest, limit })).next,
    ];
    expect(await ends(3)).toEqual([start, start + 3]);
    expect(await ends(4)).toEqual([undefined, undefined]);
  });

  test('both ends of a time range are in it', async () => {
    const store = await open(startClock());
    for (let count = 0; count < 5; count += 1) await store.create(newEvent());
    const { events } = await store.list({ ...oldest, from: start + 1, until: start + 3 });
    expect(events.map(({ arrival }) => arrival - start)).toEqual([1, 2, 3]);
    expect((await store.list({ ...newest, from: start + 3, until: start + 1 })).events).toEqual([]);
    // Years that no store will see.
    const always = { from: -62_135_596_800_000_000, until: 253_402_300_799_000_000 };
    expect((await store.list({ ...newest, ...always })).events).toHaveLength(5);
  });

  test('every filter, alone and together', async () => {
    const store = await open(startClock());
    const one = { deviceId: 'd1', eventSchema: 'custom', workflowId: 'w1', externalId: 'e1' };
    const two = { deviceId: 'd2', eventSchema: 'safety_alert', relatedEventId: 'r' };
    await store.create(newEvent(one));
    await store.create(newEvent(two));
    await store.create(newEvent({ ...one, draft: true, externalId: 'e2' }));
    await store.create(newEvent());
    const found = async (filter: Partial<EventQuery>) => {
      const { events } = await store.list({ ...oldest, ...filter });
      return events.map(({ arrival }) => arrival - start);
    };
    expect(await found({ deviceIds: ['d1'] })).toEqual([0, 2]);
    expect(await found({ deviceIds: ['d1', 'd2', 'd2', 'unknown'] })).toEqual([0, 1, 2]);
    expect(await found({ eventSchemas: ['safety_alert'] })).toEqual([1]);
    expect(await found({ workflowIds: ['w1'] })).toEqual([0, 2]);
    expect(await found({ externalIds: ['e1', 'e2'] })).toEqual([0, 2]);
    expect(await found({ relatedEventId: 'r' })).toEqual([1]);
    expect(await found({ includeDrafts: false })).toEqual([0, 1, 3]);
    expect(await found({ deviceIds: ['d1'], includeDrafts: false })).toEqual([0]);
    expect(await found({ deviceIds: ['d1'], eventSchemas: ['safety_alert'] })).toEqual([]);
    expect(await found({ deviceIds: ['d1'], externalIds: ['e2'], workflowIds: ['w1'] })).toEqual([
      2,
    ]);
    expect(await found({ deviceIds: [] })).toEqual([]);
    expect(await found({ deviceIds: ['D1'] })).toEqual([]);
  });
}

function metadata(open: Open): void {
  const values = [1, 5, 10, '1', '5', '10', 'b', true, false, null, [5], { line: 5 }, undefined];

  const cases: readonly [MetadataCondition['operator'], MetadataCondition['values'], unknown[]][] =
    [
      ['eq', [5], [5]],
      ['eq', ['5'], ['5']],
      ['eq', [5, '5'], [5, '5']],
      ['eq', [true, 'true'], [true]],
      ['eq', [1], [1]],
      ['eq', [5.0000000001], []],
      ['ne', [5, '5'], [1, 10, '1', '10', 'b', true, false]],
      ['ne', [true, 'true'], [1, 5, 10, '1', '5', '10', 'b', false]],
      ['gt', [1], [5, 10]],
      ['gt', ['1'], ['5', '10', 'b']],
      ['gt', [5, '5'], [10, 'b']],
      ['gte', [5], [5, 10]],
      ['gte', ['5'], ['5', 'b']],
      ['lt', [5], [1]],
      ['lt', ['5'], ['1', '10']],
      ['lte', [5, '5'], [1, 5, '1', '5', '10']],
      ['gt', [false], []],
      ['lte', [true], []],
    ];

  test('metadata is compared with values of its own type', async () => {
    const store = await open(startClock());
    for (const value of values) {
      await store.create(newEvent({ customMetadata: value === undefined ? {} : { key: value } }));
    }
    await store.create(newEvent());
    for (const [operator, wanted, expected] of cases) {
      const condition = { key: 'key', operator, values: wanted };
      const { events } = await store.list({ ...oldest, metadata: [condition] });
      expect([condition, events.map((event) => event.customMetadata?.key)]).toEqual([
        condition,
        expected,
      ]);
    }
  });

  test('conditions add up; keys are told apart', async () => {
    const store = await open(startClock());
    const given = [{ a: 1, b: 1 }, { a: 1, b: 2 }, { a: 2, b: 2 }, { A: 1 }, { 'a.b': 1 }];
    for (const customMetadata of given) await store.create(newEvent({ customMetadata }));
    const found = async (...metadata: readonly MetadataCondition[]) => {
      const { events } = await store.list({ ...oldest, metadata });
      return events.map(({ customMetadata }) => customMetadata);
    };
    const is = (key: string, value: number): MetadataCondition => ({
      key,
      operator: 'eq',
      values: [value],
    });
    expect(await found(is('a', 1), is('b', 2))).toEqual([{ a: 1, b: 2 }]);
    expect(await found(is('a', 1), is('a', 2))).toEqual([]);
    expect(await found(is('a.b', 1))).toEqual([{ 'a.b': 1 }]);
    expect(await found(is('toString', 1))).toEqual([]);
    expect(await found(is('c', 1))).toEqual([]);
  });
}

function counts(open: Open): void {
  test('counts are exact, and their ends are those of what is counted', async () => {
    const store = await open(startClock());
    const nothing = { total: 0, filtered: 0, oldest: undefined, newest: undefined };
    expect(await store.count({})).toEqual(nothing);
    for (const deviceId of ['a', 'b', 'b', undefined]) await store.create(newEvent({ deviceId }));
    const all = { total: 4, filtered: 4, oldest: start, newest: start + 3 };
    expect(await store.count({})).toEqual(all);
    const ofB = { total: 4, filtered: 2, oldest: start + 1, newest: start + 2 };
    expect(await store.count({ deviceId: 'b' })).toEqual(ofB);
    expect(await store.count({ deviceId: 'b', eventSchema: 'custom' })).toEqual(ofB);
    expect(await store.count({ deviceId: 'c' })).toEqual({ ...nothing, total: 4 });
    const none = { deviceId: 'b', eventSchema: 'custom', workflowId: 'w' };
    expect(await store.count(none)).toEqual({ ...nothing, total: 4 });
  });
}

function removal(open: Open): void {
  test('the oldest go first, up to the limit; each leaves a line', async () => {
    const clock = startClock();
    const store = await open(clock);
    const created = await Promise.all(
      Array.from({ length: 5 }, (_, index) => store.create(newEvent({ deviceId: `d${index}` }))),
    );
    clock.advance(1000);
    const rule = { reason: 'record_limit', before: undefined, sparesUnsent: false } as const;
    expect(await store.remove({ ...rule, limit: 2 })).toEqual({ events: 2, diskBytes: 0 });
    const { events } = await store.list(oldest);
    expect(events.map(({ deviceId }) => deviceId)).toEqual(['d2', 'd3', 'd4']);
    const line = {
      ordinal: 2,
      removedAt: start + 1_000_000,
      reason: 'record_limit',
      eventId: created[1]?.id,
      arrival: start + 1,
      eventSchema: 'custom',
      deviceId: 'd1',
      upload: 'waiting',
      files: 0,
      diskBytes: 0,
    };
    expect(await store.ledger({ limit: 1 })).toEqual({ lines: [line], next: 2 });
    const rest = await store.ledger({ limit: 1, before: 2 });
    expect(rest.lines.map(({ eventId }) => eventId)).toEqual([created[0]?.id]);
    expect(rest.next).toBe(undefined);
    const ofFirst = await store.ledger({
      limit: 9,
      eventId: created[0]?.id,
      reason: 'record_limit',
    });
    expect(ofFirst.lines).toEqual(rest.lines);
    expect((await store.ledger({ limit: 9, reason: 'age' })).lines).toEqual([]);
    expect((await store.ledger({ limit: 9, eventId: 'unknown' })).lines).toEqual([]);
    expect(await store.usage()).toMatchObject({ records: 3, removed: { record_limit: 2 } });
    expect(await store.get(created[0]?.id ?? '')).toBe(undefined);
  });

  test('held events stay, and go once they are released', async () => {
    const store = await open(startClock());
    const held = await store.create(newEvent());
    const draft = await store.create(newEvent({ draft: true }));
    await store.hold(held.id, 'accident');
    await store.hold(held.id, 'court');
    const rule = { reason: 'disk_full', before: undefined, sparesUnsent: false, limit: 9 } as const;
    expect(await store.remove(rule)).toEqual({ events: 1, diskBytes: 0 });
    expect(await store.get(draft.id)).toBe(undefined);
    expect(await store.get(held.id)).toMatchObject({ hold: 'court' });
    expect(await store.usage()).toMatchObject({ held: 1, records: 1, drafts: 0 });
    await store.release(held.id);
    await store.release(held.id);
    expect(await store.usage()).toMatchObject({ held: 0 });
    expect(await store.remove(rule)).toEqual({ events: 1, diskBytes: 0 });
  });
}

function spared(open: Open): void {
  test('unsent events are spared when the rule says so, and young ones by their age', async () => {
    const clock = startClock();
    const store = await open(clock);
    const give = async (draft: boolean) => (await store.create(newEvent({ draft }))).id;
    const [draft, waiting] = [await give(true), await give(false)];
    const [uploaded, refused] = [await give(false), await give(false)];
    await store.uploaded([uploaded]);
    await store.uploadRefused(refused, 'no');
    clock.advance(1);
    const young = await give(false);
    await store.uploaded([young]);
    const rule = { reason: 'age', before: start + 1000, limit: 9 } as const;
    expect((await store.remove({ ...rule, sparesUnsent: true })).events).toBe(2);
    const left = async () => (await store.list(oldest)).events.map(({ id }) => id);
    expect(await left()).toEqual([draft, waiting, young]);
    expect((await store.remove({ ...rule, sparesUnsent: false })).events).toBe(2);
    expect(await left()).toEqual([young]);
  });

  test('files of removed events count until they are unlinked', async () => {
    const store = await open(startClock());
    const files = (id: string) => [newFile({ id, diskBytes: 8192 })];
    await store.create(newEvent({ files: files('one') }));
    await store.create(newEvent({ files: files('two') }));
    await store.create(newEvent({ files: files('three') }));
    const rule = {
      reason: 'byte_limit',
      before: undefined,
      sparesUnsent: false,
      limit: 9,
    } as const;
    const removed = await store.remove({ ...rule, diskBytes: 8193 });
    expect(removed).toEqual({ events: 2, diskBytes: 16_384 });
    const full = { images: 1, fileDiskBytes: 24_576, waitingDiskBytes: 8192 };
    expect(await store.usage()).toMatchObject(full);
    expect(await store.file('one')).toBe(undefined);
    expect([...(await store.filesToUnlink(9))].sort()).toEqual(['one', 'two']);
    expect(await store.filesToUnlink(1)).toHaveLength(1);
    await store.unlinked(['one', 'unknown', 'three']);
    await store.unlinked(['one']);
    expect(await store.filesToUnlink(9)).toEqual(['two']);
    expect(await store.usage()).toMatchObject({ ...full, fileDiskBytes: 16_384 });
  });
}

function uploads(open: Open): void {
  test('events wait, are sent, or are refused; refused ones can be tried again', async () => {
    const clock = startClock();
    const store = await open(clock);
    const give = async (draft = false) => (await store.create(newEvent({ draft }))).id;
    const [first, draft, second, third] = [
      await give(),
      await give(true),
      await give(),
      await give(),
    ];
    const waiting = async (after = 0) => (await store.waiting(after, 9)).map(({ id }) => id);
    expect(await waiting()).toEqual([first, second, third]);
    expect(await waiting(start)).toEqual([second, third]);
    clock.advance(1);
    await store.uploadRefused(first, 'status 400');
    await store.uploaded([second, draft, 'unknown']);
    expect(await waiting()).toEqual([third]);
    expect(await store.get(first)).toMatchObject({ upload: 'refused', uploadError: 'status 400' });
    const sent = { upload: 'uploaded', uploadedAt: start + 1000 };
    expect(await store.get(second)).toMatchObject(sent);
    expect(await store.get(draft)).toMatchObject({ upload: 'draft', uploadedAt: undefined });
    await expect(store.uploadRefused(draft, 'no')).rejects.toMatchObject({ code: 'conflict' });
    await expect(store.retryUpload('unknown')).rejects.toMatchObject({ code: 'not_found' });
    expect(await store.retryUpload(second)).toBe(0);
    expect(await store.retryUpload(first)).toBe(1);
    await store.uploadRefused(first, 'again');
    await store.uploadRefused(third, 'too');
    expect(await store.usage()).toMatchObject({ waiting: 0, refused: 2, uploaded: 1, drafts: 1 });
    expect(await store.retryUpload(undefined)).toBe(2);
    expect(await store.get(first)).toMatchObject({ upload: 'waiting', uploadError: undefined });
    expect(await waiting()).toEqual([first, third]);
  });

  test('images know what the cloud calls them', async () => {
    const store = await open(startClock());
    const files = [newFile({ id: 'b' }), newFile({ id: 'a' })];
    const { id } = await store.create(newEvent({ draft: true, files }));
    await store.attach(id, newFile({ id: 'v', kind: 'video' }));
    await store.imageUploaded('a', 'cloud-1');
    const images = await store.images(id);
    const seen = images.map((image) => [image.id, image.sourceId]);
    expect(seen).toEqual([
      ['b', undefined],
      ['a', 'cloud-1'],
    ]);
    for (const other of ['v', 'unknown']) {
      const refused = store.imageUploaded(other, 'cloud-2');
      await expect(refused).rejects.toMatchObject({ code: 'not_found' });
    }
    await expect(store.images('unknown')).rejects.toMatchObject({ code: 'not_found' });
  });
}
