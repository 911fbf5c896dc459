// The platform of a day's work: a process of `fovea platform`, and a key that the day works with.

import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import * as z from 'zod';
import { installExampleTrainer } from '../../test/fixtures/example-trainer.ts';
import { startFovea } from '../../test/fixtures/fovea-services.ts';
import { type EndState, readEndState } from './end-state.ts';

export interface DayPlatform {
  readonly url: string;
  /** The key of the day. */
  readonly key: string;
  /** An empty folder for what the day writes. */
  readonly work: string;
  /** An empty home. */
  readonly home: string;
  /** What the workspace holds, once all background work has ended. */
  endState(): Promise<EndState>;
  /** Ends the process and removes all folders. */
  remove(): Promise<void>;
}

export const workspace = 'acme';

export const sample = resolve(import.meta.dirname, '../../sample/blood-cells');

export const clip = resolve(import.meta.dirname, '../../test/fixtures/clip.webm');

/** Of the platform itself; the day gets a key that is made with it. */
const firstKey = 'a-key-of-the-platform';

/** With `besideHttp`, `fovea http` runs on the same data folder and shares its background work. */
export async function startDayPlatform({ besideHttp = false } = {}): Promise<DayPlatform> {
  const folder = await mkdtemp(join(tmpdir(), 'fovea-clients-'));
  const [data, work, home] = [join(folder, 'data'), join(folder, 'work'), join(folder, 'home')];
  for (const place of [data, work, home]) await mkdir(place);
  const settings = {
    FOVEA_WORKSPACE: workspace,
    FOVEA_RATE_LIMIT: '0',
    FOVEA_LOG: 'error',
    FOVEA_TRAINER: 'example',
    FOVEA_HOME: join(folder, 'fovea'),
    HOME: home,
  };
  await installExampleTrainer(settings.FOVEA_HOME);
  const words = ['--port', '0', '--data', data];
  const http = besideHttp ? await startFovea(['http', ...words], settings) : undefined;
  const withKey = { ...settings, FOVEA_API_KEY: firstKey };
  const platform = await startFovea(['platform', ...words], withKey);
  const remove = async () => {
    await platform.stop();
    await http?.stop();
    await rm(folder, { recursive: true, force: true });
  };
  const { url } = platform;
  const endState = () => readEndState(url, workspace, firstKey);
  return { url, key: await makeKey(url), work, home, endState, remove };
}

async function makeKey(url: string): Promise<string> {
  const answer = await fetch(`${url}/${workspace}/api-keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${firstKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'of the day' }),
  });
  return z.object({ key: z.string() }).parse(await answer.json()).key;
}
