// Handlers of the toolset "workspace".

import type { workspace } from '../contract/workspace.ts';
import type { Handlers } from '../http-server/handlers.ts';
import { accessibleProjects, isAccessible } from './access-control/accessible-projects.ts';
import type { Principal } from './access-control/authorization.ts';
import type { PlatformDependencies } from './dependencies.ts';
import { describeProject } from './projects.ts';

export function workspaceHandlers(
  dependencies: PlatformDependencies,
): Handlers<typeof workspace, Principal> {
  const { store } = dependencies;
  return {
    workspace_whoami: async (_input, { principal, origin }) => ({
      welcome: 'This is the embedded Fovea platform.',
      instructions: 'Everything here stays on this machine.',
      docs: `${origin}/docs`,
      ...(dependencies.hasAccounts && { settings: `${origin}/settings` }),
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
          ...(await embeddingsOf(dependencies, principal.workspace.id)),
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

/** How far the images are embedded that can be found by meaning; nothing without a model. */
async function embeddingsOf({ store, embeddings }: PlatformDependencies, workspaceId: string) {
  const state = embeddings?.state;
  if (state === undefined) return {};
  if ('problem' in state) return { embeddings: { problem: state.problem } };
  const { name, model } = state;
  const waiting = model && (await store.embeddings.countOpen(model, workspaceId));
  return { embeddings: { model: name, ...(waiting !== undefined && { waiting }) } };
}
