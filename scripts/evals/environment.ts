// Prepares the environment of a job: an empty home, the sample, a platform and an Event Store.

import { cp, mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { lazyStart } from '../../src/lazy-start.ts';
import { openTestEventStore } from '../../test/fixtures/event-store.ts';
import { startTestPlatform } from '../../test/fixtures/platform.ts';
import { connect } from './connect.ts';
import type { Scene } from './job.ts';

export interface OpenScene extends Scene {
  /** Settings of the Fovea that the agent starts. */
  readonly settings: Readonly<Record<string, string>>;
  /** A folder that the agent does not see. */
  readonly folder: string;
  close(): Promise<void>;
}

/**
 * The platform runs here and in the agent's Fovea at the same time, over one data folder: what an
 * agent began goes on when it has gone, and the state is read past the tools.
 */
export async function openScene(toolProfile: string): Promise<OpenScene> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'fovea-evals-')));
  const files = join(folder, 'files');
  const home = join(folder, 'home');
  await mkdir(files);
  await cp(resolve('sample/blood-cells'), join(files, 'blood-cells'), { recursive: true });
  await mkdir(join(home, 'platform'), { recursive: true, mode: 0o700 });
  const [platform, events] = await Promise.all([
    startTestPlatform({
      data: join(home, 'platform'),
      workspace: 'local',
      trainer: {
        path: process.execPath,
        args: [resolve('src/bin/example-trainer.ts')],
        name: 'example',
      },
    }),
    openTestEventStore({ data: join(folder, 'events') }),
  ]);
  const settings = {
    FOVEA_HOME: home,
    FOVEA_FILE_ROOTS: files,
    FOVEA_DEVICE_URL: events.url,
    FOVEA_TRAINER: 'example',
    FOVEA_TOOL_PROFILE: toolProfile,
    FOVEA_CREDENTIALS: 'memory',
    FOVEA_NO_BROWSER: '1',
  };
  // Many jobs begin with nothing set up.
  const own = lazyStart(() => connect({ ...settings, FOVEA_TOOL_PROFILE: 'full' }));
  const headers = { authorization: `Bearer ${platform.key}`, 'content-type': 'application/json' };
  const ask = async (path: string, init: RequestInit = {}): Promise<unknown> => {
    const answer = await fetch(`${platform.url}/local${path}`, { ...init, headers });
    return answer.json();
  };
  return {
    files,
    folder,
    settings,
    setUp: async (name, facts) => (await own.get()).call(name, facts),
    get: (path) => ask(path),
    post: (path, body) => ask(path, { method: 'POST', body: JSON.stringify(body) }),
    event: async (path) => (await events.get(path)).body,
    close: async () => {
      await (await own.started())?.close();
      await Promise.all([platform.close(), events.close()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
