// Tools of vision events: what they say of an event that is sent again.

import { expect, onTestFinished, test } from 'vitest';
import { launchFovea } from '../fixtures/fovea.ts';

test('an event that was recorded before is told as such, and a use case that is new', async () => {
  const fovea = await launchFovea();
  onTestFinished(() => fovea.close());
  const timestamp = new Date().toISOString();
  const event = (eventId: string) => ({ eventId, eventType: 'custom', useCaseId: 'u', timestamp });
  expect((await fovea.call('vision_events_create', event('1'))).text).toContain(
    'Recorded custom event "1". Not known before, and made: use case "u".',
  );
  const batch = { events: [event('1'), event('2'), event('3')] };
  expect((await fovea.call('vision_events_create_batch', batch)).text).toContain(
    'Recorded 2 events; 1 had been recorded before.\n',
  );
  expect((await fovea.call('vision_events_create', event('1'))).text).toContain(
    'The custom event "1" was recorded before: nothing is new.',
  );
});
