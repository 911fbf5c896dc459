// The plugin for Claude Code, Codex, Gemini CLI and Cursor: one folder that all four install, with
// the release, the skills, and the manifest of each host. No manifest names a package of a
// registry: each starts the file that lies in the plugin.

import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';

const packageFile = z.object({
  name: z.string(),
  version: z.string(),
  description: z.string(),
  license: z.string(),
  repository: z.object({ url: z.string() }),
  keywords: z.array(z.string()),
});

/**
 * Adds skills and manifests to a folder that holds the release in `dist`, and the picture.
 * Throws where package.json lacks what the hosts want to know.
 */
export function writePlugin(folder: string, icon: Uint8Array): void {
  cpSync('skills', join(folder, 'skills'), { recursive: true });
  for (const [path, content] of Object.entries(manifests())) {
    write(join(folder, path), `${JSON.stringify(content, null, 2)}\n`);
  }
  write(join(folder, 'assets/icon.png'), icon);
}

function manifests(): Readonly<Record<string, unknown>> {
  const { name, version, description, license, repository, keywords } = packageFile.parse(
    JSON.parse(readFileSync('package.json', 'utf8')),
  );
  const author = { name: 'The Fovea authors' };
  const url = repository.url.replace(/^git\+|\.git$/g, '');
  const about = { name, version, description, author, repository: url, license, keywords };
  const short = 'Computer-vision datasets, versions, models and events.';
  const entry = { name, description: short };
  return {
    '.claude-plugin/plugin.json': {
      ...about,
      displayName: 'Fovea',
      homepage: url,
      mcpServers: startedBy(`${filled('CLAUDE_PLUGIN_ROOT')}/dist/fovea.js`),
    },
    '.claude-plugin/marketplace.json': {
      name,
      description: short,
      owner: author,
      plugins: [{ ...entry, source: './' }],
    },
    '.codex-plugin/plugin.json': {
      ...about,
      skills: './skills/',
      mcpServers: './.codex-plugin/mcp.json',
    },
    // Codex fills in no folder, but starts the server in one that counts from the plugin. The
    // folders of images must then be named by the person.
    '.codex-plugin/mcp.json': {
      mcpServers: {
        fovea: { command: 'node', args: ['fovea.js'], cwd: './dist', env_vars: passed },
      },
    },
    '.cursor-plugin/plugin.json': {
      ...about,
      displayName: 'Fovea',
      logo: 'assets/icon.png',
      skills: './skills/',
      mcpServers: './.cursor-plugin/mcp.json',
    },
    '.cursor-plugin/mcp.json': {
      mcpServers: startedBy(`${filled('CURSOR_PLUGIN_ROOT')}/dist/fovea.js`),
    },
    'gemini-extension.json': {
      name,
      version,
      description,
      mcpServers: startedBy([filled('extensionPath'), 'dist', 'fovea.js'].join(filled('/'))),
    },
  };
}

/** Settings that Codex takes from the environment of the person. */
const passed = [
  'FOVEA_FILE_ROOTS',
  'FOVEA_HOME',
  'FOVEA_BASE_URL',
  'FOVEA_API_KEY',
  'FOVEA_WORKSPACE',
  'FOVEA_TOOL_PROFILE',
  'FOVEA_TOOLSETS',
  'FOVEA_READ_ONLY',
];

/** The host fills it in: the folder of the plugin, or what separates folders. */
function filled(variable: string): string {
  return `$\{${variable}}`;
}

function startedBy(file: string) {
  return { fovea: { command: 'node', args: [file] } };
}

function write(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}
