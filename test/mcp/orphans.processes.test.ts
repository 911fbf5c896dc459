// No process stays behind when the host is killed: with its pipes closed or held open by others,
// while images are uploaded, the Event Store cleans up and a trainer runs that obeys nobody.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { killProcess } from '../fixtures/kill-process.ts';
import { entryUnderTest, nodeUnderTest } from '../fixtures/under-test.ts';

const host = resolve('test/fixtures/host-process.ts');
const entry = entryUnderTest();
const picture = 'sample/blood-cells/JPEGImages/BloodImage_00040.jpg';

describe.runIf(process.platform === 'linux')('after SIGKILL of', { timeout: 120_000 }, () => {
  it('the host, while its pipes are held open by another process', async () => {
    const { hostPid, processes } = await busyHost();
    process.kill(hostPid, 'SIGKILL');
    expect(await survivorsOf(processes)).toEqual([]);
  });

  it('the shell between host and Fovea', async () => {
    const { hostPid, processes } = await busyHost();
    const shell = processes.find(({ parent }) => parent === hostPid);
    process.kill(shell?.pid ?? 0, 'SIGKILL');
    expect(await survivorsOf(processes)).toEqual([]);
  });

  it('Fovea itself, though the trainer obeys nobody', async () => {
    const { processes } = await busyHost();
    const fovea = processes.find(({ words }) => words[1] === entry);
    process.kill(fovea?.pid ?? 0, 'SIGKILL');
    expect(await survivorsOf(processes)).toEqual([]);
  });

  it('the host, whose pipes close with it', async () => {
    const child = spawn(process.execPath, ['-e', hostWithPipes], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...(await settings(await folder(), false)),
        HOST_COMMAND: JSON.stringify([host, nodeUnderTest, entry]),
      },
    });
    onTestFinished(() => killProcess(child));
    await once(child.stdout, 'data');
    const processes = await descendantsOf(child.pid ?? 0);
    // The host with the pipes, the shell and Fovea.
    expect(processes).toHaveLength(3);
    child.kill('SIGKILL');
    expect(await survivorsOf(processes)).toEqual([]);
  });
});

/** A host in one line: it holds both pipes, and says when Fovea has answered. */
const hostWithPipes = `
  const child = require('node:child_process').spawn(
    process.execPath, JSON.parse(process.env.HOST_COMMAND), { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdout.once('data', () => console.log('answered'));
  child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\\n');
`;

/** A host whose Fovea does all at once that could keep a process alive. */
async function busyHost() {
  const home = await folder();
  const transport = new StdioClientTransport({
    // The holder keeps the pipes open after the host has died.
    command: 'sh',
    args: ['-c', holder, 'holder', process.execPath, host, nodeUnderTest, entry],
    stderr: 'inherit',
    env: await settings(home, true),
  });
  const client = new Client({ name: 'fovea-test', version: '1.0.0' });
  await client.connect(transport);
  onTestFinished(() => client.close());
  const [hostProcess] = await descendantsOf(transport.pid ?? 0);
  const hostPid = hostProcess?.pid ?? 0;

  await startTraining(client, home);
  await ok(client, 'events_create', {
    event_schema: 'quality_check',
    event_data: { result: 'pass' },
  });
  await startUpload(client, home);
  const processes = await descendantsOf(hostPid);
  // The shell, Fovea, the supervisor, the trainer and what it has started. That of the threads is
  // there while they have work.
  const isOfThreads = ({ words }: Process) => /thread-process-host/.test(words.join(' '));
  expect(processes.filter((one) => !isOfThreads(one))).toHaveLength(5);
  onTestFinished(() => endAll(processes));
  return { hostPid, processes };
}

const holder = '"$@"; while :; do sleep 1; done';

async function folder(): Promise<string> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'fovea-orphans-')));
  onTestFinished(() => rm(path, { recursive: true, force: true, maxRetries: 5 }));
  return path;
}

async function settings(home: string, trains: boolean): Promise<Record<string, string>> {
  const roots = [resolve('sample'), home].join(':');
  return {
    PATH: '/usr/bin:/bin',
    HOME: home,
    FOVEA_HOME: join(home, 'data'),
    FOVEA_FILE_ROOTS: roots,
    // The Event Store cleans up as often as it may.
    CLEANUP_SECONDS: '1',
    DRAFT_SWEEP_SECONDS: '1',
    ...(trains && { FOVEA_TRAINER: await stubbornTrainer(home) }),
  };
}

/** It passes over the end of its input and every signal that can be passed over, as its child. */
async function stubbornTrainer(home: string): Promise<string> {
  const path = join(home, 'trainer.mjs');
  const stubborn = "for (const name of ['SIGTERM','SIGINT','SIGHUP']) process.on(name, () => {});";
  const forever = `${stubborn} setInterval(() => {}, 1000);`;
  const script = `#!${process.execPath}
import { spawn } from 'node:child_process';
${forever}
const child = spawn(process.execPath, ['-e', ${JSON.stringify(`${forever} console.log('up');`)}],
  { stdio: ['ignore', 'pipe', 'ignore'] });
child.stdout.once('data', () => console.log('{"epoch":1,"epochs":9}'));
`;
  await writeFile(path, script, { mode: 0o755 });
  return path;
}

/** Resolves once the trainer has reported. */
async function startTraining(client: Client, home: string): Promise<void> {
  const project = 'cells';
  await ok(client, 'projects_create', {
    name: 'Cells',
    type: 'object-detection',
    annotation: 'cells',
  });
  // A trainer asks for no more.
  await ok(client, 'images_upload', {
    project,
    files: [resolve(picture)],
    annotations: resolve('sample/blood-cells/Annotations'),
  });
  const { version } = await ok(client, 'versions_generate', {
    project,
    preprocessing: {},
    augmentation: {},
  });
  await ok(client, 'tasks_wait', { project, version });
  await ok(client, 'trainings_start', { project, version });
  for (;;) {
    const answer = await ok(client, 'trainings_list', { project, version });
    if (JSON.stringify(answer).includes('"epoch":1')) break;
    await delay(50);
  }
  expect(await readdir(home)).toContain('trainer.mjs');
}

/** Hundreds of images, which take seconds, are under way; resolves with the first progress. */
async function startUpload(client: Client, home: string): Promise<void> {
  const images = join(home, 'images');
  await mkdir(images);
  const content = await readFile(picture);
  for (let index = 0; index < 600; index += 1) {
    // What follows the end of a JPEG makes another file of it.
    const bytes = Buffer.concat([content, Buffer.from(`${index}`)]);
    await writeFile(join(images, `${index}.jpg`), bytes);
  }
  const { promise, resolve: onFirst } = Promise.withResolvers<void>();
  const call = { name: 'images_upload', arguments: { project: 'cells', files: [images] } };
  const options = { onprogress: () => onFirst(), timeout: 600_000 };
  const over = client.callTool(call, options).then(
    () => 'over',
    () => 'cut off',
  );
  await promise;
  expect(await Promise.race([over, delay(10, 'under way')])).toBe('under way');
}

async function ok(client: Client, name: string, args: Record<string, unknown>) {
  const result = await client.callTool({ name, arguments: args });
  if (result.isError) throw new Error(`${name}: ${JSON.stringify(result.content)}`);
  return Object.fromEntries(Object.entries(result.structuredContent ?? {}));
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly words: readonly string[];
}

/** All that a process has started, and they in turn. */
async function descendantsOf(ancestor: number): Promise<readonly Process[]> {
  const all = await Promise.all((await readdir('/proc')).filter(isNumber).map(processOf));
  const found: Process[] = [];
  const queue = [ancestor];
  for (let parent = queue.shift(); parent !== undefined; parent = queue.shift()) {
    const children = all.filter((one) => one?.parent === parent);
    for (const child of children) if (child !== undefined) found.push(child);
    queue.push(...children.flatMap((child) => child?.pid ?? []));
  }
  return found;
}

function isNumber(name: string): boolean {
  return /^\d+$/.test(name);
}

/** Undefined where it is gone, or is dead and nobody has asked for its exit code. */
async function processOf(id: string): Promise<Process | undefined> {
  try {
    const stat = await readFile(`/proc/${id}/stat`, 'utf8');
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const words = (await readFile(`/proc/${id}/cmdline`, 'utf8')).split('\0');
    return state === 'Z' ? undefined : { pid: Number(id), parent: Number(parent), words };
  } catch {
    return undefined;
  }
}

/** A test that failed leaves none behind either. */
function endAll(processes: readonly Process[]): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It is gone, as it should be.
    }
  }
}

/** Those that still live after 5 seconds. */
async function survivorsOf(processes: readonly Process[]): Promise<readonly Process[]> {
  const until = performance.now() + 5_000;
  for (;;) {
    const now = await Promise.all(processes.map(({ pid }) => processOf(String(pid))));
    const left = now.filter((one) => one !== undefined);
    if (left.length === 0 || performance.now() > until) return left;
    await delay(50);
  }
}
