// Whatever a comparison of a project's images depends on, told without reading their vectors.

import type { AsyncReader } from '../../../storage/async-database.ts';
import type { ImageIndex } from '../../store/image-index.ts';

export interface ProjectState {
  readonly images: number;
  /** The embedding model that was used last, where it has vectors of all images. */
  readonly model: { readonly number: number; readonly name: string } | undefined;
  /** Another one for other images, splits or vectors. */
  readonly text: string;
  /** Images whose sharpness is known. */
  readonly measured: number;
}

export async function readState(
  database: AsyncReader,
  { vectors }: Pick<ImageIndex, 'vectors'>,
  projectId: string,
): Promise<ProjectState> {
  const model = await database.get(
    `SELECT number, name FROM embedding_models WHERE fingerprint IS NOT NULL
     ORDER BY used DESC, number DESC LIMIT 1`,
    [],
    (row) => ({ number: row.integer('number'), name: row.text('name') }),
  );
  const splits = await database.all(
    `SELECT i.split, count(*) AS images, count(e.ordinal) AS embedded,
       count(v.sharpness) AS measured,
       CAST(sum(o.ordinal) AS TEXT) AS sum, CAST(sum(v.ordinal) AS TEXT) AS looks,
       CAST(sum((o.ordinal * o.ordinal) % 1000003) AS TEXT) AS squares
     FROM images i LEFT JOIN image_ordinals o ON o.image_id = i.id
     LEFT JOIN ${vectors} AS v ON v.ordinal = o.ordinal
     LEFT JOIN embedding_vectors e ON e.ordinal = o.ordinal AND e.model = ?
     WHERE i.project_id = ? GROUP BY i.split ORDER BY i.split`,
    [model?.number ?? 0, projectId],
    (row) => {
      const [images, embedded] = [row.integer('images'), row.integer('embedded')];
      const sums = ['sum', 'squares', 'looks'].map((column) => row.optionalText(column));
      const measured = row.integer('measured');
      return {
        images,
        embedded,
        measured,
        text: [row.text('split'), images, embedded, ...sums].join(),
      };
    },
  );
  const images = splits.reduce((sum, split) => sum + split.images, 0);
  const embedded = splits.reduce((sum, split) => sum + split.embedded, 0);
  const measured = splits.reduce((sum, split) => sum + split.measured, 0);
  const text = [model?.number, ...splits.map((split) => split.text)].join(';');
  return { images, model: embedded === images ? model : undefined, text, measured };
}
