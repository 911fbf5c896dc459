// A job for an agent that has a shell alone: its scene is prepared in a folder that stays, with a
// command `fovea` that keeps a record of its calls; once the agent is done, the state is judged.

import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { eventStoreAnswers, eventStoreUrl } from '../../src/bin/find-event-store.ts';
import type { ToolProfile } from '../../src/config.ts';
import { launchOf } from './connect.ts';
import { filesIn, makeSceneFolder, openScene, settingsOf } from './environment.ts';
import { type Job, promptOf, whyWrong } from './job.ts';

export interface PreparedJob {
  /** Where the scene is; `--judge` takes it. */
  readonly folder: string;
  /** To work in. */
  readonly files: string;
  /** The folder of the command `fovea`, for the PATH of the agent. */
  readonly commands: string;
  readonly prompt: string;
}

export interface Judgement {
  readonly name: string;
  readonly failure: string | undefined;
  readonly calls: number;
  /** Calls that ended with another code than 0. */
  readonly errors: number;
  /** What the commands printed. */
  readonly characters: number;
}

const recorded = z.object({
  args: z.array(z.string()),
  exitCode: z.number(),
  characters: z.number(),
});

const scenes = z.object({ job: z.string() });

/** Throws where the job has nothing to do, or where another Event Store would be used. */
export async function prepareJob(job: Job, toolProfile: ToolProfile): Promise<PreparedJob> {
  if (await eventStoreAnswers()) {
    throw new Error(`Stop the Event Store at ${eventStoreUrl}: the calls would go to it.`);
  }
  const folder = await makeSceneFolder();
  const scene = await openScene(folder);
  try {
    await job.seed(scene);
    if ((await whyWrong(job, scene)) === undefined) throw new Error('The job has nothing to do.');
  } finally {
    await scene.close();
  }
  await writeFile(join(folder, 'scene.json'), JSON.stringify({ job: job.name }));
  const commands = join(folder, 'bin');
  await writeCommand(folder, commands, toolProfile);
  const files = filesIn(folder);
  return { folder, files, commands, prompt: promptOf(job, files) };
}

/** Judges the state in a folder of `prepareJob`; `remove` takes the folder away after it. */
export async function judgeJob(
  folder: string,
  jobs: readonly Job[],
  remove: boolean,
): Promise<Judgement> {
  const { job: name } = scenes.parse(
    JSON.parse(await readFile(join(folder, 'scene.json'), 'utf8')),
  );
  const job = jobs.find((one) => one.name === name);
  if (job === undefined) throw new Error(`There is no job "${name}".`);
  const scene = await openScene(folder);
  try {
    return { name, failure: await whyWrong(job, scene), ...countRecord(recordIn(folder)) };
  } finally {
    await scene.close();
    if (remove) await rm(folder, { recursive: true, force: true });
  }
}

async function writeCommand(folder: string, commands: string, profile: ToolProfile): Promise<void> {
  const { command, args, env } = launchOf(settingsOf(folder, profile));
  const launch = { command, args, env, record: recordIn(folder) };
  await mkdir(commands);
  await writeFile(join(commands, 'launch.json'), JSON.stringify(launch));
  const recorder = fileURLToPath(import.meta.resolve('./command-recorder.ts'));
  const line = [process.execPath, recorder, join(commands, 'launch.json')];
  const script = `#!/bin/sh\nexec ${line.map((word) => `'${word}'`).join(' ')} "$@"\n`;
  await writeFile(join(commands, 'fovea'), script, { mode: 0o755 });
}

function recordIn(folder: string): string {
  return join(folder, 'record.jsonl');
}

function countRecord(path: string): Pick<Judgement, 'calls' | 'errors' | 'characters'> {
  const text = existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
  const lines = text === '' ? [] : text.split('\n').map((line) => recorded.parse(JSON.parse(line)));
  const calls = lines.filter(({ args: [command] }) => command === 'call');
  return {
    calls: calls.length,
    errors: calls.filter(({ exitCode }) => exitCode !== 0).length,
    characters: lines.reduce((sum, { characters }) => sum + characters, 0),
  };
}
