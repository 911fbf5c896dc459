// `/metrics`: what the process has answered and which tasks wait, as Prometheus reads it.

import type { Clock } from '../clock.ts';
import { FoveaError } from '../errors.ts';
import type { Route } from '../http-server/handlers.ts';
import {
  type Metric,
  type RequestCounts,
  requestMetrics,
  sendMetrics,
} from '../http-server/prometheus-text.ts';
import { Secret } from '../secret.ts';
import type { OpenTasks, TaskQueue } from '../storage/task-queue.ts';
import type { Principal } from './access-control/authorization.ts';

interface MetricsDependencies {
  /** Whoever brings it may read. */
  readonly token: Secret;
  readonly queue: Pick<TaskQueue, 'countOpen'>;
  readonly requests: RequestCounts;
  readonly clock: Clock;
}

/** They tell of all workspaces, so keys of one do not open it. */
export function metricsRoute({
  token,
  queue,
  requests,
  clock,
}: MetricsDependencies): Route<Principal> {
  return {
    method: 'GET',
    path: '/metrics',
    open: true,
    handle: async (request, response) => {
      const [, given = ''] = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
      if (!token.equals(new Secret(given))) {
        throw new FoveaError('unauthenticated', 'This needs the token of FOVEA_METRICS_TOKEN.', {
          hint: 'Send it as Authorization: Bearer TOKEN.',
        });
      }
      // While the database is away the rest is said all the same.
      const tasks = await queue.countOpen().catch(() => undefined);
      const ofTasks = tasks === undefined ? [] : taskMetrics(tasks, clock.now());
      sendMetrics(request, response, [
        gauge('database_reachable', '1 while the rows can be read.', tasks === undefined ? 0 : 1),
        ...ofTasks,
        ...requestMetrics('fovea', requests),
      ]);
    },
  };
}

/** Each process that has the same rows says the same. */
function taskMetrics(tasks: readonly OpenTasks[], now: number): readonly Metric[] {
  const waiting = tasks.filter(({ status }) => status === 'created');
  const oldest = Math.min(now, ...waiting.map((some) => some.oldest));
  const samples = tasks.map(({ kind, status, count }) => ({
    labels: { kind, status: status === 'created' ? 'waiting' : 'running' },
    value: count,
  }));
  const open: Metric = { name: 'fovea_tasks', type: 'gauge', help: 'Background tasks.', samples };
  const age = (now - oldest) / 1000;
  return [
    ...(samples.length === 0 ? [] : [open]),
    gauge('oldest_waiting_task_age_seconds', 'Age of the task that waits longest.', age),
  ];
}

function gauge(name: string, help: string, value: number): Metric {
  return { name: `fovea_${name}`, type: 'gauge', help, samples: [{ value }] };
}
