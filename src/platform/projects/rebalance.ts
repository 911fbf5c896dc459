// Handler of projects_rebalance_splits.

import type { projects } from '../../contract/projects.ts';
import { invalidArgument } from '../../errors.ts';
import type { Handlers } from '../../http-server/handlers.ts';
import { findProject } from '../access-control/accessible-projects.ts';
import type { Principal } from '../access-control/authorization.ts';
import type { PlatformDependencies } from '../dependencies.ts';
import { newId } from '../ids-and-slugs.ts';
import { countsOf } from '../projects.ts';
import { describeTaskStart } from '../tasks.ts';
import { unknownNames } from '../unknown-names.ts';

export function rebalanceHandlers(
  dependencies: PlatformDependencies,
): Handlers<Pick<typeof projects, 'projects_rebalance_splits'>, Principal> {
  const { store, tasks } = dependencies;
  return {
    projects_rebalance_splits: async (input, { principal, origin }) => {
      const project = await findProject(dependencies, principal, input.project);
      const { splits, mode, grouping, classes } = input;
      refuseUnusedMembers(mode, grouping, classes);
      if (classes) {
        const known = new Set(Object.keys((await countsOf(dependencies, project)).classes));
        const unknown = unknownNames('classes', classes, known, 'no image has the class');
        if (unknown) throw unknown;
      }
      const settings = {
        splits,
        ...(mode && { mode }),
        ...(grouping && { grouping }),
        ...(classes && { classes }),
      };
      const taskId = newId();
      await store.splits.start({
        taskId,
        workspaceId: principal.workspace.id,
        projectId: project.id,
        settings: JSON.stringify(settings),
      });
      tasks.wake();
      return describeTaskStart(origin, principal.workspace, taskId);
    },
  };
}

type Mode = 'rebalance' | 'shuffle' | undefined;

/** API 11.15, 11.21: grouping is for shuffle alone, and classes uses the rebalance behaviour. */
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
