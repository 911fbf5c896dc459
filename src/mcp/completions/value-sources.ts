// Values for the arguments of prompts and resource addresses, read from the service.

import { eventStore } from '../../contract/event-store.ts';
import { events } from '../../contract/events.ts';
import { images } from '../../contract/images.ts';
import { projects, projectTypes } from '../../contract/projects.ts';
import { search } from '../../contract/search.ts';
import { taskExtensions } from '../../contract/tasks.ts';
import { workspace as workspaceOperations } from '../../contract/workspace.ts';
import { limits } from '../../limits.ts';
import type { ToolContext } from '../tool.ts';

export type Reading = Pick<ToolContext, 'client' | 'signal' | 'settings' | 'clock'>;

/** Reads the values of one argument, given the arguments that have a value already. */
interface Source {
  /** The tool that shows the same: where it is not offered, nothing is completed. */
  readonly tool: string;
  values(
    workspace: string,
    chosen: Readonly<Record<string, string>>,
    reading: Reading,
  ): Promise<readonly (string | undefined)[]>;
}

/** By the name of the argument, in prompts and addresses alike. */
export const sources: Readonly<Record<string, Source>> = {
  project: {
    tool: 'workspace_get',
    values: async (workspace, _chosen, { client, signal }) => {
      const operation = workspaceOperations.workspace_get;
      const { body } = await client.call(operation, { workspace }, { signal });
      return body.workspace.projects.map(({ id }) => lastPart(id));
    },
  },
  version: {
    tool: 'projects_get',
    values: async (workspace, { project }, { client, signal }) => {
      if (project === undefined) return [];
      const { body } = await client.call(projects.projects_get, { workspace, project }, { signal });
      return body.versions.map(({ id }) => lastPart(id));
    },
  },
  image: {
    tool: 'images_search',
    values: async (workspace, { project }, { client, signal }) => {
      if (project === undefined) return [];
      const input = { workspace, project, limit: limits.completionsMax };
      const { body } = await client.call(search.images_search, input, { signal });
      return body.results.map(({ id }) => id);
    },
  },
  batch: {
    tool: 'batches_list',
    values: async (workspace, { project }, { client, signal }) => {
      if (project === undefined) return [];
      const { body } = await client.call(images.batches_list, { workspace, project }, { signal });
      return body.batches.map(({ id }) => id);
    },
  },
  event: {
    tool: 'events_list',
    values: async (_workspace, _chosen, { client, signal }) => {
      const input = { limit: limits.completionsMax };
      const { body } = await client.call(events.events_list, input, { signal });
      return body.events.map(({ id }) => id);
    },
  },
  event_schema: {
    tool: 'event_schemas_list',
    values: async (_workspace, _chosen, { client, signal }) => {
      const { body } = await client.call(eventStore.event_schemas_list, {}, { signal });
      return body.schemas.map(({ name }) => name);
    },
  },
  task: {
    tool: 'tasks_get',
    values: async (workspace, _chosen, { client, signal }) => {
      const { body } = await client.call(taskExtensions.tasks_list, { workspace }, { signal });
      return body.tasks.map(({ taskId }) => taskId);
    },
  },
  type: { tool: 'projects_create', values: async () => projectTypes },
  // The usual formats: the error for a wrong format lists all of them.
  format: {
    tool: 'versions_export',
    values: async () => ['coco', 'createml', 'folder', 'voc', 'yolov5', 'yolov8'],
  },
};

/** The workspace of the settings, else that of the credential. */
export async function workspaceOf({ client, signal, settings }: Reading): Promise<string> {
  if (settings.workspace !== undefined) return settings.workspace;
  const { body } = await client.call(workspaceOperations.workspace_whoami, {}, { signal });
  return body.workspace;
}

function lastPart(id: string): string {
  return id.slice(id.lastIndexOf('/') + 1);
}
