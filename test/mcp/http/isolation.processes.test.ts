// Nothing of one caller reaches another: answers, workspaces, tokens, upstream credentials.

import { setTimeout as delay } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { systemClock } from '../../../src/clock.ts';
import { type Tool, tool } from '../../../src/mcp/tool.ts';
import {
  callMessage,
  listMessage,
  messagesOf,
  post,
  startTestMcpHttp,
} from '../../fixtures/mcp-http-server.ts';
import { addApplication, addPerson, launch, makeHome, signInAt } from './http-process.ts';
import { startProxy } from './proxy.ts';

/** Says who called, after a while that is never the same. */
const who = tool({
  name: 'tasks_who',
  toolset: 'tasks',
  scope: 'project:read',
  usesFiles: false,
  title: 'Who',
  description: 'Use this in tests.',
  effect: 'reads',
  recoverable: false,
  idempotent: true,
  openWorld: false,
  input: z.strictObject({ workspace: z.string(), word: z.string() }),
  run: async ({ workspace, word }, { settings, progress }) => {
    progress(1, 1, `${workspace} ${word}`);
    if (Math.random() < 0.2) await delay(Math.random() * 5);
    return { summary: 'Here.', data: { workspace, own: settings.workspace, word } };
  },
});

const names = Array.from({ length: 20 }, (_, n) => `workspace-${n}`);

/** A minute of this clock is over soon: the share of a minute is no matter here. */
const clock = { now: systemClock.now, monotonic: () => systemClock.monotonic() * 10_000 };

test('20 clients of both eras, 50 calls each under the same ids: each gets its own answers', async () => {
  const server = await startTestMcpHttp({ tools: [who], clock });
  const live = async (name: string, mode: 'auto' | 'legacy') => {
    const token = server.grant({ subject: name, workspace: name });
    const client = await server.connect(token, mode);
    const call = async (n: number) => {
      const word = `${name}-${n}`;
      const told: string[] = [];
      const { structuredContent } = await client.callTool(
        { name: 'tasks_who', arguments: { word } },
        { onprogress: ({ message = '' }) => told.push(message) },
      );
      expect(structuredContent).toEqual({ summary: 'Here.', workspace: name, own: name, word });
      expect(told).toEqual([`${name} ${word}`]);
    };
    for (let first = 0; first < 50; first += 10) {
      await Promise.all(Array.from({ length: 10 }, (_, at) => call(first + at)));
    }
    return 50;
  };
  const done = await Promise.all(
    names.map((name, n) => live(name, n % 2 === 0 ? 'auto' : 'legacy')),
  );
  expect(done).toEqual(Array(20).fill(50));
}, 60_000);

test('20 clients, 500 calls each in batches under the same ids: likewise', async () => {
  const server = await startTestMcpHttp({ tools: [who], clock });
  const headers = { 'mcp-protocol-version': '2025-03-26' };
  const live = async (name: string) => {
    const token = server.grant({ subject: name, workspace: name });
    let answered = 0;
    for (let round = 0; round < 10; round += 1) {
      const word = `${name}-${round}`;
      const batch = Array.from({ length: 50 }, (_, id) => callMessage('tasks_who', { word }, id));
      const answers = await messagesOf(await server.post(token, batch, headers));
      const facts = { summary: 'Here.', workspace: name, own: name, word };
      for (const answer of answers) {
        expect(answer).toMatchObject({ result: { structuredContent: facts } });
      }
      answered += new Set(answers.map(({ id }) => id)).size;
    }
    return answered;
  };
  expect(await Promise.all(names.map(live))).toEqual(Array(20).fill(500));
}, 60_000);

test('a tool gets nothing of the token that was shown', async () => {
  const seen: unknown[] = [];
  const spy: Tool = {
    ...who,
    prepare: (args) => {
      const prepared = who.prepare(args);
      return {
        run: (context) => {
          seen.push(args, context);
          return prepared.run(context);
        },
      };
    },
  };
  const server = await startTestMcpHttp({ tools: [spy] });
  const token = server.grant();
  const canary = { 'x-canary': 'CANARY', cookie: 'CANARY' };
  const body = callMessage('tasks_who', { word: 'a' });
  expect(await (await server.post(token, body, canary)).text()).toContain('Here.');
  const [, context] = seen;
  expect(Object.keys(Object(context)).toSorted()).toEqual([
    'client',
    'clock',
    'elicitation',
    'eventStorePlace',
    'files',
    'machine',
    'pagePlace',
    'pastCalls',
    'progress',
    'settings',
    'showsApps',
    'signIn',
    'signal',
  ]);
  expect(JSON.stringify(context)).not.toMatch(new RegExp(`${token}|CANARY`));
});

test('the protocol layer gets only headers of the protocol, and no token', async () => {
  const makeServer = () => {
    const server = new McpServer({ name: 'test', version: '1' });
    server.registerTool('seen', { description: 'Shows what it is given.' }, ({ http }) => {
      const text = JSON.stringify([http?.authInfo ?? null, [...(http?.req?.headers.keys() ?? [])]]);
      return { content: [{ type: 'text', text }] };
    });
    return server;
  };
  const server = await startTestMcpHttp({ changes: { makeServer } });
  const canary = { 'x-canary': 'CANARY', cookie: 'CANARY', 'mcp-protocol-version': '2025-06-18' };
  const [message] = await messagesOf(
    await server.post(server.grant(), callMessage('seen'), canary),
  );
  const text = '[null,["accept","content-type","mcp-protocol-version"]]';
  expect(message).toMatchObject({ result: { content: [{ text }] } });
});

test('before a hosted platform: the token that was shown goes to its issuer, and no further', async () => {
  const home = await makeHome();
  const platform = await launch('platform', home);
  const proxy = await startProxy(platform.url);
  const publicUrl = 'http://127.0.0.1:1';
  const resource = `${publicUrl}/mcp`;
  const exchanger = await addApplication(home, resource);
  const application = await addApplication(home);
  const ada = await addPerson(home, 'ada', 'acme');
  const running = await launch('http', await makeHome(), {
    FOVEA_BASE_URL: proxy.url,
    FOVEA_AUTH_URL: platform.url,
    FOVEA_CLIENT_ID: exchanger.id,
    FOVEA_CLIENT_SECRET: exchanger.secret ?? '',
    FOVEA_PUBLIC_URL: publicUrl,
  });
  const scope = 'openid workspace:read project:read';
  const { accessToken } = await signInAt(platform.url, application, ada, { scope, resource });
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${accessToken}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(running.mcp), { requestInit }));
  onTestFinished(() => client.close());
  const called = await client.callTool({ name: 'workspace_whoami' });
  expect(called.structuredContent).toMatchObject({ workspace: 'acme' });
  const refused = await client.callTool({ name: 'projects_create', arguments: {} }).catch(String);
  expect(refused).toMatch(/403|scope/i);
  const own = await signInAt(platform.url, application, ada, { scope });
  expect((await post(running.mcp, own.accessToken, listMessage)).status).toBe(401);
  expect(proxy.requests.map(({ path }) => path)).toEqual(['/health', '/']);
  const sent = JSON.stringify(proxy.requests);
  expect(sent).not.toContain(accessToken);
  expect(sent).not.toContain(own.accessToken);
  expect(proxy.requests[1]?.headers.authorization).toMatch(/^Bearer \S{43}$/);
}, 60_000);

test('with one key for all: only people of its workspace, and only what their scopes allow', async () => {
  const home = await makeHome();
  const platform = await launch('platform', home, {
    FOVEA_API_KEY: 'the-key',
    FOVEA_WORKSPACE: 'acme',
  });
  const proxy = await startProxy(platform.url);
  const publicUrl = 'http://127.0.0.1:1';
  const resource = `${publicUrl}/mcp`;
  await addApplication(home, resource);
  const application = await addApplication(home);
  const people = [await addPerson(home, 'ada', 'acme'), await addPerson(home, 'bob', 'bolt')];
  const running = await launch('http', await makeHome(), {
    FOVEA_BASE_URL: proxy.url,
    FOVEA_AUTH_URL: platform.url,
    FOVEA_API_KEY: 'the-key',
    FOVEA_PUBLIC_URL: publicUrl,
  });
  const scope = 'openid workspace:read';
  const [ada = '', bob = ''] = await Promise.all(
    people.map(async (person) => {
      const { accessToken } = await signInAt(platform.url, application, person, {
        scope,
        resource,
      });
      return accessToken;
    }),
  );
  const call = async (token: string) =>
    (await post(running.mcp, token, callMessage('workspace_get'))).text();
  expect(await call(ada)).toContain('"url":"acme"');
  const before = proxy.requests.length;
  const other = await call(bob);
  expect(other).toContain('another workspace');
  expect(other).not.toContain('acme');
  expect(proxy.requests.length).toBe(before);
  for (const { path, headers } of proxy.requests) {
    expect(headers.authorization).toBe(path === '/health' ? undefined : 'Bearer the-key');
  }
}, 60_000);
