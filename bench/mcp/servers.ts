// The servers that stand side by side in the bench, and how they get onto the machine.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as z from 'zod';
import { installBytes, packedInstallBytes } from './install-size.ts';

export interface Server {
  readonly name: string;
  /** `ours` is what most hosts get, `compact` the same with few tools. */
  readonly role: 'ours' | 'compact' | 'peer' | 'floor';
  /** Run by the Node that runs the bench. */
  readonly arguments: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** A call that does next to nothing, and needs neither network nor browser. */
  readonly trivial?: TrivialCall;
  /** Bytes on disk after `npm install` of it alone; undefined: it was not measured. */
  readonly installBytes?: number;
}

export interface TrivialCall {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export interface Choice {
  /** Stands in for the built Fovea. */
  readonly file: string | undefined;
  /** Whether to build Fovea anew. */
  readonly build: boolean;
  /** Whether to install each of them once more, alone, which takes a minute. */
  readonly install: boolean;
}

const root = join(import.meta.dirname, '../..');
const peersFolder = join(root, 'bench/peers');

interface Peer {
  readonly name: string;
  readonly file: string;
  /** A value where it does not start without one. */
  readonly env?: Readonly<Record<string, string>>;
  readonly trivial?: TrivialCall;
}

/** Published servers. Those without a trivial call have none that works without a service. */
const peers: readonly Peer[] = [
  {
    name: '@modelcontextprotocol/server-memory',
    file: 'dist/index.js',
    trivial: { tool: 'read_graph', arguments: {} },
  },
  { name: '@playwright/mcp', file: 'cli.js' },
  {
    name: '@notionhq/notion-mcp-server',
    file: 'bin/cli.mjs',
    env: { NOTION_TOKEN: 'offline' },
  },
  { name: 'chrome-devtools-mcp', file: 'build/src/bin/chrome-devtools-mcp.js' },
  {
    name: 'mongodb-mcp-server',
    file: 'dist/esm/index.js',
    trivial: { tool: 'list-connections', arguments: {} },
  },
];

/** Every server to measure. Builds and installs. */
export function prepareServers({ file, build, install }: Choice): readonly Server[] {
  installPeers();
  if (file === undefined && build) buildFovea();
  const ours = file ? resolve(file) : join(root, 'dist/fovea.js');
  if (install) process.stderr.write('Installing each of them alone, for its size...\n');
  const isWhole = install && file === undefined;
  const fovea = { arguments: [ours], ...(isWhole && { installBytes: packedInstallBytes(root) }) };
  return [
    {
      ...fovea,
      name: 'fovea',
      role: 'ours',
      env: {},
      // Goes through the embedded platform: HTTP and SQLite.
      trivial: { tool: 'operations_read', arguments: { operation: 'workspace_whoami' } },
    },
    {
      ...fovea,
      name: 'fovea, compact',
      role: 'compact',
      env: { FOVEA_TOOL_PROFILE: 'compact' },
      trivial: { tool: 'operations_find', arguments: { query: 'workspace_get' } },
    },
    ...peers.map(({ name, file, env = {}, trivial }): Server => {
      const path = join(peersFolder, 'node_modules', name, file);
      const version = pinned()[name];
      return {
        name: `${name} ${version}`,
        role: 'peer',
        arguments: [path],
        env,
        ...(trivial && { trivial }),
        ...(install && { installBytes: installBytes(`${name}@${version}`) }),
      };
    }),
    {
      name: 'raw JSON-RPC floor',
      role: 'floor',
      env: {},
      arguments: [join(import.meta.dirname, 'minimal-server.mjs')],
    },
  ];
}

function buildFovea(): void {
  const { status } = spawnSync(process.execPath, [join(root, 'scripts/build.ts')], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) throw new Error('Fovea could not be built; `npm run build` says why.');
}

function installPeers(): void {
  const wanted = Object.entries(pinned());
  if (wanted.every(([name, version]) => installedVersion(name) === version)) return;
  process.stderr.write('Installing the peers into bench/peers (once)...\n');
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: peersFolder,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) {
    throw new Error('The peers could not be installed (npm ci in bench/peers); is npm offline?');
  }
}

function pinned(): Readonly<Record<string, string>> {
  const manifest = readFileSync(join(peersFolder, 'package.json'), 'utf8');
  const schema = z.object({ dependencies: z.record(z.string(), z.string()) });
  return schema.parse(JSON.parse(manifest)).dependencies;
}

function installedVersion(name: string): string | undefined {
  const path = join(peersFolder, 'node_modules', name, 'package.json');
  if (!existsSync(path)) return undefined;
  return z.object({ version: z.string() }).parse(JSON.parse(readFileSync(path, 'utf8'))).version;
}
