// Sends what waits in a data folder to the cloud at a URL, until it is killed.

import { join } from 'node:path';
import { systemClock } from '../../../../src/clock.ts';
import { startUploader } from '../../../../src/event-store/cloud-upload/uploader.ts';
import { openEventStore } from '../../../../src/event-store/store/sqlite-store.ts';
import { createLog } from '../../../../src/log.ts';
import { Secret } from '../../../../src/secret.ts';
import { openFileFolder } from '../../../../src/storage/file-store.ts';

const [data = '', url = ''] = process.argv.slice(2);
const log = createLog('error');
const clock = systemClock;
const store = await openEventStore({ data, clock });
startUploader({
  store,
  clock,
  log,
  files: await openFileFolder(join(data, 'files')),
  cloud: { url, apiKey: new Secret('a-key-for-tests') },
  defaultSolutionId: undefined,
  pollMs: 20,
});
process.stdout.write('sending\n');
setInterval(() => {}, 1_000);
