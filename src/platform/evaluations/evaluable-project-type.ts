// The types of projects whose models can be evaluated, and what is judged in each.

import type { ProjectType } from '../../annotations/annotation.ts';
import { type EvaluableTask, judgedThings } from '../../contract/evaluations.ts';
import { projectTypes, taskOfType } from '../../contract/projects.ts';
import { invalidArgument } from '../../errors.ts';

/** Throws `invalid_input` for a type of which nothing is judged. */
export function evaluableTaskOf(type: ProjectType): EvaluableTask {
  const task = taskOfType[type];
  if (isEvaluable(task)) return task;
  const known = projectTypes.filter((one) => isEvaluable(taskOfType[one])).join(', ');
  throw invalidArgument('project', `is of the type ${type}: judged are ${known}`);
}

/** Whether outlines say what is there. */
export function isOutlined(task: EvaluableTask): boolean {
  return task === 'segmentation' || task === 'semantic';
}

function isEvaluable(task: string | undefined): task is EvaluableTask {
  return task !== undefined && task in judgedThings;
}
