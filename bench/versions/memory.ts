// What a whole generation takes at most, through the platform: a process is started for it alone,
// on images that another one has uploaded.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { usageOfTree } from '../measure/process-tree.ts';
import { settings } from './request.ts';

export interface Peak {
  /** Of the version. */
  readonly images: number;
  readonly peakBytes: number;
  /** The peak when half of the time was over. */
  readonly halfwayBytes: number;
  /** Before the generation. */
  readonly startBytes: number;
  readonly wallMs: number;
}

/** Generates a version of that many images, from train images alone, each with a file. */
export async function measurePeak(
  folder: string,
  photographs: readonly string[],
  images: number,
): Promise<Peak> {
  const project = `peak-${images}`;
  const count = Math.ceil(images / settings.augmentation.image.versions);
  const files = join(folder, project);
  mkdirSync(files);
  for (let number = 1; number <= count; number++) {
    const path = photographs[number % photographs.length] ?? '';
    writeFileSync(join(files, `${number}-${basename(path)}`), stamped(path, number));
  }
  await withFovea(folder, (fovea) => upload(fovea, project, files));
  return withFovea(folder, async (fovea) => {
    await fovea.call('projects_get', { project });
    const startBytes = fovea.peakBytes();
    const peaks = [startBytes];
    const clock = setInterval(() => peaks.push(fovea.peakBytes()), samplingMs);
    const started = performance.now();
    const { version } = await fovea.call('versions_generate', { project, ...settings });
    await until(async () => (await fovea.call('tasks_wait', { project, version })).done === true);
    const wallMs = performance.now() - started;
    clearInterval(clock);
    const made = await fovea.call('versions_get', { project, version });
    if (!JSON.stringify(made).includes(`"images":${images}`)) {
      throw new Error(`The version does not have ${images} images: ${JSON.stringify(made)}`);
    }
    const halfwayBytes = peaks[Math.floor(peaks.length / 2)] ?? startBytes;
    return { images, startBytes, halfwayBytes, peakBytes: fovea.peakBytes(), wallMs };
  });
}

/** The same picture as other bytes: with a comment behind the start of the file. */
function stamped(path: string, number: number): Buffer {
  const bytes = readFileSync(path);
  const words = Buffer.from(`image ${number}`);
  const marker = Buffer.from([0xff, 0xfe, 0, words.length + 2]);
  return Buffer.concat([bytes.subarray(0, 2), marker, words, bytes.subarray(2)]);
}

async function upload(fovea: Fovea, project: string, files: string): Promise<void> {
  const name = project;
  await fovea.call('projects_create', { name, type: 'object-detection', annotation: 'cells' });
  let offset = 0;
  await until(async () => {
    const answer = await fovea.call('images_upload', {
      project,
      files: [join(files, '*.jpg')],
      split: 'train',
      offset,
    });
    offset += Number(answer.uploaded);
    return Number(answer.remaining) === 0;
  });
}

const samplingMs = 100;

type Facts = Readonly<Record<string, unknown>>;

interface Fovea {
  /** Calls a tool that must not fail, and gives its facts. */
  call(name: string, args: Facts): Promise<Facts>;
  /** The highest resident size of the process so far. */
  peakBytes(): number;
}

/** A process of Fovea with its data in the folder, while it is needed. */
async function withFovea<Result>(
  folder: string,
  work: (fovea: Fovea) => Promise<Result>,
): Promise<Result> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(import.meta.dirname, '../../src/bin/fovea.ts')],
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
      peakBytes: () => usageOfTree(transport.pid ?? 0).peakBytes,
    });
  } finally {
    await client.close();
  }
}

/** An upload of many images takes long on a slow disk. */
const callMsMax = 600_000;

async function until(isDone: () => Promise<boolean>): Promise<void> {
  while (!(await isDone()));
}
