// The main job, as an assistant would do it: launches Fovea over stdio with an empty home and, with
// MCP tools alone, takes a labelled folder to an exported COCO dataset. Prints what came back.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const sample = resolve('sample/blood-cells');
const out = process.argv[2] ?? 'demo-output';

type Arguments = Record<string, unknown>;

/** Calls a tool, shows its progress and its status line, and gives back its facts. */
async function callTool(client: Client, name: string, args: Arguments): Promise<Arguments> {
  say(`\n> ${name} ${JSON.stringify(args)}`);
  const result = await client.callTool(
    { name, arguments: args },
    {
      onprogress: ({ progress, total, message }) => say(`  ${progress}/${total} ${message ?? ''}`),
    },
  );
  const data: Arguments = Object.fromEntries(Object.entries(result.structuredContent ?? {}));
  if (result.isError) throw new Error(JSON.stringify(data.error ?? result.content));
  say(`  ${data.summary}`);
  return data;
}

async function runMainJob(client: Client): Promise<void> {
  const { tools } = await client.listTools();
  say(`${tools.length} tools`);
  await callTool(client, 'workspace_get', {});
  const created = await callTool(client, 'projects_create', {
    name: 'Blood cells',
    type: 'object-detection',
    annotation: 'cells',
  });
  const project = String(created.id).split('/').at(-1);
  for (const [split, list] of [
    ['train', 'train'],
    ['valid', 'val'],
    ['test', 'test'],
  ]) {
    const uploaded = await callTool(client, 'images_upload', {
      project,
      files: [join(sample, 'JPEGImages')],
      annotations: join(sample, 'Annotations'),
      list: join(sample, `ImageSets/Main/${list}.txt`),
      split,
      batch: 'BCCD sample',
    });
    for (const warning of asArray(uploaded.warnings)) say(`  warning ${JSON.stringify(warning)}`);
  }
  const health = await callTool(client, 'projects_health', { project });
  say(`  ${JSON.stringify(health.stats)}`);
  const settings = {
    project,
    preprocessing: {
      'auto-orient': true,
      resize: { width: 416, height: 416, format: 'Stretch to' },
    },
    augmentation: {
      flip: { horizontal: true },
      rotate: { degrees: 15 },
      crop: { min: 0, max: 20 },
      brightness: { brighten: true, darken: true, percent: 15 },
      mosaic: true,
      image: { versions: 3 },
    },
  };
  await callTool(client, 'versions_preview', {
    ...settings,
    save_to: join(resolve(out), 'preview.jpg'),
    overwrite: true,
  });
  await callTool(client, 'versions_generate', { ...settings, dry_run: true });
  const { version } = await callTool(client, 'versions_generate', {
    ...settings,
    versionName: 'demo',
  });
  await callTool(client, 'tasks_wait', { project, version });
  await callTool(client, 'versions_get', { project, version });
  await callTool(client, 'versions_export', {
    project,
    version,
    format: 'coco',
    save_to: join(resolve(out), 'blood-cells-coco.zip'),
    overwrite: true,
  });
}

function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

const home = await mkdtemp(join(tmpdir(), 'fovea-demo-'));
const client = new Client({ name: 'fovea-demo', version: '1.0.0' });
try {
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [resolve('src/bin/fovea.ts')],
      env: {
        PATH: process.env.PATH ?? '',
        HOME: home,
        FOVEA_HOME: join(home, 'data'),
        FOVEA_FILE_ROOTS: [resolve('.'), resolve(out)].join(delimiter),
        // The preview of a version is in no shorter list.
        FOVEA_TOOL_PROFILE: 'full',
      },
      stderr: 'inherit',
    }),
  );
  await runMainJob(client);
  say(`\nDone. The dataset and a picture of what was done to it are in ${out}/.`);
} finally {
  await client.close();
  await rm(home, { recursive: true, force: true });
}
