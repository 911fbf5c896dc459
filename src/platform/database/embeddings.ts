// Images as vectors of embedding models, quantised, and the images that wait for theirs.

import { limits } from '../../limits.ts';
import type { AsyncDatabase } from '../../storage/async-database.ts';
import type { Row } from '../../storage/database.ts';
import type { Migration } from '../../storage/migrations.ts';
import { quantise } from '../../vector-search/quantise.ts';
import type {
  EmbeddedImage,
  EmbeddingModel,
  EmbeddingStore,
  NewEmbeddingModel,
  OpenImages,
} from '../store/embeddings.ts';
import type { LongReads } from './long-reads/long-reads.ts';

export const embeddingTables: Migration = {
  name: 'embeddings',
  sql: `
-- Up to noted_to all images stand in the queue or have a vector. Without a fingerprint: others have
-- followed, and its rows are removed from noted_to downwards.
CREATE TABLE embedding_models (
  number INTEGER PRIMARY KEY AUTOINCREMENT, fingerprint TEXT UNIQUE, name TEXT NOT NULL,
  dimensions INTEGER NOT NULL, noted_to INTEGER NOT NULL DEFAULT 0, used INTEGER NOT NULL
) STRICT;
-- Numbers count up: whoever has read the rows up to one reads on behind it.
CREATE TABLE embedding_vectors (
  number INTEGER PRIMARY KEY AUTOINCREMENT, model INTEGER NOT NULL,
  ordinal INTEGER NOT NULL REFERENCES image_ordinals ON DELETE CASCADE,
  scale REAL NOT NULL, vector BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX embedding_vectors_image ON embedding_vectors (ordinal, model);
CREATE TABLE embedding_queue (
  model INTEGER NOT NULL, workspace_id TEXT NOT NULL,
  ordinal INTEGER NOT NULL REFERENCES image_ordinals ON DELETE CASCADE,
  problem TEXT, tries INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (model, workspace_id, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX embedding_queue_open ON embedding_queue (model, workspace_id, ordinal)
  WHERE problem IS NULL;
CREATE INDEX embedding_queue_image ON embedding_queue (ordinal);
`,
};

export function embeddingStore(database: AsyncDatabase, reader: LongReads): EmbeddingStore {
  return {
    find: (fingerprint) => findModel(database, fingerprint),
    open: (model, now, fenced) => fenced(() => openModel(database, model, now)),
    hasOpen: async (model) => {
      const { notedTo, newest } = await placeOf(database, model);
      return newest > notedTo || (await firstWorkspace(database, model, '')) !== undefined;
    },
    note: (model, fenced) => fenced(() => noteNext(database, model)),
    countOpen: async ({ number }, workspaceId) => {
      const ofWorkspace = workspaceId === undefined ? '' : ' AND workspace_id = ?';
      const found = await database.get(
        `SELECT count(*) AS n FROM (SELECT 1 FROM embedding_queue
           WHERE model = ? AND problem IS NULL${ofWorkspace} LIMIT ?) AS counted`,
        [number, ...(workspaceId === undefined ? [] : [workspaceId]), limits.embeddingsCountedMax],
        (row) => row.integer('n'),
      );
      return found ?? 0;
    },
    reuse: (model, workspaceId, ordinals, fenced) =>
      fenced(() => reuseVectors(database, model, workspaceId, ordinals)),
    next: (model, countMax, afterWorkspace) =>
      nextImages(database, model, countMax, afterWorkspace),
    countTry: async ({ number }, ordinal, fenced) => {
      await fenced(() =>
        database.run(
          'UPDATE embedding_queue SET tries = tries + 1 WHERE model = ? AND ordinal = ?',
          [number, ordinal],
        ),
      );
    },
    keep: (model, images, fenced) => fenced(() => keepImages(database, model, images)),
    removeOld: (model, fenced) => fenced(() => removeOld(database, model)),
    vectorOf: ({ number }, imageId) =>
      database.get(
        `SELECT v.scale, v.vector FROM image_ordinals o
         JOIN embedding_vectors v ON v.ordinal = o.ordinal AND v.model = ?
         WHERE o.image_id = ?`,
        [number, imageId],
        (row) => {
          const scale = row.real('scale');
          return Float32Array.from(new Int8Array(row.bytes('vector')), (step) => step * scale);
        },
      ),
    nearest: (accessible, request) =>
      reader.read(accessible.workspaceId, { name: 'nearest', asked: [accessible, request] }),
  };
}

async function findModel(
  database: AsyncDatabase,
  fingerprint: string,
): Promise<EmbeddingModel | undefined> {
  return database.get(
    'SELECT number, name, dimensions FROM embedding_models WHERE fingerprint = ?',
    [fingerprint],
    (row) => ({
      fingerprint,
      number: row.integer('number'),
      name: row.text('name'),
      dimensions: row.integer('dimensions'),
    }),
  );
}

async function openModel(
  database: AsyncDatabase,
  { fingerprint, name, dimensions }: NewEmbeddingModel,
  now: number,
): Promise<EmbeddingModel> {
  await database.run(
    `INSERT INTO embedding_models (fingerprint, name, dimensions, used) VALUES (?, ?, ?, ?)
     ON CONFLICT (fingerprint) DO UPDATE SET name = excluded.name, used = excluded.used`,
    [fingerprint, name, dimensions, now],
  );
  const opened = await findModel(database, fingerprint);
  if (opened === undefined) throw new Error('the model was written in this transaction');
  return opened;
}

/** Up to which image all are noted, and the number of the newest one. */
async function placeOf(database: AsyncDatabase, { number }: EmbeddingModel) {
  const place = await database.get(
    `SELECT noted_to, (SELECT max(ordinal) FROM image_ordinals) AS newest
     FROM embedding_models WHERE number = ?`,
    [number],
    (row) => ({
      notedTo: row.integer('noted_to'),
      newest: row.optionalInteger('newest') ?? 0,
    }),
  );
  // Others have followed it, and it was removed.
  return place ?? { notedTo: 0, newest: 0 };
}

/**
 * Looks back too: on a server an image may be committed after one with a higher number. Only the
 * images of some numbers at a time: the statement is one piece of work for this thread.
 */
async function noteNext(database: AsyncDatabase, model: EmbeddingModel): Promise<boolean> {
  const { notedTo, newest } = await placeOf(database, model);
  const upTo = Math.min(newest, notedTo + limits.embeddingsNotedAtOnce);
  await database.run(
    `INSERT INTO embedding_queue (model, workspace_id, ordinal)
     SELECT m.number, p.workspace_id, o.ordinal
     FROM embedding_models m JOIN image_ordinals o ON o.ordinal > ? AND o.ordinal <= ?
     JOIN images i ON i.id = o.image_id JOIN projects p ON p.id = i.project_id
     WHERE m.number = ? AND NOT EXISTS (
       SELECT 1 FROM embedding_vectors v WHERE v.ordinal = o.ordinal AND v.model = m.number)
     ON CONFLICT DO NOTHING`,
    [notedTo - limits.embeddingsLookedBackAt, Math.max(upTo, notedTo), model.number],
  );
  if (upTo <= notedTo) return false;
  await database.run('UPDATE embedding_models SET noted_to = ? WHERE number = ?', [
    upTo,
    model.number,
  ]);
  return upTo < newest;
}

async function nextImages(
  database: AsyncDatabase,
  model: EmbeddingModel,
  countMax: number,
  afterWorkspace: string,
): Promise<OpenImages> {
  const behind = await firstWorkspace(database, model, afterWorkspace);
  const workspaceId = behind ?? (await firstWorkspace(database, model, ''));
  if (workspaceId === undefined) return { workspaceId, images: [] };
  const images = await database.all(
    `SELECT q.ordinal, q.tries, i.hash FROM embedding_queue q
     JOIN image_ordinals o ON o.ordinal = q.ordinal JOIN images i ON i.id = o.image_id
     WHERE q.model = ? AND q.workspace_id = ? AND q.problem IS NULL ORDER BY q.ordinal LIMIT ?`,
    [model.number, workspaceId, countMax],
    (row) => ({
      ordinal: row.integer('ordinal'),
      hash: row.text('hash'),
      tries: row.integer('tries'),
    }),
  );
  return { workspaceId, images };
}

/** With images that wait, behind another one in the order of their ids. */
async function firstWorkspace(
  database: AsyncDatabase,
  { number }: EmbeddingModel,
  after: string,
): Promise<string | undefined> {
  return database.get(
    `SELECT workspace_id FROM embedding_queue
     WHERE model = ? AND problem IS NULL AND workspace_id > ? ORDER BY workspace_id LIMIT 1`,
    [number, after],
    (row: Row) => row.text('workspace_id'),
  );
}

async function reuseVectors(
  database: AsyncDatabase,
  { number }: EmbeddingModel,
  workspaceId: string,
  ordinals: readonly number[],
): Promise<number> {
  const these = JSON.stringify(ordinals);
  const found = await database.run(
    `INSERT INTO embedding_vectors (model, ordinal, scale, vector)
     SELECT v.model, o.ordinal, v.scale, v.vector FROM json_each(?) AS wanted
       JOIN image_ordinals o ON o.ordinal = CAST(wanted.value AS BIGINT)
       JOIN images i ON i.id = o.image_id JOIN images same ON same.hash = i.hash
       JOIN projects p ON p.id = same.project_id AND p.workspace_id = ?
       JOIN image_ordinals known ON known.image_id = same.id
       JOIN embedding_vectors v ON v.ordinal = known.ordinal AND v.model = ?
     WHERE true ON CONFLICT DO NOTHING`,
    [these, workspaceId, number],
  );
  if (found === 0) return 0;
  return database.run(
    `DELETE FROM embedding_queue WHERE model = ?
       AND ordinal IN (SELECT CAST(value AS BIGINT) FROM json_each(?))
       AND EXISTS (SELECT 1 FROM embedding_vectors v
         WHERE v.ordinal = embedding_queue.ordinal AND v.model = embedding_queue.model)`,
    [number, these],
  );
}

async function keepImages(
  database: AsyncDatabase,
  { number }: EmbeddingModel,
  images: readonly EmbeddedImage[],
): Promise<void> {
  const embedded: number[] = [];
  for (const { ordinal, vector, problem } of images) {
    if (vector === undefined) {
      database.send('UPDATE embedding_queue SET problem = ? WHERE model = ? AND ordinal = ?', [
        problem ?? 'it could not be embedded',
        number,
        ordinal,
      ]);
      continue;
    }
    embedded.push(ordinal);
    const { scale, values } = quantise(vector);
    database.send(
      `INSERT INTO embedding_vectors (model, ordinal, scale, vector)
       SELECT m.number, o.ordinal, ?, ? FROM image_ordinals o, embedding_models m
       WHERE o.ordinal = ? AND m.number = ? AND m.fingerprint IS NOT NULL
       ON CONFLICT DO NOTHING`,
      [scale, new Uint8Array(values.buffer), ordinal, number],
    );
  }
  await database.run(
    `DELETE FROM embedding_queue WHERE model = ?
       AND ordinal IN (SELECT CAST(value AS BIGINT) FROM json_each(?))`,
    [number, JSON.stringify(embedded)],
  );
}

/** The models used last are kept: who goes back to one finds its vectors. */
async function removeOld(database: AsyncDatabase, current: EmbeddingModel): Promise<boolean> {
  await database.run(
    `UPDATE embedding_models SET fingerprint = NULL WHERE number <> ? AND number NOT IN (
       SELECT number FROM embedding_models WHERE fingerprint IS NOT NULL
       ORDER BY used DESC, number DESC LIMIT ?)`,
    [current.number, limits.embeddingModelsKept],
  );
  const old = await database.get(
    'SELECT number, noted_to FROM embedding_models WHERE fingerprint IS NULL ORDER BY number LIMIT 1',
    [],
    (row) => ({ number: row.integer('number'), notedTo: row.integer('noted_to') }),
  );
  if (old === undefined) return false;
  const from = Math.max(0, old.notedTo - limits.embeddingsRemovedAtOnce);
  for (const table of ['embedding_vectors', 'embedding_queue']) {
    await database.run(`DELETE FROM ${table} WHERE model = ? AND ordinal > ? AND ordinal <= ?`, [
      old.number,
      from,
      old.notedTo,
    ]);
  }
  if (from === 0) await database.run('DELETE FROM embedding_models WHERE number = ?', [old.number]);
  else {
    await database.run('UPDATE embedding_models SET noted_to = ? WHERE number = ?', [
      from,
      old.number,
    ]);
  }
  return true;
}
