// What a bundle may lose of what the sources have: pages, forms, licences, its version. Of the
// installed release alone.

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { request } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startEventStoreProcess } from './fixtures/event-store-process.ts';
import { entryUnderTest, isRelease, nodeUnderTest } from './fixtures/under-test.ts';

const run = promisify(execFile);

describe.runIf(isRelease)('the release', () => {
  it('serves the pages of the Event Store', async () => {
    const { url, stop } = await startEventStoreProcess();
    onTestFinished(async () => void (await stop()));
    for (const path of [
      '/',
      '/page/event-store/page/main.js',
      '/docs',
      '/docs/swagger-ui-bundle.js',
    ]) {
      expect({ path, status: (await fetch(url + path)).status }).toEqual({ path, status: 200 });
    }
  });

  it('sends compressed files as they are to whoever takes them', async () => {
    const { url, stop } = await startEventStoreProcess();
    onTestFinished(async () => void (await stop()));
    const sizes: Record<string, unknown> = {};
    for (const encoding of ['br', 'gzip', 'gzip, br;q=0.5']) {
      const headers = { 'accept-encoding': encoding };
      const answer = await request(`${url}/docs/swagger-ui-bundle.js`, { headers });
      const bytes = await answer.body.bytes();
      const isCompressed = answer.headers['content-encoding'] === 'br';
      sizes[encoding] = { isCompressed, isLarge: bytes.length > 1_000_000 };
      expect(answer.headers).toMatchObject({
        'content-type': 'text/javascript; charset=utf-8',
        vary: 'accept-encoding',
      });
    }
    expect(sizes).toEqual({
      br: { isCompressed: true, isLarge: false },
      gzip: { isCompressed: false, isLarge: true },
      'gzip, br;q=0.5': { isCompressed: false, isLarge: true },
    });
  });

  it('asks the person at the host, who agrees in a form with nothing to fill', async () => {
    const home = await mkdtemp(join(tmpdir(), 'fovea-asked-'));
    onTestFinished(() => rm(home, { recursive: true, force: true, maxRetries: 5 }));
    const capabilities = { elicitation: { form: {} } };
    const host = new Client(
      { name: 'test', version: '1' },
      { versionNegotiation: { mode: 'legacy' }, capabilities },
    );
    onTestFinished(() => host.close());
    const questions: string[] = [];
    host.setRequestHandler('elicitation/create', async ({ params }) => {
      questions.push(params.message);
      return { action: 'accept', content: {} };
    });
    const base = { PATH: '/usr/bin:/bin', HOME: home, FOVEA_HOME: home };
    const env = { ...base, FOVEA_TOOL_PROFILE: 'full' };
    const command = { command: nodeUnderTest, args: [entryUnderTest()], env };
    await host.connect(new StdioClientTransport({ ...command, stderr: 'inherit' }));
    const call = async (name: string, args: object) => {
      const { structuredContent } = await host.callTool({ name, arguments: { ...args } });
      return Object(structuredContent);
    };
    const { id: folderId } = await call('folders_create', { name: 'Line 3' });
    expect(await call('folders_delete', { folderId })).toMatchObject({
      summary: expect.stringContaining('Deleted folder'),
    });
    expect(questions).toEqual([expect.stringContaining('Line 3')]);
  });

  it('carries the licences of what is bundled', async () => {
    const notices = await readFile(
      join(dirname(entryUnderTest()), 'THIRD-PARTY-LICENSES.txt'),
      'utf8',
    );
    for (const name of [
      'zod',
      'undici',
      '@modelcontextprotocol/server',
      'find-my-way',
      'swagger-ui-dist',
    ]) {
      expect(notices).toContain(name);
    }
  });

  it('knows its version and its commands', async () => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8'));
    const { stdout } = await run(nodeUnderTest, [entryUnderTest(), '--version']);
    expect(stdout).toBe(`${version}\n`);
    const wrong = run(nodeUnderTest, [entryUnderTest(), 'platfrom']);
    await expect(wrong).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('platform'),
    });
  });
});
