// Questions that nobody answers, answers that come too late, and answers of somebody else: servers
// of this process, so that their time can be moved on.

import type { Transport } from '@modelcontextprotocol/server';
import { type StdioServerHandle, serveStdio } from '@modelcontextprotocol/server/stdio';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { buildToolList } from '../../scripts/generate/build-tool-list.ts';
import { systemClock } from '../../src/clock.ts';
import { readSettings } from '../../src/config.ts';
import { folders } from '../../src/contract/folders.ts';
import { openFileRoots } from '../../src/file-access/file-roots.ts';
import { createLog } from '../../src/log.ts';
import { createServer } from '../../src/mcp/create-server.ts';
import { createRequestStates, type RequestState } from '../../src/mcp/elicitation/request-state.ts';
import { describeServer } from '../../src/mcp/server-description.ts';
import { createCallTool } from '../../src/mcp/tool-call/pipeline.ts';
import { folderTools } from '../../tools/folders.ts';
import { startTestPlatform, type TestPlatform } from '../fixtures/platform.ts';
import { callTool, initialize, type Message } from './raw-server.ts';

let platform: TestPlatform;
let folderId: string;
const opened: StdioServerHandle[] = [];

beforeAll(async () => {
  platform = await startTestPlatform();
});

afterAll(() => platform.close());

beforeEach(async ({ task }) => {
  const input = { workspace: 'acme', name: task.name };
  folderId = (await platform.client.call(folders.folders_create, input)).body.id;
});

afterEach(async () => {
  vi.useRealTimers();
  for (const server of opened.splice(0)) await server.close();
});

async function isThere(): Promise<boolean> {
  const { body } = await platform.client.call(folders.folders_list, { workspace: 'acme' });
  return body.data.some(({ id }) => id === folderId);
}

/** A server of one caller. */
async function connected(requestState: RequestState) {
  const settings = {
    ...readSettings({ FOVEA_HOME: '/nowhere', FOVEA_TOOL_PROFILE: 'full' }),
    workspace: 'acme',
  };
  const list = buildToolList(folderTools);
  const notHere = async () => {
    throw new Error('This server has folders alone.');
  };
  const call = createCallTool({
    list,
    settings,
    loadTools: async () => folderTools,
    log: createLog('error'),
    makeContext: (scope) => ({
      client: platform.client,
      eventStorePlace: async () => ({ kind: 'none', url: undefined }),
      files: openFileRoots([]),
      signIn: notHere,
      machine: notHere,
      settings,
      clock: systemClock,
      ...scope,
    }),
  });
  const description = describeServer({ version: '1', list, settings, readsFiles: true });
  const capabilities = { tasks: undefined, addTo: () => undefined };
  const sent: Message[] = [];
  const transport: Transport = {
    start: async () => undefined,
    send: async (message) => void sent.push({ ...message }),
    close: async () => undefined,
  };
  const make = () =>
    createServer({ clock: systemClock, description, capabilities, requestState }, call);
  opened.push(serveStdio(make, { transport }));
  const send = (message: object) =>
    transport.onmessage?.(JSON.parse(JSON.stringify({ jsonrpc: '2.0', ...message })));
  const find = (matches: (message: Message) => boolean) =>
    vi.waitFor(() => {
      const found = sent.find(matches);
      if (!found) throw new Error('It has not come.');
      return found;
    }, 5_000);
  return { sent, send, find };
}

type Connection = Awaited<ReturnType<typeof connected>>;

const form = { elicitation: { form: {} } };

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': form,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
};

const accepted = { consent: { action: 'accept', content: {} } };

async function remove({ send, find }: Connection, id: number, more: object = {}) {
  const { method, params } = callTool(
    id,
    'folders_delete',
    { folderId, confirm: folderId },
    envelope,
  );
  send({ id, method, params: { ...params, ...more } });
  return find((message) => message.id === id);
}

async function seal(connection: Connection, id: number): Promise<string> {
  const { result } = await remove(connection, id);
  expect(result).toMatchObject({ resultType: 'input_required' });
  return String(Object.entries(Object(result)).find(([name]) => name === 'requestState')?.[1]);
}

test('an answer counts for five minutes', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const connection = await connected(createRequestStates()(''));
  const requestState = await seal(connection, 1);
  vi.setSystemTime(Date.now() + 302_000);
  const late = await remove(connection, 2, { inputResponses: accepted, requestState });
  expect(late).toMatchObject({ error: { code: -32_602 } });
  expect(await isThere()).toBe(true);
  const fresh = await seal(connection, 3);
  vi.setSystemTime(Date.now() + 298_000);
  await remove(connection, 4, { inputResponses: accepted, requestState: fresh });
  expect(await isThere()).toBe(false);
});

test('what one caller was asked, no other can answer', async () => {
  const desks = createRequestStates();
  const requestState = await seal(await connected(desks('one')), 1);
  const answer = { inputResponses: accepted, requestState };
  const other = await remove(await connected(desks('other')), 1, answer);
  expect(other).toMatchObject({ error: { code: -32_602 } });
  expect(await isThere()).toBe(true);
  // Another server of the same caller: over HTTP each request has its own.
  await remove(await connected(desks('one')), 1, answer);
  expect(await isThere()).toBe(false);
});

test('an answer for folders_list or another method is none for this', async () => {
  const connection = await connected(createRequestStates()(''));
  const requestState = await seal(connection, 1);
  const { method, params } = callTool(2, 'folders_list', {}, envelope);
  connection.send({ id: 2, method, params: { ...params, inputResponses: accepted, requestState } });
  expect(await connection.find(({ id }) => id === 2)).toMatchObject({
    result: { resultType: 'complete' },
  });
  // It is used up all the same.
  const again = await remove(connection, 3, { inputResponses: accepted, requestState });
  expect(again).toMatchObject({ result: { resultType: 'input_required' } });
  expect(await isThere()).toBe(true);
});

test('a host of 2025-11-25 that never answers: nothing is done after 45 s', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { send, find, sent } = await connected(createRequestStates()(''));
  const { method, params } = initialize('2025-11-25');
  send({ id: 1, method, params: { ...params, capabilities: form } });
  await find(({ id }) => id === 1);
  send({ method: 'notifications/initialized' });
  send(callTool(2, 'folders_delete', { folderId, confirm: folderId }));
  await find(({ method }) => method === 'elicitation/create');
  await vi.advanceTimersByTimeAsync(44_900);
  expect(sent.map(({ id }) => id)).not.toContain(2);
  await vi.advanceTimersByTimeAsync(200);
  const { result } = await find((message) => message.id === 2 && 'result' in message);
  expect(result).toMatchObject({ isError: true });
  expect(JSON.stringify(result)).toContain('no answer of the person');
  expect(await isThere()).toBe(true);
  // However often the person is away: the name alone never counts.
  for (const id of [3, 4]) {
    const count = sent.length;
    send(callTool(id, 'folders_delete', { folderId, confirm: folderId }));
    await find((message) => sent.indexOf(message) >= count && message.method !== undefined);
    await vi.advanceTimersByTimeAsync(45_100);
    const away = await find((message) => message.id === id && 'result' in message);
    expect(away.result).toMatchObject({ isError: true });
    expect(await isThere()).toBe(true);
  }
});
