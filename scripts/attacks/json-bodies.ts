// JSON with more in it than anybody needs.

import { type Attack, single } from './attack.ts';
import { manyMembers, zeros } from './dense-bodies.ts';
import { json } from './raw-request.ts';

const event =
  '"event_schema":"custom","inference_timestamp":"2026-11-21T06:29:50Z","event_data":{}';

export const jsonAttacks: readonly Attack[] = [
  single('platform', 'vision event: images of 1.9 million zeros', () =>
    json('/vision-events', zeros(1_900_000)),
  ),
  single('event-store', 'event: images of a million zeros', () =>
    json('/v2/events', `{${event},${zeros(1_000_000).slice(1)}`),
  ),
  single('platform', 'API key: a million unknown members', () =>
    json('/local/api-keys', manyMembers(1_000_000)),
  ),
];
