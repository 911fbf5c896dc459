// Starts `fovea platform` and runs the day of day_steps.py against it.

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';
import { startFovea } from '../../test/fixtures/fovea-services.ts';
import type { PythonClient } from './find-client.ts';

const outcomes = ['works', 'refused', 'client', 'absent', 'outside', 'FAILED'] as const;

/** One step of the day. */
const Row = z.object({
  surface: z.enum(['method', 'command']),
  name: z.string(),
  kind: z.string(),
  outcome: z.enum(outcomes),
  detail: z.string(),
});

export type Row = z.output<typeof Row>;

const sample = resolve(import.meta.dirname, '../../sample/blood-cells');
const clip = resolve(import.meta.dirname, '../../test/fixtures/clip.webm');

/** Of the platform itself; the client gets a key that is made with it. */
const firstKey = 'a-key-of-the-platform';

/** Throws where the day ended before its last step. */
export async function runClientDay({ python, path }: PythonClient): Promise<readonly Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'fovea-clients-'));
  const data = join(folder, 'data');
  const work = join(folder, 'work');
  const home = join(folder, 'home');
  for (const place of [data, work, home]) await mkdir(place);
  const platform = await startFovea(['platform', '--port', '0', '--data', data], {
    FOVEA_API_KEY: firstKey,
    FOVEA_WORKSPACE: 'acme',
    FOVEA_RATE_LIMIT: '0',
    FOVEA_LOG: 'error',
    FOVEA_TRAINER: 'example',
    HOME: home,
  });
  const report = join(folder, 'rows.jsonl');
  try {
    await promisify(execFile)(
      python,
      [join(import.meta.dirname, 'day_steps.py'), sample, work, report, clip],
      {
        cwd: work,
        env: {
          PATH: process.env.PATH ?? '',
          HOME: home,
          ...hosts(platform.url),
          ROBOFLOW_API_KEY: await makeKey(platform.url),
          PYTHONPATH: [import.meta.dirname, path].join(delimiter),
          PYTHONDONTWRITEBYTECODE: '1',
          TQDM_DISABLE: '1',
        },
        maxBuffer: 64 * 1024 * 1024,
      },
    );
    const lines = (await readFile(report, 'utf8')).trimEnd().split('\n');
    return lines.map((line) => Row.parse(JSON.parse(line)));
  } finally {
    await platform.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** All hosts of the client, at the platform. */
function hosts(url: string): Readonly<Record<string, string>> {
  const variables = [
    'API_URL',
    'APP_URL',
    'UNIVERSE_URL',
    'OBJECT_DETECTION_URL',
    'INSTANCE_SEGMENTATION_URL',
    'SEMANTIC_SEGMENTATION_URL',
    'DEDICATED_DEPLOYMENT_URL',
  ];
  return Object.fromEntries(variables.map((name) => [name, url]));
}

async function makeKey(url: string): Promise<string> {
  const answer = await fetch(`${url}/acme/api-keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${firstKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'python' }),
  });
  return z.object({ key: z.string() }).parse(await answer.json()).key;
}
