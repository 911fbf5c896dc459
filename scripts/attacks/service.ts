// Starts a process of the release as users start it, in an empty folder.

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../../test/fixtures/fovea-services.ts';
import { killProcess } from '../../test/fixtures/kill-process.ts';

export interface Release {
  /** The script, and the Node that runs it. */
  readonly entry: string;
  readonly node: string;
  /** Before the entry: flags of Node. */
  readonly flags?: readonly string[];
}

export interface Service {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** With its data, its temporary files and its home in it. */
  readonly folder: string;
  /** The end of what it wrote to stderr. */
  log(): string;
  hasEnded(): boolean;
  /** Ends the process at once and starts another one at the same place. */
  restart(): Promise<void>;
  /** As its operator would; gives the exit code, undefined where it had to be killed. */
  stop(): Promise<number | undefined>;
}

const startMsMax = 30_000;
const stopMsMax = 8_000;
const logCharactersMax = 4_000;

const running = new Set<ChildProcess>();

/** Stops all services, also when the run ends early. */
export function killServices(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** Starts `node FLAGS ENTRY WORDS --port PORT` with these variables and no others. */
export async function startService(
  { entry, node, flags = [] }: Release,
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Service> {
  const folder = await makeFolder();
  const port = await freePort();
  const state: { child: ChildProcess; url: string; log: string } = {
    child: spawnIn(),
    url: '',
    log: '',
  };
  await begin();
  return {
    get url() {
      return state.url;
    },
    get pid() {
      return state.child.pid ?? 0;
    },
    port,
    folder,
    log: () => state.log,
    hasEnded: () => state.child.exitCode !== null || state.child.signalCode !== null,
    restart: async () => {
      await killProcess(state.child);
      state.child = spawnIn();
      await begin();
    },
    stop: async () => {
      const code = await stopped(state.child);
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
      return code;
    },
  };

  function spawnIn(): ChildProcess {
    const child = spawn(node, [...flags, resolve(entry), ...words, '--port', String(port)], {
      env: { ...variablesIn(folder), FOVEA_TOOL_PROFILE: 'full', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(child);
    child.once('close', () => running.delete(child));
    return child;
  }

  async function begin(): Promise<void> {
    const { child } = state;
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      state.log = (state.log + text).slice(-logCharactersMax);
    });
    const line = await Promise.race([
      once(child.stdout ?? child, 'data').then(([text]) => String(text)),
      once(child, 'close').then(() => ''),
      wait(startMsMax, '', { ref: false }),
    ]);
    const [url] = /^http:\S+/.exec(line) ?? [];
    if (url === undefined) throw new Error(`${words[0]} did not start: ${state.log}`);
    state.url = url;
  }
}

/** Runs a command of the release in the folder of a service, with some text on stdin. */
export async function runCommand(
  { entry, node }: Release,
  { folder }: Pick<Service, 'folder'>,
  words: readonly string[],
  input = '',
): Promise<string> {
  const { promise, resolve: done, reject } = Promise.withResolvers<string>();
  const env = variablesIn(folder);
  const child = execFile(node, [resolve(entry), ...words], { env }, (error, stdout, stderr) => {
    if (error) reject(new Error(`fovea ${words.join(' ')}: ${stderr}`));
    else done(stdout);
  });
  child.stdin?.end(input);
  return promise;
}

/** It contains the temporary folder, so that leftover files are found. */
export function variablesIn(folder: string): Record<string, string> {
  return {
    PATH: '/usr/bin:/bin',
    HOME: folder,
    FOVEA_HOME: join(folder, 'home'),
    TMPDIR: join(folder, 'tmp'),
    FOVEA_CREDENTIALS: 'file',
  };
}

export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fovea-attacks-'));
  for (const name of ['home', 'tmp']) await mkdir(join(folder, name));
  return folder;
}

async function stopped(child: ChildProcess): Promise<number | undefined> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode ?? undefined;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await Promise.race([ended, wait(stopMsMax, undefined, { ref: false })]);
  if (child.exitCode === null) await killProcess(child);
  return child.exitCode ?? undefined;
}
