// The operations of the device Event Store, apart from the others, which its process does not load.

import { eventStore } from './event-store.ts';
import { events } from './events.ts';

/** Its documented API and our extensions. */
export const deviceOperations = Object.freeze({ ...events, ...eventStore });
