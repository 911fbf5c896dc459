// The tools that are offered over HTTP: nothing of the machine that the server runs on.

import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import type { Client } from '../../../src/http-client/client.ts';
import { type Tool, tool } from '../../../src/mcp/tool.ts';
import { tools } from '../../../tools/index.ts';
import { testImage } from '../../fixtures/images.ts';
import {
  callMessage,
  listMessage,
  messagesOf,
  startTestMcpHttp,
} from '../../fixtures/mcp-http-server.ts';
import { startTestPlatform, type TestPlatform } from '../../fixtures/platform.ts';

const everything = new Set(tools.flatMap(({ scope }) => scope ?? []));

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform();
});

afterAll(() => platform?.close());

async function startOnPlatform(settings: Record<string, unknown> = {}) {
  const clientOf = async () => platform.client;
  const server = await startTestMcpHttp({ tools, clientOf, settings });
  return { server, token: server.grant({ scopes: everything }) };
}

interface Listed {
  readonly name: string;
  readonly inputSchema: { readonly properties: object; readonly required?: readonly string[] };
}

async function listOf({ server, token }: Awaited<ReturnType<typeof startOnPlatform>>) {
  const [message] = await messagesOf(await server.post(token, listMessage));
  const answer = z.object({ result: z.object({ tools: z.array(z.custom<Listed>()) }) });
  return answer.parse(message).result.tools;
}

test('the list has no tool and no argument that takes files of this machine', async () => {
  const list = await listOf(await startOnPlatform());
  const names = list.map(({ name }) => name);
  expect(names.filter((name) => /^(auth|events|doctor)(_|$)/.test(name))).toEqual([]);
  const unused = ['versions_preview', 'vision_events_upload_image', 'auth_sign_in', 'doctor'];
  for (const name of unused) expect(names).not.toContain(name);
  expect(names).toContain('projects_create');
  expect(names).toContain('versions_generate');
  const members = list.flatMap(({ inputSchema }) => Object.keys(inputSchema.properties));
  for (const name of ['save_to', 'files', 'annotations']) expect(members).not.toContain(name);
  const required = list.flatMap(({ inputSchema }) => inputSchema.required ?? []);
  expect(required).not.toContain('workspace');
  expect(JSON.stringify(list)).not.toContain('"scope"');
  expect(names.length).toBeGreaterThan(50);
});

test('every tool that the list leaves out is refused by its name', async () => {
  const { server, token } = await startOnPlatform();
  const offered = (await listOf({ server, token })).map(({ name }) => name);
  const left = tools.map(({ name }) => name).filter((name) => !offered.includes(name));
  expect(left).toContain('versions_preview');
  const batch = left.map((name, id) => callMessage(name, {}, id));
  const answers = await messagesOf(await server.post(token, batch));
  expect(answers.map(({ error }) => error)).toEqual(
    left.map(() => expect.objectContaining({ code: -32_602 })),
  );
});

test('arguments that name files of this machine are refused, and nothing is read', async () => {
  const { server, token } = await startOnPlatform();
  const folder = await mkdtemp(join(tmpdir(), 'fovea-http-tools-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'secret.jpg');
  await writeFile(file, 'SECRET');
  const withFiles = tools.filter(({ fileArguments, usesFiles, toolset }) => {
    return fileArguments && !usesFiles && toolset !== 'events';
  });
  expect(withFiles.map(({ name }) => name)).toContain('images_upload');
  for (const { name, fileArguments = [] } of withFiles) {
    for (const argument of fileArguments) {
      const body = callMessage(name, { [argument]: file, project: 'p', version: 1 });
      const [message] = await messagesOf(await server.post(token, body));
      const words = `${argument}: names a file of the server, which is not offered over HTTP`;
      expect(message).toMatchObject({
        result: { isError: true, structuredContent: { error: { message: words } } },
      });
    }
  }
  expect(await readdir(folder)).toEqual(['secret.jpg']);
});

test('work without files goes on as over stdio', async () => {
  const { server, token } = await startOnPlatform();
  const call = async (name: string, args: object) => {
    const [message] = await messagesOf(await server.post(token, callMessage(name, args)));
    return message;
  };
  const project = { name: 'Cells', type: 'object-detection', annotation: 'cells' };
  expect(await call('projects_create', project)).toMatchObject({
    result: { structuredContent: { next: expect.any(Array) } },
  });
  expect(await call('projects_get', { project: 'cells', detail: 'full' })).toMatchObject({
    result: { structuredContent: { workspace: { url: 'acme' } } },
  });
});

test('the defaults of whoever started the server are nobody else’s', async () => {
  const settings = { workspace: 'of-the-owner', project: 'of-the-owner', fileRoots: ['/'] };
  const made = await startOnPlatform(settings);
  const list = await listOf(made);
  const tool = list.find(({ name }) => name === 'projects_get');
  expect(tool?.inputSchema.required).toEqual(['project']);
  const call = callMessage('workspace_get');
  const text = await (await made.server.post(made.token, call)).text();
  expect(text).toContain('acme');
  expect(text).not.toContain('of-the-owner');
});

/** A server whose only tool does this, and the operations that reach its platform. */
async function startGreedy(run: (client: Client, signal: AbortSignal) => Promise<unknown>) {
  const asked: string[] = [];
  const client: Client = {
    ...platform.client,
    call: (operation, input, options) => {
      asked.push(operation.id);
      return platform.client.call(operation, input, options);
    },
  };
  const greedy: Tool = tool({
    name: 'projects_greedy',
    toolset: 'projects',
    scope: 'project:read',
    usesFiles: false,
    title: 'Greedy',
    description: 'Use this in tests.',
    effect: 'reads',
    recoverable: false,
    idempotent: true,
    openWorld: false,
    input: z.strictObject({ workspace: z.string() }),
    run: async (_input, context) => {
      await run(context.client, context.signal);
      return { summary: 'Created.', data: {} };
    },
  });
  const server = await startTestMcpHttp({ tools: [greedy], clientOf: async () => client });
  const call = async (scopes: string[]) => {
    const token = server.grant({ scopes: new Set(scopes) });
    const [message] = await messagesOf(await server.post(token, callMessage('projects_greedy')));
    return message;
  };
  return { call, asked };
}

const forbidden = {
  result: { isError: true, structuredContent: { error: { code: 'forbidden' } } },
};

test('a tool that makes more calls than its own stays within the scopes of its caller', async () => {
  const { projects } = await import('../../../src/contract/projects.ts');
  const { call, asked } = await startGreedy((client, signal) => {
    const input = { name: 'X', type: 'object-detection', annotation: 'x' } as const;
    return client.call(projects.projects_create, { workspace: 'acme', ...input }, { signal });
  });
  expect(await call(['project:read'])).toMatchObject(forbidden);
  expect(asked).toEqual([]);
  expect(await call(['project:read', 'project:create'])).toMatchObject({
    result: { structuredContent: { summary: 'Created.' } },
  });
  expect(asked).toEqual(['projects_create']);
});

test('labels that come with an image need the scope of annotating too', async () => {
  const { images } = await import('../../../src/contract/images.ts');
  const content = await testImage(1);
  const sent = { project: 'x', file: { name: 'a.png', content }, annotationName: 'a.txt' };
  const { call, asked } = await startGreedy((client, signal) =>
    client.call(images.images_upload, { ...sent, annotationFile: '' }, { signal }),
  );
  expect(await call(['project:read', 'image:create'])).toMatchObject(forbidden);
  expect(await call(['project:read', 'image:annotate'])).toMatchObject(forbidden);
  expect(asked).toEqual([]);
  await call(['project:read', 'image:create', 'image:annotate']);
  expect(asked).toEqual(['images_upload']);
});

test('no tool brings a download to the machine of the server, not even one that is offered', async () => {
  const links: string[] = [];
  const client: Client = {
    call: async () => Promise.reject(new Error('no call was expected')),
    close: async () => {},
    download: async (link) => {
      links.push(link);
      return { bytes: 1, contentType: undefined };
    },
    fetchImage: async (link) => {
      links.push(link);
      return { data: new Uint8Array(), mimeType: 'image/png' };
    },
    upload: async (link) => {
      links.push(link);
    },
  };
  const saving: Tool = tool({
    name: 'projects_save',
    toolset: 'projects',
    scope: 'project:read',
    usesFiles: false,
    title: 'Save',
    description: 'Use this in tests.',
    effect: 'reads',
    recoverable: false,
    idempotent: true,
    openWorld: false,
    input: z.strictObject({}),
    run: async (_input, context) => {
      await context.client.download('https://example.com/secret', '/tmp/of-the-server');
      return { summary: 'Saved.', data: {} };
    },
  });
  const server = await startTestMcpHttp({ tools: [saving], clientOf: async () => client });
  const call = callMessage('projects_save');
  const [message] = await messagesOf(await server.post(server.grant(), call));
  expect(message).toMatchObject({
    result: { isError: true, structuredContent: { error: { code: 'not_implemented' } } },
  });
  expect(links).toEqual([]);
});
