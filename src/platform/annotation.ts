// Handlers of the toolset "annotation": annotation jobs and Auto Label jobs.

import type { annotation, annotationExtensions, reviews } from '../contract/annotation.ts';
import type { Handlers } from '../http-server/handlers.ts';
import type { Principal } from './access-control/authorization.ts';
import { annotationJobHandlers } from './annotation/annotation-jobs.ts';
import { autolabelHandlers } from './annotation/autolabel.ts';
import { decisionHandlers } from './annotation/decisions.ts';
import { independentLabelHandlers } from './annotation/independent-labels.ts';
import { reviewHandlers } from './annotation/reviews.ts';
import type { PlatformDependencies } from './dependencies.ts';

export function annotationHandlers(
  dependencies: PlatformDependencies,
): Handlers<typeof annotation & typeof annotationExtensions & typeof reviews, Principal> {
  return {
    ...annotationJobHandlers(dependencies),
    ...decisionHandlers(dependencies),
    ...independentLabelHandlers(dependencies),
    ...reviewHandlers(dependencies),
    ...autolabelHandlers(dependencies),
  };
}
