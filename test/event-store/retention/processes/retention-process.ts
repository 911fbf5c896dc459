// One of several processes on one data folder: says when it leads; creates events when told to.

import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { systemClock } from '../../../../src/clock.ts';
import { startRetention } from '../../../../src/event-store/retention/retention.ts';
import { createUploadsInProgress } from '../../../../src/event-store/retention/uploads-in-progress.ts';
import { openEventStore } from '../../../../src/event-store/store/sqlite-store.ts';
import { createLog } from '../../../../src/log.ts';
import { openFileFolder } from '../../../../src/storage/file-store.ts';
import { plainEvent } from '../plain-event.ts';
import { testSettings } from '../test-settings.ts';

const [data = ''] = process.argv.slice(2);
const say = (line: string) => process.stdout.write(`${line}\n`);
const log = createLog('debug', (line) => {
  if (line.includes('does the background work')) say('leads');
});
const clock = systemClock;
const settings = testSettings({ RESERVE_BYTES: '0', MAX_RECORDS: '20' });
const store = await openEventStore({ data, clock });
const files = await openFileFolder(join(data, 'files'));
const uploadsInProgress = createUploadsInProgress();
const retention = await startRetention({
  store,
  files,
  settings,
  uploadsInProgress,
  clock,
  log,
  data,
});

say('started');

for await (const line of createInterface({ input: process.stdin })) {
  for (let count = 0; count < Number(line); count += 1) {
    await retention.admission.admit();
    await store.create(plainEvent([]));
  }
  say(`created ${line}`);
}
