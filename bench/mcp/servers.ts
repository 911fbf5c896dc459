// The servers that stand side by side in the bench, and how they get onto the machine.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as z from 'zod';

export interface Server {
  readonly name: string;
  readonly role: 'ours' | 'peer' | 'floor';
  /** Run by the Node that runs the bench. */
  readonly arguments: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const root = join(import.meta.dirname, '../..');
const peersFolder = join(root, 'bench/peers');

/** Published servers: their file, and a value where they do not start without one. */
const peers = [
  { name: '@modelcontextprotocol/server-memory', file: 'dist/index.js', env: {} },
  { name: '@playwright/mcp', file: 'cli.js', env: {} },
  { name: '@notionhq/notion-mcp-server', file: 'bin/cli.mjs', env: { NOTION_TOKEN: 'offline' } },
];

/** Every server to measure; `file` stands in for the built Fovea. Builds and installs. */
export function prepareServers(file: string | undefined): readonly Server[] {
  installPeers();
  const ours = file ? resolve(file) : build();
  return [
    { name: file ?? 'fovea', role: 'ours', arguments: [ours], env: {} },
    ...peers.map(({ name, file, env }): Server => {
      const path = join(peersFolder, 'node_modules', name, file);
      return { name: `${name} ${pinned()[name]}`, role: 'peer', arguments: [path], env };
    }),
    {
      name: 'raw JSON-RPC floor',
      role: 'floor',
      arguments: [join(import.meta.dirname, 'raw-floor.mjs')],
      env: {},
    },
  ];
}

function build(): string {
  const { status } = spawnSync(process.execPath, [join(root, 'scripts/bundle.ts')], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) throw new Error('Fovea could not be built; `npm run build` says why.');
  return join(root, 'dist/fovea.js');
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
