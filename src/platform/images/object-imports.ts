// Starts an import of the images below a prefix of an object store.

import { isoTime } from '../../clock.ts';
import type { imageExtensions } from '../../contract/images.ts';
import type { Handlers } from '../../http-server/handlers.ts';
import { findProject } from '../access-control/accessible-projects.ts';
import type { Principal } from '../access-control/authorization.ts';
import type { ObjectsPayload } from '../background-tasks/import-objects.ts';
import type { PlatformDependencies } from '../dependencies.ts';
import { newId } from '../ids-and-slugs.ts';
import { describeTaskStart } from '../tasks.ts';
import { urlOf } from '../zip-import/open-objects.ts';
import { readablePlace } from './readable-objects.ts';

export function objectImportHandlers(
  dependencies: PlatformDependencies,
): Handlers<Pick<typeof imageExtensions, 'images_import_objects'>, Principal> {
  const { store, tasks, clock, objectImports } = dependencies;
  return {
    images_import_objects: async (input, { principal, origin }) => {
      const { workspace } = principal;
      const project = await findProject(dependencies, principal, input.project);
      const from = urlOf(readablePlace(objectImports, input.from, 'from'));
      const id = newId();
      const now = clock.now();
      const payload: ObjectsPayload = {
        workspaceId: workspace.id,
        projectId: project.id,
        from,
        since: String(now),
        split: input.split ?? 'train',
        batchName: input.batchName ?? `Uploaded on ${isoTime(now).slice(0, 10)}`,
        tags: (input.tags ?? []).join(','),
        startedBy: principal.name,
      };
      await store.uploads.startImport({ id, kind: 'objects', payload });
      tasks.wake();
      return { ...describeTaskStart(origin, workspace, id), workspace: workspace.slug };
    },
  };
}
