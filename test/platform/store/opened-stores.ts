// The stores of a platform on an engine, with a workspace and a project, for the suites that judge
// every engine.

import type { Annotation } from '../../../src/annotations/annotation.ts';
import { writeAnnotation } from '../../../src/annotations/serialized-annotation.ts';
import type { LongReads } from '../../../src/platform/database/long-reads/long-reads.ts';
import type { ImageIndex } from '../../../src/platform/store/image-index.ts';
import type { NewImage } from '../../../src/platform/store/images.ts';
import type { Store } from '../../../src/platform/store/store.ts';
import type { AsyncDatabase } from '../../../src/storage/async-database.ts';
import type { TaskQueue } from '../../../src/storage/task-queue.ts';
import type { settableClock } from '../../fixtures/settable-clock.ts';

export interface OpenedStores {
  /** Writes the log of changes. */
  readonly database: AsyncDatabase;
  readonly store: Store;
  readonly queue: TaskQueue;
  readonly index: ImageIndex;
  readonly clock: ReturnType<typeof settableClock>;
}

export type OpenStores = () => Promise<OpenedStores>;

/** The project `cells` of the workspace `acme`. */
export async function withProject(open: OpenStores) {
  const opened = await open();
  const { store } = opened;
  const workspace = await store.workspaces.ensure('acme', 1);
  const project = await addProject(store, workspace.id, 'cells');
  return { ...opened, workspace, project };
}

export function addProject(store: Store, workspaceId: string, name: string) {
  return store.projects.add({
    id: `project-${name}`,
    workspaceId,
    name,
    type: 'object-detection',
    annotation: 'cells',
    license: undefined,
    isPublic: false,
    folderId: undefined,
    created: 1,
  });
}

export function image(id: string, changes: Partial<NewImage> = {}): NewImage {
  return {
    id,
    projectId: 'project-cells',
    name: `${id}.png`,
    hash: `hash-${id}`,
    bytes: 10,
    format: 'png',
    width: 40,
    height: 20,
    split: 'train',
    batchName: 'first',
    tags: [],
    metadata: {},
    sequenceNumber: undefined,
    sequenceSize: undefined,
    inferenceId: undefined,
    created: 5,
    ...changes,
  };
}

function boxesOf(...labels: readonly string[]): Annotation {
  return {
    kind: 'detection',
    boxes: labels.map((label, at) => ({ label, x: 10 + at, y: 10, width: 4, height: 4 })),
  };
}

export const written = (...labels: readonly string[]) => writeAnnotation(boxesOf(...labels));

/** Runs writes as the work of a task does. */
export const fencedIn =
  (database: AsyncDatabase) =>
  <T>(writes: () => Promise<T>) =>
    database.transaction(writes);

/** Searches are judged elsewhere. */
export const noLongReads: LongReads = {
  read: async () => {
    throw new Error('no long read here');
  },
  close: async () => {},
};
