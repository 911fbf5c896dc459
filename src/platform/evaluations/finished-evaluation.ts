// Finds an evaluation of a project, and reads what is kept of it.

import { FoveaError, notFound } from '../../errors.ts';
import type { Evaluation } from '../store/evaluations.ts';
import type { Project } from '../store/projects.ts';
import type { Store } from '../store/store.ts';
import type { KeptFigures } from './describe-evaluation.ts';

/** Throws `not_found`. */
export async function findEvaluation(
  { evaluations }: Pick<Store, 'evaluations'>,
  project: Project,
  id: string,
): Promise<Evaluation> {
  const found = await evaluations.get(id);
  if (found?.projectId === project.id) return found;
  throw notFound('evaluation', id, 'evaluations_list has all of a project.');
}

/** Throws `not_found`, and `conflict` for one that is not done. */
export async function finishedEvaluation(
  store: Pick<Store, 'evaluations'>,
  project: Project,
  id: string,
): Promise<{ readonly evaluation: Evaluation; readonly figures: KeptFigures }> {
  const evaluation = await findEvaluation(store, project, id);
  const figures = figuresOf(evaluation);
  if (figures !== undefined) return { evaluation, figures };
  throw new FoveaError('conflict', 'This evaluation has no figures yet, or it failed.', {
    hint: 'evaluations_get says which; tasks_wait waits for it.',
  });
}

export function figuresOf({ figures }: Evaluation): KeptFigures | undefined {
  return figures === undefined ? undefined : JSON.parse(figures);
}
