// Metadata and tags of many images, changed in the background.

import type { Database } from '../../storage/database.ts';
import type { TaskQueue } from '../../storage/task-queue.ts';
import { changingImages } from './image-index.ts';
import { changeImage, changeProblems } from './images.ts';
import type { FencedTransaction, ImageChange } from './store.ts';

export interface ImageUpdate extends ImageChange {
  readonly imageId: string;
}

/** An image that was not changed, and why. */
export interface FailedUpdate {
  readonly imageId: string;
  readonly error: string;
}

export interface NewMetadataUpdate {
  readonly taskId: string;
  readonly workspaceId: string;
  /** Only images of these are changed; undefined: all of the workspace. */
  readonly projectIds: readonly string[] | undefined;
  /** The body of the call, as JSON. */
  readonly input: string;
}

export interface MetadataStore {
  /** Starts the work. */
  start(update: NewMetadataUpdate): Promise<void>;
  /** The live projects of the workspace that these images are in. */
  projectsOf(workspaceId: string, imageIds: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * Changes the images in one transaction. Given back are those that are in no live project of the
   * workspace, where `projectIds` is given those of other projects, and those that would have too
   * many keys or tags.
   */
  apply(
    workspaceId: string,
    projectIds: ReadonlySet<string> | undefined,
    updates: readonly ImageUpdate[],
    fenced: FencedTransaction,
  ): Promise<readonly FailedUpdate[]>;
}

export function metadataStore(database: Database, queue: TaskQueue): MetadataStore {
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
