// The processes that are profiled. They end by themselves, since they write their profiles then.

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

export interface Launch {
  /** The script of Fovea. */
  readonly entry: string;
  /** Of Node, for the process and its threads. */
  readonly nodeFlags: readonly string[];
  /** For its data, and the files that it may read. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
}

type Facts = Readonly<Record<string, unknown>>;

export interface StdioProcess {
  readonly pid: number;
  /** Asks for something by its method. Throws where the answer is an error. */
  ask(method: string, params?: Facts): Promise<Facts>;
  /** Calls a tool, and gives its facts. Throws where it fails. */
  call(tool: string, args: Facts): Promise<Facts>;
  /** Closes its input, and resolves when it has ended. */
  end(): Promise<void>;
}

export function launchStdio(launch: Launch): StdioProcess {
  const child = start(launch, []);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let id = 0;
  const ask = async (method: string, params: Facts = {}): Promise<Facts> => {
    id += 1;
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error(`Fovea ended before it answered ${method}.`);
      const answer = JSON.parse(value);
      if (answer.id !== id) continue;
      if (answer.result === undefined) throw new Error(`${method}: ${value}`);
      return answer.result;
    }
  };
  return {
    pid: child.pid ?? 0,
    ask,
    call: async (name, args) => {
      const { isError, structuredContent, content } = await ask('tools/call', {
        name,
        arguments: args,
      });
      if (isError === true) throw new Error(`${name}: ${JSON.stringify(content)}`);
      return Object.fromEntries(Object.entries(structuredContent ?? {}));
    },
    end: async () => {
      child.stdin.end();
      await ended(child);
    },
  };
}

export interface EventStoreProcess {
  readonly url: string;
  end(): Promise<void>;
}

export async function launchEventStore(launch: Launch): Promise<EventStoreProcess> {
  const child = start(launch, [
    'event-store',
    '--port',
    '0',
    '--data',
    join(launch.folder, 'home'),
  ]);
  for await (const line of createInterface({ input: child.stdout })) {
    return {
      url: line.trim(),
      end: async () => {
        child.kill('SIGTERM');
        await ended(child);
      },
    };
  }
  throw new Error('The Event Store ended before it listened.');
}

type Child = ChildProcessByStdio<Writable, Readable, null>;

function start({ entry, nodeFlags, folder, environment }: Launch, words: string[]): Child {
  const { PATH = '' } = process.env;
  const roots = { HOME: folder, FOVEA_HOME: join(folder, 'home'), FOVEA_FILE_ROOTS: folder };
  // Services start themselves anew, with other flags: these stay.
  const NODE_OPTIONS = nodeFlags.join(' ');
  return spawn(process.execPath, [entry, ...words], {
    env: { PATH, NODE_OPTIONS, ...roots, ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}

async function ended(child: Child): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  if (child.exitCode !== 0) {
    throw new Error(`Fovea ended by ${child.exitCode ?? child.signalCode}: a profile is missing.`);
  }
}
