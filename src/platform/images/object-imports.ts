// Starts an import of the images below a prefix of an object store.

import type { imageExtensions } from '../../contract/images.ts';
import type { Handlers } from '../../http-server/handlers.ts';
import { objectsUrlOf } from '../../object-storage-settings.ts';
import { findProject } from '../access-control/accessible-projects.ts';
import type { Principal } from '../access-control/authorization.ts';
import type { ObjectsPayload } from '../background-tasks/import-objects.ts';
import type { PlatformDependencies } from '../dependencies.ts';
import { newId } from '../ids-and-slugs.ts';
import { describeTaskStart } from '../tasks.ts';
import { importPayload } from './import-payload.ts';
import { readablePlace } from './readable-objects.ts';

export function objectImportHandlers(
  dependencies: PlatformDependencies,
): Handlers<Pick<typeof imageExtensions, 'images_import_objects'>, Principal> {
  const { store, tasks, clock, objectImports } = dependencies;
  return {
    images_import_objects: async (input, { principal, origin }) => {
      const { workspace } = principal;
      const project = await findProject(dependencies, principal, input.project);
      const from = objectsUrlOf(readablePlace(objectImports, input.from, 'from'));
      const id = newId();
      const started = { projectId: project.id, since: clock.now() };
      const payload: ObjectsPayload = { ...importPayload(input, principal, started), from };
      await store.uploads.startImport({ id, kind: 'objects', payload });
      tasks.wake();
      return { ...describeTaskStart(origin, workspace, id), workspace: workspace.slug };
    },
  };
}
