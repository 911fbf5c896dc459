// A process of Fovea with an embedded platform, which a bench uploads images to and generates
// versions with.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import * as z from 'zod';
import { type Usage, usageOfTree } from '../measure/process-tree.ts';
import { settings } from './request.ts';

type Facts = Readonly<Record<string, unknown>>;

export interface PlatformProcess {
  /** Calls a tool that must not fail, and gives its facts. */
  call(name: string, args: Facts): Promise<Facts>;
  usage(): Usage;
}

/**
 * Runs `work` with a process of the Fovea at `entry`, which has its data in `folder`/home and may
 * read files below it.
 */
export async function withPlatform<Result>(
  entry: string,
  folder: string,
  work: (platform: PlatformProcess) => Promise<Result>,
): Promise<Result> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [entry],
    env: {
      PATH: process.env.PATH ?? '',
      HOME: folder,
      FOVEA_HOME: join(folder, 'home'),
      FOVEA_FILE_ROOTS: folder,
    },
    stderr: 'inherit',
  });
  const client = new Client({ name: 'fovea-bench', version: '1.0.0' });
  try {
    await client.connect(transport);
    return await work({
      call: async (name, args) => {
        const { isError, content, structuredContent } = await client.callTool(
          { name, arguments: { ...args } },
          { timeout: callMsMax },
        );
        if (isError) throw new Error(`${name}: ${JSON.stringify(content)}`);
        return Object.fromEntries(Object.entries(structuredContent ?? {}));
      },
      usage: () => usageOfTree(transport.pid ?? 0),
    });
  } finally {
    await client.close();
  }
}

/** An upload of many images takes long on a slow disk. */
const callMsMax = 600_000;

export async function createProject(platform: PlatformProcess, name: string): Promise<void> {
  await platform.call('projects_create', { name, type: 'object-detection', annotation: 'cells' });
}

/** Uploads all JPEG files of a folder. */
export async function uploadFolder(
  platform: PlatformProcess,
  project: string,
  folder: string,
  split: 'train' | 'valid',
): Promise<void> {
  let offset = 0;
  for (;;) {
    const files = [join(folder, '*.jpg')];
    const answer = await platform.call('images_upload', { project, files, split, offset });
    if (Number(answer.remaining) === 0) return;
    offset += Number(answer.uploaded);
  }
}

/**
 * Resolves when the platform has looked at all images that it took: that work belongs to the
 * upload, and would be measured with the version that is generated next.
 */
export async function untilLookedAt(folder: string): Promise<void> {
  const path = join(folder, 'home/platform/platform.db');
  const database = new DatabaseSync(path, { readOnly: true });
  const open = database.prepare('SELECT count(*) AS images FROM undescribed_images');
  while (Number(open.get()?.images) > 0) await sleep(lookMs);
  database.close();
}

const lookMs = 500;

/**
 * Generates a version of the project; throws unless it has so many images. Gives the times of its
 * task: whoever waits for it asks only now and then. The estimate before it, which has started the
 * threads, does not count.
 */
export async function generateVersion(
  platform: PlatformProcess,
  project: string,
  images: number,
): Promise<{ readonly wallMs: number; readonly cpuMs: number }> {
  const { version } = await platform.call('versions_generate', { project, ...settings });
  const before = platform.usage().cpuMs;
  const isDone = async () => (await platform.call('tasks_wait', { project, version })).done;
  while ((await isDone()) !== true);
  const cpuMs = platform.usage().cpuMs - before;
  const made = JSON.stringify(await platform.call('versions_get', { project, version }));
  if (!made.includes(`"images":${images}`)) {
    throw new Error(`The version does not have ${images} images: ${made}`);
  }
  const operation = { operation: 'tasks_list', arguments: { kind: 'version' } };
  const { tasks } = taskList.parse(await platform.call('operations_read', operation));
  const [task] = tasks;
  if (task === undefined) throw new Error('The task of the version is not listed.');
  return { cpuMs, wallMs: Date.parse(task.updated) - Date.parse(task.created) };
}

/** Newest first. */
const taskList = z.object({
  tasks: z.array(z.object({ created: z.string(), updated: z.string() })),
});
