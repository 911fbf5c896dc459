// A second search index, on PostgreSQL, that follows the SQLite one of a test: the same images with
// the same numbers, brought along by what changed.

import type { Descriptor } from '../../../src/imaging/similarity-descriptor.ts';
import { bitSlicedImageIndex } from '../../../src/platform/database/search-index/bit-sliced-image-index.ts';
import { readEntries } from '../../../src/platform/database/search-index/image-entries.ts';
import { sharpnessColumn } from '../../../src/platform/database/search-index/undescribed-images.ts';
import { imageSearchTables } from '../../../src/platform/postgres/search-index/tables.ts';
import { updateIndex } from '../../../src/platform/postgres/search-index/update-index.ts';
import type { IndexChange } from '../../../src/platform/store/image-index.ts';
import type { IndexedImage } from '../../../src/query-language/search-terms.ts';
import type { Secret } from '../../../src/secret.ts';
import type { AsyncDatabase } from '../../../src/storage/async-database.ts';
import {
  type OpenServerDatabase,
  openPostgresDatabase,
} from '../../../src/storage/postgres/postgres-database.ts';
import type { Search } from './indexed-images.ts';

/** Those columns of the platform's tables that searches read. */
const columns = {
  workspaces: 'id TEXT PRIMARY KEY, slug TEXT',
  projects: `id TEXT PRIMARY KEY, workspace_id TEXT, slug TEXT, name TEXT, type TEXT,
    annotation TEXT, license TEXT, created INTEGER, updated INTEGER, deleted_at INTEGER,
    public INTEGER`,
  batches: 'id TEXT PRIMARY KEY, project_id TEXT, name TEXT',
  annotation_jobs: 'id TEXT PRIMARY KEY, project_id TEXT, name TEXT',
  images: `id TEXT PRIMARY KEY, project_id TEXT, name TEXT, hash TEXT, format TEXT, width INTEGER,
    height INTEGER, split TEXT, metadata TEXT, annotation TEXT, created INTEGER`,
  image_tags: 'image_id TEXT, tag TEXT, PRIMARY KEY (image_id, tag)',
  image_labels: 'image_id TEXT, project_id TEXT, label TEXT, PRIMARY KEY (image_id, label)',
  image_ordinals: 'ordinal bigint PRIMARY KEY, image_id TEXT, indexed INTEGER',
  embedding_models: 'number INTEGER PRIMARY KEY, fingerprint TEXT, name TEXT, used INTEGER',
  embedding_vectors: 'number INTEGER PRIMARY KEY, model INTEGER, ordinal INTEGER, scale REAL',
  versions: 'id TEXT PRIMARY KEY, project_id TEXT, number INTEGER, deleted_at INTEGER',
  trainings: `id TEXT PRIMARY KEY, project_id TEXT, model_type TEXT, weights_hash TEXT,
    deleted_at INTEGER`,
} as const;

const baseTables = {
  name: 'platform',
  sql: Object.entries(columns)
    .map(([table, each]) => `CREATE TABLE ${table} (${each});`)
    .join('\n'),
};

interface Indexed {
  readonly ordinal: number;
  readonly image: IndexedImage;
}

export interface Copy {
  readonly database: OpenServerDatabase;
  /** Brings the copy to where the original is. */
  follow(looks?: ReadonlyMap<string, Descriptor>): Promise<void>;
  /** How many rows the index has in each of its tables. */
  rows(): Promise<readonly (number | undefined)[]>;
}

export async function openCopy(url: Secret, { shared }: Pick<Search, 'shared'>): Promise<Copy> {
  const tables = [baseTables, imageSearchTables, sharpnessColumn];
  const database = await openPostgresDatabase(url, 'fovea_search', tables);
  let known = new Map<string, Indexed>();
  return {
    database,
    follow: async (looks = new Map()) => {
      const next = await readIndexed(shared);
      await database.transaction(async () => {
        for (const table of Object.keys(columns)) await copyRows(shared, database, table);
        await updateIndex(database, changesBetween(known, next, looks));
      });
      known = next;
    },
    rows: () =>
      Promise.all(
        ['image_search', 'image_looks'].map((table) =>
          database.get(`SELECT count(*) AS n FROM ${table}`, [], (row) => row.integer('n')),
        ),
      ),
  };
}

async function readIndexed(shared: AsyncDatabase): Promise<Map<string, Indexed>> {
  const ids = await shared.all('SELECT id FROM images ORDER BY id', [], (row) => row.text('id'));
  const entries = await readEntries(shared, bitSlicedImageIndex, ids);
  return new Map(
    [...entries].flatMap(([id, { ordinal, image }]) =>
      ordinal === undefined ? [] : [[id, { ordinal, image }]],
    ),
  );
}

function changesBetween(
  known: ReadonlyMap<string, Indexed>,
  next: ReadonlyMap<string, Indexed>,
  looks: ReadonlyMap<string, Descriptor>,
): readonly IndexChange[] {
  return [...new Set([...known.keys(), ...next.keys()])].map((imageId) => {
    const [before, after] = [known.get(imageId), next.get(imageId)];
    const ordinal = after?.ordinal ?? before?.ordinal ?? 0;
    const descriptor = looks.get(imageId);
    return { imageId, ordinal, before: before?.image, after: after?.image, descriptor };
  });
}

/** All rows anew, but projects stay: the index refers to them. */
async function copyRows(shared: AsyncDatabase, database: AsyncDatabase, table: string) {
  const names = (
    await shared.all(`SELECT name FROM pragma_table_info(?)`, [table], (row) => row.text('name'))
  ).filter((name) => isCopied(table, name));
  const pairs = names.map((name) => `'${name}', ${name}`).join(', ');
  const rows = await shared.get(
    `SELECT json_group_array(json_object(${pairs})) AS rows FROM ${table}`,
    [],
    (row) => row.text('rows'),
  );
  const list = names.join(', ');
  if (table !== 'projects') await database.run(`DELETE FROM ${table}`);
  const change =
    table === 'projects'
      ? '(id) DO UPDATE SET (deleted_at, updated) = (excluded.deleted_at, excluded.updated)'
      : 'DO NOTHING';
  await database.run(
    `INSERT INTO ${table} (${list}) SELECT ${list}
     FROM json_populate_recordset(NULL::${table}, ?::json) ON CONFLICT ${change}`,
    [rows],
  );
}

function isCopied(table: string, column: string): boolean {
  const found = Object.entries(columns).find(([name]) => name === table);
  return found !== undefined && new RegExp(`(^|[\\s,])${column} `).test(found[1]);
}
