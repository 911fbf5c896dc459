// All operations of the platform with their handlers: what is missing does not compile.

import type { embeddedOperations } from '../contract/index.ts';
import type { Handlers } from '../http-server/handlers.ts';
import { imageHandlers } from './images.ts';
import { notYetHandlers } from './not-yet.ts';
import type { Parts } from './parts.ts';
import { previewHandlers } from './previews.ts';
import type { Principal } from './principal.ts';
import { projectHandlers } from './projects.ts';
import { taskHandlers } from './tasks.ts';
import { trashHandlers } from './trash.ts';
import { versionHandlers } from './versions.ts';
import { visionEventHandlers } from './vision-events.ts';
import { workspaceHandlers } from './workspace.ts';

export function platformHandlers(parts: Parts): Handlers<typeof embeddedOperations, Principal> {
  return {
    ...notYetHandlers(),
    ...workspaceHandlers(parts),
    ...projectHandlers(parts),
    ...versionHandlers(parts),
    ...previewHandlers(parts),
    ...imageHandlers(parts),
    ...trashHandlers(parts),
    ...visionEventHandlers(parts),
    ...taskHandlers(parts.tasks),
  };
}
