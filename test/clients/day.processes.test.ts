// A day of the vendor's Python client, where FOVEA_PYTHON_CLIENT names it: see scripts/clients.ts.

import { expect, test } from 'vitest';
import { findClient } from '../../scripts/clients/find-client.ts';
import { runClientDay } from '../../scripts/clients/run-day.ts';

test('each method and command works, is refused clearly, or is not in our API', async ({
  skip,
}) => {
  const client = await findClient();
  if ('missing' in client) return skip(`did not run: ${client.missing}`);
  try {
    const rows = await runClientDay(client);
    expect(rows.filter(({ outcome }) => outcome === 'FAILED')).toEqual([]);
    expect(rows.filter(({ outcome }) => outcome === 'works').length).toBeGreaterThan(150);
  } finally {
    await client.remove();
  }
}, 300_000);
