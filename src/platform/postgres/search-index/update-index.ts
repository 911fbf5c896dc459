// Brings the search index along with changes of images, in the transaction of the caller.

import {
  fold,
  type IndexedImage,
  propertiesOf,
  term,
} from '../../../query-language/search-terms.ts';
import type { AsyncDatabase } from '../../../storage/async-database.ts';
import type { IndexChange } from '../../store/image-index.ts';
import { lexeme } from './conditions.ts';
import { numberList } from './list-text.ts';
import { addLooks } from './similarity-index.ts';

/**
 * Writes rows alone and reads none: in SERIALIZABLE transactions reads are what sets writers of
 * other images against each other.
 */
export async function updateIndex(
  database: AsyncDatabase,
  changes: readonly IndexChange[],
): Promise<void> {
  const looks = changes.flatMap(({ ordinal, descriptor }) =>
    descriptor ? [[ordinal, descriptor] as const] : [],
  );
  removeRows(database, changes);
  putRows(
    database,
    changes.flatMap((change) => changedRow(change) ?? []),
  );
  addNames(database, changes);
  await addLooks(database, new Map(looks));
}

function removeRows(database: AsyncDatabase, changes: readonly IndexChange[]): void {
  const gone = changes.filter(({ after }) => after === undefined).map(({ ordinal }) => ordinal);
  if (gone.length === 0) return;
  const these = [numberList(gone)];
  database.send('DELETE FROM image_search WHERE ordinal = ANY(?::bigint[])', these);
  database.send('DELETE FROM image_looks WHERE ordinal = ANY(?::bigint[])', these);
}

/** Undefined where nothing of it changes. */
function changedRow({ imageId, ordinal, before, after }: IndexChange): object | undefined {
  if (after === undefined) return undefined;
  const row = columnsOf(after);
  const isSame = before !== undefined && JSON.stringify(columnsOf(before)) === JSON.stringify(row);
  return isSame ? undefined : { ordinal, image_id: imageId, ...row };
}

function columnsOf(image: IndexedImage) {
  return {
    workspace_id: image.workspaceId,
    project_id: image.projectId,
    name: fold(image.name),
    terms: [...new Set(propertiesOf(image))].sort().map(lexeme).join(' '),
    width: image.width,
    height: image.height,
    objects: image.objects ?? 0,
    counts: Object.fromEntries(image.labels.map(({ label, count }) => [classTerm(label), count])),
  };
}

function classTerm(label: string): string {
  return term('class', label);
}

function putRows(database: AsyncDatabase, rows: readonly object[]): void {
  if (rows.length === 0) return;
  database.send(
    `INSERT INTO image_search (ordinal, image_id, workspace_id, project_id, name, terms, width,
       height, objects, counts)
     SELECT * FROM json_to_recordset(?::json) AS r (ordinal bigint, image_id text,
       workspace_id text, project_id text, name text, terms tsvector, width integer,
       height integer, objects integer, counts jsonb)
     ON CONFLICT (ordinal) DO UPDATE SET project_id = excluded.project_id, name = excluded.name,
       terms = excluded.terms, width = excluded.width, height = excluded.height,
       objects = excluded.objects, counts = excluded.counts`,
    [JSON.stringify(rows)],
  );
}

/** Remembers what images of each project are called by, for suggestions. */
function addNames(database: AsyncDatabase, changes: readonly IndexChange[]): void {
  const names = new Map<string, object>();
  for (const { before, after } of changes) {
    if (after === undefined) continue;
    const had = new Set(before && propertiesOf(before));
    for (const name of propertiesOf(after)) {
      if (had.has(name) || !isName.test(name)) continue;
      const row = { project_id: after.projectId, term: name };
      names.set(JSON.stringify(row), row);
    }
  }
  if (names.size === 0) return;
  // In one order, so that two who add the same ones do not wait for each other.
  const rows = [...names].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  database.send(
    `INSERT INTO image_search_names (project_id, term)
     SELECT * FROM json_to_recordset(?::json) AS r (project_id text, term text)
     ON CONFLICT DO NOTHING`,
    [JSON.stringify(rows)],
  );
}

/** A long one stands there by its hash alone, which is no name. */
const isName = /^(class|tag|metadata-key|metadata):/;
