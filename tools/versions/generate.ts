// Generates a version: warns of unusual settings, then sends exactly what was given.

import * as z from 'zod';
import { checkInput } from '../../src/contract/check.ts';
import type { Input } from '../../src/contract/operation.ts';
import { withAllMembers } from '../../src/contract/version-default-members.ts';
import { versionEffects } from '../../src/contract/version-effects.ts';
import { settingsWarnings } from '../../src/contract/version-warnings.ts';
import { versions } from '../../src/contract/versions.ts';
import { isJsonObject } from '../../src/json-object.ts';
import type { PreparedCall, ToolContext, ToolResult } from '../../src/mcp/tool.ts';
import { exportCall } from '../follow-up-calls.ts';
import { count, quoted } from '../format.ts';
import { dryRun } from './dry-run.ts';
import { estimateTime } from './estimate.ts';
import { judgeVersion } from './judge-version.ts';

const { versions_generate } = versions;

/** The operation with the parameter that only the tool has. */
const orDryRun = {
  ...versions_generate,
  body: versions_generate.body.extend({
    dry_run: z.boolean().optional().describe('Only warnings, image counts and time.'),
  }),
};

export const generateInput = z.strictObject({
  ...versions_generate.pathParameters.shape,
  ...orDryRun.body.shape,
});

/** Throws `invalid_input` with all problems of the settings at once; nothing is sent then. */
export function prepareGeneration(args: unknown): PreparedCall {
  const { dry_run, ...checked } = checkInput(orDryRun, args);
  const given = asGiven(args, checked);
  const input = { ...given, augmentation: withAllMembers(given.augmentation) };
  const start = dry_run ? dryRun : generateVersion;
  return { run: (context) => start(input, context) };
}

/** Says what a dry run says, and generates also where a credential may not read the project. */
async function generateVersion(
  input: Input<typeof versions_generate>,
  context: ToolContext,
): Promise<ToolResult> {
  const { client, signal } = context;
  const { warnings = settingsWarnings(input), effects = versionEffects(input, []).effects } =
    (await judgeVersion(input, context).catch(() => undefined)) ?? {};
  // Before it begins: afterwards both would share the threads.
  const time = await estimateTime(input, context);
  const { body } = await client.call(versions_generate, input, { signal });
  const all = [...new Set([...warnings, ...(body.warnings ?? [])])];
  const warned = all.length > 0 ? `, with ${count(all.length, 'warning')}` : '';
  return {
    summary: `Version ${body.version} of ${quoted(input.project)} is being generated${warned}.${time.words}`,
    data: {
      ...body,
      ...time.data,
      ...(effects.length > 0 && { effects }),
      ...(all.length > 0 && { warnings: all }),
    },
    next: nextCalls(input, Number(body.version)),
    work: {
      kind: 'version',
      workspace: input.workspace,
      project: input.project,
      version: String(body.version),
    },
  };
}

function nextCalls({ workspace, project }: Input<typeof versions_generate>, version: number) {
  return [
    {
      tool: 'tasks_wait',
      arguments: { workspace, project, version },
      why: 'Waits until it is ready.',
    },
    exportCall({ workspace, project, version }),
  ];
}

/** The checked settings, with their members in the given order. */
function asGiven<Checked>(given: unknown, checked: Checked): Checked;
function asGiven(given: unknown, checked: unknown): unknown {
  if (!isJsonObject(checked)) return checked;
  const read: unknown = typeof given === 'string' ? JSON.parse(given) : given;
  if (!isJsonObject(read)) return checked;
  const names = Object.keys(read).filter((name) => Object.hasOwn(checked, name));
  return Object.fromEntries(names.map((name) => [name, asGiven(read[name], checked[name])]));
}
