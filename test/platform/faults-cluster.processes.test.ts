// The rounds of faults of a cluster in short; `npm run faults:cluster` has them at length.

import { setTimeout as wait } from 'node:timers/promises';
import { DeleteObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Sight } from '../../scripts/faults-cluster/calls.ts';
import { type Cluster, sql, startCluster } from '../../scripts/faults-cluster/cluster.ts';
import { comeBackLate, comeBackLateOf } from '../../scripts/faults-cluster/control.ts';
import { workADay } from '../../scripts/faults-cluster/day.ts';
import { openDesk } from '../../scripts/faults-cluster/deed.ts';
import type { Desk, DeskImage } from '../../scripts/faults-cluster/desk.ts';
import { faults } from '../../scripts/faults-cluster/faults.ts';
import { train } from '../../scripts/faults-cluster/long-deeds.ts';
import { runRound } from '../../scripts/faults-cluster/rounds.ts';
import { endTasks, orphans, verify } from '../../scripts/faults-cluster/verify.ts';
import { randomFrom } from '../../src/seeded-random.ts';
import { hasPostgres } from '../fixtures/postgres-server.ts';
import { hasS3Server } from '../fixtures/s3-server.ts';
import { isRelease } from '../fixtures/under-test.ts';

const isHere = hasPostgres && hasS3Server;
let cluster: Cluster;

describe.skipIf(!isHere)('a cluster (needs initdb and Swift)', { timeout: 240_000 }, () => {
  beforeAll(async () => {
    cluster = await startCluster({ platforms: 2, workers: 2 });
  }, 120_000);

  afterAll(() => cluster?.close(), 60_000);

  test.each([
    ['killed after a put', 'worker killed'],
    ['database killed', 'connections cut', 'objects refuse'],
  ])('loses nothing that it acknowledged: %s', async (...names) => {
    const chosen = faults.filter(({ name }) => names.includes(name));
    const options = { clients: 3, roundMs: 2_000, faults: chosen, seed: 'test' };
    const { acknowledged, problems, swept } = await runRound(cluster, names.length, options);
    expect(acknowledged).toBeGreaterThan(3);
    expect(problems).toEqual([]);
    // Files are left behind by one fault alone.
    expect(swept > 0).toBe(names.includes('killed after a put'));
  });

  test('does not let a worker that comes back late spoil the task of another one', async () => {
    expect(await comeBackLate(cluster)).toEqual([]);
  });

  test('lets a training wait for an object store that is away', async () => {
    const { url, key, application } = cluster;
    const caller = { url, key, application, sight: new Sight() };
    const desk = await openDesk(caller, 'waits');
    if (desk === undefined) throw new Error(caller.sight.wrong.join());
    const worker = { ...caller, desk, random: randomFrom('waits') };
    await train(worker);
    expect(await endTasks(cluster)).toEqual([]);
    await train(worker);
    cluster.objectsLine.refuse(() => 503);
    const isPostponed = () =>
      cluster.workers.some(({ log }) => log.some((line) => line.includes('Work was postponed.')));
    while (!isPostponed()) await wait(20);
    cluster.objectsLine.refuse(() => undefined);
    const open = "kind = 'training' AND status NOT IN ('completed', 'failed')";
    await sql(cluster, `UPDATE work SET lease_expires = 0 WHERE ${open}`);
    expect(await endTasks(cluster)).toEqual([]);
    expect(desk.trainings).toHaveLength(1);
    expect(await verify(cluster, caller, [desk])).toEqual([]);
  });

  describe('is judged by one who', () => {
    let desk: Desk;
    let image: DeskImage;
    const caller = () => {
      const { url, key, application } = cluster;
      return { url, key, application, sight: new Sight() };
    };
    const judged = async () => {
      const ofTasks = await endTasks(cluster);
      return [...ofTasks, ...(await verify(cluster, caller(), [desk]))];
    };

    beforeAll(async () => {
      let deeds = 0;
      const isOver = () => {
        deeds += 1;
        return deeds > 60;
      };
      const made = await workADay(caller(), 'judged', randomFrom('judged'), isOver);
      const [first] = made?.images.values() ?? [];
      if (made === undefined || first === undefined) throw new Error('nothing was done');
      desk = made;
      image = first;
    }, 60_000);

    test('finds nothing wrong with what is right', async () => {
      expect(await judged()).toEqual([]);
    });

    test('sees other labels', async () => {
      const { labels } = image;
      image.labels = '7 others';
      expect(await judged()).toEqual([expect.stringContaining(`labels of ${desk.project}/`)]);
      image.labels = labels;
    });

    test('sees a deleted image that is there, and one that nobody sent', async () => {
      desk.images.delete(image.name);
      desk.deleted.push(image);
      const total = expect.stringMatching(/: a search finds \d+ of \d+ images$/);
      const at = `${desk.project}/${image.name}`;
      expect(await judged()).toEqual([`deleted, but there: ${at}`, total]);
      desk.deleted.pop();
      expect(await judged()).toEqual([`never acknowledged: ${at}`, total]);
      desk.images.set(image.name, image);
    });

    test('sees a version that lacks an image', async () => {
      expect(desk.versions).not.toEqual([]);
      await sql(cluster, 'DELETE FROM version_images WHERE ordinal = 1 AND copy = 1');
      expect(await judged()).toEqual(
        desk.versions.map(({ number }) => expect.stringContaining(`${desk.project}/${number}: `)),
      );
      desk.versions.splice(0);
      desk.unknownVersions = 100;
    });

    test('sees a task that failed, and one that ended twice', async () => {
      await sql(cluster, "UPDATE work SET status = 'failed' WHERE kind = 'version'");
      const found = await judged();
      expect(found).toContainEqual(expect.stringContaining('a task failed: {'));
      expect(found).toContainEqual(expect.stringContaining('a task that had ended was changed: {'));
    });

    test('sees content that is gone, and content of nobody', async () => {
      const { client } = cluster.objectStore;
      const { bucket, prefix } = cluster.place;
      const key = `${prefix}${image.hash.slice(0, 2)}/${image.hash}`;
      const list = new ListObjectsV2Command({ Bucket: bucket, Prefix: key });
      for (const { Key } of (await client.send(list)).Contents ?? []) {
        await client.send(new DeleteObjectCommand({ Bucket: bucket, Key }));
      }
      expect(await judged()).toEqual([`content is gone: ${image.hash}`]);
      const stray = `ff/${'f'.repeat(64)}`;
      const put = { Bucket: bucket, Key: prefix + stray, Body: 'of nobody' };
      await client.send(new PutObjectCommand(put));
      expect(await orphans(cluster)).toContain('f'.repeat(64));
    });

    test('sees an image that is lost', async () => {
      await sql(cluster, 'DELETE FROM images WHERE id = $1', [image.id]);
      expect(await judged()).toContain(`lost: ${desk.project}/${image.name}`);
    });
  });
});

describe.skipIf(!isHere || isRelease)('without the fence', { timeout: 240_000 }, () => {
  test('a worker that comes back late spoils the task of another one, which is seen', async () => {
    expect(await comeBackLateOf(false)).not.toEqual([]);
  });
});

if (!isHere) process.stderr.write('NOT RUN: the rounds of faults need PostgreSQL and Swift.\n');
