// One start of one server: from the spawn to the complete answer of tools/list.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import * as z from 'zod';
import { type Usage, usageOfTree } from '../measure/process-tree.ts';
import type { Server } from './servers.ts';

export interface Run extends Usage {
  /** From the spawn to the answer of initialize. */
  readonly initializeMs: number;
  /** From the spawn to the last page of tools/list. */
  readonly listMs: number;
  readonly tools: readonly unknown[];
}

/** Starts a server in `home`, asks for all its tools, and ends it. */
export async function run(server: Server, home: string): Promise<Run> {
  const started = performance.now();
  const child = spawn(process.execPath, [...server.arguments], {
    cwd: home,
    detached: true,
    env: { PATH: process.env.PATH, HOME: home, ...server.env },
  });
  running.add(child);
  try {
    const ask = connect(server, child);
    await ask('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'fovea-bench', version: '1.0.0' },
    });
    const initializeMs = performance.now() - started;
    child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    const tools = await listTools(ask);
    const listMs = performance.now() - started;
    return { initializeMs, listMs, tools, ...usageOfTree(child.pid ?? 0) };
  } finally {
    await end(child);
  }
}

/** Ends what still runs, at once: for the moment when the bench itself is stopped. */
export function endAll(): void {
  for (const child of running) killTree(child);
}

const running = new Set<ChildProcessWithoutNullStreams>();
const answerDeadlineMs = 30_000;
const endDeadlineMs = 2_000;

type Ask = (method: string, params: Record<string, unknown>) => Promise<unknown>;

async function listTools(ask: Ask): Promise<readonly unknown[]> {
  const tools: unknown[] = [];
  let cursor: string | undefined;
  do {
    const page = listAnswer.parse(await ask('tools/list', cursor === undefined ? {} : { cursor }));
    tools.push(...page.tools);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return tools;
}

const listAnswer = z.object({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });
const message = z.object({ id: z.unknown(), result: z.unknown(), error: z.unknown() }).partial();

function connect(server: Server, child: ChildProcessWithoutNullStreams): Ask {
  let lastWords = '';
  child.stderr.on('data', (chunk) => {
    lastWords = `${lastWords}${chunk}`.slice(-2_000);
  });
  const lines = createInterface({ input: child.stdout });
  let id = 0;
  return (method, params) => {
    id += 1;
    const wanted = id;
    return new Promise((resolve, reject) => {
      const fail = (why: string) => reject(new Error(`${server.name}: ${why}\n${lastWords}`));
      const deadline = setTimeout(() => fail(`no answer to ${method}`), answerDeadlineMs);
      child.once('error', ({ message }) => fail(message));
      child.once('exit', (code) => fail(`ended with ${code} before it answered ${method}`));
      const read = (line: string) => {
        const answer = message.safeParse(parseJson(line)).data;
        if (answer?.id !== wanted) return;
        clearTimeout(deadline);
        lines.off('line', read);
        if (answer.error === undefined) resolve(answer.result);
        else fail(`refused ${method}: ${JSON.stringify(answer.error)}`);
      };
      lines.on('line', read);
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: wanted, method, params })}\n`);
    });
  };
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Closes stdin, as a host does, and kills the whole group where that is not enough. */
async function end(child: ChildProcessWithoutNullStreams): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const gone = once(child, 'exit');
    const deadline = setTimeout(() => killTree(child), endDeadlineMs);
    child.stdin.end();
    await gone;
    clearTimeout(deadline);
  }
  killTree(child);
  running.delete(child);
}

function killTree({ pid }: ChildProcessWithoutNullStreams): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing of the group is left.
  }
}
