// Handlers of the toolset "workflows". A workflow is in no folder: keys for folders cannot use it.

import { isoTime } from '../clock.ts';
import type { workflows } from '../contract/workflows.ts';
import { FoveaError, notFound } from '../errors.ts';
import type { Handlers } from '../http-server/handlers.ts';
import { requireWholeWorkspace } from './access-control/accessible-projects.ts';
import type { Principal } from './access-control/authorization.ts';
import type { PlatformDependencies } from './dependencies.ts';
import { newId } from './ids-and-slugs.ts';
import type { ListedWorkflow, Workflow } from './store/workflows.ts';

export function workflowHandlers({
  store,
  clock,
}: PlatformDependencies): Handlers<typeof workflows, Principal> {
  return {
    workflows_create: async ({ name, url, config }, { principal }) => {
      requireWholeWorkspace(principal, 'Managing workflows');
      const workflow = await store.workflows.add({
        id: newId(),
        workspaceId: principal.workspace.id,
        name,
        url,
        config,
        created: clock.now(),
      });
      return { workflow: describeWorkflow(workflow) };
    },
    workflows_list: async (_input, { principal }) => {
      requireWholeWorkspace(principal, 'Reading workflows');
      const all = await store.workflows.list(principal.workspace.id);
      return { workflows: all.map(describeWorkflow) };
    },
    workflows_get: async ({ workflow: slug }, { principal }) => {
      requireWholeWorkspace(principal, 'Reading workflows');
      const workflow = await store.workflows.find(principal.workspace.id, slug);
      if (!workflow) throw noWorkflow(slug);
      return { workflow: { ...describeWorkflow(workflow), config: configOf(workflow) } };
    },
    workflows_update: async ({ id, name, url, config }, { principal }) => {
      requireWholeWorkspace(principal, 'Managing workflows');
      const change = { name, url, config };
      const { workspace } = principal;
      const workflow = await store.workflows.change(workspace.id, id, change, clock.now());
      if (workflow === 'missing') throw noWorkflow(id);
      if (workflow !== 'taken') return { workflow: describeWorkflow(workflow) };
      throw new FoveaError('conflict', 'Another workflow has this slug.', {
        hint: 'Give another url, or leave it out. One in the trash keeps its slug.',
      });
    },
    workflows_fork: async (input, { principal }) => {
      requireWholeWorkspace(principal, 'Managing workflows');
      const { workspace } = principal;
      const { source_workspace: from, source_workflow: slug, name, url } = input;
      const source =
        from === workspace.slug ? await store.workflows.find(workspace.id, slug) : undefined;
      if (source === undefined) throw noWorkflow(slug);
      const copy = await store.workflows.add({
        id: newId(),
        workspaceId: workspace.id,
        name: name ?? source.name,
        url,
        config: source.config,
        created: clock.now(),
      });
      return { workflow: describeWorkflow(copy) };
    },
    workflows_delete: async ({ workflow: slug }, { principal }) => {
      requireWholeWorkspace(principal, 'Managing workflows');
      const workflow = await store.workflows.find(principal.workspace.id, slug);
      if (!workflow) throw noWorkflow(slug);
      if (!(await store.workflows.trash(workflow.id, clock.now(), principal.name))) {
        throw noWorkflow(slug);
      }
      return { deleted: true, type: 'workflow', id: workflow.id };
    },
  };
}

function describeWorkflow({ id, slug, name, created, updated }: ListedWorkflow) {
  return { id, name, url: slug, created: isoTime(created), updated: isoTime(updated) };
}

function noWorkflow(slug: string): FoveaError {
  return notFound('workflow', slug, 'The list of workflows has their ids and slugs.');
}

function configOf({ config }: Workflow): string | Record<string, unknown> {
  if (typeof config === 'string') return config;
  return typeof config === 'object' && config !== null ? { ...config } : {};
}
