// Judges how a store writes vision events of many calls at once, and removes old ones.

import { describe, expect, test } from 'vitest';
import { rowReads } from '../../../src/platform/database/long-reads/run-long-read.ts';
import type { VisionEvent } from '../../../src/platform/store/vision-events.ts';
import { fencedIn, type OpenStores, withProject } from './opened-stores.ts';

export function judgeVisionEvents(open: OpenStores): void {
  describe('vision events', () => {
    judgeSharedWrites(open);
    judgeWaiting(open);
    judgeRemoval(open);
  });
}

const dayMs = 24 * 60 * 60 * 1000;

function event(eventId: string, changes: Partial<VisionEvent> = {}): VisionEvent {
  return {
    useCaseId: 'belt',
    eventId,
    eventType: 'quality_check',
    occurred: 10,
    content: JSON.stringify({ eventId }),
    imageIds: [],
    inference: undefined,
    ...changes,
  };
}

function seenBy(workspaceId: string, id: string, confidence: number) {
  return {
    id,
    workspaceId,
    projectId: undefined,
    modelName: 'belt',
    source: 'vision_event' as const,
    created: 10,
    responseMs: undefined,
    error: undefined,
    seen: [{ class: 'cap', confidence }],
  };
}

function judgeSharedWrites(open: OpenStores): void {
  test('of calls at once are each written all or none, whatever becomes of others', async () => {
    const { store, workspace } = await withProject(open);
    const { visionEvents, useCases } = store;
    const add = (...events: VisionEvent[]) => visionEvents.add(workspace.id, events, 30);
    await add(event('first'));
    const other = { content: '{"other":1}' };
    const calls = await Promise.allSettled([
      add(event('a'), event('b'), event('a')),
      add(event('c'), event('first', other)),
      add(event('b'), event('d')),
      add(event('e', { useCaseId: 'new' })),
      add(event('e'), event('e', other)),
      add(event('e')),
    ]);
    expect(calls).toEqual([
      { status: 'fulfilled', value: [true, true, false] },
      { status: 'rejected', reason: expect.objectContaining({ code: 'conflict' }) },
      { status: 'fulfilled', value: [false, true] },
      { status: 'fulfilled', value: [true] },
      { status: 'rejected', reason: expect.objectContaining({ code: 'conflict' }) },
      { status: 'fulfilled', value: [true] },
    ]);
    expect(await useCases.find(workspace.id, 'belt')).toMatchObject({ events: 5 });
    expect(await useCases.find(workspace.id, 'new')).toMatchObject({ events: 1 });
  });

  test('of many calls count what was seen once for each event', async () => {
    const { store, database, index, workspace } = await withProject(open);
    const { id } = workspace;
    const calls = Array.from({ length: 130 }, (_, number) => {
      const name = `e${number % 125}`;
      const inference = seenBy(id, name, 0.5);
      return store.visionEvents.add(id, [event(name, { inference })], 30);
    });
    // Another use case may have an event of the same id: it counts too.
    const twin = event('e1', { useCaseId: 'lane', inference: seenBy(id, 'e1', 0.5) });
    calls.push(store.visionEvents.add(id, [twin], 30));
    const added = (await Promise.all(calls)).flat();
    expect(added.filter(Boolean)).toHaveLength(126);
    const snapshot = await database.snapshot();
    const window = { workspaceId: id, from: 0, to: 100, models: ['belt'] };
    const stats = await rowReads(index).stats(snapshot, window);
    await snapshot.close();
    expect(stats).toMatchObject({ classes: [{ class: 'cap', count: 126 }] });
  });
}

function judgeWaiting(open: OpenStores): void {
  test('are refused where too many wait, and taken again', async () => {
    const { store, workspace } = await withProject(open);
    const { visionEvents, useCases } = store;
    const calls = Array.from({ length: 120 }, (_, call) => {
      const events = Array.from({ length: 100 }, (__, place) => event(`${call} ${place}`));
      return visionEvents.add(workspace.id, events, 30);
    });
    expect(() => visionEvents.admit('one', 1)).toThrow(/^\d+ events wait to be written\.$/);
    const settled = await Promise.allSettled(calls);
    const taken = settled.filter(({ status }) => status === 'fulfilled').length;
    expect(taken).toBeGreaterThan(50);
    expect(taken).toBeLessThan(120);
    const refused = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    for (const reason of refused) {
      expect(reason).toMatchObject({ code: 'rate_limited' });
      expect(reason.retryAfterSeconds).toBeGreaterThanOrEqual(1);
      expect(reason.retryAfterSeconds).toBeLessThanOrEqual(60);
    }
    const events = taken * 100;
    expect(await useCases.find(workspace.id, 'belt')).toMatchObject({ events });
    visionEvents.admit('one', 1)();
  });

  test('are refused before their bodies are read, where many bodies are being read', async () => {
    const { store } = await withProject(open);
    const { visionEvents } = store;
    const letIn = (caller: string, bodies: number) =>
      Array.from({ length: bodies }, () => visionEvents.admit(caller, 1_000_000));
    const leave = letIn('one', 76);
    expect(() => letIn('one', 1)).toThrow(/^7600 events wait to be written\.$/);
    // They leave room for others.
    leave.push(...letIn('two', 25));
    expect(() => letIn('three', 1)).toThrow(/^10100 events wait to be written\.$/);
    leave.shift()?.();
    leave.push(...letIn('one', 1));
    for (const end of leave) end();
    for (const caller of ['one', 'two', 'three']) visionEvents.admit(caller, 1)();
  });
}

function judgeRemoval(open: OpenStores): void {
  test('go when they are old, some at a time, with images that are used no more', async () => {
    const { store, database, workspace } = await withProject(open);
    const { visionEvents, useCases, purge } = store;
    const fenced = fencedIn(database);
    const addImage = (id: string, created: number) =>
      visionEvents.addImage({
        id,
        workspaceId: workspace.id,
        hash: `hash ${id}`,
        bytes: 3,
        contentType: 'image/png',
        name: id,
        metadata: {},
        created,
      });
    await addImage('shown again', 10);
    await addImage('sent again', 10);
    await addImage('old', 10);
    const old = ['a', 'b', 'c'].map((id) => event(id, { imageIds: ['shown again', 'old'] }));
    await visionEvents.add(workspace.id, old, 20);
    await visionEvents.add(workspace.id, [event('d', { useCaseId: 'lane' })], 20);
    const now = 3 * dayMs;
    const fresh = event('e', { occurred: now, imageIds: ['shown again'] });
    await visionEvents.add(workspace.id, [fresh], now);
    await addImage('sent again', now);
    const before = 2 * dayMs;
    expect(await purge.oldEvents(before, 3, fenced)).toBe(3);
    expect(await purge.oldEvents(before, 3, fenced)).toBe(1);
    expect(await purge.oldEvents(before, 3, fenced)).toBe(0);
    expect(await useCases.find(workspace.id, 'belt')).toMatchObject({ events: 1 });
    expect(await useCases.find(workspace.id, 'lane')).toMatchObject({ events: 0 });
    expect(await purge.oldEventImages(before, 9, fenced)).toBe(1);
    const ids = ['shown again', 'sent again', 'old'];
    expect(await visionEvents.missingImages(workspace.id, ids)).toEqual(['old']);
    expect(await store.refersTo('hash old')).toBe(false);
    expect(await store.refersTo('hash sent again')).toBe(true);
  });
}
