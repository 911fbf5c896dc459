// What tests of the events tools share: the life of a draft, wherever its Event Store runs.

import { writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Facts, Fovea } from '../fixtures/fovea.ts';
import { mp4 } from '../fixtures/mp4-files.ts';

export const passed = { event_schema: 'quality_check', event_data: { result: 'pass' } };

/** Creates an event, and gives its id. */
export async function create(fovea: Fovea, changes: Facts = {}): Promise<string> {
  return String((await fovea.ok('events_create', { ...passed, ...changes })).id);
}

/** The text of a call that must be refused. */
export async function refused(fovea: Fovea, tool: string, args: Facts): Promise<string> {
  const { isError, text } = await fovea.call(tool, args);
  expect([isError, text]).toEqual([true, expect.anything()]);
  return text;
}

/** The tests use port 8001 of this machine, and must write into nobody's store. */
export async function checkPortIsFree(): Promise<void> {
  const isTaken = await new Promise<boolean>((resolve) => {
    const socket = createConnection(8001, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
  if (isTaken) throw new Error('Port 8001 is in use: stop its service, then run this test.');
}

export function testDraftLife(fovea: () => Fovea): void {
  test('a draft takes a video and a local file, and is finalized once', async () => {
    const video = join(fovea().folder, 'belt.mp4');
    const report = join(fovea().folder, 'report.csv');
    await writeFile(video, mp4(3_000_000));
    await writeFile(report, 'cell,count\nRBC,14\n');
    const made = await fovea().call('events_create', { ...passed, draft: true });
    const id = String(made.data.id);
    expect(made.text).toMatch(/^Stored draft "[\w-]+" \("quality_check"\)\. events_attach_video/);
    const next = [
      { tool: 'events_finalize', arguments: { event_id: id } },
      { tool: 'events_hold', arguments: { event_id: id } },
    ];
    const kept =
      / It is kept until 20\S+Z, by its age and if space lasts; events_hold keeps it for ever\./;
    expect(made.data).toMatchObject({ draft: true, image_ids: [], next });
    expect(made.text).toMatch(kept);

    const told: string[] = [];
    const attach = { event_id: id, file: video };
    const attached = await fovea().call('events_attach_video', attach, (line) => told.push(line));
    expect(attached.text).toContain('the video "belt.mp4" (3.0 MB, "video/mp4") to draft');
    expect(attached.data).toMatchObject({ event_id: id, label: 'video', size_bytes: 3_000_000 });
    expect(attached.text).toMatch(kept);
    expect(told.at(-1)).toBe('belt.mp4: 3.0 MB of 3.0 MB');
    const file = { event_id: id, file: report, label: 'counts', content_type: 'text/csv' };
    expect(await fovea().ok('events_attach_file', file)).toMatchObject({
      event_id: id,
      label: 'counts',
      content_type: 'text/csv',
      size_bytes: 18,
    });

    const open = await fovea().call('events_get', { event_id: id });
    expect(open.text).toMatch(
      /^Draft "[\w-]+" \("quality_check"\) of \S+Z: no image, 1 video \(3\.0 MB\), 1 local file/,
    );
    expect(open.data).toMatchObject({ id, draft: true, finalized_at: null, next });
    expect(Object(open.data.videos)).toMatchObject([{ content_type: 'video/mp4' }]);

    const final = await fovea().call('events_finalize', { event_id: id });
    expect(final.text).toMatch(/^Event "[\w-]+" is final\./);
    expect(final.data).toMatchObject({ already_finalized: false });
    const again = await fovea().call('events_finalize', { event_id: id });
    expect(again.text).toMatch(/^Event "[\w-]+" was finalized already\./);
    expect(again.data).toMatchObject({
      already_finalized: true,
      finalized_at: final.data.finalized_at,
    });
    const late = await refused(fovea(), 'events_attach_video', attach);
    expect(late).toContain('Error (conflict, state)');
    expect(late).toContain('Create the next event with draft true');
    expect(await fovea().ok('events_get', { event_id: id })).toMatchObject({
      draft: false,
      current_file_count: 2,
    });
  });
}
