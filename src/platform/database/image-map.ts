// Which images of a project are unlike all others, and which are alike: by the vectors of an
// embedding model where all have one, else by how they look.

import { setImmediate } from 'node:timers/promises';
import { Looks } from '../../imaging/near-duplicates/looks.ts';
import { limits } from '../../limits.ts';
import type { AsyncReader } from '../../storage/async-database.ts';
import { clusterPoints } from '../../vector-search/k-means.ts';
import { findOutliers } from '../../vector-search/outliers.ts';
import { principalComponents } from '../../vector-search/principal-components.ts';
import type { ImageIndex } from '../store/image-index.ts';
import type { FindingsPage, PlacedImage } from '../store/projects.ts';
import { readSplit } from './column-readers.ts';

interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** The farthest from its nearest others first. */
export async function listOutliers(
  database: AsyncReader,
  index: Pick<ImageIndex, 'vectors'>,
  projectId: string,
  { limit, offset }: Page,
): Promise<FindingsPage> {
  const { images, vectors, by, isComplete } = await readVectors(database, index, projectId);
  const outliers = await findOutliers(vectors, setImmediate);
  const rows = outliers.slice(offset, offset + limit).flatMap(({ place, score }) => {
    const image = images[place];
    const reason = `${score.toFixed(1)} times as far from its nearest others as is usual`;
    return image ? [{ ...image, boxes: [], total: 0, reason }] : [];
  });
  return { kind: 'images', images: rows, total: outliers.length, isComplete, by };
}

/** The largest first; of each the images in its middle first. */
export async function listClusters(
  database: AsyncReader,
  index: Pick<ImageIndex, 'vectors'>,
  projectId: string,
  { limit, offset }: Page,
): Promise<FindingsPage> {
  const { images, vectors, by, isComplete } = await readVectors(database, index, projectId);
  const places = await principalComponents(vectors, limits.clusterComponents, setImmediate);
  const { clusterOf, distances, count } = await clusterPoints(
    places,
    limits.clustersMax,
    setImmediate,
  );
  const points = images.map((image, at) => ({
    image,
    x: places[at]?.[0] ?? 0,
    y: places[at]?.[1] ?? 0,
    cluster: clusterOf[at] ?? 0,
    distance: distances[at] ?? 0,
  }));
  const byDistance = points.toSorted((a, b) => a.distance - b.distance);
  const groups = Array.from({ length: points.length === 0 ? 0 : count }, (_, cluster) =>
    byDistance.filter((point) => point.cluster === cluster).map(({ image }) => image),
  );
  const shown = groups.slice(offset, offset + limit);
  return { kind: 'clusters', groups: shown, points, total: groups.length, isComplete, by };
}

interface ProjectVectors {
  readonly images: readonly PlacedImage[];
  /** Of length 1. */
  readonly vectors: readonly Float32Array[];
  readonly by: string;
  readonly isComplete: boolean;
}

async function readVectors(
  database: AsyncReader,
  index: Pick<ImageIndex, 'vectors'>,
  projectId: string,
): Promise<ProjectVectors> {
  const sql = 'SELECT count(*) AS n FROM images WHERE project_id = ?';
  const images = (await database.get(sql, [projectId], (row) => row.integer('n'))) ?? 0;
  const wanted = Math.min(images, limits.healthImagesComparedMax);
  const embedded = await readEmbedded(database, projectId);
  const found =
    embedded && embedded.rows.length >= wanted
      ? embedded
      : { by: 'looks', rows: await readLooks(database, index, projectId) };
  return {
    images: found.rows.map(({ image }) => image),
    vectors: found.rows.map(({ vector }) => vector),
    by: found.by,
    isComplete: found.rows.length === images,
  };
}

const oldestFirst = 'ORDER BY i.created, i.id LIMIT ?';

/** By the model that was used last; undefined where there was none. */
async function readEmbedded(database: AsyncReader, projectId: string) {
  const model = await database.get(
    `SELECT number, name FROM embedding_models WHERE fingerprint IS NOT NULL
     ORDER BY used DESC, number DESC LIMIT 1`,
    [],
    (row) => ({ number: row.integer('number'), name: row.text('name') }),
  );
  if (model === undefined) return undefined;
  const rows = await database.all(
    `SELECT i.id, i.name, i.split, v.scale, v.vector FROM images i
     JOIN image_ordinals o ON o.image_id = i.id
     JOIN embedding_vectors v ON v.ordinal = o.ordinal AND v.model = ?
     WHERE i.project_id = ? ${oldestFirst}`,
    [model.number, projectId, limits.healthImagesComparedMax],
    (row) => {
      const scale = row.real('scale');
      return {
        image: { id: row.text('id'), name: row.text('name'), split: readSplit(row) },
        vector: Float32Array.from(new Int8Array(row.bytes('vector')), (step) => step * scale),
      };
    },
  );
  return { by: model.name, rows };
}

async function readLooks(
  database: AsyncReader,
  { vectors }: Pick<ImageIndex, 'vectors'>,
  projectId: string,
) {
  const rows = await database.all(
    `SELECT i.id, i.name, i.split, v.vector FROM images i
     JOIN image_ordinals o ON o.image_id = i.id JOIN ${vectors} AS v ON v.ordinal = o.ordinal
     WHERE i.project_id = ? ${oldestFirst}`,
    [projectId, limits.healthImagesComparedMax],
    (row) => ({
      image: { id: row.text('id'), name: row.text('name'), split: readSplit(row) },
      vector: new Int8Array(row.bytes('vector')),
    }),
  );
  const looks = new Looks(rows.map(({ vector }) => vector));
  return rows.map(({ image }, at) => ({ image, vector: unit(looks.of(at)) }));
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return length === 0 ? vector : vector.map((value) => value / length);
}
