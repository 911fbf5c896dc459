// Rebalancing the splits of a project.

import type { projects } from '../contract/projects.ts';
import { invalidArgument, invalidInput } from '../errors.ts';
import type { Handlers } from '../http-server/handlers.ts';
import { limits } from '../limits.ts';
import { nearestOfFew } from '../nearest.ts';
import { newId } from './ids.ts';
import { findProject, type Parts } from './parts.ts';
import type { Principal } from './principal.ts';
import { countsOf } from './projects.ts';
import { describeTaskStart } from './tasks.ts';

export function rebalanceHandlers(
  parts: Parts,
): Handlers<Pick<typeof projects, 'projects_rebalance_splits'>, Principal> {
  const { store, tasks } = parts;
  return {
    projects_rebalance_splits: async (input, { principal, origin }) => {
      const project = await findProject(parts, principal, input.project);
      const { splits, mode, grouping, classes } = input;
      refuseUnusedMembers(mode, grouping, classes);
      if (classes) refuseUnknownClasses(classes, (await countsOf(parts, project)).classes);
      const settings = {
        splits,
        ...(mode && { mode }),
        ...(grouping && { grouping }),
        ...(classes && { classes }),
      };
      const taskId = newId();
      await store.splits.start({
        ...{ taskId, workspaceId: principal.workspace.id, projectId: project.id },
        settings: JSON.stringify(settings),
      });
      tasks.wake();
      return describeTaskStart(origin, principal.workspace, taskId);
    },
  };
}

type Mode = 'rebalance' | 'shuffle' | undefined;

/** First document: grouping is for shuffle alone, and classes uses the rebalance behaviour. */
function refuseUnusedMembers(
  mode: Mode,
  grouping: string | undefined,
  classes: readonly string[] | undefined,
): void {
  if (classes !== undefined && mode === 'shuffle') {
    throw invalidArgument('mode', 'a rebalance of some classes does not shuffle', 'Leave it out.');
  }
  if (grouping !== undefined && mode !== 'shuffle') {
    throw invalidArgument('grouping', 'is for mode "shuffle" alone', 'Leave it out.');
  }
  if (classes?.length === 0) {
    throw invalidArgument('classes', 'names no class', 'Leave it out for all images.');
  }
}

function refuseUnknownClasses(
  classes: readonly string[],
  known: Readonly<Record<string, number>>,
): void {
  const nearestTo = nearestOfFew(Object.keys(known));
  const places = [...classes.keys()].filter((place) => !Object.hasOwn(known, classes[place] ?? ''));
  const problems = places.slice(0, limits.problemsShownMax).map((place) => {
    const name = classes[place] ?? '';
    const meant = nearestTo(name);
    const hint = meant === undefined ? '' : `; did you mean "${meant}"?`;
    return { path: `classes[${place}]`, message: `no image has the class "${name}"${hint}` };
  });
  if (problems.length > 0) throw invalidInput(problems);
}
