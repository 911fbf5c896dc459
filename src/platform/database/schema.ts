// The tables of the platform, as numbered migrations. A migration that has shipped never changes.

import type { Migration } from '../../storage/migrations.ts';

export const platformTables: Migration = {
  name: 'platform',
  sql: `
CREATE TABLE workspaces (
  id TEXT PRIMARY KEY, slug TEXT NOT NULL UNIQUE, name TEXT NOT NULL, created INTEGER NOT NULL
) STRICT;

-- A project in the trash keeps its slug, so that it can come back under it.
CREATE TABLE projects (
  id TEXT PRIMARY KEY, workspace_id TEXT NOT NULL REFERENCES workspaces, slug TEXT NOT NULL,
  name TEXT NOT NULL, type TEXT NOT NULL, annotation TEXT NOT NULL, license TEXT,
  created INTEGER NOT NULL, updated INTEGER NOT NULL, deleted_at INTEGER,
  UNIQUE (workspace_id, slug)
) STRICT;

CREATE TABLE batches (
  id TEXT PRIMARY KEY, project_id TEXT NOT NULL REFERENCES projects, name TEXT NOT NULL,
  created INTEGER NOT NULL, UNIQUE (project_id, name)
) STRICT;

CREATE TABLE images (
  id TEXT PRIMARY KEY, project_id TEXT NOT NULL REFERENCES projects,
  batch_id TEXT NOT NULL REFERENCES batches, name TEXT NOT NULL, hash TEXT NOT NULL,
  bytes INTEGER NOT NULL, format TEXT NOT NULL, width INTEGER NOT NULL, height INTEGER NOT NULL,
  split TEXT NOT NULL, metadata TEXT NOT NULL, sequence_number INTEGER, sequence_size INTEGER,
  inference_id TEXT, annotation TEXT,
  -- Boxes or classes of the annotation; NULL: nobody annotated the image.
  objects INTEGER,
  annotated_at INTEGER, created INTEGER NOT NULL, UNIQUE (project_id, hash)
) STRICT;
CREATE INDEX images_hash ON images (hash);
CREATE INDEX images_batch ON images (batch_id);
-- Answers all counts of a project without its rows, which annotations make large.
CREATE INDEX images_counts ON images (project_id, split, objects, width, height);

CREATE TABLE image_tags (
  image_id TEXT NOT NULL REFERENCES images ON DELETE CASCADE, tag TEXT NOT NULL,
  PRIMARY KEY (image_id, tag)
) STRICT, WITHOUT ROWID;

-- How often a label stands in an image: class counts without reading annotations.
CREATE TABLE image_labels (
  image_id TEXT NOT NULL REFERENCES images ON DELETE CASCADE, project_id TEXT NOT NULL,
  label TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (image_id, label)
) STRICT, WITHOUT ROWID;
CREATE INDEX image_labels_project ON image_labels (project_id, label, n);

CREATE TABLE versions (
  id TEXT PRIMARY KEY, project_id TEXT NOT NULL REFERENCES projects, number INTEGER NOT NULL,
  name TEXT NOT NULL, settings TEXT NOT NULL, task_id TEXT NOT NULL, ready INTEGER NOT NULL,
  images INTEGER NOT NULL, splits TEXT NOT NULL, classes TEXT NOT NULL, created INTEGER NOT NULL,
  deleted_at INTEGER, UNIQUE (project_id, number)
) STRICT;

-- The frozen snapshot: rows of the images as they were; the pixels are held by their hash.
CREATE TABLE version_sources (
  version_id TEXT NOT NULL REFERENCES versions ON DELETE CASCADE, ordinal INTEGER NOT NULL,
  image_id TEXT NOT NULL, name TEXT NOT NULL, hash TEXT NOT NULL, format TEXT NOT NULL,
  split TEXT NOT NULL, width INTEGER NOT NULL, height INTEGER NOT NULL, annotation TEXT,
  done INTEGER NOT NULL, PRIMARY KEY (version_id, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX version_sources_hash ON version_sources (hash);
CREATE INDEX version_sources_open ON version_sources (version_id, ordinal) WHERE done = 0;

CREATE TABLE version_images (
  version_id TEXT NOT NULL REFERENCES versions ON DELETE CASCADE, ordinal INTEGER NOT NULL,
  copy INTEGER NOT NULL, name TEXT NOT NULL, hash TEXT NOT NULL, split TEXT NOT NULL,
  width INTEGER NOT NULL, height INTEGER NOT NULL, annotation TEXT,
  PRIMARY KEY (version_id, ordinal, copy)
) STRICT, WITHOUT ROWID;
CREATE INDEX version_images_hash ON version_images (hash);

CREATE TABLE exports (
  id TEXT PRIMARY KEY, version_id TEXT NOT NULL REFERENCES versions ON DELETE CASCADE,
  format TEXT NOT NULL, task_id TEXT NOT NULL, hash TEXT, bytes INTEGER NOT NULL,
  created INTEGER NOT NULL, UNIQUE (version_id, format)
) STRICT;
CREATE INDEX exports_hash ON exports (hash);
`,
};

export const visionEventTables: Migration = {
  name: 'vision_events',
  sql: `
-- What events refer to as their source; the pixels are held by their hash.
CREATE TABLE vision_event_images (
  id TEXT PRIMARY KEY, workspace_id TEXT NOT NULL REFERENCES workspaces, hash TEXT NOT NULL,
  bytes INTEGER NOT NULL, content_type TEXT NOT NULL, name TEXT NOT NULL, metadata TEXT NOT NULL,
  created INTEGER NOT NULL, UNIQUE (workspace_id, hash)
) STRICT;
CREATE INDEX vision_event_images_hash ON vision_event_images (hash);

CREATE TABLE vision_events (
  workspace_id TEXT NOT NULL REFERENCES workspaces, use_case_id TEXT NOT NULL,
  event_id TEXT NOT NULL, event_type TEXT NOT NULL, occurred INTEGER NOT NULL,
  -- The whole event as JSON, its members in the order of their names.
  content TEXT NOT NULL, created INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, use_case_id, event_id)
) STRICT;
`,
};

/** When an image last came, or an event that refers to it: to a day. */
export const eventImageUse: Migration = {
  name: 'use of event images',
  sql: `
ALTER TABLE vision_event_images ADD COLUMN used INTEGER NOT NULL DEFAULT 0;
UPDATE vision_event_images SET used = created;
CREATE INDEX vision_event_images_used ON vision_event_images (used);
`,
};

/** Changes of earlier tables that several later tables need. */
export const wholePlatformTables: Migration = {
  name: 'whole platform',
  sql: `
ALTER TABLE projects ADD COLUMN public INTEGER NOT NULL DEFAULT 0;
ALTER TABLE projects ADD COLUMN folder_id TEXT;
ALTER TABLE projects ADD COLUMN deleted_by TEXT;
ALTER TABLE versions ADD COLUMN deleted_by TEXT;
CREATE INDEX projects_public ON projects (public) WHERE public = 1 AND deleted_at IS NULL;
CREATE INDEX projects_folder ON projects (folder_id);
-- A model annotated the image, and nobody has looked at it.
ALTER TABLE images ADD COLUMN predicted INTEGER NOT NULL DEFAULT 0;
CREATE INDEX work_workspace ON work (payload ->> 'workspaceId', ordinal);
-- A number for each image, in the order in which they came: the search index counts in them.
CREATE TABLE image_ordinals (
  ordinal INTEGER PRIMARY KEY AUTOINCREMENT,
  image_id TEXT NOT NULL UNIQUE REFERENCES images ON DELETE CASCADE, indexed INTEGER NOT NULL
) STRICT;
INSERT INTO image_ordinals (image_id, indexed) SELECT id, 0 FROM images ORDER BY created, id;
CREATE INDEX image_ordinals_open ON image_ordinals (ordinal) WHERE indexed = 0;
`,
};

const imageOrderIndex = 'CREATE INDEX images_order ON images (project_id, created, id);';

/** A project's images in their order from any place on: versions and forks read them in parts. */
export const imageOrder: Migration = {
  name: 'image order',
  sql: imageOrderIndex,
  // A short number for each image, as SQLite gives it by itself.
  postgres: `${imageOrderIndex}
    ALTER TABLE images ADD COLUMN rowid BIGINT GENERATED ALWAYS AS IDENTITY UNIQUE;`,
};

/** SQLite has one process, as a rule. What a server loses of it at a crash is a minute's count. */
export const sharedCallTables: Migration = {
  name: 'calls of processes',
  sql: '',
  postgres: `
CREATE UNLOGGED TABLE shared_calls (
  process TEXT NOT NULL, slot BIGINT NOT NULL, name TEXT NOT NULL, calls BIGINT NOT NULL,
  PRIMARY KEY (process, slot, name)
);
CREATE INDEX shared_calls_slot ON shared_calls (slot);
`,
};
