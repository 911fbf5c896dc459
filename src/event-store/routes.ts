// Routes of the Event Store beside its operations.

import type { Route } from '../http-server/handlers.ts';
import { sendAnswer } from '../http-server/responses.ts';
import type { Caller } from './api-key.ts';
import type { EventStoreDependencies } from './dependencies.ts';
import { mediaRoutes } from './media-routes.ts';
import { metricsRoute, type RequestCounts } from './metrics.ts';
import { docsRoutes } from './openapi-document.ts';
import { pageRoutes } from './page-routes.ts';

export function eventStoreRoutes(
  dependencies: EventStoreDependencies,
  requests: RequestCounts,
): readonly Route<Caller>[] {
  return [
    healthRoute(dependencies),
    metricsRoute(dependencies, requests),
    ...mediaRoutes(dependencies),
    ...pageRoutes(),
    ...docsRoutes({ hasKey: dependencies.settings.apiKey !== undefined }),
  ];
}

/**
 * Needs no key, so it reveals nothing about events. 503 while something is wrong, since monitoring
 * tools read only the status.
 */
function healthRoute({ problems }: EventStoreDependencies): Route<Caller> {
  return {
    method: 'GET',
    path: '/health',
    open: true,
    handle: async (_request, response) => {
      const found = problems();
      const status = found.length === 0 ? 'ok' : 'degraded';
      sendAnswer(response, found.length === 0 ? 200 : 503, {
        status,
        service: 'event-store',
        api_version: 'v2',
        problems: found,
      });
    },
  };
}
