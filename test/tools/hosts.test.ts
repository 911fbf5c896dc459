// Real hosts' clients against the real process: the older line and the newer one.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import list from '../../tools/list.json' with { type: 'json' };
import { entryUnderTest, nodeUnderTest } from '../fixtures/under-test.ts';

/** Hosts without pages are shown no tools of pages. */
const offered = list.filter((tool) => !('appOnly' in tool));

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fovea-hosts-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

function launch(name: string) {
  return {
    command: nodeUnderTest,
    args: [entryUnderTest()],
    env: {
      PATH: '/usr/bin:/bin',
      HOME: folder,
      FOVEA_HOME: join(folder, name),
      FOVEA_TOOL_PROFILE: 'full',
    },
  };
}

const info = { name: 'host', version: '1.0.0' };
const project = { name: 'Cells', type: 'object-detection', annotation: 'cells' };

it('serves a host of the older line', async () => {
  const client = new OlderClient(info);
  await client.connect(new OlderTransport(launch('older')));
  expect((await client.listTools()).tools).toHaveLength(offered.length);
  const created = await client.callTool({ name: 'projects_create', arguments: project });
  expect(created.structuredContent).toMatchObject({ id: 'local/cells' });
  const wrong = await client.callTool({ name: 'projects_get', arguments: { projekt: 'cells' } });
  expect(wrong.isError).toBe(true);
  await client.close();
});

it.each(['legacy', 'auto'] as const)('serves a host of the newer line, mode %s', async (mode) => {
  const client = new Client(info, { versionNegotiation: { mode } });
  await client.connect(new StdioClientTransport(launch(mode)));
  const version = client.getNegotiatedProtocolVersion();
  expect(version).toBe(mode === 'auto' ? '2026-07-28' : '2025-11-25');
  expect((await client.listTools()).tools).toHaveLength(offered.length);
  const created = await client.callTool({ name: 'projects_create', arguments: project });
  expect(created.structuredContent).toMatchObject({ id: 'local/cells' });
  await client.close();
});
