// Does work: the first attempt never ends by itself, a later one writes a row and completes.

import { writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../../src/clock.ts';
import { createLog } from '../../../src/log.ts';
import { openAsyncDatabase } from '../../../src/storage/async-database.ts';
import { createTaskQueue } from '../../../src/storage/task-queue.ts';
import { startTaskWorker } from '../../../src/storage/task-worker.ts';
import { taskMigrations } from '../opened-queue.ts';

const [path = '', name = ''] = process.argv.slice(2);
const database = openAsyncDatabase(path, taskMigrations);
const say = (text: string) => writeSync(1, `${text}\n`);

startTaskWorker({
  queue: createTaskQueue(database, { clock: systemClock, owner: name }),
  kinds: ['job'],
  clock: systemClock,
  log: createLog('warn'),
  leaseMs: 1500,
  pollMs: 20,
  run: async (claim, signal) => {
    say(`started ${claim.attempt}`);
    if (claim.attempt === 1) await delay(60_000, undefined, { signal });
    await claim.fenced(async () => {
      await database.run('INSERT INTO done (name) VALUES (?)', [name]);
      await claim.complete({ by: name });
    });
    say('completed');
  },
});
say('ready');
setInterval(() => {}, 1000);
