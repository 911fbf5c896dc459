// Lists and calls with the MCP Inspector's command line, as a host would, and has it look at the
// schemas of both profiles as strictly as it can.

import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';
import { entryUnderTest, nodeUnderTest } from '../../test/fixtures/under-test.ts';
import { installed } from './install-packages.ts';
import { say } from './mcp-suite.ts';

interface Wanted {
  readonly says: string;
  readonly profile: 'full' | 'compact';
  readonly words: readonly string[];
  /** What the answer has to have. */
  readonly answer: z.ZodType;
}

const names = (known: readonly string[]) =>
  z
    .array(z.object({ name: z.string() }))
    .refine((list) => known.every((wanted) => list.some(({ name }) => name === wanted)));

const wanted: readonly Wanted[] = [
  {
    says: 'the full list is portable, without one remark',
    profile: 'full',
    words: ['tools/list', '--strict'],
    answer: z.object({ tools: names(['versions_generate', 'events_create', 'folders_delete']) }),
  },
  {
    says: 'the compact list is portable, without one remark',
    profile: 'compact',
    words: ['tools/list', '--strict'],
    answer: z.object({ tools: names(['operations_find', 'operations_delete', 'versions_export']) }),
  },
  {
    says: 'projects_create makes local/cells',
    profile: 'full',
    words: [
      'tools/call',
      '--tool-name',
      'projects_create',
      '--tool-arg',
      'name=Cells',
      'type=object-detection',
      'annotation=cells',
    ],
    answer: z.object({ structuredContent: z.object({ id: z.literal('local/cells') }) }),
  },
  {
    says: 'the compact profile reaches it by operations_read',
    profile: 'compact',
    words: [
      'tools/call',
      '--tool-name',
      'operations_read',
      '--tool-arg',
      'operation=workspace_get',
      'arguments={}',
    ],
    answer: z.object({
      isError: z.literal(false).optional(),
      structuredContent: z.object({
        workspace: z.object({ projects: names(['Cells']) }),
      }),
    }),
  },
  {
    says: 'resources are listed',
    profile: 'full',
    words: ['resources/list'],
    answer: z.object({ resources: names(['workspace']) }),
  },
  {
    says: 'prompts are listed',
    profile: 'compact',
    words: ['prompts/list'],
    answer: z.object({ prompts: names(['import_dataset']) }),
  },
];

/** Gives whether all went well. */
export async function tryInspector(): Promise<boolean> {
  const file = installed(resolve('test/inspector'), '.bin/mcp-inspector');
  const home = await mkdtemp(join(tmpdir(), 'fovea-inspector-'));
  const ended: boolean[] = [];
  try {
    for (const each of wanted) ended.push(await inspect(file, home, each));
  } finally {
    await rm(home, { recursive: true, force: true });
  }
  return ended.every(Boolean);
}

/** Runs one method against a new process; all processes share one data folder. */
async function inspect(
  file: string,
  home: string,
  { says, profile, words, answer }: Wanted,
): Promise<boolean> {
  const settings = { HOME: home, FOVEA_HOME: join(home, 'data'), FOVEA_TOOL_PROFILE: profile };
  const env = Object.entries(settings).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
  const server = ['--', nodeUnderTest, entryUnderTest()];
  let why = '';
  try {
    const all = ['--cli', ...env, '--method', ...words, ...server];
    const { stdout, stderr } = await promisify(execFile)(file, all, {
      env: { ...process.env, HOME: home },
    });
    if (stderr.trim() !== '') why = stderr;
    else answer.parse(JSON.parse(stdout));
  } catch (thrown) {
    why = String(thrown);
  }
  say(`${why === '' ? 'ok' : 'FAILED'}: inspector: ${says}`);
  if (why !== '') say(why);
  return why === '';
}
