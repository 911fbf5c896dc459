// Clients of both lines and all eras list and call over HTTP.

import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect, onTestFinished, test } from 'vitest';
import { callMessage, messagesOf, startTestMcpHttp } from '../../fixtures/mcp-http-server.ts';
import { expectThrottled } from '../../fixtures/throttled-steps.ts';

const offered = [
  'projects_echo',
  'projects_add',
  'projects_remove',
  'tasks_slow',
  'tasks_steps',
  'tasks_change',
];

const echo = { name: 'projects_echo', arguments: { project: 'cells', note: 'hello' } };

test('a client of the older line', async () => {
  const server = await startTestMcpHttp();
  const client = new OlderClient({ name: 'test', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${server.grant()}` } };
  const transport = new OlderTransport(new URL(server.mcp), { requestInit });
  await client.connect({
    start: () => transport.start(),
    send: (message) => transport.send(message),
    close: () => transport.close(),
    set onmessage(handle: NonNullable<OlderTransport['onmessage']>) {
      transport.onmessage = handle;
    },
    set onclose(handle: () => void) {
      transport.onclose = handle;
    },
    set onerror(handle: (error: Error) => void) {
      transport.onerror = handle;
    },
    setProtocolVersion: (version) => transport.setProtocolVersion(version),
  });
  onTestFinished(() => client.close());
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(offered);
  expect(await client.callTool(echo)).toMatchObject({
    structuredContent: { input: { workspace: 'acme', project: 'cells', note: 'hello' } },
  });
  const steps: number[] = [];
  const onprogress = ({ progress }: { progress: number }) => steps.push(progress);
  await client.callTool({ name: 'tasks_steps' }, undefined, { onprogress });
  expectThrottled(steps);
});

test.each([
  { mode: 'auto' as const, revision: '2026-07-28' },
  { mode: 'legacy' as const, revision: '2025-11-25' },
])('a client of the newer line, $mode', async ({ mode, revision }) => {
  const server = await startTestMcpHttp();
  const client = await server.connect(server.grant(), mode);
  expect(client.getNegotiatedProtocolVersion()).toBe(revision);
  expect(client.getInstructions()).toContain('computer-vision data');
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(offered);
  expect(await client.callTool(echo)).toMatchObject({
    structuredContent: { input: { workspace: 'acme', project: 'cells', note: 'hello' } },
  });
  const steps: number[] = [];
  await client.callTool({ name: 'tasks_steps' }, { onprogress: (p) => steps.push(p.progress) });
  expectThrottled(steps);
});

test.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
  'the handshake of %s keeps its revision',
  async (protocolVersion) => {
    const server = await startTestMcpHttp();
    const clientInfo = { name: 'test', version: '1' };
    const params = { protocolVersion, capabilities: {}, clientInfo };
    const body = { jsonrpc: '2.0', id: 'first', method: 'initialize', params };
    const [message] = await messagesOf(await server.post(server.grant(), body));
    expect(message).toMatchObject({ id: 'first', result: { protocolVersion } });
  },
);

test('a batch of 2025-03-26 is answered call by call', async () => {
  const server = await startTestMcpHttp();
  const batch = [callMessage('projects_echo', { project: 'a' }, 1), callMessage('nothing', {}, 2)];
  const headers = { 'mcp-protocol-version': '2025-03-26' };
  const answers = await messagesOf(await server.post(server.grant(), batch, headers));
  expect(answers.toSorted((left, right) => Number(left.id) - Number(right.id))).toMatchObject([
    { id: 1, result: { structuredContent: { input: { project: 'a', workspace: 'acme' } } } },
    { id: 2, error: { code: -32_602 } },
  ]);
});
