// What is judged in a project of each type.

import type { ProjectType } from '../../annotations/annotation.ts';
import { type JudgedTask, judgedThings } from '../../contract/evaluations.ts';
import { projectTypes, taskOfType } from '../../contract/projects.ts';
import { invalidArgument } from '../../errors.ts';

/** Throws `invalid_input` for a type of which nothing is judged. */
export function judgedTaskOf(type: ProjectType): JudgedTask {
  const task = taskOfType[type];
  if (isJudged(task)) return task;
  const known = projectTypes.filter((one) => isJudged(taskOfType[one])).join(', ');
  throw invalidArgument('project', `is of the type ${type}: judged are ${known}`);
}

/** Whether outlines say what is there. */
export function isOutlined(task: JudgedTask): boolean {
  return task === 'segmentation' || task === 'semantic';
}

function isJudged(task: string | undefined): task is JudgedTask {
  return task !== undefined && task in judgedThings;
}
