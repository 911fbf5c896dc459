// The scene of a job: a folder with an empty home and the sample, and the platform and the Event
// Store over it.

import { cp, mkdir, mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { lazyStart } from '../../src/lazy-start.ts';
import { openTestEventStore } from '../../test/fixtures/event-store.ts';
import {
  exampleTrainer,
  hasExampleTrainer,
  installExampleTrainer,
} from '../../test/fixtures/example-trainer.ts';
import { startTestPlatform } from '../../test/fixtures/platform.ts';
import { connect } from './connect.ts';
import type { Scene } from './job.ts';

export interface OpenScene extends Scene {
  /** The address of its Event Store. */
  readonly eventStoreUrl: string;
  close(): Promise<void>;
}

/** Makes a folder for a scene, which stays. The agent works in `files` of it. */
export async function makeSceneFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'fovea-evals-')));
  await cp(resolve('sample/blood-cells'), join(filesIn(folder), 'blood-cells'), {
    recursive: true,
  });
  for (const service of ['platform', 'event-store']) {
    await mkdir(join(folder, 'home', service), { recursive: true, mode: 0o700 });
  }
  if (hasExampleTrainer) await installExampleTrainer(join(folder, 'home'));
  return folder;
}

/** The folder that tools may read and write. */
export function filesIn(folder: string): string {
  return join(folder, 'files');
}

/** Settings of the Fovea that the agent starts. */
export function settingsOf(folder: string, toolProfile: string): Readonly<Record<string, string>> {
  return {
    FOVEA_HOME: join(folder, 'home'),
    FOVEA_FILE_ROOTS: filesIn(folder),
    ...(hasExampleTrainer && { FOVEA_TRAINER: 'example' }),
    FOVEA_TOOL_PROFILE: toolProfile,
    FOVEA_CREDENTIALS: 'memory',
    FOVEA_NO_BROWSER: '1',
  };
}

/**
 * The platform runs here and in the agent's Fovea at the same time, over one data folder: what an
 * agent began goes on when it has gone, and the state is read past the tools. So does the Event
 * Store, unless the agent is told its address.
 */
export async function openScene(folder: string): Promise<OpenScene> {
  const home = join(folder, 'home');
  const [platform, events] = await Promise.all([
    startTestPlatform({
      data: join(home, 'platform'),
      workspace: 'local',
      ...(hasExampleTrainer && { trainer: exampleTrainer }),
    }),
    openTestEventStore({ data: join(home, 'event-store') }),
  ]);
  const settings = { ...settingsOf(folder, 'full'), FOVEA_DEVICE_URL: events.url };
  // Many jobs begin with nothing set up.
  const own = lazyStart(() => connect(settings));
  const headers = { authorization: `Bearer ${platform.key}`, 'content-type': 'application/json' };
  const ask = async (path: string, init: RequestInit = {}): Promise<unknown> => {
    const answer = await fetch(`${platform.url}/local${path}`, { ...init, headers });
    return answer.json();
  };
  return {
    files: filesIn(folder),
    eventStoreUrl: events.url,
    setUp: async (name, facts) => (await own.get()).call(name, facts),
    get: (path) => ask(path),
    post: (path, body) => ask(path, { method: 'POST', body: JSON.stringify(body) }),
    event: async (path) => (await events.get(path)).body,
    close: async () => {
      await (await own.started())?.close();
      await Promise.all([platform.close(), events.close()]);
    },
  };
}
