// What is measured of two releases: starts, then work of both on data folders of their own. In each
// pair the one and then the other works, and the next pair begins with the other.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { modelTokens } from '../../scripts/generate/model-tokens.ts';
import { launchStdio, type StdioProcess } from '../../scripts/profile/processes.ts';
import { run } from '../mcp/session.ts';
import { usageOfTree } from '../measure/process-tree.ts';
import { median } from '../measure/text-table.ts';
import type { Figures } from './compare.ts';
import type { ImageFolders } from './labelled-images.ts';

export type Side = 'before' | 'after';
export type Both<Value> = Readonly<Record<Side, Value>>;

const project = 'import';
const singleProject = 'single';
const megabyte = 1024 * 1024;
/** Memory that a start takes for a moment is no longer there then. */
const idleMs = 1_000;
/** A process is idle that takes two steps of the kernel's clock at most in two such times. */
const stillMs = 500;
const stillCpuMsMax = 20;
const idleDeadlineMs = 120_000;
const searchesOfEach = 7;

const searches = [
  '*',
  'tag:night',
  'class:WBC',
  'class:WBC -tag:night split:train',
  'class:RBC>=5',
  'min-annotations:6',
  '000123',
  'filename:*012*',
  'class:RBC sort:class:RBC-desc',
];

/** From the spawn to the tool list, what is resident a second later, and tokens of two lists. */
export async function measureStarts(
  entries: Both<string>,
  folder: string,
  pairs: number,
): Promise<readonly Figures[]> {
  const start = (side: Side, profile?: string) => {
    const home = join(folder, `start-${side}`);
    mkdirSync(home, { recursive: true });
    const env = profile === undefined ? {} : { FOVEA_TOOL_PROFILE: profile };
    return run({ name: side, role: 'ours', arguments: [entries[side]], env }, home, idleMs);
  };
  const tokensOf = async (profile?: string) => {
    const count = async (side: Side) => [modelTokens((await start(side, profile)).tools)];
    return { before: await count('before'), after: await count('after') };
  };
  // They are the first starts too, after which a compile cache is there.
  const [tokens, compactTokens] = [await tokensOf(), await tokensOf('compact')];
  const starts = await inPairs(pairs, (side) => start(side));
  const less = { better: 'less', digits: 0 } as const;
  return [
    { name: 'start to tools/list, ms', ...less, ...each(starts, ({ listMs }) => listMs) },
    {
      name: 'memory after the start, MB',
      ...less,
      digits: 1,
      ...each(starts, ({ residentBytes }) => residentBytes / megabyte),
    },
    { name: 'tokens of the tool list', ...less, ...tokens },
    { name: 'tokens of the compact list', ...less, ...compactTokens },
  ];
}

/** Uploads and imports, memory after them, and searches among all that was imported. */
export async function measureWork(
  entries: Both<string>,
  images: ImageFolders,
  folder: string,
): Promise<readonly Figures[]> {
  const open = (side: Side) => openServer(entries[side], join(folder, side), folder);
  const servers = { before: await open('before'), after: await open('after') };
  try {
    return await measureBoth(servers, images);
  } finally {
    await Promise.allSettled([servers.before.end(), servers.after.end()]);
  }
}

async function measureBoth(
  servers: Both<StdioProcess>,
  images: ImageFolders,
): Promise<readonly Figures[]> {
  const pairs = images.parts.length;
  const single = await inPairs(pairs, (side, pair) =>
    uploadSingly(servers[side], images.single[pair] ?? []),
  );
  const imported = await inPairs(pairs, (side, pair) =>
    importPart(servers[side], images.parts[pair] ?? '', pair),
  );
  const found = await measureSearches(servers, pairs);
  const more = { better: 'more', digits: 0 } as const;
  const less = { better: 'less', digits: 1 } as const;
  return [
    { name: 'single uploads a second', ...more, ...each(single, ({ perSecond }) => perSecond) },
    { name: 'CPU of a single upload, ms', ...less, ...each(single, ({ cpuMs }) => cpuMs) },
    { name: 'folder, images a second', ...more, ...each(imported, ({ perSecond }) => perSecond) },
    { name: 'CPU of an image of a folder, ms', ...less, ...each(imported, ({ cpuMs }) => cpuMs) },
    {
      name: 'memory after a folder, MB',
      ...less,
      ...each(imported, ({ residentBytes }) => residentBytes / megabyte),
    },
    ...found,
  ];
}

async function openServer(entry: string, home: string, files: string): Promise<StdioProcess> {
  mkdirSync(home);
  const environment = { FOVEA_FILE_ROOTS: files };
  const server = launchStdio({ entry, nodeFlags: [], folder: home, environment });
  await server.ask('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  });
  for (const name of [project, singleProject]) {
    await server.call('projects_create', { name, type: 'object-detection', annotation: 'cells' });
  }
  return server;
}

interface Sent {
  readonly perSecond: number;
  /** Of each image, with what is done behind its upload. */
  readonly cpuMs: number;
  /** When all of that has ended. */
  readonly residentBytes: number;
}

/** One call for each file, one after the other. */
function uploadSingly(server: StdioProcess, files: readonly string[]): Promise<Sent> {
  return measureSent(server, async () => {
    for (const file of files) {
      await server.call('images_upload', { project: singleProject, files: [file] });
    }
    return files.length;
  });
}

/** The whole folder with its annotations in one call. */
function importPart(server: StdioProcess, part: string, number: number): Promise<Sent> {
  return measureSent(server, async () => {
    const { uploaded, annotated } = await server.call('images_upload', {
      project,
      files: [join(part, 'images')],
      annotations: join(part, 'annotations'),
      split: number % 4 === 3 ? 'valid' : 'train',
      tags: [number % 2 === 0 ? 'day' : 'night'],
    });
    if (uploaded !== annotated) throw new Error(`${annotated} of ${uploaded} images have labels`);
    return Number(uploaded);
  });
}

/** `send` tells how many images it sent. */
async function measureSent({ pid }: StdioProcess, send: () => Promise<number>): Promise<Sent> {
  const before = usageOfTree(pid).cpuMs;
  const started = performance.now();
  const count = await send();
  const ms = performance.now() - started;
  await untilIdle(pid);
  const { cpuMs, residentBytes } = usageOfTree(pid);
  return { perSecond: (1000 * count) / ms, cpuMs: (cpuMs - before) / count, residentBytes };
}

/** Each pair has all kinds, so that what the machine does for a second does not hit one alone. */
async function measureSearches(servers: Both<StdioProcess>, pairs: number): Promise<Figures[]> {
  const asked = await inPairs(pairs, async (side) => {
    const found: { ms: number; total: unknown }[] = [];
    for (const words of searches) found.push(await timeSearch(servers[side], words));
    return found;
  });
  const sum = (found: readonly { ms: number }[]) => found.reduce((all, { ms }) => all + ms, 0);
  const less = { better: 'less', digits: 1 } as const;
  const kinds = searches.map((words, kind) => {
    const [before, after] = [asked.before[0]?.[kind]?.total, asked.after[0]?.[kind]?.total];
    if (before !== after) throw new Error(`${words}: ${before} images before, ${after} after`);
    const figures = each(asked, (found) => found[kind]?.ms ?? Number.NaN);
    return { name: `search ${words} (${before}), ms`, ...less, ...figures };
  });
  return [...kinds, { name: 'all these searches, ms', ...less, ...each(asked, sum) }];
}

/** The median of some calls with the same query. */
async function timeSearch(server: StdioProcess, words: string) {
  const times: number[] = [];
  let total: unknown;
  while (times.length < searchesOfEach) {
    const started = performance.now();
    const query = `project:${project} ${words}`;
    ({ total } = await server.call('workspace_search', { query }));
    times.push(performance.now() - started);
  }
  return { ms: median(times), total };
}

/** The one and then the other; in each second pair the other way around. */
async function inPairs<Value>(
  pairs: number,
  act: (side: Side, pair: number) => Promise<Value>,
): Promise<Both<Value[]>> {
  const values: Both<Value[]> = { before: [], after: [] };
  for (let pair = 0; pair < pairs; pair += 1) {
    const sides: Side[] = pair % 2 === 0 ? ['before', 'after'] : ['after', 'before'];
    for (const side of sides) values[side].push(await act(side, pair));
  }
  return values;
}

function each<Value>(
  { before, after }: Both<readonly Value[]>,
  figureOf: (value: Value) => number,
): Both<number[]> {
  return { before: before.map(figureOf), after: after.map(figureOf) };
}

/** New images are looked at behind their upload, which would slow the other release down. */
async function untilIdle(pid: number): Promise<void> {
  const deadline = performance.now() + idleDeadlineMs;
  let still = 0;
  while (still < 2) {
    const { cpuMs } = usageOfTree(pid);
    await sleep(stillMs);
    still = usageOfTree(pid).cpuMs - cpuMs <= stillCpuMsMax ? still + 1 : 0;
    if (performance.now() > deadline) throw new Error('A server does not come to rest.');
  }
}
