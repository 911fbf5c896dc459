// All operations of the platform with their handlers: what is missing does not compile.

import { annotation } from '../contract/annotation.ts';
import { apiKeys } from '../contract/api-keys.ts';
import { deployment } from '../contract/deployment.ts';
import { folders } from '../contract/folders.ts';
import { images } from '../contract/images.ts';
import { monitoring } from '../contract/monitoring.ts';
import { projects } from '../contract/projects.ts';
import { search } from '../contract/search.ts';
import { tasks } from '../contract/tasks.ts';
import { trainings } from '../contract/trainings.ts';
import { trash } from '../contract/trash.ts';
import { versions } from '../contract/versions.ts';
import { video } from '../contract/video.ts';
import { visionEvents } from '../contract/vision-events.ts';
import { workspace } from '../contract/workspace.ts';
import type { Handlers } from '../http-server/handlers.ts';
import { imageHandlers } from './images.ts';
import { notYetHandlers } from './not-yet.ts';
import type { Parts } from './parts.ts';
import type { Principal } from './principal.ts';
import { projectHandlers } from './projects.ts';
import { taskHandlers } from './tasks.ts';
import { trashHandlers } from './trash.ts';
import { versionHandlers } from './versions.ts';
import { workspaceHandlers } from './workspace.ts';

/** Every operation of the first document. */
export const platformOperations = {
  ...workspace,
  ...projects,
  ...versions,
  ...trainings,
  ...apiKeys,
  ...folders,
  ...images,
  ...annotation,
  ...search,
  ...trash,
  ...tasks,
  ...deployment,
  ...monitoring,
  ...visionEvents,
  ...video,
};

export function platformHandlers(parts: Parts): Handlers<typeof platformOperations, Principal> {
  return {
    ...notYetHandlers(),
    ...workspaceHandlers(parts),
    ...projectHandlers(parts),
    ...versionHandlers(parts),
    ...imageHandlers(parts),
    ...trashHandlers(parts),
    ...taskHandlers(parts.tasks),
  };
}
