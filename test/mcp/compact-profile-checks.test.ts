// What guards a tool guards it in the compact profile too: consent, and no doubles.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { entryUnderTest, nodeUnderTest } from '../fixtures/under-test.ts';

type Facts = Record<string, unknown>;

interface Person {
  action: 'accept' | 'decline';
  readonly questions: string[];
}

/** A host whose person gives the answer that is set to every question. */
async function startHost(mode: 'legacy' | 'auto') {
  const home = await mkdtemp(join(tmpdir(), 'fovea-compact-'));
  const capabilities = { elicitation: { form: {} } };
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode }, capabilities },
  );
  const person: Person = { action: 'accept', questions: [] };
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    const { action, questions } = person;
    questions.push(params.message);
    return { action, ...(action === 'accept' && { content: {} }) };
  });
  await client.connect(
    new StdioClientTransport({
      command: nodeUnderTest,
      args: [entryUnderTest()],
      env: { PATH: '/usr/bin:/bin', HOME: home, FOVEA_HOME: home, FOVEA_TOOL_PROFILE: 'compact' },
      stderr: 'inherit',
    }),
  );
  const close = async () => {
    await client.close();
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  };
  const by = (way: string) => async (operation: string, args: Facts) => {
    const call = { name: `operations_${way}`, arguments: { operation, arguments: args } };
    const result = await client.callTool(call);
    const text = result.content.map((block) => (block.type === 'text' ? block.text : '')).join();
    const data: Facts = { ...Object(result.structuredContent) };
    return { isError: result.isError === true, text, data };
  };
  const [read, write, remove] = [by('read'), by('write'), by('delete')];
  const folders = async () => {
    const { data } = await read('folders_list', {});
    return Array.isArray(data.data) ? data.data.map(({ name }) => name) : [];
  };
  return { person, write, remove, folders, close };
}

describe.each(['legacy', 'auto'] as const)('%s', (mode) => {
  let host: Awaited<ReturnType<typeof startHost>>;

  beforeAll(async () => {
    host = await startHost(mode);
  });

  beforeEach(() => {
    host.person.questions.length = 0;
  });

  afterAll(() => host?.close());

  test('a removal is agreed to by the person', async () => {
    host.person.action = 'accept';
    const { id: folderId } = (await host.write('folders_create', { name: 'Agreed' })).data;
    expect(await host.folders()).toContain('Agreed');
    const { isError } = await host.remove('folders_delete', { folderId, confirm: folderId });
    expect(isError).toBe(false);
    expect(host.person.questions).toEqual([expect.stringContaining('This cannot be undone.')]);
    expect(await host.folders()).not.toContain('Agreed');
  });

  test('what the person declines is not done', async () => {
    host.person.action = 'decline';
    const { id: folderId } = (await host.write('folders_create', { name: 'Declined' })).data;
    const { isError } = await host.remove('folders_delete', { folderId, confirm: folderId });
    expect(isError).toBe(true);
    expect(host.person.questions).toHaveLength(1);
    expect(await host.folders()).toContain('Declined');
  });

  test('an equal call soon after is not made again', async () => {
    const first = await host.write('folders_create', { name: 'Equal' });
    const second = await host.write('folders_create', { name: 'Equal' });
    expect(second.data.id).toBe(first.data.id);
    expect((await host.folders()).filter((name) => name === 'Equal')).toEqual(['Equal']);
  });
});
