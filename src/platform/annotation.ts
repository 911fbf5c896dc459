// Handlers of the toolset "annotation": annotation jobs and Auto Label jobs.

import type { annotation, annotationExtensions } from '../contract/annotation.ts';
import type { Handlers } from '../http-server/handlers.ts';
import type { Principal } from './access-control/authorization.ts';
import { annotationJobHandlers } from './annotation/annotation-jobs.ts';
import { autolabelHandlers } from './annotation/autolabel.ts';
import { decisionHandlers } from './annotation/decisions.ts';
import type { PlatformDependencies } from './dependencies.ts';

export function annotationHandlers(
  dependencies: PlatformDependencies,
): Handlers<typeof annotation & typeof annotationExtensions, Principal> {
  return {
    ...annotationJobHandlers(dependencies),
    ...decisionHandlers(dependencies),
    ...autolabelHandlers(dependencies),
  };
}
