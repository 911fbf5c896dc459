// Changes metadata and tags of many images.

import type { AsyncDatabase } from '../../storage/async-database.ts';
import type { TaskQueue } from '../../storage/task-queue.ts';
import type { BulkMetadataStore, FailedUpdate, ImageUpdate } from '../store/bulk-metadata.ts';
import type { ImageIndex } from '../store/image-index.ts';
import { changeImage, changeProblems } from './images.ts';
import { changingImages } from './search-index/update-index.ts';

export function bulkMetadataStore(
  database: AsyncDatabase,
  index: ImageIndex,
  queue: TaskQueue,
): BulkMetadataStore {
  return {
    start: ({ taskId, workspaceId, projectIds, input }) => {
      const payload = { workspaceId, projectIds, input };
      return queue.add({ id: taskId, kind: 'metadata', payload, turn: workspaceId });
    },
    projectsOf: async (workspaceId, imageIds) =>
      new Set(
        await database.all(
          `SELECT DISTINCT projects.id FROM json_each(?) AS wanted
             JOIN images ON images.id = wanted.value
             JOIN projects ON projects.id = images.project_id
           WHERE workspace_id = ? AND deleted_at IS NULL`,
          [JSON.stringify(imageIds), workspaceId],
          (row) => row.text('id'),
        ),
      ),
    apply: async (workspaceId, projectIds, updates, fenced) =>
      fenced(async () => {
        const projects = await projectsOf(database, workspaceId, updates);
        const isSeen = ({ imageId }: ImageUpdate) => {
          const projectId = projects.get(imageId);
          return projectId !== undefined && (projectIds?.has(projectId) ?? true);
        };
        const failed: FailedUpdate[] = [];
        const good: ImageUpdate[] = [];
        for (const update of updates) {
          const { imageId } = update;
          const error = isSeen(update)
            ? await refusalOf(database, update)
            : 'There is no such image.';
          if (error === undefined) good.push(update);
          else failed.push({ imageId, error });
        }
        const ids = good.map(({ imageId }) => imageId);
        await changingImages(database, index, ids, async () => {
          for (const update of good) await changeImage(database, update.imageId, update);
        });
        return failed;
      }),
  };
}

async function refusalOf(
  database: AsyncDatabase,
  update: ImageUpdate,
): Promise<string | undefined> {
  const problems = await changeProblems(database, update.imageId, update);
  if (problems.length === 0) return undefined;
  return problems.map(({ path, message }) => `${path}: ${message}`).join('; ');
}

/** By the id of the image; those of other workspaces are not in it. */
async function projectsOf(
  database: AsyncDatabase,
  workspaceId: string,
  updates: readonly ImageUpdate[],
): Promise<ReadonlyMap<string, string>> {
  return new Map(
    await database.all(
      // CROSS: the ids come first, or all images of the workspace are held against each of them.
      `SELECT images.id, project_id FROM json_each(?) AS wanted
         CROSS JOIN images ON images.id = wanted.value
         JOIN projects ON projects.id = images.project_id
       WHERE workspace_id = ? AND deleted_at IS NULL`,
      [JSON.stringify(updates.map(({ imageId }) => imageId)), workspaceId],
      (row) => [row.text('id'), row.text('project_id')],
    ),
  );
}
