// A day of the vendor's Python client, where FOVEA_PYTHON_CLIENT names it, and the same day by MCP
// tools: see scripts/clients.ts.

import { expect, test } from 'vitest';
import { compareStates, describeRow } from '../../scripts/clients/compare.ts';
import { findClient } from '../../scripts/clients/find-client.ts';
import { runClientDay } from '../../scripts/clients/run-day.ts';
import { runToolDay } from '../../scripts/clients/tool-day.ts';

test('each method and command works, is refused clearly, or is not in our API; MCP tools leave the same', async ({
  skip,
}) => {
  const client = await findClient();
  if ('missing' in client) return skip(`did not run: ${client.missing}`);
  try {
    const { rows, state } = await runClientDay(client);
    expect(rows.filter(({ outcome }) => outcome === 'FAILED')).toEqual([]);
    expect(rows.filter(({ outcome }) => outcome === 'works').length).toBeGreaterThan(150);
    const compared = compareStates(state, await runToolDay());
    expect(compared.faults.map(describeRow)).toEqual([]);
    expect(compared.stale).toEqual([]);
    expect(compared.rows.filter(({ isSame }) => isSame).length).toBeGreaterThan(1000);
  } finally {
    await client.remove();
  }
}, 300_000);
