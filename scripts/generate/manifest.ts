// manifest.json of the bundle that desktop hosts install (MCPB, manifest version 0.3).

import { readFileSync } from 'node:fs';
import { type ListedPrompt, prompts } from '../../src/mcp/prompts/prompts.ts';
import type { ListedTool } from '../../src/mcp/tool-list.ts';

/** The manifest as text, formatted as the linter wants it. */
export function manifest(list: readonly ListedTool[]): string {
  const { version, description, license, engines, keywords } = packageFacts();
  return format({
    manifest_version: '0.3',
    name: 'fovea',
    display_name: 'Fovea',
    version,
    description,
    author: { name: 'The Fovea authors' },
    license,
    keywords,
    server: {
      type: 'node',
      entry_point: 'dist/fovea.js',
      mcp_config: {
        command: 'node',
        args: [`${dollar}{__dirname}/dist/fovea.js`],
        env: Object.fromEntries(
          Object.entries(fields).map(([key, { variable }]) => [
            variable,
            `${dollar}{user_config.${key}}`,
          ]),
        ),
      },
    },
    user_config: Object.fromEntries(
      Object.entries(fields).map(([key, { variable: _variable, ...field }]) => [key, field]),
    ),
    tools: list
      .filter(({ appOnly }) => appOnly !== true)
      .map(({ name, title }) => ({ name, description: title })),
    prompts: prompts.map(listedPrompt),
    // The server writes their texts, for the tools that it offers.
    prompts_generated: true,
    compatibility: {
      platforms: ['darwin', 'win32', 'linux'],
      runtimes: { node: engines.node },
    },
  });
}

const dollar = '$';

/** A field left blank arrives as its own placeholder, so each has a default. */
const fields = {
  api_key: {
    variable: 'FOVEA_API_KEY',
    type: 'string',
    title: 'API key',
    description: 'Workspace API key. Leave blank to sign in, or for the embedded platform.',
    required: false,
    sensitive: true,
    default: '',
  },
  base_url: {
    variable: 'FOVEA_BASE_URL',
    type: 'string',
    title: 'API address',
    description: 'Address of the management API. Leave blank for the embedded platform.',
    required: false,
    default: '',
  },
  workspace: {
    variable: 'FOVEA_WORKSPACE',
    type: 'string',
    title: 'Workspace',
    description: 'Slug of the workspace to use where a call names none.',
    required: false,
    default: '',
  },
  tool_profile: {
    variable: 'FOVEA_TOOL_PROFILE',
    type: 'string',
    title: 'Tools in the list',
    description:
      'default: the most used, and four that find and call the others; compact: fewer of them; full: all tools.',
    required: false,
    default: 'default',
  },
  file_roots: {
    variable: 'FOVEA_FILE_ROOTS',
    type: 'directory',
    title: 'Folder for images and exports',
    description: 'The folder from which tools may read and into which they may write.',
    required: false,
    default: `${dollar}{DOCUMENTS}/Fovea`,
  },
};

function listedPrompt({ name, title, description, arguments: given }: ListedPrompt) {
  const values = given.map((one) => `${one.name}: ${dollar}{arguments.${one.name}}`);
  return {
    name,
    description,
    arguments: given.map((one) => one.name),
    text: `${title}. ${description} (${values.join('; ')})`,
  };
}

function packageFacts(): Facts {
  const facts: Facts = JSON.parse(readFileSync('package.json', 'utf8'));
  return facts;
}

interface Facts {
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly keywords: readonly string[];
  readonly engines: { readonly node: string };
}

/** JSON with short lists on one line. */
function format(value: unknown): string {
  const text = JSON.stringify(value, null, 2).replace(
    /\[\n\s+("[^"\n]*"(?:,\n\s+"[^"\n]*")*)\n\s+\]/g,
    (_list, items: string) => `[${items.replace(/\n\s+/g, ' ')}]`,
  );
  return `${text}\n`;
}
