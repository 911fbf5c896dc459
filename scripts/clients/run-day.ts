// Runs the day of day_steps.py against a platform of its own.

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';
import { clip, type DayPlatform, sample, startDayPlatform } from './day-platform.ts';
import type { EndState } from './end-state.ts';
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

export interface ClientDay {
  readonly rows: readonly Row[];
  readonly state: EndState;
}

/** Throws where the day ended before its last step. */
export async function runClientDay(
  client: PythonClient,
  where: { readonly besideHttp?: boolean } = {},
): Promise<ClientDay> {
  const platform = await startDayPlatform(where);
  try {
    const rows = await runSteps(client, platform);
    return { rows, state: await platform.endState() };
  } finally {
    await platform.remove();
  }
}

async function runSteps({ python, path }: PythonClient, { url, key, work, home }: DayPlatform) {
  const report = join(home, 'rows.jsonl');
  await promisify(execFile)(
    python,
    [join(import.meta.dirname, 'day_steps.py'), sample, work, report, clip],
    {
      cwd: work,
      env: {
        PATH: process.env.PATH ?? '',
        HOME: home,
        ...hosts(url),
        ROBOFLOW_API_KEY: key,
        PYTHONPATH: [import.meta.dirname, path].join(delimiter),
        PYTHONDONTWRITEBYTECODE: '1',
        TQDM_DISABLE: '1',
      },
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  const lines = (await readFile(report, 'utf8')).trimEnd().split('\n');
  return lines.map((line) => Row.parse(JSON.parse(line)));
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
