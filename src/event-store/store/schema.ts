// The tables of the Event Store. A released step never changes.

import type { Migration } from '../../storage/migrations.ts';

export const migrations: readonly Migration[] = [
  {
    name: 'events',
    sql: `
      -- The arrival is the key, so that the table itself is in the order of all pages.
      -- \`number\` counts events without gaps in time: buckets are made of it.
      CREATE TABLE events (
        arrival INTEGER PRIMARY KEY,
        number INTEGER NOT NULL,
        id TEXT NOT NULL,
        device_id TEXT,
        event_schema TEXT NOT NULL,
        workflow_id TEXT,
        external_id TEXT,
        related_event_id TEXT,
        upload TEXT NOT NULL CHECK (upload IN ('draft', 'waiting', 'uploaded', 'refused')),
        hold TEXT,
        held INTEGER GENERATED ALWAYS AS (hold IS NOT NULL) VIRTUAL,
        finalized_at INTEGER,
        auto_finalized_at INTEGER,
        uploaded_at INTEGER,
        upload_error TEXT,
        api_version TEXT NOT NULL,
        original_files INTEGER NOT NULL,
        current_files INTEGER NOT NULL,
        attachments INTEGER NOT NULL,
        disk_bytes INTEGER NOT NULL,
        custom_metadata TEXT,
        body TEXT NOT NULL
      ) STRICT;
      -- SQLite puts the arrival behind each entry.
      CREATE INDEX events_state ON events (held, upload);

      -- Device, schema and workflow together, with how many indexed events have them.
      CREATE TABLE kinds (
        id INTEGER PRIMARY KEY,
        device_id TEXT,
        event_schema TEXT NOT NULL,
        workflow_id TEXT,
        events INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX kinds_all ON kinds (event_schema, device_id, workflow_id);
      CREATE INDEX kinds_device ON kinds (device_id);
      CREATE INDEX kinds_workflow ON kinds (workflow_id);

      CREATE TABLE term_keys (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        events INTEGER NOT NULL
      ) STRICT;
      -- What queries look for, of all events but the newest: those are looked through one by one
      -- until there are enough to be put in here together. So a page of this table is written
      -- once for hundreds of events. A value that may be another one in every event is kept by
      -- buckets of events, of which only the newest is written to.
      CREATE TABLE terms (
        key INTEGER NOT NULL,
        bucket INTEGER NOT NULL,
        value ANY NOT NULL,
        arrival INTEGER NOT NULL,
        PRIMARY KEY (key, bucket, value, arrival)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE files (
        arrival INTEGER NOT NULL,
        position INTEGER NOT NULL,
        id TEXT NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN ('image', 'video', 'local_only')),
        label TEXT,
        content_type TEXT NOT NULL,
        bytes INTEGER NOT NULL,
        disk_bytes INTEGER NOT NULL,
        source_id TEXT,
        PRIMARY KEY (arrival, position)
      ) STRICT, WITHOUT ROWID;
      CREATE UNIQUE INDEX files_id ON files (id);
      -- Of removed events; ids sort by time.
      CREATE TABLE leaving_files (
        id TEXT PRIMARY KEY,
        disk_bytes INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE ledger (
        ordinal INTEGER PRIMARY KEY,
        removed_at INTEGER NOT NULL,
        reason TEXT NOT NULL,
        event_id TEXT NOT NULL,
        arrival INTEGER NOT NULL,
        event_schema TEXT NOT NULL,
        device_id TEXT,
        upload TEXT NOT NULL,
        files INTEGER NOT NULL,
        disk_bytes INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX ledger_reason ON ledger (reason);
      CREATE INDEX ledger_arrival ON ledger (arrival);
      -- All removals ever, those too whose lines are gone.
      CREATE TABLE removals (
        reason TEXT PRIMARY KEY,
        events INTEGER NOT NULL,
        disk_bytes INTEGER NOT NULL,
        last_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;

      -- One row: what a count over all events would take too long for.
      CREATE TABLE totals (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        last_arrival INTEGER NOT NULL DEFAULT 0,
        last_number INTEGER NOT NULL DEFAULT 0,
        last_line INTEGER NOT NULL DEFAULT 0,
        -- Until here events are in \`kinds\` and \`term_keys\`; of those after the indexed ones, so
        -- many rows are in \`terms\`.
        counted_arrival INTEGER NOT NULL DEFAULT 0,
        counted_number INTEGER NOT NULL DEFAULT 0,
        indexed_arrival INTEGER NOT NULL DEFAULT 0,
        indexed_rows INTEGER NOT NULL DEFAULT 0,
        draft INTEGER NOT NULL DEFAULT 0,
        waiting INTEGER NOT NULL DEFAULT 0,
        uploaded INTEGER NOT NULL DEFAULT 0,
        refused INTEGER NOT NULL DEFAULT 0,
        held INTEGER NOT NULL DEFAULT 0,
        image INTEGER NOT NULL DEFAULT 0,
        video INTEGER NOT NULL DEFAULT 0,
        local_only INTEGER NOT NULL DEFAULT 0,
        waiting_disk_bytes INTEGER NOT NULL DEFAULT 0,
        file_disk_bytes INTEGER NOT NULL DEFAULT 0
      ) STRICT;
      INSERT INTO totals (id) VALUES (1);
    `,
  },
  {
    name: 'windows',
    sql: `
      -- Of the events behind the indexed ones, by hundreds: from the first arrival to the last.
      CREATE TABLE windows (
        until INTEGER PRIMARY KEY,
        since INTEGER NOT NULL,
        events INTEGER NOT NULL,
        removed INTEGER NOT NULL DEFAULT 0
      ) STRICT;
      -- The values that the events of a window have under a key, and at which places: JSON.
      CREATE TABLE window_columns (
        id INTEGER PRIMARY KEY,
        until INTEGER NOT NULL,
        key INTEGER NOT NULL,
        size INTEGER NOT NULL,
        places TEXT,
        "values" TEXT NOT NULL
      ) STRICT;
      CREATE UNIQUE INDEX window_columns_key ON window_columns (until, key);
      -- Windows until here are being merged into \`terms\`: all rows of the keys until this one
      -- are in, and \`indexed_rows\` of what comes behind. Removals of their events change that.
      ALTER TABLE totals ADD COLUMN merge_until INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE totals ADD COLUMN merge_key INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE totals ADD COLUMN merge_removals INTEGER NOT NULL DEFAULT 0;
      UPDATE totals SET indexed_rows = 0;
    `,
  },
  {
    name: 'large buckets',
    sql: `
      -- Device, schema, workflow and kind were in one bucket for all events.
      UPDATE terms SET bucket = (SELECT number >> 18 FROM events
          WHERE events.arrival = terms.arrival)
        WHERE key BETWEEN -6 AND -3 AND arrival >=
          (SELECT arrival FROM events WHERE number >= 1 << 18 ORDER BY arrival LIMIT 1);
      -- What goes in next comes in another order.
      UPDATE totals SET indexed_rows = 0;
    `,
  },
  {
    name: 'lists',
    sql: `
      -- A row may stand for several events with the same value, the last of which is its arrival.
      -- All their arrivals, as the first one and the steps from each to the next: JSON; null: it is
      -- one event. So many of them are gone; no row stays of which all are.
      ALTER TABLE terms ADD COLUMN events INTEGER NOT NULL DEFAULT 1;
      ALTER TABLE terms ADD COLUMN gone INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE terms ADD COLUMN arrivals TEXT;
      CREATE INDEX terms_lists ON terms (key, bucket, value) WHERE arrivals IS NOT NULL;
      -- What a merge has begun to put in is made anew.
      DELETE FROM terms WHERE (SELECT merge_until FROM totals) > 0
        AND key > (SELECT merge_key FROM totals)
        AND arrival > (SELECT indexed_arrival FROM totals);
      UPDATE totals SET indexed_rows = 0;
    `,
  },
  {
    name: 'bytes of the ledger',
    sql: `
      -- About what its lines take, their indexes included.
      ALTER TABLE totals ADD COLUMN ledger_bytes INTEGER NOT NULL DEFAULT 0;
      UPDATE totals SET ledger_bytes = (SELECT coalesce(sum(
        160 + octet_length(event_schema) + coalesce(octet_length(device_id), 0)), 0) FROM ledger);
    `,
  },
  {
    name: 'an index of its own',
    sql: `
      -- The index is in a file of its own, which names the store that it is of. What is left of the
      -- one in here goes a little at a time.
      ALTER TABLE totals ADD COLUMN store_id TEXT NOT NULL DEFAULT '';
      UPDATE totals SET store_id = lower(hex(randomblob(16)));
      -- Kinds count all events now, but those of kinds that there was no room for: their number.
      ALTER TABLE totals ADD COLUMN other_kinds INTEGER NOT NULL DEFAULT 0;
      CREATE TEMP TABLE uncounted AS
        SELECT device_id, event_schema, workflow_id, count(*) AS events FROM events
        WHERE arrival > (SELECT counted_arrival FROM totals)
        GROUP BY device_id, event_schema, workflow_id;
      UPDATE kinds SET events = kinds.events + uncounted.events FROM uncounted
        WHERE kinds.event_schema = uncounted.event_schema
          AND kinds.device_id IS uncounted.device_id
          AND kinds.workflow_id IS uncounted.workflow_id;
      INSERT INTO kinds (device_id, event_schema, workflow_id, events)
        SELECT device_id, event_schema, workflow_id, events FROM uncounted WHERE NOT EXISTS (
          SELECT 1 FROM kinds WHERE kinds.event_schema = uncounted.event_schema
            AND kinds.device_id IS uncounted.device_id
            AND kinds.workflow_id IS uncounted.workflow_id);
      DROP TABLE uncounted;
      ALTER TABLE totals DROP COLUMN counted_arrival;
      ALTER TABLE totals DROP COLUMN counted_number;
      ALTER TABLE totals DROP COLUMN indexed_arrival;
      ALTER TABLE totals DROP COLUMN indexed_rows;
      ALTER TABLE totals DROP COLUMN merge_until;
      ALTER TABLE totals DROP COLUMN merge_key;
      ALTER TABLE totals DROP COLUMN merge_removals;
    `,
  },
];
