// Writes events with many at a time, and says of each that it was promised, until it is killed or
// has written as many as it was told.

import { writeSync } from 'node:fs';
import { systemClock } from '../../../../src/clock.ts';
import { openEventStore } from '../../../../src/event-store/store/sqlite-store.ts';
import { newEvent, newFile } from '../new-events.ts';

const [data = '', name = '', most = '1000000000'] = process.argv.slice(2);
const store = await openEventStore({ data, clock: systemClock });

let count = 0;
const writeOn = async () => {
  while (count < Number(most)) {
    count += 1;
    const number = count;
    const event = newEvent({
      draft: number % 3 === 0,
      deviceId: name,
      customMetadata: { number, writer: name },
      files: number % 5 === 0 ? [newFile({ id: `${name}-${number}`, kind: 'video' })] : [],
    });
    const { id } = await store.create(event);
    writeSync(1, `kept ${id} ${number}\n`);
    if (number % 6 === 0) {
      await store.finalize(id);
      writeSync(1, `finalized ${id}\n`);
    }
    if (number % 7 === 0) {
      const rule = { reason: 'record_limit', before: undefined, sparesUnsent: true } as const;
      await store.remove({ ...rule, limit: 1 });
    }
  }
};
await Promise.all(Array.from({ length: 8 }, writeOn));
await store.close();
writeSync(1, 'ended\n');
