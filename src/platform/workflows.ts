// Handlers of the toolset "workflows". A workflow is in no folder: keys for folders cannot use it.

import { isoTime } from '../clock.ts';
import type { workflows } from '../contract/workflows.ts';
import { type FoveaError, notFound } from '../errors.ts';
import type { Handlers } from '../http-server/handlers.ts';
import { requireWholeWorkspace } from './access-control/accessible-projects.ts';
import type { Principal } from './access-control/authorization.ts';
import type { PlatformDependencies } from './dependencies.ts';
import { newId } from './ids-and-slugs.ts';
import type { ListedWorkflow } from './store/workflows.ts';

export function workflowHandlers({
  store,
  clock,
}: PlatformDependencies): Handlers<typeof workflows, Principal> {
  return {
    workflows_create: async ({ name, config }, { principal }) => {
      requireWholeWorkspace(principal, 'Managing workflows');
      const workflow = await store.workflows.add({
        id: newId(),
        workspaceId: principal.workspace.id,
        name,
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
      return { workflow: { ...describeWorkflow(workflow), config: asRecord(workflow.config) } };
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
  return notFound('workflow', slug, 'The list of workflows has their slugs.');
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
