// Tools of the tasks toolset: work that goes on in the background.

import * as z from 'zod';
import { inWorkspace, project, taskId, version } from '../src/contract/fields.ts';
import type { Answer } from '../src/contract/operation.ts';
import { tasks } from '../src/contract/tasks.ts';
import { versions } from '../src/contract/versions.ts';
import { invalidArgument } from '../src/errors.ts';
import { asRecord } from '../src/json-object.ts';
import { limits } from '../src/limits.ts';
import { fromOperation } from '../src/mcp/operation-tool.ts';
import { type NextCall, type Tool, type ToolContext, tool } from '../src/mcp/tool.ts';
import { exportCall, waitForTask } from './follow-up-calls.ts';
import { bare, count, quoted, splitList } from './format.ts';
import { omissionsParts } from './inference/prediction-omissions-text.ts';
import { poll } from './polling.ts';
import { reviewWay } from './review-way.ts';
import { tasksList } from './tasks/list-tasks.ts';
import { reviewParts } from './tasks/review-parts.ts';

const waitSecondsMax = limits.toolWaitMsMax / 1000;

const waitInput = z.strictObject({
  ...inWorkspace.shape,
  taskId: taskId.optional(),
  project: project.optional().describe('In place of taskId: project slug, with version.'),
  version: version.optional(),
  timeout_s: z.number().min(0).max(waitSecondsMax).optional().describe('Seconds to wait.'),
});

type WaitInput = z.output<typeof waitInput>;
type Facts = Readonly<Record<string, unknown>>;

/** The state of a task, whatever kind it is. */
interface Standing {
  readonly status: string;
  readonly done: boolean;
  readonly progress: { readonly current: number; readonly total: number } | undefined;
  /** What is away. */
  readonly waitsFor?: string | undefined;
  readonly result?: unknown;
  readonly error?: string | undefined;
  /** A person decides when it is done. */
  readonly review?: Review | undefined;
}

type Review = NonNullable<Answer<typeof tasks.tasks_get>['review']>;

const wait = tool({
  name: 'tasks_wait',
  toolset: 'tasks',
  title: 'Wait for task',
  description:
    'Waits until a background task (taskId) or the generation of a version (project and version) is done, at most 45 s. Gives the result, or how far it is: then call again.',
  effect: 'reads',
  recoverable: false,
  idempotent: true,
  openWorld: true,
  scope: tasks.tasks_get.scope,
  usesFiles: false,
  input: waitInput,
  run: async (input, context) => {
    const { name, ask, after } = subjectOf(input, context);
    const waitMs = (input.timeout_s ?? waitSecondsMax) * 1000;
    const began = context.clock.monotonic();
    const standing = await poll(
      async () => {
        const now = await ask();
        report(now, name, context.clock.monotonic() - began, context);
        return now;
      },
      ({ done }) => done,
      { waitMs, context },
    );
    const next = standing.done
      ? after(standing)
      : [waitOn(input, standing), ...decidedUntilNow(input, standing)];
    const way = standing.review && (await reviewWay(standing.review, context));
    const told = way === undefined ? '' : `: tell them to ${way.words}`;
    return {
      summary: `${name} ${stateOf(standing)}${told}.`,
      data: { ...standing, ...way?.data },
      ...(next.length > 0 && { next }),
    };
  },
});

export const taskTools: readonly Tool[] = [
  tasksList,
  fromOperation(tasks.tasks_get, {
    title: 'Get task',
    description:
      'Looks once at a background task: status, progress, result or error. To wait for its end use tasks_wait.',
    summarize: (task) => `Task ${quoted(task.taskId)} ${stateOf(standingOfTask(task))}.`,
    next: ({ status }, { workspace, taskId }) =>
      isTerminal(status) ? [] : [waitForTask(workspace, taskId)],
  }),
  wait,
];

/** Whoever only looked waits the next time: to look again at once would tell the same. */
function waitOn({ timeout_s, ...input }: WaitInput, { review }: Standing): NextCall {
  return {
    tool: 'tasks_wait',
    arguments: timeout_s === 0 ? input : { ...input, timeout_s },
    why: review ? 'Once the person says that they are done: nothing else goes on.' : 'Waits on.',
  };
}

/** Where the person has decided about some images: an agent may mend those meanwhile. */
function decidedUntilNow({ workspace }: WaitInput, { review }: Standing): readonly NextCall[] {
  if (review === undefined || decidedIn(review) === 0) return [];
  return [
    {
      tool: 'annotation_jobs_get',
      arguments: { workspace, project: review.project, jobId: review.jobId },
      why: 'What was decided until now, with the comments.',
    },
  ];
}

function decidedIn({ approved = 0, sentBack = 0 }: Review): number {
  return approved + sentBack;
}

function subjectOf(input: WaitInput, { client, signal }: ToolContext) {
  const { workspace, taskId, project, version } = input;
  if (taskId !== undefined && project === undefined && version === undefined) {
    return {
      name: `Task ${quoted(taskId)}`,
      ask: async () => {
        const { body } = await client.call(tasks.tasks_get, { workspace, taskId }, { signal });
        return standingOfTask(body);
      },
      after: (standing: Standing) => afterTask(standing, workspace),
    };
  }
  if (taskId === undefined && project !== undefined && version !== undefined) {
    const where = { workspace, project, version, nocache: true };
    return {
      name: `Version ${version} of ${quoted(project)}`,
      ask: async () => {
        const { body } = await client.call(versions.versions_get, where, { signal });
        return standingOfVersion(body);
      },
      after: ({ status }: Standing): readonly NextCall[] =>
        status === 'failed' ? [] : [exportCall({ workspace, project, version })],
    };
  }
  throw invalidArgument('taskId', 'give either taskId alone, or project and version');
}

/** A training that gave a model: its id starts with the project. Or an evaluation. */
function afterTask({ result }: Standing, workspace: string): readonly NextCall[] {
  const { modelId, evaluationId, project: judged } = asRecord(result);
  if (typeof evaluationId === 'string' && typeof judged === 'string') {
    return [
      {
        tool: 'evaluations_get',
        arguments: { workspace, project: judged, evaluationId },
        why: 'Shows its figures.',
      },
    ];
  }
  if (typeof modelId !== 'string') return [];
  const [project = ''] = modelId.split('/');
  const model = { type: 'model_id', modelId };
  return [
    {
      tool: 'deployment_set_model',
      arguments: { workspace, project, model },
      why: 'Serves the model, for inference_run.',
    },
  ];
}

function standingOfTask(task: Answer<typeof tasks.tasks_get>): Standing {
  const { status, progress, waitsFor, result, error, review } = task;
  return {
    status,
    done: isTerminal(status),
    progress: progressOf(progress),
    ...(waitsFor !== undefined && { waitsFor }),
    ...(result !== undefined && { result }),
    ...(error !== undefined && { error }),
    ...(review !== undefined && { review }),
  };
}

/** API 8.1 to 8.4. */
function isTerminal(status: string): boolean {
  return status === 'completed' || status === 'failed';
}

/** Facts: a version without images is still being generated, too. */
function standingOfVersion({ version }: Answer<typeof versions.versions_get>): Standing {
  const { generating, images = 0, splits, progress, waitsFor, error } = version;
  const isFailed = typeof error === 'string';
  const done = isFailed || (generating !== true && images > 0);
  return {
    status: isFailed ? 'failed' : done ? 'completed' : 'running',
    done,
    progress: typeof progress === 'number' ? { current: progress, total: 1 } : undefined,
    ...(waitsFor !== undefined && { waitsFor }),
    ...(done && !isFailed && { result: { images, ...(splits && { splits }) } }),
    ...(isFailed && { error }),
  };
}

function progressOf(progress: unknown): Standing['progress'] {
  if (typeof progress !== 'object' || progress === null) return undefined;
  const { current, total } = { current: undefined, total: undefined, ...progress };
  return typeof current === 'number' && typeof total === 'number' ? { current, total } : undefined;
}

function stateOf({ status, progress, waitsFor, result, review }: Standing): string {
  if (status === 'completed') return `is completed${outcomeOf(asRecord(result))}`;
  if (status === 'failed') return 'has failed; "error" says why';
  const share = progress && progress.total > 0 ? progress.current / progress.total : undefined;
  const percent = share === undefined ? '' : `, ${Math.round(share * 100)} % done`;
  const state = `is not done yet (${status === 'running' ? 'running' : 'waiting'}${percent})`;
  if (review !== undefined) return `${state}: ${waitingFor(review)}`;
  return waitsFor === undefined ? state : `${state}: ${outageOf(waitsFor)}`;
}

function outageOf(service: string): string {
  return `the ${bare(service)} is away or overloaded; it goes on by itself once that is over`;
}

function waitingFor(review: Review): string {
  const { assignedTo, undecided, approved = 0, sentBack = 0 } = review;
  const person = assignedTo === undefined ? 'a person' : quoted(assignedTo);
  const decided = ` (${approved} approved, ${sentBack} sent back until now)`;
  const told = decidedIn(review) > 0 ? decided : '';
  return `${person} must decide about ${count(undecided, 'image')}${told}`;
}

/** The figures that decide the next step: `: 1 of 2 failed`. */
function outcomeOf(result: Facts): string {
  const { succeeded, failed, metrics, splits, images, duplicates, keptTogether } = result;
  // Of an import, what was there already has not failed.
  const good = Number(succeeded ?? Number(images ?? 0) + Number(duplicates ?? 0));
  const bad = Number(failed ?? 0);
  const { map50, accuracy } = asRecord(metrics);
  const parts = [
    ...reviewParts(result),
    ...(bad > 0 ? [`${bad} of ${good + bad} failed`] : []),
    ...(typeof map50 === 'number' ? [`map50 ${map50.toFixed(3)}`] : []),
    ...(typeof accuracy === 'number' ? [`accuracy ${accuracy.toFixed(3)}`] : []),
    ...judgedFigures(result),
    ...omissionsParts(asRecord(result.modelLacks)),
    ...undoneFigures(result),
    ...(typeof images === 'number' ? [count(images, 'image')] : []),
    ...(splits === undefined ? [] : [splitList(asRecord(splits))]),
    ...(keptTogether === undefined ? [] : togetherOf(asRecord(keptTogether))),
  ];
  return parts.length > 0 ? `: ${parts.join(', ')}` : '';
}

/** Of an evaluation. */
function judgedFigures(result: Facts): readonly string[] {
  const { evaluationId, ap, accuracy, f1, warning, withoutOutline } = result;
  if (typeof evaluationId !== 'string') return [];
  const shown = (figure: unknown) => (typeof figure === 'number' ? figure.toFixed(3) : 'unknown');
  return [
    accuracy === undefined ? `AP ${shown(ap)}` : `accuracy ${shown(accuracy)}`,
    `F1 ${shown(f1)}`,
    ...(typeof withoutOutline === 'number'
      ? [`${count(withoutOutline, 'label')} judged by the box, without outline`]
      : []),
    ...(typeof warning === 'string' ? [`warning: ${quoted(warning)}`] : []),
  ];
}

/** Of a change of classes that was taken back. */
function undoneFigures({ restored, changed, gone }: Facts): readonly string[] {
  if (typeof restored !== 'number') return [];
  const left = [
    [changed, 'left alone, as their labels were changed or saved since'],
    [gone, 'no longer in the project'],
  ] as const;
  return [
    `${count(restored, 'image')} as before`,
    ...left.flatMap(([figure, why]) => (Number(figure) > 0 ? [`${figure} ${why}`] : [])),
  ];
}

/** What a rebalance did about near-duplicates. */
function togetherOf({ groups, images, compared, complete }: Facts): readonly string[] {
  const some = Number(groups ?? 0) > 0;
  const kept = `${count(Number(images ?? 0), 'near-duplicate')} kept together`;
  const left = `only ${count(Number(compared ?? 0), 'image')} compared for near-duplicates`;
  return [
    ...(some ? [`${kept} in ${count(Number(groups), 'group')}`] : []),
    ...(complete === false ? [left] : []),
  ];
}

/**
 * Reports progress without figures in tiny steps: hosts cancel a silent call, and any real figure
 * must be larger.
 */
function report(
  { progress, status, done, waitsFor }: Standing,
  name: string,
  waitedMs: number,
  { progress: tell }: ToolContext,
): void {
  const outage = waitsFor === undefined ? '' : `, waits for the ${bare(waitsFor)}`;
  const words = `${name}: ${bare(status)}${outage}`;
  if (progress) tell(progress.current, progress.total, words);
  else if (!done) tell(waitedMs / 1e6, undefined, `${words}, ${Math.round(waitedMs / 1000)} s`);
}
