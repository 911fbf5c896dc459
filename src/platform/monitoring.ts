// Handlers of the toolset "monitoring": statistics of inferences, and metadata of their records.

import { dayMs } from '../clock.ts';
import type { monitoring } from '../contract/monitoring.ts';
import type { Input } from '../contract/operation.ts';
import { FoveaError, invalidArgument } from '../errors.ts';
import type { Handlers } from '../http-server/handlers.ts';
import { limits } from '../limits.ts';
import { requireWholeWorkspace } from './access-control/accessible-projects.ts';
import type { Principal } from './access-control/authorization.ts';
import type { PlatformDependencies } from './dependencies.ts';
import type { InferenceTotals, SeenClass } from './store/inference-stats.ts';

type StatsInput = Input<typeof monitoring.inference_stats_get>;

export function monitoringHandlers({
  store,
  clock,
}: PlatformDependencies): Handlers<typeof monitoring, Principal> {
  return {
    inference_stats_get: async (input, { principal }) => {
      requireWholeWorkspace(principal, 'A look at inference statistics');
      const { from, to } = readWindow(input, clock.now());
      const models = readNames(input.modelNames);
      const workspaceId = principal.workspace.id;
      const now = await store.inferences.stats({ workspaceId, from, to, models });
      if (now === undefined) throw tooManyInferences(input);
      const earlier = { from: from - (to - from), to: from };
      const before = await store.inferences.totals({ workspaceId, ...earlier, models });
      return {
        ...describeTotals('', now.totals),
        ...describeTotals('prev_', before),
        inference_stats: now.classes.map(describeClass),
        ...(before === undefined && { note: nothingBefore }),
      };
    },
    inference_stats_set_metadata: async ({ data }, { principal }) => {
      requireWholeWorkspace(principal, 'Metadata of inferences');
      const changes = data.map(({ inference_ids: ids, field_name: name, field_value: value }) => ({
        ids,
        name,
        value,
      }));
      const count = changes.reduce((sum, { ids }) => sum + ids.length, 0);
      if (count > limits.inferenceRecordsMax) {
        throw invalidArgument(
          'data',
          `names ${count} records; at most ${limits.inferenceRecordsMax} are changed at once`,
        );
      }
      const unknown = await store.inferences.setMetadata(principal.workspace.id, changes);
      if (unknown.length === 0) return { status: 'ok' };
      const some = unknown.slice(0, 3).join(', ');
      throw invalidArgument(
        'data',
        `${unknown.length} of the ids are of no inference here (${some}); nothing was set`,
      );
    },
  };
}

/** Times are UTC. The end is not included, but for now: what happens in this moment counts. */
function readWindow({ startTime, endTime }: StatsInput, now: number) {
  const to = endTime === undefined ? now + 1 : readTime('endTime', endTime);
  const from = startTime === undefined ? to - dayMs : readTime('startTime', startTime);
  if (from < to) return { from, to };
  throw invalidArgument('startTime', 'must be before endTime');
}

function readTime(argument: string, text: string): number {
  const time = Date.parse(`${text.replace(' ', 'T')}Z`);
  const isThere =
    !Number.isNaN(time) && new Date(time).toISOString().slice(0, 19).replace('T', ' ') === text;
  if (isThere) return time;
  throw invalidArgument(argument, 'is no time that there was: YYYY-MM-DD HH:mm:ss, UTC');
}

function readNames(text: string | undefined): readonly string[] | undefined {
  const names = text?.split(',').map((name) => name.trim());
  return names?.filter((name) => name !== '');
}

const most = limits.inferenceStatsRecordsMax;

const nothingBefore =
  `The time before this one has more than ${most} inferences, the most that are counted at once: ` +
  'the prev_ figures are null. Choose a shorter time, or name models in modelNames.';

/** What the caller gave is named; the day that we take by default is not their mistake. */
function tooManyInferences({ startTime }: StatsInput): FoveaError {
  const what = `more than ${most} inferences lie between; at most ${most} are counted at once`;
  const hint = 'Choose a shorter time, or name models in modelNames.';
  if (startTime !== undefined) return invalidArgument('startTime', what, hint);
  return new FoveaError(
    'invalid_input',
    `The 24 hours without a startTime are too much: ${what}.`,
    {
      hint: 'Give a later startTime, or name models in modelNames.',
    },
  );
}

/** Confidence is 0 to 1, the time of an answer in seconds. */
function describeTotals(prefix: '' | 'prev_', totals: InferenceTotals | undefined) {
  const { inferences, errors, confidence, responseMs } = totals ?? {};
  return {
    [`${prefix}num_inferences`]: inferences ?? null,
    [`${prefix}num_errors`]: errors ?? null,
    [`${prefix}avg_confidence`]: confidence ?? null,
    [`${prefix}avg_response_time`]: seconds(responseMs),
  };
}

function describeClass(seen: SeenClass) {
  return {
    model_name: seen.modelName,
    predicted_class: seen.class,
    class_count: seen.count,
    avg_confidence: seen.averageConfidence,
    median_confidence: seen.medianConfidence,
    avg_response_time: seconds(seen.modelResponseMs),
    model_num_inferences: seen.modelInferences,
    deployment_types: [...seen.sources],
    inference_server_versions: [],
  };
}

function seconds(milliseconds: number | undefined): number | null {
  return milliseconds === undefined ? null : milliseconds / 1000;
}
