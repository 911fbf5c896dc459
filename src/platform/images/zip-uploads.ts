// Handlers that start the upload of a zip file of images, and show its state.

import type { images } from '../../contract/images.ts';
import { notFound } from '../../errors.ts';
import type { Handlers } from '../../http-server/handlers.ts';
import { findProject } from '../access-control/accessible-projects.ts';
import type { Principal } from '../access-control/authorization.ts';
import type { ZipPayload } from '../background-tasks/import-zip.ts';
import type { PlatformDependencies } from '../dependencies.ts';
import { newId } from '../ids-and-slugs.ts';
import { describeTask, describeTaskStart, findTask } from '../tasks.ts';
import { importPayload } from './import-payload.ts';

type ZipOperations = Pick<typeof images, 'images_upload_zip' | 'images_upload_zip_status'>;

export function zipUploadHandlers(
  dependencies: PlatformDependencies,
): Handlers<ZipOperations, Principal> {
  const { store, uploads, clock, links } = dependencies;
  return {
    images_upload_zip: async (input, { principal, origin }) => {
      const { workspace } = principal;
      const project = await findProject(dependencies, principal, input.project);
      const taskId = newId();
      const since = clock.now();
      const settings = importPayload(input, principal, { projectId: project.id, since });
      const { link } = await uploads.start(origin, {
        workspaceId: workspace.id,
        kind: 'zip',
        name: project.slug,
        taskOf: (uploadId) => {
          const payload: ZipPayload = { ...settings, uploadId };
          return { id: taskId, kind: 'zip', payload };
        },
      });
      return { ...describeTaskStart(origin, workspace, taskId), signedUrl: link };
    },
    images_upload_zip_status: async ({ taskId }, { principal, origin }) => {
      const task = await findTask(dependencies, principal, taskId);
      if (task.kind !== 'zip' && task.kind !== 'objects') throw notFound('zip upload', taskId);
      const described = describeTask(task, links, origin);
      const upload = await store.uploads.ofTask(taskId);
      const isThere = task.status === 'created' && upload?.file !== undefined;
      return isThere ? { ...described, status: 'pending' } : described;
    },
  };
}
