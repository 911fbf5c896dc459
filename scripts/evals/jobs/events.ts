// Jobs about events: evidence on the device, and events of the platform.

import assert from 'node:assert/strict';
import { at, type Job, listAt, nothing, type Scene } from '../job.ts';

const failed = {
  event_schema: 'quality_check',
  event_data: { result: 'fail' },
  device_id: 'line-2',
};

async function storedEvents({ event }: Scene): Promise<readonly unknown[]> {
  return listAt(await event('/v2/events?limit=100'), 'events');
}

export const eventJobs: readonly Job[] = [
  {
    name: 'record-event',
    prompt:
      'Record on this device that a quality check on the device "line-2" failed, with the part ' +
      'number A-17 as metadata (key "part").',
    seed: nothing,
    solve: async (call) => {
      await call('events_create', { ...failed, custom_metadata: { part: 'A-17' } });
    },
    check: async (scene) => {
      const [event, ...others] = await storedEvents(scene);
      assert.equal(others.length, 0);
      assert.equal(at(event, 'event_schema'), 'quality_check');
      assert.equal(at(event, 'event_data.result'), 'fail');
      assert.equal(at(event, 'device_id'), 'line-2');
      assert.equal(at(event, 'custom_metadata.part'), 'A-17');
      assert.equal(at(event, 'draft') ?? false, false);
    },
  },
  {
    name: 'evidence-with-file',
    prompt:
      'Record a failed quality check on the device "line-2". Keep the file {files}/report.txt ' +
      'with it, and only then close the event.',
    seed: async ({ files }) => {
      const { writeFile } = await import('node:fs/promises');
      await writeFile(`${files}/report.txt`, 'The weld is porous.\n');
    },
    solve: async (call, files) => {
      const { id: event_id } = await call('events_create', { ...failed, draft: true });
      await call('events_attach_file', { event_id, file: `${files}/report.txt` });
      await call('events_finalize', { event_id });
    },
    check: async (scene) => {
      const [event, ...others] = await storedEvents(scene);
      assert.equal(others.length, 0);
      assert.equal(at(event, 'draft') ?? false, false);
      assert.equal(listAt(event, 'local_only_files').length, 1);
      assert.equal(at(event, 'local_only_files.0.size_bytes'), 20);
    },
  },
  {
    name: 'close-drafts',
    prompt: 'Some events on this device are still drafts. Close all those of the device "line-2".',
    seed: async ({ setUp }) => {
      for (const device_id of ['line-2', 'line-1', 'line-2']) {
        await setUp('events_create', { ...failed, device_id, draft: true });
      }
    },
    solve: async (call) => {
      const { events } = await call('events_list', { device_id: 'line-2' });
      for (const event of listAt({ events }, 'events')) {
        await call('events_finalize', { event_id: at(event, 'id') });
      }
    },
    check: async (scene) => {
      const drafts = (await storedEvents(scene)).filter((event) => at(event, 'draft') === true);
      assert.deepEqual(
        drafts.map((event) => at(event, 'device_id')),
        ['line-1'],
      );
    },
  },
  {
    name: 'hold-evidence',
    prompt:
      'There was an accident: the event on this device whose metadata says part = B-9 must not ' +
      'be cleaned away. Hold it, with the reason "accident 12".',
    seed: async ({ setUp }) => {
      for (const part of ['A-1', 'B-9', 'C-3']) {
        await setUp('events_create', { ...failed, custom_metadata: { part } });
      }
    },
    solve: async (call) => {
      const { events } = await call('events_list', {});
      const event = listAt({ events }, 'events').find(
        (one) => at(one, 'custom_metadata.part') === 'B-9',
      );
      await call('events_hold', { event_id: at(event, 'id'), reason: 'accident 12' });
    },
    check: async (scene) => {
      const held = (await storedEvents(scene)).filter((event) => at(event, 'hold') != null);
      assert.equal(held.length, 1);
      assert.equal(at(held[0], 'custom_metadata.part'), 'B-9');
      assert.equal(at(held[0], 'hold'), 'accident 12');
    },
  },
  {
    name: 'count-into-metadata',
    prompt:
      'Count the failed and the passed quality checks on this device and write a new event with ' +
      'the schema "custom" for the device "shift-report", with custom metadata failed and passed.',
    seed: async ({ setUp }) => {
      for (const result of ['fail', 'pass', 'fail', 'pass', 'pass']) {
        await setUp('events_create', { ...failed, event_data: { result } });
      }
    },
    solve: async (call) => {
      await call('events_create', {
        event_schema: 'custom',
        event_data: { value: 'shift report' },
        device_id: 'shift-report',
        custom_metadata: { failed: 2, passed: 3 },
      });
    },
    check: async (scene) => {
      const reports = (await storedEvents(scene)).filter(
        (event) => at(event, 'device_id') === 'shift-report',
      );
      assert.equal(reports.length, 1);
      assert.equal(Number(at(reports[0], 'custom_metadata.failed')), 2);
      assert.equal(Number(at(reports[0], 'custom_metadata.passed')), 3);
    },
  },
];
