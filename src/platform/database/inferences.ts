// Records of inferences, on which statistics are computed.

import { FoveaError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { AsyncDatabase } from '../../storage/async-database.ts';
import { insertRows } from '../../storage/insert-rows.ts';
import type { Migration } from '../../storage/migrations.ts';
import { newId } from '../ids-and-slugs.ts';
import type { FencedTransaction } from '../store/fenced-transaction.ts';
import type { InferenceStore, NewInference, RecordMetadata } from '../store/inferences.ts';
import type { LongReads } from './long-reads/long-reads.ts';

export const inferenceTables: Migration = {
  name: 'inferences',
  sql: `
CREATE TABLE inferences (
  ordinal INTEGER PRIMARY KEY, id TEXT NOT NULL,
  workspace_id TEXT NOT NULL REFERENCES workspaces, project_id TEXT, model_name TEXT NOT NULL,
  source TEXT NOT NULL, created INTEGER NOT NULL, response_ms REAL, error TEXT,
  metadata TEXT NOT NULL, UNIQUE (workspace_id, id)
) STRICT;
CREATE INDEX inferences_time ON inferences (workspace_id, created, model_name);
CREATE TABLE inference_classes (
  inference INTEGER NOT NULL REFERENCES inferences ON DELETE CASCADE, class TEXT NOT NULL,
  confidence REAL NOT NULL, place INTEGER NOT NULL, PRIMARY KEY (inference, place)
) STRICT, WITHOUT ROWID;
`,
};

/**
 * In the transaction of the caller. A record with an id that the workspace has already adds
 * nothing, so that work may be done again; but for events, which are recorded once themselves.
 */
export async function addInferences(
  database: AsyncDatabase,
  inferences: readonly NewInference[],
): Promise<void> {
  const first = await addRecords(database, inferences);
  // Events of two use cases may have one id; each of them counts.
  const others = inferences
    .filter((inference) => inference.source === 'vision_event' && !first.has(inference))
    .map((inference) => ({ ...inference, id: newId() }));
  const added = [...first, ...(await addRecords(database, others))];
  const seen = added.flatMap(([{ seen }, ordinal]) =>
    seen.map(({ class: name, confidence }, place) => [ordinal, name, confidence, place]),
  );
  if (seen.length === 0) return;
  await database.run(
    `INSERT INTO inference_classes (inference, class, confidence, place)
     SELECT CAST(value ->> 0 AS BIGINT), value ->> 1, CAST(value ->> 2 AS DOUBLE PRECISION),
       CAST(value ->> 3 AS BIGINT) FROM json_each(?)`,
    [JSON.stringify(seen)],
  );
}

export function inferenceStore(database: AsyncDatabase, reader: LongReads): InferenceStore {
  return {
    add: async (inferences, fenced) => {
      const within: FencedTransaction = fenced ?? ((writes) => database.transaction(writes));
      await within(() => addInferences(database, inferences));
    },
    totals: (window) => reader.read(window.workspaceId, { name: 'totals', asked: [window] }),
    stats: (window) => reader.read(window.workspaceId, { name: 'stats', asked: [window] }),
    setMetadata: (workspaceId, changes) =>
      database.transaction(() => setMetadata(database, workspaceId, changes)),
  };
}

/** Those that are new, each with its number. */
async function addRecords(
  database: AsyncDatabase,
  inferences: readonly NewInference[],
): Promise<ReadonlyMap<NewInference, number>> {
  const keyOf = (workspaceId: string, id: string) => `${workspaceId} ${id}`;
  const ordinals = new Map(
    await insertRows(database, {
      into: `inferences
        (id, workspace_id, project_id, model_name, source, created, response_ms, error, metadata)`,
      ending: 'ON CONFLICT DO NOTHING RETURNING workspace_id, id, ordinal',
      rows: inferences.map(({ id, workspaceId, projectId, modelName, source, ...rest }) => {
        const { created, responseMs, error } = rest;
        return [id, workspaceId, projectId, modelName, source, created, responseMs, error, '{}'];
      }),
      read: (row) =>
        [keyOf(row.text('workspace_id'), row.text('id')), row.integer('ordinal')] as const,
    }),
  );
  const added = new Map<NewInference, number>();
  for (const inference of inferences) {
    const key = keyOf(inference.workspaceId, inference.id);
    const ordinal = ordinals.get(key);
    if (ordinal !== undefined) added.set(inference, ordinal);
    // Another one of the list with this id is not the one that was added.
    ordinals.delete(key);
  }
  return added;
}

async function setMetadata(
  database: AsyncDatabase,
  workspaceId: string,
  changes: readonly RecordMetadata[],
): Promise<readonly string[]> {
  const ids = [...new Set(changes.flatMap((change) => change.ids))];
  const unknown = await database.all(
    `SELECT value AS id FROM json_each(:ids) AS wanted WHERE NOT EXISTS (SELECT 1 FROM inferences
       WHERE workspace_id = :workspaceId AND id = wanted.value) ORDER BY wanted.key`,
    { ids: JSON.stringify(ids), workspaceId },
    (row) => row.text('id'),
  );
  if (unknown.length > 0) return unknown;
  const metadata = await readMetadata(database, workspaceId, ids);
  for (const { ids: changed, name, value } of changes) {
    for (const id of changed) {
      const pairs = metadata.get(id)?.pairs.set(name, value);
      if (pairs && pairs.size > limits.customMetadataPairsMax) throw tooMany(id);
    }
  }
  const texts = [...metadata.values()].map(({ ordinal, pairs }) => [
    ordinal,
    JSON.stringify(Object.fromEntries(pairs)),
  ]);
  await database.run(
    `UPDATE inferences SET metadata = changed.value ->> 1 FROM json_each(?) AS changed
     WHERE inferences.ordinal = CAST(changed.value ->> 0 AS BIGINT)`,
    [JSON.stringify(texts)],
  );
  return [];
}

interface StoredMetadata {
  /** Of the record. */
  readonly ordinal: number;
  readonly pairs: Map<string, unknown>;
}

/** By the id of the record. */
async function readMetadata(
  database: AsyncDatabase,
  workspaceId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, StoredMetadata>> {
  return new Map(
    await database.all(
      `SELECT id, ordinal, metadata FROM inferences
       WHERE workspace_id = ? AND id IN (SELECT value FROM json_each(?))`,
      [workspaceId, JSON.stringify(ids)],
      (row) => [
        row.text('id'),
        {
          ordinal: row.integer('ordinal'),
          pairs: new Map(Object.entries(Object(row.json('metadata')))),
        },
      ],
    ),
  );
}

function tooMany(id: string): FoveaError {
  const message = `data: the record "${id}" would have more than ${limits.customMetadataPairsMax} fields`;
  return new FoveaError('invalid_input', message, { problems: [{ path: 'data', message }] });
}
