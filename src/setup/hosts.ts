// The supported hosts: where each keeps its MCP servers, and the form of an entry.

import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { HostName } from '../commands.ts';
import type { Launch } from './launch.ts';
import { folderIn, type SystemEnvironment } from './system-environment.ts';

/** A file that may hold an entry. */
export interface Place {
  readonly file: string;
  /** A file or folder that is there once the host has been used with this place. */
  readonly sign: string;
}

export interface Host {
  readonly name: HostName;
  /** For people. */
  readonly title: string;
  readonly format: 'json' | 'toml' | 'yaml';
  /** The members that lead to the servers; an entry of Fovea is called `fovea`. */
  readonly servers: string;
  /** Where no file exists, the first is written. */
  places(system: SystemEnvironment): Promise<readonly Place[]>;
  /** Written always. */
  entry(launch: Launch): Readonly<Record<string, unknown>>;
  /** Written with a new entry only, since people change it. */
  readonly first: Readonly<Record<string, unknown>>;
  /** The member of an entry that holds environment variables. */
  readonly environment: 'env' | 'envs';
  /** How to make the host read its file. */
  readonly afterwards: string;
  /** The same once the entry is gone or as before; undefined: as afterwards. */
  readonly afterUndo?: string;
}

/** The form of Claude Desktop, which most hosts use. */
const common = {
  format: 'json',
  servers: 'mcpServers',
  entry: ({ command, args }: Launch) => ({ command, args }),
  first: {},
  environment: 'env',
} as const;

const typed = ({ command, args }: Launch) => ({ type: 'stdio', command, args });

const byName = {
  'claude-desktop': {
    ...common,
    title: 'Claude Desktop',
    places: async (system) => {
      const usual = join(configFolder(system), 'Claude');
      const folders = [...(await storeFolders(system)), usual];
      return folders.map((folder) => place(join(folder, 'claude_desktop_config.json')));
    },
    afterwards: 'Quit Claude Desktop and start it again.',
  },
  'claude-code': {
    ...common,
    title: 'Claude Code',
    places: async (system) => {
      const folder = folderIn(system, 'CLAUDE_CONFIG_DIR');
      if (folder !== undefined) return [place(join(folder, '.claude.json'))];
      const home = system.homeFolder;
      return [{ file: join(home, '.claude.json'), sign: join(home, '.claude') }];
    },
    entry: typed,
    afterwards: 'Start a new session of Claude Code.',
  },
  vscode: {
    ...common,
    title: 'VS Code',
    servers: 'servers',
    places: async (system) => codeFolders(system).map((folder) => place(join(folder, 'mcp.json'))),
    entry: typed,
    afterwards: 'In VS Code, run "MCP: List Servers" and start fovea.',
    afterUndo: 'In VS Code, "MCP: List Servers" shows what is left.',
  },
  cursor: {
    ...common,
    title: 'Cursor',
    places: async ({ homeFolder }) => [place(join(homeFolder, '.cursor', 'mcp.json'))],
    afterwards: 'Enable fovea in the MCP settings of Cursor.',
    afterUndo: 'The MCP settings of Cursor show what is left.',
  },
  codex: {
    ...common,
    title: 'Codex',
    format: 'toml',
    servers: 'mcp_servers',
    places: async (system) => {
      const folder = folderIn(system, 'CODEX_HOME') ?? join(system.homeFolder, '.codex');
      return [place(join(folder, 'config.toml'))];
    },
    // Its default of ten seconds is short for a first start on a slow disk.
    first: { startup_timeout_sec: 60 },
    afterwards: 'Start a new session of Codex.',
  },
  gemini: {
    ...common,
    title: 'Gemini CLI',
    places: async (system) => {
      const home = folderIn(system, 'GEMINI_CLI_HOME') ?? system.homeFolder;
      return [place(join(home, '.gemini', 'settings.json'))];
    },
    afterwards: 'Start Gemini CLI again.',
  },
  windsurf: {
    ...common,
    title: 'Windsurf',
    places: async ({ homeFolder }) => [
      place(join(homeFolder, '.codeium', 'windsurf', 'mcp_config.json')),
    ],
    afterwards: 'Refresh the MCP servers in the Cascade panel of Windsurf.',
  },
  zed: {
    ...common,
    title: 'Zed',
    servers: 'context_servers',
    places: async (system) => [place(join(zedFolder(system), 'settings.json'))],
    // Versions before 2026 need it, later ones ignore it.
    first: { source: 'custom' },
    afterwards: 'Zed reads its settings at once.',
  },
  cline: {
    ...common,
    title: 'Cline',
    places: async (system) => clinePlaces(system),
    afterwards: 'Cline reads its settings at once.',
  },
  goose: {
    ...common,
    title: 'Goose',
    format: 'yaml',
    servers: 'extensions',
    places: async (system) => [place(join(gooseFolder(system), 'config.yaml'))],
    entry: ({ command, args }) => ({ type: 'stdio', cmd: command, args }),
    first: {
      name: 'fovea',
      description: 'Datasets, versions and trainings of computer vision',
      enabled: true,
      timeout: 300,
    },
    environment: 'envs',
    afterwards: 'Start a new session of Goose.',
  },
} as const satisfies Record<HostName, Omit<Host, 'name'>>;

/** The host with this name on the command line. */
export function hostNamed(name: HostName): Host {
  return { name, ...byName[name] };
}

function place(file: string): Place {
  return { file, sign: dirname(file) };
}

/** Where applications of a user keep their settings. */
function configFolder(system: SystemEnvironment): string {
  const { platform, homeFolder } = system;
  if (platform === 'win32') return roamingFolder(system);
  if (platform === 'darwin') return join(homeFolder, 'Library', 'Application Support');
  return dotConfig(system);
}

function roamingFolder(system: SystemEnvironment): string {
  return folderIn(system, 'APPDATA') ?? join(system.homeFolder, 'AppData', 'Roaming');
}

function dotConfig(system: SystemEnvironment): string {
  return folderIn(system, 'XDG_CONFIG_HOME') ?? join(system.homeFolder, '.config');
}

/** Windows gives packaged applications folders of their own in place of the usual ones. */
async function storeFolders(system: SystemEnvironment): Promise<readonly string[]> {
  if (system.platform !== 'win32') return [];
  const local = folderIn(system, 'LOCALAPPDATA') ?? join(system.homeFolder, 'AppData', 'Local');
  const packages = join(local, 'Packages');
  const names = await readdir(packages).catch((): string[] => []);
  return names
    .filter((name) => /^Claude_\w+$/.test(name))
    .map((name) => join(packages, name, 'LocalCache', 'Roaming', 'Claude'));
}

function codeFolders(system: SystemEnvironment): readonly string[] {
  return ['Code', 'Code - Insiders'].map((name) => join(configFolder(system), name, 'User'));
}

function zedFolder(system: SystemEnvironment): string {
  const { platform, homeFolder } = system;
  if (platform === 'win32') return join(roamingFolder(system), 'Zed');
  return join(platform === 'darwin' ? join(homeFolder, '.config') : dotConfig(system), 'zed');
}

/** Version 4 shares one file with its command line; version 3 kept one in each editor. */
function clinePlaces(system: SystemEnvironment): readonly Place[] {
  const name = 'cline_mcp_settings.json';
  const named = folderIn(system, 'CLINE_MCP_SETTINGS_PATH');
  if (named !== undefined) return [place(named)];
  const own = folderIn(system, 'CLINE_DIR') ?? join(system.homeFolder, '.cline');
  const data = folderIn(system, 'CLINE_DATA_DIR') ?? join(own, 'data');
  const older = codeFolders(system).map((folder) =>
    join(folder, 'globalStorage', 'saoudrizwan.claude-dev'),
  );
  return [
    { file: join(data, 'settings', name), sign: data },
    ...older.map((folder) => ({ file: join(folder, 'settings', name), sign: folder })),
  ];
}

function gooseFolder(system: SystemEnvironment): string {
  const root = folderIn(system, 'GOOSE_PATH_ROOT');
  if (root !== undefined) return join(root, 'config');
  return system.platform === 'win32'
    ? join(roamingFolder(system), 'Block', 'goose', 'config')
    : join(dotConfig(system), 'goose');
}
