// What is answered before the package of the protocol is loaded is what the package would answer.

import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { readSettings, type Settings, toolProfiles } from '../../src/config.ts';
import { createLog } from '../../src/log.ts';
import { describeServer } from '../../src/mcp/server-description.ts';
import { EarlyAnswers } from '../../src/mcp/stdio/early-answers.ts';
import { initializedRevisions } from '../../src/mcp/stdio/first-request.ts';
import { LineInput } from '../../src/mcp/stdio/line-input.ts';
import { serveStdioMcp } from '../../src/mcp/stdio/serve-stdio.ts';
import { openStdioTransport } from '../../src/mcp/stdio/stdio-transport.ts';
import list from '../../tools/list.json' with { type: 'json' };
import { initialize } from './raw-server.ts';

const notHere = async () => {
  throw new Error('Nothing of this is called.');
};

interface Session {
  /** Sorted: answers come in any order. */
  readonly answers: readonly string[];
  /** How many of them came before the server was there. */
  readonly early: number;
}

/** All that a host gets that writes these lines and then ends. */
async function session(
  lines: readonly string[],
  settings: Settings,
  isOpened: boolean,
): Promise<Session> {
  const answers: string[] = [];
  const output = { write: (line: string) => answers.push(line) > 0, on: () => undefined };
  const stdin = new PassThrough();
  const log = createLog('error', () => undefined);
  const description = describeServer({ version: '1.2.3', list, settings, readsFiles: true });
  const input = new LineInput(stdin, log);
  const over = once(input, 'close');
  const beginning = isOpened ? new EarlyAnswers(input, output, description) : undefined;
  stdin.end(lines.map((line) => `${line}\n`).join(''));
  const needsServer = (await beginning?.needsServer) ?? true;
  const early = answers.length;
  if (needsServer) {
    const options = { list, settings, log, description, clock: systemClock };
    const calls = { loadTools: notHere, makeContext: notHere };
    const transport = openStdioTransport(input, output, log, beginning?.answered);
    const server = serveStdioMcp({ ...options, ...calls }, transport);
    await over;
    await server.close();
  }
  return { answers: answers.toSorted(), early };
}

const plain = readSettings({});
const initialized = rpc({ method: 'notifications/initialized' });
const listTools = rpc({ id: 2, method: 'tools/list' });

function rpc(message: object): string {
  return JSON.stringify({ jsonrpc: '2.0', ...message });
}

function begin(revision: string, changes: object = {}): string {
  const { params, ...request } = initialize(revision);
  return rpc({ ...request, params: { ...params, ...changes } });
}

/** Every setting that decides about the list, alone and with the others. */
const settings = toolProfiles.flatMap((toolProfile) =>
  [false, true].flatMap((readOnly) =>
    [undefined, 'https://api.example.com'].flatMap((baseUrl) =>
      [{}, { workspace: 'acme' }, { workspace: 'acme', project: 'cells' }].flatMap((defaults) =>
        [undefined, ['projects', 'tasks'], ['events']].map(
          (toolsets): Settings => ({
            ...plain,
            toolProfile,
            readOnly,
            baseUrl,
            ...defaults,
            toolsets,
          }),
        ),
      ),
    ),
  ),
);

test('the answers are the same, byte for byte, whatever the settings offer', async () => {
  const lines = [begin('2025-06-18'), initialized, listTools];
  const seen = new Set<string>();
  for (const each of settings) {
    const { answers, early } = await session(lines, each, true);
    expect(early).toBe(2);
    expect(answers).toEqual((await session(lines, each, false)).answers);
    seen.add(answers.join(''));
  }
  expect(seen.size).toBeGreaterThan(30);
});

test.each(initializedRevisions)('and in revision %s', async (revision) => {
  const lines = [begin(revision), initialized, listTools];
  const { answers, early } = await session(lines, plain, true);
  expect(early).toBe(2);
  expect(answers[0]).toContain(`"protocolVersion":"${revision}"`);
  expect(answers).toEqual((await session(lines, plain, false)).answers);
});

test('these revisions are those of the package', () => {
  expect(initializedRevisions).toEqual(SUPPORTED_PROTOCOL_VERSIONS);
});

test.each([
  { roots: { listChanged: true }, sampling: {}, elicitation: { form: {}, url: {} } },
  { experimental: { a: { b: [1] } }, extensions: { 'io.modelcontextprotocol/ui': { c: ['d'] } } },
])('a host with the capabilities %j is answered at once', async (capabilities) => {
  const lines = [begin('2025-11-25', { capabilities }), initialized, listTools];
  const { answers, early } = await session(lines, plain, true);
  expect(early).toBe(2);
  expect(answers).toEqual((await session(lines, plain, false)).answers);
});

const modern = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

const asked = rpc({ id: 5, method: 'notifications/initialized' });
const clientInfo = { name: 'test', version: '1' };

/** What the package alone can judge: it answers, as without the beginning. */
const left: readonly (readonly [string, readonly string[], number])[] = [
  ['a list before all else', [listTools], 0],
  ['a ping before all else', [rpc({ id: 1, method: 'ping' }), begin('2025-06-18'), listTools], 0],
  ['a second initialize', [begin('2025-06-18'), begin('2024-11-05').replace(':1', ':7')], 1],
  ['an unknown revision', [begin('2031-01-01'), listTools], 0],
  ['a revision that has no initialize', [begin('2026-07-28'), listTools], 0],
  ['the stateless revision', [rpc({ id: 1, method: 'tools/list', params: { _meta: modern } })], 0],
  ['server/discover', [rpc({ id: 1, method: 'server/discover', params: { _meta: modern } })], 0],
  ['_meta of initialize', [begin('2025-06-18', { _meta: { progressToken: 1 } }), listTools], 0],
  ['wrong _meta of initialize', [begin('2025-06-18', { _meta: 7 }), listTools], 0],
  ['no capabilities', [begin('2025-06-18', { capabilities: undefined }), listTools], 0],
  ['capabilities in a list', [begin('2025-06-18', { capabilities: [] }), listTools], 0],
  ...[
    { roots: { listChanged: 'yes' } },
    { roots: { listChanged: null } },
    { sampling: true },
    { sampling: { tools: 1 } },
    { elicitation: { form: { applyDefaults: 'yes' } } },
    { elicitation: { url: [] } },
    { tasks: { requests: { sampling: { createMessage: 1 } } } },
    { extensions: { a: 1 } },
    { experimental: { a: null } },
    { unknown: 1 },
  ].map(
    (capabilities) =>
      [
        JSON.stringify(capabilities),
        [begin('2025-06-18', { capabilities }), listTools],
        0,
      ] as const,
  ),
  ['a client without version', [begin('2025-06-18', { clientInfo: { name: 'test' } })], 0],
  ['a client with icons', [begin('2025-06-18', { clientInfo: { ...clientInfo, icons: [] } })], 0],
  ['a client that is no object', [begin('2025-06-18', { clientInfo: 'test' })], 0],
  ['another member', [begin('2025-06-18').replace('{', '{"more":1,')], 0],
  ['another jsonrpc', [begin('2025-06-18').replace('"2.0"', '"1.0"')], 0],
  ['an id that is no integer', [begin('2025-06-18').replace('"id":1', '"id":1.5')], 0],
  ['no id', [begin('2025-06-18').replace('"id":1,', '')], 0],
  ['a batch', [`[${begin('2025-03-26')}]`, listTools], 0],
  ['no JSON', [begin('2025-06-18').slice(0, -1), begin('2025-06-18'), listTools], 0],
  ['a long beginning', [begin('2025-06-18', { clientInfo: longClient() }), listTools], 0],
  ['a list from a cursor', [begin('2025-06-18'), listFrom({ cursor: 'a' })], 1],
  ['a list with progress', [begin('2025-06-18'), listFrom({ _meta: { progressToken: 2 } })], 1],
  ['a list with wrong parameters', [begin('2025-06-18'), listFrom([])], 1],
  ['a list without id', [begin('2025-06-18'), rpc({ method: 'tools/list' }), listTools], 2],
  ['more after the list', [begin('2025-06-18'), listTools, rpc({ id: 'p', method: 'ping' })], 2],
  ['prompts first', [begin('2025-06-18'), rpc({ id: 3, method: 'prompts/list' }), listTools], 2],
  ['the list twice', [begin('2025-06-18'), listTools, listTools.replace('"id":2', '"id":3')], 3],
  ['a request named as that notification', [begin('2025-06-18'), asked], 1],
  ['nothing', [], 0],
  ['initialize alone', [begin('2025-06-18'), initialized], 1],
];

test.each(left)('%s', async (_, lines, early) => {
  const opened = await session(lines, plain, true);
  expect(opened.answers).toEqual((await session(lines, plain, false)).answers);
  expect(opened.early).toBe(early);
});

function listFrom(params: object): string {
  return rpc({ id: 2, method: 'tools/list', params });
}

function longClient() {
  return { name: 'a'.repeat(20_000), version: '1' };
}
