// What Fovea does while it is profiled.

import { join } from 'node:path';
import { eventBody } from '../../bench/event-store/events.ts';
import { type Launch, launchEventStore, launchStdio, type StdioProcess } from './processes.ts';
import { makeImages } from './sample-images.ts';

/** Who launches sets the flags of a profile; what only prepares is launched without. */
export interface Workbench {
  /** Of its own, empty. */
  readonly folder: string;
  readonly seconds: number;
  readonly profiled: Launch;
  readonly plain: Launch;
}

/** Runs for about so many seconds, and says what was done. */
type Workload = (bench: Workbench) => Promise<string>;

const project = 'cells';

/** As an SDK client with 16 connections. */
const connections = 16;

const imagesAtOnce = 20;

export const workloads = {
  start: async ({ seconds, profiled, plain }) => {
    // Leaves compiled code for all that follow, as the first start of an installation does.
    await start(plain);
    const count = await repeat(seconds, () => start(profiled));
    return `${count} starts until the list of tools was answered`;
  },

  import: async ({ folder, seconds, profiled }) => {
    const made = await makeImages(join(folder, 'images'));
    const fovea = launchStdio(profiled);
    await createProject(fovea);
    const calls = Math.ceil(made.length / imagesAtOnce);
    const count = await repeat(
      seconds,
      async (at) => {
        const some = made.slice(at * imagesAtOnce, (at + 1) * imagesAtOnce);
        await upload(fovea, folder, some);
      },
      calls,
    );
    await fovea.end();
    return `${count * imagesAtOnce} images uploaded, with their annotations`;
  },

  version: async ({ folder, seconds, profiled, plain }) => {
    const made = await makeImages(join(folder, 'images'));
    const filling = launchStdio(plain);
    await createProject(filling);
    await upload(filling, folder, made);
    await filling.end();
    const fovea = launchStdio(profiled);
    const count = await repeat(seconds, (at) => makeVersion(fovea, at));
    await fovea.end();
    return `${count} versions of ${made.length} images`;
  },

  event: async ({ seconds, profiled }) => {
    const store = await launchEventStore(profiled);
    const sent = { count: 0 };
    const end = performance.now() + seconds * 1_000;
    const produce = async () => {
      while (performance.now() < end) {
        sent.count += 1;
        await post(`${store.url}/v2/events`, eventBody(sent.count));
      }
    };
    await Promise.all(Array.from({ length: connections }, produce));
    await store.end();
    return `${sent.count} events from ${connections} connections`;
  },
} satisfies Readonly<Record<string, Workload>>;

async function start(launch: Launch): Promise<void> {
  const fovea = launchStdio(launch);
  await fovea.ask('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'fovea-profile', version: '1.0.0' },
  });
  await fovea.ask('tools/list');
  await fovea.end();
}

/** At least once. */
async function repeat(
  seconds: number,
  work: (at: number) => Promise<void>,
  timesMax = Number.POSITIVE_INFINITY,
): Promise<number> {
  const end = performance.now() + seconds * 1_000;
  let count = 0;
  do {
    await work(count);
    count += 1;
  } while (count < timesMax && performance.now() < end);
  return count;
}

async function createProject(fovea: StdioProcess): Promise<void> {
  const type = 'object-detection';
  await fovea.call('projects_create', { name: project, type, annotation: 'cells' });
}

async function upload(
  fovea: StdioProcess,
  folder: string,
  names: readonly string[],
): Promise<void> {
  const files = names.map((name) => join(folder, 'images', name));
  const annotations = join(folder, 'images');
  await fovea.call('images_upload', { project, files, annotations });
}

/** With what most versions of detection datasets have. A repeated call would make no other one. */
async function makeVersion(fovea: StdioProcess, at: number): Promise<void> {
  const { version } = await fovea.call('versions_generate', {
    project,
    versionName: `profile ${at}`,
    preprocessing: {
      'auto-orient': true,
      resize: { width: 640, height: 640, format: 'Fit (black edges) in' },
    },
    augmentation: {
      flip: { horizontal: true, vertical: true },
      rotate: { degrees: 15 },
      brightness: { brighten: true, darken: true, percent: 20 },
      image: { versions: 3 },
    },
  });
  for (;;) {
    const { status, result } = await fovea.call('tasks_wait', { project, version });
    if (status === 'failed') throw new Error(`The version failed: ${JSON.stringify(result)}`);
    if (status === 'completed') return;
  }
}

async function post(url: string, body: string): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body });
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`The Event Store answered ${answer.status}.`);
}
