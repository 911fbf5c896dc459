// Reads what the search index may have of images.

import type { IndexedImage } from '../../../query-language/search-terms.ts';
import type { AsyncDatabase } from '../../../storage/async-database.ts';
import type { Row } from '../../../storage/database.ts';
import type { ImageIndex } from '../../store/image-index.ts';
import { readCounts, readMetadata, readTexts } from '../column-readers.ts';

/** An image with what the index may have of it. */
export interface Entry {
  readonly id: string;
  readonly ordinal: number | undefined;
  readonly isIndexed: boolean;
  readonly image: IndexedImage;
}

/** Those of these images that there are, by their ids and in the same order. */
export async function readEntries(
  database: AsyncDatabase,
  { vectors }: ImageIndex,
  imageIds: readonly string[],
): Promise<ReadonlyMap<string, Entry>> {
  const entries = await database.all(
    `SELECT i.id, o.ordinal, coalesce(o.indexed, 0) AS indexed, p.workspace_id, i.project_id, i.batch_id, i.name,
       i.split, i.width, i.height, i.objects, i.predicted, i.metadata,
       (SELECT json_group_array(tag) FROM image_tags WHERE image_id = i.id) AS tags,
       (SELECT json_group_object(label, n) FROM image_labels WHERE image_id = i.id) AS labels,
       (SELECT json_group_array(job_id) FROM annotation_job_images WHERE image_id = i.id) AS jobs,
       (SELECT CASE WHEN labels_changed = 0 THEN state END FROM annotation_job_images
        WHERE image_id = i.id AND decided_at IS NOT NULL
        ORDER BY decided_at DESC, job_id LIMIT 1) AS review,
       EXISTS (SELECT 1 FROM ${vectors} AS v WHERE v.ordinal = o.ordinal) AS described
     FROM json_each(?) AS wanted CROSS JOIN images i ON i.id = wanted.value
       CROSS JOIN projects p ON p.id = i.project_id
       LEFT JOIN image_ordinals o ON o.image_id = i.id
     ORDER BY wanted.key`,
    [JSON.stringify(imageIds)],
    readEntry,
  );
  return new Map(entries.map((entry) => [entry.id, entry]));
}

const reviews: ReadonlyMap<string | undefined, IndexedImage['review']> = new Map([
  ['approved', 'approved'],
  ['rejected', 'sent-back'],
]);

function readEntry(row: Row): Entry {
  return {
    id: row.text('id'),
    ordinal: row.optionalInteger('ordinal'),
    isIndexed: row.boolean('indexed'),
    image: {
      workspaceId: row.text('workspace_id'),
      projectId: row.text('project_id'),
      batchId: row.text('batch_id'),
      name: row.text('name'),
      split: row.text('split'),
      width: row.integer('width'),
      height: row.integer('height'),
      objects: row.optionalInteger('objects'),
      isPredicted: row.boolean('predicted'),
      metadata: readMetadata(row),
      tags: readTexts(row, 'tags'),
      labels: Object.entries(readCounts(row, 'labels')).map(([label, count]) => ({ label, count })),
      jobIds: readTexts(row, 'jobs'),
      review: reviews.get(row.optionalText('review')),
      isDescribed: row.boolean('described'),
    },
  };
}
