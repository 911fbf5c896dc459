// Settings of a store on a disk of a known size, for tests that start no service.

import {
  type SizedSettings,
  sizedSettings,
} from '../../../src/event-store/retention/disk-share.ts';
import { readEventStoreSettings } from '../../../src/event-store-config.ts';

/** Variables as in the environment of the service; 100 GB of the disk are free. */
export function testSettings(variables: Readonly<Record<string, string>>): SizedSettings {
  const room = { usedBytes: 0, freeBytes: 100_000_000_000 };
  return sizedSettings(readEventStoreSettings(variables), room);
}
