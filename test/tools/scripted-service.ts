// What tests of single tools share: a scripted service, and a context around a real client.

import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Clock, systemClock } from '../../src/clock.ts';
import { readSettings, type Settings } from '../../src/config.ts';
import { FoveaError } from '../../src/errors.ts';
import { openFileRoots } from '../../src/file-access/file-roots.ts';
import { createClient } from '../../src/http-client/create-client.ts';
import { noElicitation } from '../../src/mcp/elicitation/host-elicitation.ts';
import type { Tool, ToolContext, ToolResult } from '../../src/mcp/tool.ts';
import { Secret } from '../../src/secret.ts';
import type { MachineDiagnostics } from '../../src/setup/machine-diagnostics.ts';
import { tools } from '../../tools/index.ts';
import { testSignInFlow } from '../fixtures/sign-in-flow.ts';

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: string;
}

export interface Reply {
  readonly status?: number;
  readonly json?: unknown;
  readonly bytes?: string;
}

export interface Fixture {
  readonly url: string;
  /** A folder below the file roots. */
  readonly folder: string;
  readonly requests: readonly Request[];
  readonly progress: readonly string[];
  readonly context: ToolContext;
  /** Answers the n-th request for `METHOD /path`, n from 0. */
  on(route: string, answer: (request: Request, n: number) => Reply): void;
  /** Writes a file below the folder. */
  write(name: string, content: string): Promise<string>;
  call(name: string, args: unknown, changes?: Partial<ToolContext>): Promise<ToolResult>;
  /** Calls a tool that must refuse. */
  refused(name: string, args: unknown, changes?: Partial<ToolContext>): Promise<FoveaError>;
  close(): Promise<void>;
}

/** A service that answers 404 to whatever no test has scripted. */
export async function openScriptedService(settings: Partial<Settings> = {}): Promise<Fixture> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'fovea-tools-')));
  const answers = new Map<string, (request: Request, n: number) => Reply>();
  const requests: Request[] = [];
  const progress: string[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const url = new URL(incoming.url ?? '/', 'http://localhost');
    const method = incoming.method ?? 'GET';
    const path = decodeURIComponent(url.pathname);
    const body = await text(incoming);
    const request = { method, path, query: url.searchParams, body };
    const n = requests.filter((other) => other.method === method && other.path === path).length;
    requests.push(request);
    const missing: Reply = { status: 404, json: { error: 'nothing here' } };
    const { status = 200, json, bytes } = answers.get(`${method} ${path}`)?.(request, n) ?? missing;
    const type = bytes === undefined ? 'application/json' : 'application/zip';
    outgoing.writeHead(status, { 'content-type': type }).end(bytes ?? JSON.stringify(json));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = urlOf(server.address());
  const upstream = async () => ({ url, credential: new Secret('a-key') });
  const client = createClient({
    upstreams: { base: upstream, device: upstream },
    clock: systemClock,
    timeoutMs: 5_000,
  });
  const context: ToolContext = {
    client,
    eventStorePlace: async () => ({ kind: 'named', url }),
    files: openFileRoots([folder], folder),
    ...nobodySignedIn,
    machine: async () => quietMachine,
    settings: { ...readSettings(environmentIn(folder)), ...settings },
    clock: systemClock,
    signal: new AbortController().signal,
    progress: (done, total, message) => progress.push(`${done}/${total} ${message}`),
  };
  const call: Fixture['call'] = async (name, args, changes) => {
    return callTool(toolNamed(name), args, { ...context, ...changes });
  };
  return {
    url,
    folder,
    requests,
    progress,
    context,
    on: (route, answer) => answers.set(route, answer),
    write: async (name, content) => {
      const path = join(folder, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
      return path;
    },
    call,
    refused: async (name, args, changes) => {
      const thrown = await call(name, args, changes).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (thrown instanceof FoveaError) return thrown;
      throw new Error(`${name} was not refused but gave ${String(thrown)}.`);
    },
    close: async () => {
      await client.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function callTool(tool: Tool, args: unknown, context: ToolContext): Promise<ToolResult> {
  const prepared = tool.prepare(args);
  return (await prepared.elicit?.(context)) ?? prepared.run(context);
}

function toolNamed(name: string): Tool {
  const tool = tools.find((one) => one.name === name);
  if (!tool) throw new Error(`There is no tool ${name}.`);
  return tool;
}

/** One without hosts, proxies and files, on which everything is in order. */
export const quietMachine: MachineDiagnostics = {
  variables: async () => ({ problems: [], given: [], unread: [] }),
  hosts: async () => [],
  programs: async () => ({ node: '/bin/node', npx: '/bin/npx' }),
  network: async () => ({
    proxies: [],
    through: undefined,
    hasExtraCertificates: undefined,
    checksCertificates: true,
  }),
  clockOffsetMs: async () => 0,
  secretStore: async () => 'keychain',
  database: async () => ({
    version: '17.2',
    latencyMs: 0.4,
    clockOffsetMs: 20,
    trigrams: 'there',
    canMakeSchemas: true,
  }),
  objectsLatencyMs: async () => 12,
  stores: async () => [],
  pythonTrainer: async () => ({ state: 'absent' }),
  embedder: async () => ({ name: 'clip', bytes: 1024 }),
  pictures: async () => ({ isNative: true, version: '0.35.5', refusal: undefined }),
  orphans: async () => [],
  revisions: async () => ['2026-07-28', '2025-11-25'],
  offered: async () => ({
    count: 80,
    tokens: 9_900,
    scopes: ['project:read'],
    embeddedOnly: ['tasks_list'],
  }),
};

const nobodySignedIn: Pick<ToolContext, 'signIn' | 'elicitation' | 'pastCalls'> = {
  signIn: async () => testSignInFlow(),
  elicitation: noElicitation,
  pastCalls: async () => undefined,
};

function urlOf(address: ReturnType<Server['address']>): string {
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

/** A clock that goes on by so much each time it is read. */
export function steppingClock(stepMs: number): Clock {
  let now = 0;
  return {
    now: systemClock.now,
    monotonic: () => {
      now += stepMs;
      return now;
    },
  };
}

function environmentIn(folder: string) {
  return { FOVEA_HOME: join(folder, 'home'), FOVEA_TOOL_PROFILE: 'full' };
}
