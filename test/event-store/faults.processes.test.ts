// The fault trials in short; `npm run faults:event-store` has all of them at length.

import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tryFullDisk } from '../../scripts/faults-event-store/full-disk.ts';
import { indexDamages, tryIndexFault } from '../../scripts/faults-event-store/index-faults.ts';
import { Machine } from '../../scripts/faults-event-store/linux-disks.ts';
import { flood, type Loaded, mixed } from '../../scripts/faults-event-store/loads.ts';
import type { SentEvent } from '../../scripts/faults-event-store/request-history.ts';
import { create } from '../../scripts/faults-event-store/send-load.ts';
import { trySigkill } from '../../scripts/faults-event-store/sigkill.ts';
import { Trial } from '../../scripts/faults-event-store/trial.ts';
import { judge } from '../../scripts/faults-event-store/verify-store.ts';
import { pathOfFile } from '../fixtures/event-store.ts';

const nothing = { lost: [], torn: [], ghosts: [], stray: [] };

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fovea-faults-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Enough for some steps of the index. */
const shortFlood: Loaded = { ...flood, acknowledgedMax: 1_000 };

test.each([mixed, shortFlood])(
  'killed in the middle of $name, it loses nothing that it acknowledged',
  async (load) => {
    const data = join(folder, load.name);
    const result = await trySigkill({ data, rounds: 3, load }, () => {});
    expect(result.findings).toEqual(nothing);
    expect(result.wrongAnswers).toEqual([]);
  },
  120_000,
);

test.each(indexDamages.filter(({ isForRoot }) => !isForRoot))(
  'an index that was $name costs no write, makes no page wrong, and comes back',
  async ({ name }) => {
    const data = join(folder, `index ${name}`);
    const result = await tryIndexFault(folder, { data, name, times: 1, acknowledged: 1_500 });
    expect(result.findings).toEqual(nothing);
    expect(result.wrongAnswers).toEqual([]);
    expect(result.failures).toEqual([]);
  },
  120_000,
);

test.skipIf(!(await canMount()))(
  'on a full disk it refuses, reads, cleans up and goes on',
  async () => {
    await mkdir(join(folder, 'full'));
    const options = { disk: 'tmpfs', megabytes: 32, isOffline: false, fullMs: 1_000 } as const;
    const result = await tryFullDisk(join(folder, 'full'), options);
    expect(result.findings).toEqual(nothing);
    expect(result.wrongAnswers).toEqual([]);
    expect(result.failures).toEqual([]);
  },
  120_000,
);

describe('the judge of the trials', () => {
  let trial: Trial;
  let event: SentEvent;
  const data = () => join(folder, 'judged');
  const judged = () => judge(trial.history, trial.url, data(), { sweepMsMax: 0 });

  beforeAll(async () => {
    trial = new Trial({ name: 'judged', data: data(), environment: { RETENTION_DAYS: '1' } });
    await trial.start();
    do {
      ({ event } = await create(
        trial.history,
        trial.url,
        { clients: 1, fileBytesMax: 1_000 },
        true,
      ));
    } while (event.images.length === 0);
  });

  afterAll(() => trial.kill());

  test('finds nothing wrong with what is right', async () => {
    expect(await judged()).toEqual(nothing);
  });

  test('sees what is lost', async () => {
    trial.history.events.set('gone', { ...event, key: 'gone', id: 'of-nobody' });
    expect(await judged()).toEqual({ ...nothing, lost: ['gone of-nobody'] });
  });

  test('sees what was refused and is there', async () => {
    event.outcome = 'refused';
    const ghosts = [`${event.key} was refused and is there`];
    expect(await judged()).toEqual({ ...nothing, ghosts });
    event.outcome = 'stored';
  });

  test('sees one byte that is another, and a file that is cut', async () => {
    const id = event.images[0]?.fileId ?? '';
    const path = pathOfFile(data(), id);
    const content = await readFile(path);
    const torn = [expect.stringContaining('image 0: ')];
    const changed = Buffer.from(content);
    changed.writeUInt8(changed.readUInt8(50) ^ 1, 50);
    await writeFile(path, changed);
    expect(await judged()).toEqual({ ...nothing, torn });
    await writeFile(path, content.subarray(0, -1));
    expect(await judged()).toEqual({ ...nothing, torn });
    await writeFile(path, content);
    expect(await judged()).toEqual(nothing);
  });

  test('sees a file of nobody', async () => {
    const stray = '01934abc-0001-7abc-8abc-0123456789ab';
    await writeFile(join(data(), 'files', 'incoming', stray), 'half');
    expect(await judged()).toEqual({ ...nothing, stray: [stray] });
  });
});

/** Whether this process may mount disks: mostly not, in a container or as a user. */
async function canMount(): Promise<boolean> {
  const machine = new Machine(await mkdtemp(join(tmpdir(), 'fovea-mount-')));
  try {
    await machine.mountMemory(1);
    return true;
  } catch {
    return false;
  } finally {
    await machine.restore();
  }
}
