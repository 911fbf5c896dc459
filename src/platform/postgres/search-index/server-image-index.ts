// The index of images on PostgreSQL: a row for each image, and one for how it looks.

import { term } from '../../../query-language/search-terms.ts';
import type { AsyncDatabase } from '../../../storage/async-database.ts';
import type { ImageIndex, TermChange } from '../../store/image-index.ts';
import { lexeme } from './conditions.ts';
import { numberList } from './list-text.ts';
import { addLooks, findLooks, readLook, readLooksFrom } from './similarity-index.ts';
import { updateIndex } from './update-index.ts';

export const serverImageIndex: ImageIndex = {
  vectors: 'image_looks',
  update: updateIndex,
  changeTerms,
  addDescriptors: addLooks,
  descriptorOf: readLook,
  descriptorsFrom: readLooksFrom,
  findDescriptors: findLooks,
};

async function changeTerms(database: AsyncDatabase, changes: readonly TermChange[]): Promise<void> {
  // How images look is told by rows of their own.
  const kept = changes.filter(({ term: name }) => name !== described);
  if (kept.length === 0) return;
  const rows = [...Map.groupBy(kept, ({ ordinal }) => ordinal)].map(([ordinal, ofImage]) => ({
    ordinal,
    added: ofImage.flatMap(({ term: name, isSet }) => (isSet ? [lexeme(name)] : [])).join(' '),
    removed: ofImage.flatMap(({ term: name, isSet }) => (isSet ? [] : [name])),
  }));
  database.send(
    `UPDATE image_search AS s SET terms = ts_delete(s.terms, r.removed) || r.added
     FROM json_to_recordset(?::json) AS r (ordinal bigint, added tsvector, removed text[])
     WHERE s.ordinal = r.ordinal AND s.ordinal = ANY(?::bigint[])`,
    [JSON.stringify(rows), numberList(rows.map(({ ordinal }) => ordinal))],
  );
}

const described = term('is', 'described');
