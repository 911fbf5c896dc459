// Every host on every platform: the file, the entry, and the way back to the same bytes.

import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse as parseJson } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { type HostName, hostNames } from '../../src/commands.ts';
import { findHosts } from '../../src/setup/find-hosts.ts';
import { setUp } from '../../src/setup/set-up.ts';
import { undoSetUp } from '../../src/setup/undo.ts';
import { fileOf, filesIn, makeSetUp, type Platform, platforms } from './home-folders.ts';

const mac = 'Library/Application Support';
const roaming = 'AppData/Roaming';

/** Where each host looks, below the home folder, as its makers document it. */
const files: Readonly<Record<HostName, Readonly<Record<Platform, string>>>> = {
  'claude-desktop': {
    linux: '.config/Claude/claude_desktop_config.json',
    darwin: `${mac}/Claude/claude_desktop_config.json`,
    win32: `${roaming}/Claude/claude_desktop_config.json`,
  },
  'claude-code': same('.claude.json'),
  vscode: {
    linux: '.config/Code/User/mcp.json',
    darwin: `${mac}/Code/User/mcp.json`,
    win32: `${roaming}/Code/User/mcp.json`,
  },
  cursor: same('.cursor/mcp.json'),
  codex: same('.codex/config.toml'),
  gemini: same('.gemini/settings.json'),
  windsurf: same('.codeium/windsurf/mcp_config.json'),
  zed: {
    linux: '.config/zed/settings.json',
    darwin: '.config/zed/settings.json',
    win32: `${roaming}/Zed/settings.json`,
  },
  cline: same('.cline/data/settings/cline_mcp_settings.json'),
  goose: {
    linux: '.config/goose/config.yaml',
    darwin: '.config/goose/config.yaml',
    win32: `${roaming}/Block/goose/config/config.yaml`,
  },
};

function same(path: string): Readonly<Record<Platform, string>> {
  return { linux: path, darwin: path, win32: path };
}

const command = '/opt/node/bin/node';
const args = ['/opt/fovea/dist/fovea.js'];
const plain = { mcpServers: { fovea: { command, args } } };
const goose = {
  name: 'fovea',
  description: 'Datasets, versions and trainings of computer vision',
  enabled: true,
  timeout: 300,
  type: 'stdio',
  cmd: command,
  args,
};

const contents: Readonly<Record<HostName, unknown>> = {
  'claude-desktop': plain,
  'claude-code': { mcpServers: { fovea: { type: 'stdio', command, args } } },
  vscode: { servers: { fovea: { type: 'stdio', command, args } } },
  cursor: plain,
  codex: { mcp_servers: { fovea: { command, args, startup_timeout_sec: 60 } } },
  gemini: plain,
  windsurf: plain,
  zed: { context_servers: { fovea: { source: 'custom', command, args } } },
  cline: plain,
  goose: { extensions: { fovea: goose } },
};

/** What a host may hold before, in its own language. */
const held = {
  json: '\uFEFF// mine\r\n{\r\n\t"theme": "dark", // stays\r\n\t"other": [1, 2],\r\n}\r\n',
  toml: '# mine\nmodel = "x" # stays\n\n[tools]\nweb = true\n',
  yaml: '# mine\nGOOSE_MODEL: x # stays\nextensions:\n  developer:\n    enabled: true\n',
} as const;

describe.each(platforms)('%s', (platform) => {
  test.each(hostNames)('%s: a new file with the entry, and gone again', async (name) => {
    const options = await makeSetUp(platform);
    const home = options.system.homeFolder;
    const [outcome] = await setUp(name, options);
    expect(outcome).toMatchObject({ kind: 'written', file: join(home, files[name][platform]) });
    expect(outcome?.diff).not.toContain('other settings');
    expect(await read(join(home, files[name][platform]))).toEqual(contents[name]);
    expect(await setUp(name, options)).toMatchObject([{ kind: 'same' }]);
    expect(await undoSetUp(name, options)).toMatchObject([{ kind: 'restored' }]);
    expect(await filesIn(home)).toEqual({});
  });

  test.each(hostNames)('%s: everything that was there stays, and comes back', async (name) => {
    const options = await makeSetUp(platform, {
      variables: { toolProfile: 'compact', files: undefined },
    });
    const home = options.system.homeFolder;
    const file = await fileOf(name, options);
    const language = languageOf(file);
    await writeFile(file, held[language]);
    const before = await filesIn(home);
    expect(await setUp(name, options)).toMatchObject([{ kind: 'written', file }]);
    const after = await readFile(file, 'utf8');
    for (const line of held[language].split(/(?<=\n)/).slice(0, -1)) expect(after).toContain(line);
    expect(after).toContain('FOVEA_TOOL_PROFILE');
    expect(await undoSetUp(name, options)).toMatchObject([{ kind: 'restored' }]);
    expect(await filesIn(home)).toEqual(before);
  });
});

test('what was written is found again, by all hosts', async () => {
  const script = import.meta.filename;
  const running = { node: process.execPath, script };
  const options = await makeSetUp('linux', { running });
  for (const name of hostNames) await setUp(name, options);
  const found = await findHosts(options.system, '0.1.0');
  expect(found.map(({ host }) => host)).toEqual(hostNames);
  for (const { trouble, command } of found) {
    expect(trouble).toBeUndefined();
    expect(command?.at(-1)).toBe(script);
  }
});

test('a copy in the cache of npx is entered nowhere', async () => {
  const running = {
    node: '/n/node',
    script: '/home/a/.npm/_npx/1/node_modules/fovea/dist/fovea.js',
  };
  for (const platform of platforms) {
    const options = await makeSetUp(platform, { running });
    await expect(setUp('cursor', options)).rejects.toMatchObject({
      code: 'invalid_input',
      hint: expect.stringContaining('npm install --global'),
    });
    expect(existsSync(join(options.system.homeFolder, '.cursor/mcp.json'))).toBe(false);
  }
});

test('folders that hosts take from variables', async () => {
  const options = await makeSetUp('linux');
  const home = options.system.homeFolder;
  const environment = {
    CODEX_HOME: join(home, 'a'),
    CLAUDE_CONFIG_DIR: join(home, 'b'),
    XDG_CONFIG_HOME: join(home, 'c'),
    GEMINI_CLI_HOME: join(home, 'd'),
    CLINE_DATA_DIR: join(home, 'e'),
    GOOSE_PATH_ROOT: 'not/absolute',
  };
  const moved = { ...options, system: { ...options.system, environment } };
  for (const name of ['codex', 'claude-code', 'zed', 'gemini', 'cline', 'goose'] as const) {
    await setUp(name, moved);
  }
  const paths = Object.keys(await filesIn(home)).filter((path) => !/\.(new|bak)$/.test(path));
  expect(paths).toEqual([
    'a/config.toml',
    'b/.claude.json',
    'c/goose/config.yaml',
    'c/zed/settings.json',
    'd/.gemini/settings.json',
    'e/settings/cline_mcp_settings.json',
  ]);
});

test('the Claude Desktop of the Windows store has a folder of its own', async () => {
  const options = await makeSetUp('win32');
  const home = options.system.homeFolder;
  const store = 'AppData/Local/Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude';
  await mkdir(join(home, store), { recursive: true });
  const outcomes = await setUp('claude-desktop', options);
  expect(outcomes.map(({ file }) => file)).toEqual([
    join(home, store, 'claude_desktop_config.json'),
  ]);
});

test('each place of a host that is in use gets the entry', async () => {
  const options = await makeSetUp('linux');
  const home = options.system.homeFolder;
  const older = '.config/Code/User/globalStorage/saoudrizwan.claude-dev';
  for (const folder of ['.cline/data', older]) await mkdir(join(home, folder), { recursive: true });
  const outcomes = await setUp('cline', options);
  expect(outcomes.map(({ file }) => file)).toEqual([
    join(home, '.cline/data/settings/cline_mcp_settings.json'),
    join(home, older, 'settings/cline_mcp_settings.json'),
  ]);
});

async function read(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8');
  const parsers: Readonly<Record<string, (text: string) => unknown>> = {
    json: (each) => parseJson(each),
    toml: (each) => parseToml(each),
    yaml: (each) => parseYaml(each),
  };
  return JSON.parse(JSON.stringify(parsers[languageOf(file)]?.(text)));
}

function languageOf(file: string): 'json' | 'toml' | 'yaml' {
  if (file.endsWith('.toml')) return 'toml';
  return file.endsWith('.yaml') ? 'yaml' : 'json';
}
