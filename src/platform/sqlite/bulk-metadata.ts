// Changes metadata and tags of many images.

import type { Database } from '../../storage/database.ts';
import type { TaskQueue } from '../../storage/task-queue.ts';
import type { BulkMetadataStore, FailedUpdate, ImageUpdate } from '../store/bulk-metadata.ts';
import { changeImage, changeProblems } from './images.ts';
import { changingImages } from './search-index/update-index.ts';

export function bulkMetadataStore(database: Database, queue: TaskQueue): BulkMetadataStore {
  return {
    start: async ({ taskId, workspaceId, projectIds, input }) =>
      queue.add({ id: taskId, kind: 'metadata', payload: { workspaceId, projectIds, input } }),
    projectsOf: async (workspaceId, imageIds) =>
      new Set(imageIds.flatMap((id) => projectOf(database, workspaceId, id) ?? [])),
    apply: async (workspaceId, projectIds, updates, fenced) =>
      fenced(() => {
        const isSeen = ({ imageId }: ImageUpdate) => {
          const projectId = projectOf(database, workspaceId, imageId);
          return projectId !== undefined && (projectIds?.has(projectId) ?? true);
        };
        const failed: FailedUpdate[] = [];
        const good = updates.filter((update) => {
          const { imageId } = update;
          const error = isSeen(update) ? refusalOf(database, update) : 'There is no such image.';
          if (error !== undefined) failed.push({ imageId, error });
          return error === undefined;
        });
        const ids = good.map(({ imageId }) => imageId);
        changingImages(database, ids, () => {
          for (const update of good) changeImage(database, update.imageId, update);
        });
        return failed;
      }),
  };
}

function refusalOf(database: Database, update: ImageUpdate): string | undefined {
  const problems = changeProblems(database, update.imageId, update);
  if (problems.length === 0) return undefined;
  return problems.map(({ path, message }) => `${path}: ${message}`).join('; ');
}

function projectOf(database: Database, workspaceId: string, imageId: string): string | undefined {
  return database.get(
    `SELECT projects.id FROM images JOIN projects ON projects.id = images.project_id
     WHERE images.id = ? AND workspace_id = ? AND deleted_at IS NULL`,
    [imageId, workspaceId],
    (row) => row.text('id'),
  );
}
