// Near-duplicates that are labelled in different ways: of some, somebody was wrong.

import { labelsAgree } from '../../annotations/pictures-labelled-alike.ts';
import { limits } from '../../limits.ts';
import type { AsyncReader } from '../../storage/async-database.ts';
import { readAnnotation } from './column-readers.ts';
import type { ComparedGroup } from './near-duplicates.ts';

/**
 * The groups in which some image is labelled otherwise than the first that is labelled. Images
 * without annotation say nothing. Of all groups some images at a time are read, so that others do
 * not wait for all of their annotations.
 */
export async function findConflicts(
  database: AsyncReader,
  groups: readonly ComparedGroup[],
): Promise<readonly ComparedGroup[]> {
  const conflicts = new Set<ComparedGroup>();
  let first: FirstLabels | undefined;
  for (const page of pagesOf(groups, conflicts)) {
    const labels = await readLabels(
      database,
      page.map(({ ordinal }) => ordinal),
    );
    for (const { group, ordinal } of page) {
      const own = labels.get(ordinal);
      if (own === undefined || conflicts.has(group)) continue;
      if (first?.group !== group) first = { group, labels: own };
      else if (!labelsAgree(first.labels, own)) conflicts.add(group);
    }
  }
  return groups.filter((group) => conflicts.has(group));
}

type PictureLabels = Parameters<typeof labelsAgree>[0];

interface FirstLabels {
  readonly group: ComparedGroup;
  readonly labels: PictureLabels;
}

interface Member {
  readonly group: ComparedGroup;
  readonly ordinal: number;
}

/** Group after group, without those of which it is known. */
function* pagesOf(
  groups: readonly ComparedGroup[],
  known: ReadonlySet<ComparedGroup>,
): Generator<readonly Member[]> {
  let page: Member[] = [];
  for (const group of groups) {
    for (const { ordinal } of group) {
      if (known.has(group)) break;
      page.push({ group, ordinal });
      if (page.length < limits.conflictRowsPage) continue;
      yield page;
      page = [];
    }
  }
  if (page.length > 0) yield page;
}

async function readLabels(
  database: AsyncReader,
  ordinals: readonly number[],
): Promise<ReadonlyMap<number, PictureLabels>> {
  const rows = await database.all(
    `SELECT o.ordinal, i.width, i.height, i.annotation FROM image_ordinals o
     JOIN images i ON i.id = o.image_id
     WHERE o.ordinal IN (SELECT CAST(value AS BIGINT) FROM json_each(?))
       AND i.annotation IS NOT NULL`,
    [JSON.stringify(ordinals)],
    (row): readonly (readonly [number, PictureLabels])[] => {
      const annotation = readAnnotation(row);
      const size = { width: row.integer('width'), height: row.integer('height') };
      return annotation ? [[row.integer('ordinal'), { ...size, annotation }]] : [];
    },
  );
  return new Map(rows.flat());
}
