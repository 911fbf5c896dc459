// What is judged in a project of each type.

import type { ProjectType } from '../../annotations/annotation.ts';
import type { EvaluationFamily } from '../../contract/evaluations.ts';
import { invalidArgument } from '../../errors.ts';

const families: Readonly<Partial<Record<ProjectType, EvaluationFamily>>> = {
  'object-detection': 'boxes',
  'instance-segmentation': 'masks',
};

/** Throws `invalid_input` for a type of which nothing is judged. */
export function familyOf(type: ProjectType): EvaluationFamily {
  const family = families[type];
  if (family !== undefined) return family;
  const known = Object.keys(families).join(', ');
  throw invalidArgument('project', `is of the type ${type}: judged are ${known}`);
}
