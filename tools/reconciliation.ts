// Reconciliation: reads from the service whether a call whose answer was lost was carried out.
// Calls that are not listed here cannot be told. Others work in the workspace too: a thing that may
// be theirs is not taken for ours.

import { annotation } from '../src/contract/annotation.ts';
import { apiKeys } from '../src/contract/api-keys.ts';
import { events } from '../src/contract/events.ts';
import { folders } from '../src/contract/folders.ts';
import { projects } from '../src/contract/projects.ts';
import { taskExtensions } from '../src/contract/tasks.ts';
import { trainingExtensions } from '../src/contract/trainings.ts';
import { workspace } from '../src/contract/workspace.ts';
import { limits } from '../src/limits.ts';
import type { Reconciler } from '../src/mcp/idempotency/idempotency.ts';
import { isOwnPlatform, type ToolContext, type ToolResult } from '../src/mcp/tool.ts';
import { taskWork, waitForTask } from './follow-up-calls.ts';
import { lastPart, quoted } from './format.ts';

type Arguments = Parameters<Reconciler>[0];
type Found = Awaited<ReturnType<Reconciler>>;

const createdProject: Reconciler = async (args, context, since) => {
  const { client, signal } = context;
  const input = { workspace: textOf(args, 'workspace') };
  const { body } = await client.call(workspace.workspace_get, input, { signal });
  const same = body.workspace.projects.filter(
    ({ name, type }) => name === args.name && type === args.type,
  );
  return newest(
    same,
    ({ created }) => secondsMs(created),
    whenAtPlatform(since, context),
    (project) => ({
      summary: `Project ${quoted(lastPart(project.id))} (${quoted(project.type)}) is there.`,
      data: { ...project },
    }),
  );
};

/** Whether another user may have made a thing that looks like ours. */
function hasColleagues({ settings }: ToolContext): boolean {
  return settings.baseUrl !== undefined;
}

/** Something like it is there, and nothing says whose it is. */
function unlessForeign(found: Found, isOurs: boolean): Found {
  return found.state === 'done' && !isOurs ? { state: 'unknown' } : found;
}

const generatedVersion: Reconciler = async (args, context, since) => {
  const { client, signal } = context;
  const workspace = textOf(args, 'workspace');
  const project = textOf(args, 'project');
  const { body } = await client.call(projects.projects_get, { workspace, project }, { signal });
  const wanted = args.versionName ?? undefined;
  const same = body.versions.filter(({ name }) => wanted === undefined || name === wanted);
  const found = newest(
    same,
    ({ created }) => secondsMs(created),
    whenAtPlatform(since, context),
    ({ id }) => {
      const version = Number(lastPart(id));
      return {
        summary: `Version ${version} of ${quoted(project)} is there, or being generated.`,
        data: { version },
        next: [
          {
            tool: 'tasks_wait',
            arguments: { workspace, project, version },
            why: 'Waits until it is ready.',
          },
        ],
        work: { kind: 'version', workspace, project, version: String(version) },
      };
    },
  );
  return unlessForeign(found, wanted !== undefined || !hasColleagues(context));
};

const startedTraining: Reconciler = async (args, context, since) => {
  const { client, signal } = context;
  const input = {
    workspace: textOf(args, 'workspace'),
    project: textOf(args, 'project'),
    version: Number(args.version),
  };
  const { body } = await client.call(trainingExtensions.trainings_list, input, { signal });
  const wanted = args.modelType ?? undefined;
  const same = body.trainings.filter(
    ({ modelType }) => wanted === undefined || modelType === undefined || modelType === wanted,
  );
  const found = newest(
    same,
    ({ created }) => secondsMs(created),
    whenAtPlatform(since, context),
    (training) => ({
      summary: `Training ${quoted(training.trainingId)} is ${quoted(training.status)}.`,
      data: { trainingId: training.trainingId, status: training.status },
      // Found on the embedded platform alone, which gives both one id.
      work: taskWork(input.workspace, training.trainingId),
    }),
  );
  return unlessForeign(found, !hasColleagues(context));
};

const createdFolder: Reconciler = async (args, context, since) => {
  const { client, signal } = context;
  const input = { workspace: textOf(args, 'workspace') };
  const { body } = await client.call(folders.folders_list, input, { signal });
  const same = body.data.filter(({ name }) => name === args.name);
  const time = ({ created }: Readonly<Record<string, unknown>>) => dateMs(created);
  return newest(same, time, whenAtPlatform(since, context), ({ id }) => ({
    summary: `The folder is there, with id ${quoted(id)}.`,
    data: { id },
  }));
};

const createdAnnotationJob: Reconciler = async (args, context, since) => {
  const { client, signal } = context;
  const input = { workspace: textOf(args, 'workspace'), project: textOf(args, 'project') };
  const { body } = await client.call(annotation.annotation_jobs_list, input, { signal });
  const same = body.jobs.filter(
    ({ name, labeler, sourceBatch }) =>
      name === args.name && labeler === args.labelerEmail && sourceBatch === args.batch,
  );
  return newest(
    same,
    ({ created }) => stampMs(created),
    whenAtPlatform(since, context),
    (job) => ({
      summary: `The annotation job is there${job.id === undefined ? '' : ` as ${quoted(job.id)}`}.`,
      data: { ...job },
    }),
  );
};

/** Its secret is lost for good. */
const createdApiKey: Reconciler = async (args, context, since) => {
  const { client, signal } = context;
  const where = { workspace: textOf(args, 'workspace') };
  const { body } = await client.call(apiKeys.api_keys_list, where, { signal });
  const wanted = args.name ?? undefined;
  const same = body.apiKeys.filter(({ name }) => (name ?? undefined) === wanted);
  // A service may add members; different values leave a doubt.
  const isOurs = same.every(
    ({ scopes, folderIds }) =>
      wanted !== undefined &&
      (args.scopes === undefined || sameWords(args.scopes, scopes)) &&
      (args.folderIds === undefined || sameWords(args.folderIds, folderIds)),
  );
  const found = newest(
    same,
    ({ created_on }) => dateMs(created_on),
    whenAtPlatform(since, context),
    ({ keyId }) => ({
      summary: `API key ${quoted(keyId)} is there, but its secret was lost with the answer. If nobody else made it, revoke it, then create another.`,
      data: { keyId },
      next: [
        {
          tool: 'api_keys_get',
          arguments: { ...where, keyId },
          why: 'Shows who made it: it may be the key of somebody else.',
        },
      ],
    }),
  );
  return unlessForeign(found, isOurs || !hasColleagues(context));
};

/** Only our platform lists its tasks; others answer with an error. */
function startedTask(kind: string): Reconciler {
  return async (args, context, since) => {
    if (!isOwnPlatform(context.settings)) return { state: 'unknown' };
    const { client, signal } = context;
    const where = { workspace: textOf(args, 'workspace') };
    const { body } = await client.call(taskExtensions.tasks_list, where, { signal });
    const same = body.tasks.filter((task) => task.kind === kind);
    const found = newest(
      same,
      ({ created }) => secondsMs(created),
      whenAtPlatform(since, context),
      ({ taskId }) => ({
        summary: `It was started as task ${quoted(taskId)}.`,
        data: { taskId },
        next: [waitForTask(where.workspace, taskId)],
        work: taskWork(where.workspace, taskId),
      }),
    );
    return unlessForeign(found, !hasColleagues(context));
  };
}

const storedEvent: Reconciler = async (args, context, since) => {
  const { client, signal } = context;
  const query = {
    event_schema: textOf(args, 'event_schema'),
    start_time: new Date(since.getTime() - limits.clockDifferenceMsMax).toISOString(),
    limit: limits.eventsPageMax,
  };
  const { body } = await client.call(events.events_list, query, { signal });
  const same = body.events.filter(
    (event) =>
      sameJson(event.event_data, args.event_data) &&
      sameJson(event.device_id ?? null, args.device_id ?? null) &&
      sameJson(event.custom_metadata ?? null, args.custom_metadata ?? null),
  );
  return newest(
    same,
    ({ created_at }) => dateMs(created_at),
    { since, isOwnClock: context.settings.deviceUrl === undefined },
    (event) => ({
      summary: `The event is stored as ${quoted(event.id)}.`,
      data: { id: event.id, created_at: event.created_at, draft: event.draft === true },
    }),
  );
};

/** Making a second one is harmless: the URL and the figures of the first were lost. */
const harmless: Reconciler = async () => ({ state: 'not-done' });

export const reconcilers: ReadonlyMap<string, Reconciler> = new Map([
  ['projects_create', createdProject],
  ['projects_fork', startedTask('fork')],
  ['versions_generate', generatedVersion],
  ['trainings_start', startedTraining],
  ['folders_create', createdFolder],
  ['annotation_jobs_create', createdAnnotationJob],
  ['api_keys_create', createdApiKey],
  ['autolabel_start', startedTask('autolabel')],
  ['events_create', storedEvent],
  ['inference_run', harmless],
  ['search_export_start', harmless],
  ['video_upload_url_create', harmless],
  ['vision_events_upload_image', harmless],
  // The same bytes again give the images that are there.
  ['images_upload_zip', harmless],
]);

interface When {
  readonly since: Date;
  /** Whether the service runs on this machine. */
  readonly isOwnClock: boolean;
}

function whenAtPlatform(since: Date, { settings }: ToolContext): When {
  return { since, isOwnClock: settings.baseUrl === undefined };
}

/**
 * The newest candidate. Clocks of machines differ: a time within that difference proves nothing.
 */
function newest<Thing>(
  things: readonly Thing[],
  timeOf: (thing: Thing) => number | undefined,
  { since, isOwnClock }: When,
  describe: (thing: Thing) => ToolResult,
): Found {
  const start = since.getTime();
  const perhaps = start - (isOwnClock ? 0 : limits.clockDifferenceMsMax);
  const near = things
    .map((thing) => ({ thing, time: endOfSecond(timeOf(thing)) }))
    .filter(({ time }) => time === undefined || time >= perhaps)
    .sort((one, other) => (other.time ?? 0) - (one.time ?? 0));
  const [first, second] = near;
  if (first === undefined) return { state: 'not-done' };
  if (first.time === undefined || first.time < start) return { state: 'unknown' };
  // Two candidates cannot be told apart.
  if (second !== undefined && !isOwnClock) return { state: 'unknown' };
  return { state: 'done', result: describe(first.thing) };
}

/** Some services round down to whole seconds: then it was at some time within it. */
function endOfSecond(time: number | undefined): number | undefined {
  return time === undefined || time % 1_000 !== 0 ? time : time + 999;
}

function textOf(args: Arguments, name: string): string {
  const value = args[name];
  return typeof value === 'string' ? value : '';
}

function secondsMs(seconds: unknown): number | undefined {
  return typeof seconds === 'number' ? seconds * 1_000 : undefined;
}

function dateMs(date: unknown): number | undefined {
  const time = typeof date === 'string' ? Date.parse(date) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

function stampMs(stamp: unknown): number | undefined {
  if (typeof stamp !== 'object' || stamp === null || !('_seconds' in stamp)) return undefined;
  return secondsMs(stamp._seconds);
}

/** Whether two lists have the same members; null, which is all of them, is a list of its own. */
function sameWords(one: unknown, other: unknown): boolean {
  const inOrder = (list: unknown) => (Array.isArray(list) ? list.toSorted() : (list ?? null));
  return sameJson(inOrder(one), inOrder(other));
}

function sameJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
