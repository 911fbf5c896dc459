// Clients of all versions over both transports: connect, list, call, error, progress, image, link,
// and a call that is cancelled.

import { resolve } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { tools as realTools } from '../../tools/index.ts';
import { installPackages } from '../fixtures/install-packages.ts';
import { makeInteropTools } from '../fixtures/interop-tools.ts';
import { startTestMcpHttp } from '../fixtures/mcp-http-server.ts';
import { entryUnderTest } from '../fixtures/under-test.ts';
import { compiledOnce } from '../mcp/raw-server.ts';
import { type ClientVersion, clientVersions, type Host, type Place } from './client-versions.ts';

const areThere = installPackages('test/interop/packages', 25_000);
const here = clientVersions.filter(({ isOurs }) => isOurs || areThere);
const overHttp = here.filter(({ speaksHttp }) => speaksHttp);

test.skipIf(!areThere)('clients of other versions are there', () => {
  expect(here).toHaveLength(9);
});

/** Many clients start at the same time. */
const patience = { timeout: 20_000 };

describe.concurrent('over stdio', () => {
  test.for(here)('$name does all that a host does', async (age, { onTestFinished }) => {
    const host = await age.connect(
      processOf('test/fixtures/sample-tools-process.ts', { TOOLS: 'interop' }),
    );
    onTestFinished(() => host.close());
    await tryAll(host, age.knowsLinks);
    await giveUp(host);
    await vi.waitFor(async () => {
      const { structuredContent } = await host.call('tasks_counts');
      expect(structuredContent).toMatchObject({ waiting: 1, aborted: 1 });
    }, patience);
  });

  test.for(here)('$name lists the tools of Fovea itself', async (age, { onTestFinished }) => {
    const home = { FOVEA_HOME: '/nonexistent/fovea' };
    const host = await age.connect(processOf(entryUnderTest(), home));
    onTestFinished(() => host.close());
    expect(host.serverName).toBe('fovea');
    expect(await host.listTools()).toEqual(realTools.map(({ name }) => name));
  });
});

describe('over HTTP', () => {
  test.for(overHttp)('$name does all that a host does', async (age) => {
    const server = await startTestMcpHttp({ tools: makeInteropTools() });
    const host = await connect(age, { kind: 'http', url: server.mcp, token: server.grant() });
    await tryAll(host, age.knowsLinks);
    await giveUp(host);
    expect((await host.call('projects_echo', { project: 'cells' })).isError).toBe(false);
    // The older line tells of it in a request of its own, which no stateless server can match.
    if (!age.cancelsOverHttp) await host.close();
    const other = await server.connect(server.grant());
    await vi.waitFor(async () => {
      const { structuredContent } = await other.callTool({ name: 'tasks_counts' });
      expect(structuredContent).toMatchObject({ waiting: 1, aborted: 1 });
    }, patience);
  });

  test.for(overHttp)('$name reads the schemas of all tool profiles', async (age) => {
    for (const toolProfile of ['full', 'compact'] as const) {
      const server = await startTestMcpHttp({ tools: realTools, settings: { toolProfile } });
      const host = await connect(age, { kind: 'http', url: server.mcp, token: server.grant() });
      expect(await host.listTools()).toContain('projects_get');
      await host.close();
    }
  });
});

async function connect(age: ClientVersion, place: Place): Promise<Host> {
  const host = await age.connect(place);
  onTestFinished(() => host.close());
  return host;
}

function processOf(file: string, env: Record<string, string>): Place {
  const base = {
    PATH: process.env.PATH ?? '',
    FOVEA_TOOL_PROFILE: 'full',
    ...compiledOnce(file),
  };
  return { kind: 'stdio', file: resolve(file), env: { ...base, ...env } };
}

async function tryAll(host: Host, knowsLinks: boolean): Promise<void> {
  expect(host.serverName).toBe('fovea');
  expect(await host.listTools()).toContain('images_pixel');

  const echoed = await host.call('projects_echo', { workspace: 'acme', project: 'cells' });
  expect(echoed).toMatchObject({ isError: false, kinds: ['text'] });
  expect(echoed.text).toContain('Echo from acme.');
  expect(echoed.structuredContent).toMatchObject({ input: { project: 'cells' } });

  const wrong = await host.call('projects_echo', { workspace: 'acme', projekt: 'cells' });
  expect(wrong.isError).toBe(true);
  expect(wrong.text).toContain('invalid_input');
  expect(wrong.text).toContain('projekt');
  await expect(host.call('projects_ecko')).rejects.toThrow('projects_echo');

  // What comes together with the answer, the older line drops; on a busy machine all may.
  await vi.waitFor(async () => {
    const steps: number[] = [];
    const onprogress = ({ progress }: { progress: number }) => void steps.push(progress);
    await host.call('tasks_two_steps', {}, { onprogress });
    expect([[1], [1, 2]]).toContainEqual(steps);
  }, patience);

  const picture = await host.call('images_pixel');
  expect(picture.kinds).toEqual(['text', 'image']);
  expect(picture.image?.mimeType).toBe('image/png');
  expect(picture.image?.data).toMatch(/^iVBORw0KGgo/);

  const linked = await host.call('projects_add', { workspace: 'acme', name: 'cells' });
  expect(linked.text).toContain('/tmp/a b.json');
  expect(linked.link).toBe(knowsLinks ? 'file:///tmp/a%20b.json' : undefined);
}

/** Gives a call up once the tool is at work. */
async function giveUp(host: Host): Promise<void> {
  const abort = new AbortController();
  const call = host.call('tasks_long', {}, { signal: abort.signal });
  const ended = expect(call).rejects.toThrow();
  await vi.waitFor(async () => {
    const { structuredContent } = await host.call('tasks_counts');
    expect(structuredContent).toMatchObject({ waiting: 1 });
  }, patience);
  abort.abort();
  await ended;
}
