// `/health`: whether the service lives, and whether events may be sent to it.

import type { Route } from '../http-server/handlers.ts';
import { readinessAsked } from '../http-server/readiness-asked.ts';
import { sendAnswer } from '../http-server/responses.ts';
import type { Caller } from './api-key.ts';
import type { EventStoreDependencies } from './dependencies.ts';

/**
 * Needs no key, so it reveals nothing about events. Liveness: 200 while the service answers, since
 * whoever restarts it for a full disk takes away reading as well. Readiness, asked for by
 * `?ready=1`: 503 while it takes no events in.
 */
export function healthRoute({ problems, refusals }: EventStoreDependencies): Route<Caller> {
  return {
    method: 'GET',
    path: '/health',
    open: true,
    handle: async (request, response) => {
      const asksReadiness = readinessAsked(request);
      const refused = refusals();
      const found = problems();
      const isReady = refused.length === 0;
      sendAnswer(response, asksReadiness && !isReady ? 503 : 200, {
        status: found.length === 0 && isReady ? 'ok' : 'degraded',
        ready: isReady,
        service: 'event-store',
        api_version: 'v2',
        problems: [...new Set([...refused, ...found])],
      });
    },
  };
}
