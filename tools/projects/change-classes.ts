// classes_change: classes renamed, merged and removed in a whole project, and that taken back.

import type { Answer, Input } from '../../src/contract/operation.ts';
import { projectExtensions } from '../../src/contract/projects.ts';
import { fromOperation } from '../../src/mcp/operation-tool.ts';
import type { NextCall } from '../../src/mcp/tool.ts';
import { taskWork, waitForTask } from '../follow-up-calls.ts';
import { asGiven, count, quoted } from '../format.ts';

const { classes_change: operation } = projectExtensions;

type Changed = Answer<typeof operation>;
type Given = Input<typeof operation>;

export const classesChange = {
  ...fromOperation(operation, {
    title: 'Change classes',
    description:
      'Renames, merges or removes classes in all images of a project; undo takes a change back where nobody changed labels since. Versions stay. Show the dry_run first.',
    summarize,
    next: nextCalls,
    work: ({ taskId }, { workspace }) =>
      taskId === undefined ? undefined : taskWork(workspace, taskId),
  }),
  embeddedOnly: true as const,
};

function summarize(changed: Changed, { undo, dry_run: isDry }: Given): string {
  const { classes = [], labels = 0, images = 0, emptied = 0, taskId = '', keptApart = 0 } = changed;
  if (undo !== undefined) return `Taking it back started as task ${quoted(taskId)}.`;
  const said = classes.slice(0, classesSaidMax).map(wordsOf).join('; ');
  const more = classes.length - classesSaidMax;
  const rest = more > 0 ? `; and ${count(more, 'more class', 'more classes')}` : '';
  const empty = emptied > 0 ? ` ${count(emptied, 'image')} will have no label.` : '';
  const what = 'in independent jobs, which keep what their labelers said';
  const apart = keptApart > 0 ? ` Not changed: ${count(keptApart, 'image')} ${what}.` : '';
  const all = `${count(labels, 'label')} in ${count(images, 'image')}`;
  const begun = isDry ? 'Nothing is changed yet.' : `Started as task ${quoted(taskId)}.`;
  return `${all}: ${said}${rest}.${empty}${apart} ${begun}`;
}

const classesSaidMax = 10;

/** `"car " becomes "car", merged (12 labels in 9 images)`. */
function wordsOf(one: NonNullable<Changed['classes']>[number]): string {
  const { to, merges, labels, images } = one;
  const becomes = to === undefined ? 'goes' : `becomes ${asGiven(to)}${merges ? ', merged' : ''}`;
  return `${quoted(one.class)} ${becomes} (${count(labels, 'label')} in ${count(images, 'image')})`;
}

function nextCalls({ changeId, taskId }: Changed, given: Given): readonly NextCall[] {
  const { workspace, project, undo, dry_run: _, ...what } = given;
  if (taskId === undefined) {
    const why = 'Does it, once the user agreed.';
    return [{ tool: operation.id, arguments: { workspace, project, ...what }, why }];
  }
  const waiting = waitForTask(workspace, taskId);
  if (undo !== undefined) return [waiting];
  const back = { workspace, project, undo: changeId };
  return [waiting, { tool: operation.id, arguments: back, why: 'Then takes it back.' }];
}
