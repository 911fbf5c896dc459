// Handlers of the annotation family: jobs of people, and Auto Label jobs of models.

import type { annotation, annotationExtensions } from '../contract/annotation.ts';
import type { Handlers } from '../http-server/handlers.ts';
import { annotationJobHandlers } from './annotation-jobs.ts';
import { autolabelHandlers } from './autolabel.ts';
import type { Parts } from './parts.ts';
import type { Principal } from './principal.ts';

export function annotationHandlers(
  parts: Parts,
): Handlers<typeof annotation & typeof annotationExtensions, Principal> {
  return { ...annotationJobHandlers(parts), ...autolabelHandlers(parts) };
}
