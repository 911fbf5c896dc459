// Routes of the Event Store beside its operations.

import type { Route } from '../http-server/handlers.ts';
import type { RequestCounts } from '../http-server/prometheus-text.ts';
import type { Caller } from './api-key.ts';
import type { EventStoreDependencies } from './dependencies.ts';
import { healthRoute } from './health-route.ts';
import { mediaRoutes } from './media-routes.ts';
import { metricsRoute } from './metrics.ts';
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
