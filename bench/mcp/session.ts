// One start of one server: from the spawn to the complete answer of tools/list, or to many calls.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { type Usage, usageOfTree } from '../measure/process-tree.ts';
import type { Server, TrivialCall } from './servers.ts';

export interface Run extends Usage {
  /** From the spawn to the answer of initialize. */
  readonly initializeMs: number;
  /** From the spawn to the last page of tools/list. */
  readonly listMs: number;
  readonly tools: readonly ListedTool[];
}

/** Starts a server in `home`, asks for all its tools, waits `idleMs` if said, and ends it. */
export function run(server: Server, home: string, idleMs = 0): Promise<Run> {
  const started = performance.now();
  return withServer(server, home, async (ask, child) => {
    const initializeMs = performance.now() - started;
    const tools = await listTools(ask);
    const listMs = performance.now() - started;
    if (idleMs > 0) await sleep(idleMs);
    return { initializeMs, listMs, tools, ...usageOfTree(child.pid ?? 0) };
  });
}

/** Milliseconds of each of many trivial calls, one after the other, of a server that is warm. */
export function timeCalls(
  server: Server,
  trivial: TrivialCall,
  home: string,
): Promise<readonly number[]> {
  const params = { name: trivial.tool, arguments: trivial.arguments };
  return withServer(server, home, async (ask) => {
    const call = async () => {
      const started = performance.now();
      const { isError } = callAnswer.parse(await ask('tools/call', params));
      if (isError) throw new Error(`${server.name}: ${trivial.tool} failed`);
      return performance.now() - started;
    };
    for (let warm = 0; warm < warmCalls; warm += 1) await call();
    const times: number[] = [];
    while (times.length < timedCalls) times.push(await call());
    return times;
  });
}

async function withServer<Value>(
  server: Server,
  home: string,
  work: (ask: Ask, child: ChildProcessWithoutNullStreams) => Promise<Value>,
): Promise<Value> {
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
    child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    return await work(ask, child);
  } finally {
    await end(child);
  }
}

/** Ends what still runs, at once: for the moment when the bench itself is stopped. */
export function endAll(): void {
  for (const child of running) killTree(child);
}

const running = new Set<ChildProcessWithoutNullStreams>();
const warmCalls = 100;
const timedCalls = 200;
const answerDeadlineMs = 30_000;
const endDeadlineMs = 2_000;

type Ask = (method: string, params: Record<string, unknown>) => Promise<unknown>;

interface Asked {
  resolve(result: unknown): void;
  reject(why: Error): void;
}

async function listTools(ask: Ask): Promise<readonly ListedTool[]> {
  const tools: ListedTool[] = [];
  let cursor: string | undefined;
  do {
    const page = listAnswer.parse(await ask('tools/list', cursor === undefined ? {} : { cursor }));
    tools.push(...page.tools);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return tools;
}

const listedTool = z.looseObject({
  name: z.string(),
  description: z.string().optional(),
  inputSchema: z.unknown(),
});

type ListedTool = z.output<typeof listedTool>;

const listAnswer = z.object({ tools: z.array(listedTool), nextCursor: z.string().optional() });
const callAnswer = z.object({ isError: z.boolean().optional() });
const message = z.object({ id: z.unknown(), result: z.unknown(), error: z.unknown() }).partial();

function connect(server: Server, child: ChildProcessWithoutNullStreams): Ask {
  const asked = new Map<unknown, Asked>();
  let lastWords = '';
  child.stderr.on('data', (chunk) => {
    lastWords = `${lastWords}${chunk}`.slice(-2_000);
  });
  const failure = (why: string) => new Error(`${server.name}: ${why}\n${lastWords}`);
  const failAll = (why: string) => {
    for (const { reject } of asked.values()) reject(failure(why));
  };
  child.once('error', ({ message }) => failAll(message));
  child.once('exit', (code) => failAll(`ended with ${code} before it answered`));
  createInterface({ input: child.stdout }).on('line', (line) => {
    const answer = message.safeParse(parseJson(line)).data;
    const waiting = asked.get(answer?.id);
    if (answer === undefined || waiting === undefined) return;
    if (answer.error === undefined) waiting.resolve(answer.result);
    else waiting.reject(failure(`refused: ${JSON.stringify(answer.error)}`));
  });
  let id = 0;
  return async (method, params) => {
    id += 1;
    const wanted = id;
    const { promise, ...settle } = Promise.withResolvers<unknown>();
    asked.set(wanted, settle);
    const late = () => settle.reject(failure(`no answer to ${method}`));
    const deadline = setTimeout(late, answerDeadlineMs);
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: wanted, method, params })}\n`);
    try {
      return await promise;
    } finally {
      clearTimeout(deadline);
      asked.delete(wanted);
    }
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
