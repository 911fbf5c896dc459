// activity_list: what was changed in a workspace, by whom, when, by which call. A hosted platform
// tells nobody: there the records of this machine say what its own calls did.

import { activity } from '../../src/contract/activity.ts';
import { checkInput } from '../../src/contract/check.ts';
import { embeddedOperations } from '../../src/contract/index.ts';
import type { Answer, Input } from '../../src/contract/operation.ts';
import { unknownMember } from '../../src/contract/validation-problems.ts';
import { workspace as operations } from '../../src/contract/workspace.ts';
import { FoveaError, invalidArgument } from '../../src/errors.ts';
import { limits } from '../../src/limits.ts';
import { fromOperation } from '../../src/mcp/operation-tool.ts';
import type { NextCall, Page, Tool, ToolContext, ToolResult } from '../../src/mcp/tool.ts';
import { count, lastPart, nameList } from '../format.ts';

const { activity_list } = activity;
const { workspace_get } = operations;

type Wanted = Input<typeof activity_list>;

type PastCall = NonNullable<Awaited<ReturnType<ToolContext['pastCalls']>>>['calls'][number];

const ofPlatform = fromOperation(activity_list, {
  title: 'List activity',
  description:
    'Lists changes, newest first: who, when, which tool, before and after. Hosted: only calls of this machine.',
  summarize: ({ total, entries }, { before }) =>
    before === undefined
      ? `${count(total, 'change')}.`
      : `${count(entries.length, 'change')} before ${before}, of ${total} in all.`,
  next: ({ entries }, input) =>
    entries
      .filter(isCut)
      .slice(0, 1)
      .map((entry) => inFull(entry, input)),
  page: ({ total, entries, next }) => pageOf(total, entries.length, next),
});

type Entry = Answer<typeof activity_list>['entries'][number];

/** Names stand for more images, which the log knows too. */
function isCut({ kind, verb, count, names, images }: Entry): boolean {
  return kind === 'image' && verb !== 'added' && count > names.length && images === undefined;
}

function inFull({ id, count: changed }: Entry, { workspace }: Wanted): NextCall {
  return {
    tool: activity_list.id,
    arguments: { workspace, before: id + 1, limit: 1 },
    why: `Names all ${changed} images of entry ${id}.`,
  };
}

export const activityList: Tool = {
  ...ofPlatform,
  prepare: (args) => {
    const prepared = ofPlatform.prepare(args);
    return {
      ...prepared,
      run: (context) =>
        context.settings.baseUrl === undefined
          ? prepared.run(context)
          : listOwnCalls(checkInput(activity_list, args), context),
    };
  },
};

async function listOwnCalls(wanted: Wanted, context: ToolContext): Promise<ToolResult> {
  const { workspace, project, action: tool, since, until, before, limit = 20 } = wanted;
  for (const name of ['kind', 'who', 'thing'] as const) {
    if (wanted[name] === undefined) continue;
    throw invalidArgument(name, 'is known on the embedded platform alone: leave it out');
  }
  const found = await context.pastCalls({
    workspace,
    project,
    tool,
    since: since === undefined ? undefined : Date.parse(since),
    until: until === undefined ? undefined : Date.parse(until),
    beforeId: before,
    countMax: limit + 1,
  });
  if (found === undefined) throw notRecorded();
  if (found.total === 0 && tool !== undefined) await checkTool(tool, workspace, context);
  if (found.total === 0 && project !== undefined) await checkProject(project, workspace, context);
  const shown = found.calls.slice(0, limit);
  const next = found.calls.length > limit ? shown.at(-1)?.id : undefined;
  const days = limits.idempotencyDaysMax;
  return {
    summary: `${count(found.total, 'call')} from this machine in ${days} days; a hosted platform keeps no log, so changes by others are not among them.`,
    data: { source: 'this machine', total: found.total, entries: shown.map(describeCall) },
    page: pageOf(found.total, shown.length, next),
  };
}

/** A misspelt name would be answered with no calls, as if nothing had been done. */
async function checkTool(tool: string, workspace: string, context: ToolContext): Promise<void> {
  const all = { project: undefined, tool: undefined, since: undefined, until: undefined };
  const some = { ...all, workspace, beforeId: undefined, countMax: limits.activityPageMax };
  const recorded = (await context.pastCalls(some))?.calls ?? [];
  const isRecorded = recorded.some((call) => call.tool === tool);
  if (isRecorded || Object.hasOwn(embeddedOperations, tool)) return;
  const changing = Object.values(embeddedOperations).filter(({ effect }) => effect !== 'reads');
  throw invalidArgument(
    'action',
    unknownMember(
      [tool],
      changing.map(({ id }) => id),
    ).message,
  );
}

/** The same of a project; whoever may not list them is told nothing. */
async function checkProject(
  project: string,
  workspace: string,
  { client, signal }: ToolContext,
): Promise<void> {
  const answer = await client.call(workspace_get, { workspace }, { signal }).catch(() => undefined);
  signal.throwIfAborted();
  if (answer === undefined) return;
  const slugs = answer.body.workspace.projects.map(({ id }) => lastPart(id));
  if (slugs.includes(lastPart(project))) return;
  const right = slugs.length === 0 ? 'there is none' : `there are ${nameList(slugs)}`;
  throw invalidArgument('project', `no project of this workspace has this slug; ${right}`);
}

function pageOf(total: number, shown: number, next: number | undefined): Page {
  const truncated = next !== undefined;
  return { total, shown, truncated, ...(truncated && { next: { before: next } }) };
}

function describeCall({ id, tool, project, state, startedAt, endedAt, summary }: PastCall) {
  return {
    id,
    time: new Date(startedAt).toISOString(),
    ...(state === 'done' && { until: new Date(endedAt).toISOString() }),
    action: tool,
    ...(project !== undefined && { project }),
    state: state === 'lost' ? 'unknown' : state,
    ...(summary !== undefined && { did: summary }),
  };
}

function notRecorded(): FoveaError {
  return new FoveaError('conflict', 'The records of calls cannot be read now.', {
    hint: 'doctor says whether the folder of Fovea can be written.',
    retry: 'safe',
  });
}
