// The catalog: the public projects of all workspaces, and searches in it.

import { projectTypes } from '../../contract/projects.ts';
import { invalidArgument } from '../../errors.ts';
import type { Descriptor } from '../../imaging/similarity-descriptor.ts';
import {
  type CatalogSort,
  kindFilter,
  matchWords,
  parseCatalogQuery,
} from '../../query-language/catalog-query.ts';
import { term } from '../../query-language/search-terms.ts';
import { quotedName } from '../../quoted-name.ts';
import type { Reader, Row } from '../../storage/database.ts';
import type {
  CatalogPage,
  CatalogProject,
  CatalogRequest,
  CatalogStore,
  Cover,
} from '../store/catalog.ts';
import { readFormat, readProjectType } from './column-readers.ts';
import type { LongReads } from './long-reads/long-reads.ts';
import { and, type Bitmap, ordinals, size, unite } from './search-index/bitmap.ts';
import { rankBySimilarity } from './search-index/similarity-index.ts';
import { allChunks, readTerm } from './search-index/term-bitmaps.ts';

export function catalogStore(reader: LongReads): CatalogStore {
  return {
    search: (asker, request) => reader.read(asker, { name: 'catalog', asked: [request] }),
    like: (asker, descriptor) =>
      reader.read(asker, { name: 'catalogSimilar', asked: [descriptor] }),
  };
}

/** All public projects that are not in the trash and have an image with each of these tags. */
function listCatalog(database: Reader, tags: readonly string[]): readonly CatalogProject[] {
  const wanted = tags.map((tag) => readTerm(database, term('tag', tag), allChunks));
  return readProjects(database).flatMap((project) => {
    const images = imagesOf(database, project.id);
    const isTagged = wanted.every((tagged) => and(images, tagged).size > 0);
    return isTagged ? [describe(database, project, images)] : [];
  });
}

export function findSimilarInCatalog(database: Reader, descriptor: Descriptor): CatalogPage {
  const projects = readProjects(database).map((project) => ({
    project,
    images: imagesOf(database, project.id),
  }));
  const all = unite(projects.flatMap(({ images }) => [...images]));
  const best = new Map<string, number>();
  for (const { ordinal, similarity } of rankBySimilarity(database, all, descriptor)) {
    const projectId = projectOf(database, ordinal);
    if (projectId !== undefined && !best.has(projectId)) best.set(projectId, similarity);
  }
  const found = projects
    .flatMap(({ project, images }) => {
      const similarity = best.get(project.id);
      return similarity === undefined ? [] : [{ project, images, similarity }];
    })
    .toSorted((a, b) => b.similarity - a.similarity);
  return {
    total: found.length,
    projects: found.slice(0, likeShown).map(({ project, images, similarity }) => ({
      ...describe(database, project, images),
      similarity,
    })),
  };
}

export const likeShown = 12;

export type PublicProject = Omit<CatalogProject, 'classes' | 'images' | 'models' | 'cover'>;

function readProjects(database: Reader): readonly PublicProject[] {
  return database.all(
    `SELECT p.*, w.slug AS workspace,
       (SELECT max(number) FROM versions WHERE project_id = p.id AND deleted_at IS NULL) AS version
     FROM projects p JOIN workspaces w ON w.id = p.workspace_id
     WHERE p.public = 1 AND p.deleted_at IS NULL ORDER BY p.created, p.id`,
    [],
    readPublic,
  );
}

export function readPublic(row: Row): PublicProject {
  return {
    id: row.text('id'),
    workspace: row.text('workspace'),
    project: row.text('slug'),
    name: row.text('name'),
    type: readProjectType(row),
    annotation: row.text('annotation'),
    license: row.optionalText('license'),
    latestVersion: row.optionalInteger('version'),
    updated: row.integer('updated'),
  };
}

function describe(database: Reader, project: PublicProject, images: Bitmap): CatalogProject {
  return {
    ...project,
    classes: readClasses(database, project.id),
    images: size(images),
    models: database.all(
      `SELECT model_type FROM trainings
       WHERE project_id = ? AND weights_hash IS NOT NULL AND deleted_at IS NULL`,
      [project.id],
      (row) => row.text('model_type'),
    ),
    cover: readCover(database, images),
  };
}

function imagesOf(database: Reader, projectId: string): Bitmap {
  return readTerm(database, term('project', projectId), allChunks);
}

/** From one class to the next in the index: not through all rows of each. */
function readClasses(database: Reader, projectId: string): readonly string[] {
  return database.all(
    `WITH RECURSIVE classes (label) AS (
       SELECT min(label) FROM image_labels WHERE project_id = :project
       UNION ALL
       SELECT (SELECT min(label) FROM image_labels
               WHERE project_id = :project AND label > classes.label)
       FROM classes WHERE classes.label IS NOT NULL
     ) SELECT label FROM classes WHERE label IS NOT NULL`,
    { project: projectId },
    (row) => row.text('label'),
  );
}

function readCover(database: Reader, images: Bitmap): Cover | undefined {
  const [newest] = ordinals(images, 'desc');
  return database.get(
    `SELECT i.hash, i.name, i.format FROM image_ordinals o JOIN images i ON i.id = o.image_id
     WHERE o.ordinal = ?`,
    [newest],
    (row) => ({ hash: row.text('hash'), name: row.text('name'), format: readFormat(row) }),
  );
}

function projectOf(database: Reader, ordinal: number): string | undefined {
  return database.get(
    `SELECT i.project_id FROM image_ordinals o JOIN images i ON i.id = o.image_id
     WHERE o.ordinal = ?`,
    [ordinal],
    (row) => row.text('project_id'),
  );
}

/** Throws `invalid_input` for an invalid query or type. */
export function searchCatalog(database: Reader, request: CatalogRequest): CatalogPage {
  const { tags, pageOf } = readCatalogRequest(request);
  return pageOf(listCatalog(database, tags));
}

/** The tags that projects must have, and the page of those that have them. Throws likewise. */
export function readCatalogRequest({ q, type, limit, page, now }: CatalogRequest) {
  const { words, tags, filters, sort } = parseCatalogQuery(q);
  const all = type === undefined ? filters : [...filters, readType(type)];
  const pageOf = (tagged: readonly CatalogProject[]): CatalogPage => {
    const found = tagged
      .map((project) => ({ project, points: matchWords(project, words) }))
      .filter(({ project, points }) => points > 0 && all.every((fits) => fits(project, now)))
      .toSorted(
        (a, b) =>
          (sort ? compareBy(sort, a.project, b.project) : b.points - a.points) ||
          compareBy('images', a.project, b.project) ||
          compareBy('name', a.project, b.project),
      );
    const shown = found.slice((page - 1) * limit, page * limit);
    return { total: found.length, projects: shown.map(({ project }) => project) };
  };
  return { tags, pageOf };
}

function readType(type: string) {
  const filter = kindFilter(type.toLowerCase());
  if (filter) return filter;
  const known = ['dataset', 'model', 'classification', ...projectTypes].join(', ');
  throw invalidArgument('type', `there is no type ${quotedName(type)}; use ${known}`);
}

function compareBy(sort: CatalogSort, a: CatalogProject, b: CatalogProject): number {
  switch (sort) {
    case 'images':
      return b.images - a.images;
    case 'updated':
      return b.updated - a.updated;
    case 'name': {
      const [first, second] = [a.name.toLowerCase(), b.name.toLowerCase()];
      return first < second ? -1 : Number(first > second);
    }
    default:
      // Nobody counts stars, views and downloads here.
      return 0;
  }
}
