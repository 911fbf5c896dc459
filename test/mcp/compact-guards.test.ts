// What guards a tool guards it in the compact surface too: consent, and no doubles.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, onTestFinished, test } from 'vitest';
import { entryUnderTest, nodeUnderTest } from '../fixtures/under-test.ts';

type Facts = Record<string, unknown>;

/** A host whose person gives this answer to every question. */
async function startHost(mode: 'legacy' | 'auto', action: 'accept' | 'decline') {
  const home = await mkdtemp(join(tmpdir(), 'fovea-compact-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const capabilities = { elicitation: { form: {} } };
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode }, capabilities },
  );
  const questions: string[] = [];
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    questions.push(params.message);
    return { action, ...(action === 'accept' && { content: {} }) };
  });
  await client.connect(
    new StdioClientTransport({
      command: nodeUnderTest,
      args: [entryUnderTest()],
      env: { PATH: '/usr/bin:/bin', HOME: home, FOVEA_HOME: home, FOVEA_SURFACE: 'compact' },
      stderr: 'inherit',
    }),
  );
  onTestFinished(() => client.close());
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
  return { questions, write, remove, folders };
}

test.each(['legacy', 'auto'] as const)('a removal is agreed to by the person: %s', async (mode) => {
  const host = await startHost(mode, 'accept');
  const { id: folderId } = (await host.write('folders_create', { name: 'Cells' })).data;
  const { isError } = await host.remove('folders_delete', { folderId, confirm: folderId });
  expect(isError).toBe(false);
  expect(host.questions).toEqual([expect.stringContaining('This cannot be undone.')]);
  expect(await host.folders()).toEqual([]);
});

test.each(['legacy', 'auto'] as const)('what the person declines is not done: %s', async (mode) => {
  const host = await startHost(mode, 'decline');
  const { id: folderId } = (await host.write('folders_create', { name: 'Cells' })).data;
  const { isError } = await host.remove('folders_delete', { folderId, confirm: folderId });
  expect(isError).toBe(true);
  expect(host.questions).toHaveLength(1);
  expect(await host.folders()).toEqual(['Cells']);
});

test('an equal call soon after is not made again', async () => {
  const host = await startHost('auto', 'accept');
  const first = await host.write('folders_create', { name: 'Cells' });
  const second = await host.write('folders_create', { name: 'Cells' });
  expect(second.data.id).toBe(first.data.id);
  expect(await host.folders()).toEqual(['Cells']);
});
