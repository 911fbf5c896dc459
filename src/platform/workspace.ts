// Handlers of the toolset "workspace".

import type { workspace } from '../contract/workspace.ts';
import type { Handlers } from '../http-server/handlers.ts';
import { accessibleProjects, isAccessible } from './access-control/accessible-projects.ts';
import type { Principal } from './access-control/authorization.ts';
import type { PlatformDependencies } from './dependencies.ts';
import { describeProject } from './projects.ts';

export function workspaceHandlers({
  store,
}: PlatformDependencies): Handlers<typeof workspace, Principal> {
  return {
    workspace_whoami: async (_input, { principal, origin }) => ({
      welcome: 'This is the embedded Fovea platform.',
      instructions: 'Everything here stays on this machine.',
      docs: `${origin}/docs`,
      workspace: principal.workspace.slug,
    }),
    workspace_get: async (_input, { principal }) => {
      const accessible = await accessibleProjects(store, principal);
      const all = await store.projects.list(principal.workspace.id);
      const projects = all.filter(({ id }) => isAccessible(accessible, id));
      const counts = await store.projects.counts(
        principal.workspace.id,
        projects.map(({ id }) => id),
      );
      return {
        workspace: {
          name: principal.workspace.name,
          url: principal.workspace.slug,
          members: 1,
          projects: projects.flatMap((project, at) => {
            const ofProject = counts[at];
            if (ofProject === undefined) return [];
            const { versions } = ofProject;
            return [{ ...describeProject(principal.workspace, project, ofProject), versions }];
          }),
        },
      };
    },
  };
}
