// The platform's store on SQLite: one database, one file for each family of rows.

import type { Database } from '../../storage/database.ts';
import type { Work } from '../../storage/work.ts';
import { imageStore } from './images.ts';
import { projectStore } from './projects.ts';
import type { Store } from './store.ts';
import { trashStore } from './trash.ts';
import { exportStore, versionStore } from './versions.ts';
import { visionEventStore } from './vision-events.ts';
import { workspaceStore } from './workspaces.ts';

export function createSqliteStore(database: Database, work: Work): Store {
  return {
    workspaces: workspaceStore(database),
    projects: projectStore(database),
    images: imageStore(database),
    versions: versionStore(database, work),
    exports: exportStore(database, work),
    trash: trashStore(database),
    visionEvents: visionEventStore(database),
    refersTo: async (hash) =>
      database.get(
        `SELECT 1 AS found WHERE EXISTS (SELECT 1 FROM images WHERE hash = ?)
           OR EXISTS (SELECT 1 FROM version_sources WHERE hash = ?)
           OR EXISTS (SELECT 1 FROM version_images WHERE hash = ?)
           OR EXISTS (SELECT 1 FROM exports WHERE hash = ?)
           OR EXISTS (SELECT 1 FROM vision_event_images WHERE hash = ?)`,
        [hash, hash, hash, hash, hash],
        (row) => row.integer('found'),
      ) !== undefined,
    close: async () => database.close(),
  };
}
