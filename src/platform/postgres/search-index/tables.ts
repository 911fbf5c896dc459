// The tables of the search index on PostgreSQL: one row for each image, so that transactions which
// change different images share no row.

import type { Migration } from '../../../storage/migrations.ts';

/**
 * `terms` is a tsvector and not a list: GIN then answers words with `*` too, and no table of all
 * terms is shared by those who write. `pg_trgm` comes with PostgreSQL, but not each server has it,
 * and not each user may add it: without it names are looked through.
 */
export const imageSearchTables: Migration = {
  name: 'image search',
  sql: `
CREATE TABLE image_search (
  ordinal bigint PRIMARY KEY, image_id TEXT NOT NULL, workspace_id TEXT NOT NULL,
  project_id TEXT NOT NULL,
  -- Folded.
  name TEXT NOT NULL,
  terms tsvector NOT NULL, width integer NOT NULL, height integer NOT NULL,
  objects integer NOT NULL,
  -- How often it shows each class, by the term of the class.
  counts jsonb NOT NULL
);
CREATE INDEX image_search_workspace ON image_search (workspace_id, ordinal);
CREATE INDEX image_search_project ON image_search (project_id, ordinal);
CREATE INDEX image_search_terms ON image_search USING gin (terms);

DO $$
BEGIN
  CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;
EXCEPTION WHEN insufficient_privilege OR feature_not_supported OR undefined_file THEN NULL;
END $$;
DO $$
DECLARE place name;
BEGIN
  SELECT n.nspname INTO place FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
    WHERE e.extname = 'pg_trgm';
  IF place IS NOT NULL THEN
    EXECUTE format(
      'CREATE INDEX image_search_trigrams ON image_search USING gin (name %I.gin_trgm_ops)', place);
  END IF;
END $$;

-- How images look: 64 numbers and 64 bits of each.
CREATE TABLE image_looks (
  ordinal bigint PRIMARY KEY, vector BYTEA NOT NULL, hash bit(64) NOT NULL
);

-- Classes, tags and metadata that images of a project have, or had.
CREATE TABLE image_search_names (
  project_id TEXT NOT NULL REFERENCES projects ON DELETE CASCADE, term TEXT NOT NULL,
  PRIMARY KEY (project_id, term)
);
`,
};
