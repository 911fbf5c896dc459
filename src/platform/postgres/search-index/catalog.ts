// The catalog on PostgreSQL: the public projects of all workspaces, and searches in it.

import type { Descriptor } from '../../../imaging/similarity-descriptor.ts';
import { term } from '../../../query-language/search-terms.ts';
import type { AsyncReader } from '../../../storage/async-database.ts';
import type { Row } from '../../../storage/database.ts';
import {
  likeShown,
  type PublicProject,
  readCatalogRequest,
  readPublic,
} from '../../database/catalog.ts';
import { readFormat, readTexts } from '../../database/column-readers.ts';
import type { CatalogPage, CatalogProject, CatalogRequest } from '../../store/catalog.ts';
import { lexeme } from './conditions.ts';
import { textList } from './list-text.ts';
import { rankBySimilarity } from './similarity-index.ts';

/** Throws `invalid_input` for an invalid query or type. */
export async function searchCatalog(
  reader: AsyncReader,
  request: CatalogRequest,
): Promise<CatalogPage> {
  const { tags, pageOf } = readCatalogRequest(request);
  const hasTag = `EXISTS (SELECT 1 FROM image_search s
    WHERE s.project_id = p.id AND s.terms @@ ?::tsquery)`;
  const wanted = tags.map((tag) => lexeme(term('tag', tag)));
  return pageOf(await readProjects(reader, ['true', ...tags.map(() => hasTag)], wanted));
}

export async function findSimilarInCatalog(
  reader: AsyncReader,
  descriptor: Descriptor,
): Promise<CatalogPage> {
  const isPublic = `s.project_id IN (
    SELECT id FROM projects WHERE public = 1 AND deleted_at IS NULL)`;
  const best = new Map<string, number>();
  const ranked = await rankBySimilarity(reader, { sql: isPublic, values: [] }, descriptor);
  for (const { projectId, similarity } of ranked) {
    if (!best.has(projectId)) best.set(projectId, similarity);
  }
  const found = await readProjects(reader, ['p.id = ANY(?::text[])'], [textList([...best.keys()])]);
  const projects = found
    .map((project) => ({ ...project, similarity: best.get(project.id) ?? 0 }))
    .toSorted((a, b) => b.similarity - a.similarity);
  return { total: projects.length, projects: projects.slice(0, likeShown) };
}

/** Those public projects that are not in the trash and for which all conditions hold. */
async function readProjects(
  reader: AsyncReader,
  conditions: readonly string[],
  values: readonly string[],
): Promise<readonly CatalogProject[]> {
  return reader.all(
    `SELECT p.id, p.slug, p.name, p.type, p.annotation, p.license, p.updated, w.slug AS workspace,
       (SELECT max(number) FROM versions WHERE project_id = p.id AND deleted_at IS NULL) AS version,
       (SELECT count(*) FROM image_search WHERE project_id = p.id) AS images,
       (${classes}) AS classes,
       (SELECT coalesce(json_agg(model_type), '[]') FROM trainings
        WHERE project_id = p.id AND weights_hash IS NOT NULL AND deleted_at IS NULL) AS models,
       cover.hash, cover.image, cover.format
     FROM projects p JOIN workspaces w ON w.id = p.workspace_id
       LEFT JOIN LATERAL (
         SELECT i.hash, i.name AS image, i.format FROM image_search s
           JOIN images i ON i.id = s.image_id
         WHERE s.project_id = p.id ORDER BY s.ordinal DESC LIMIT 1) cover ON true
     WHERE p.public = 1 AND p.deleted_at IS NULL AND ${conditions.join(' AND ')}
     ORDER BY p.created, p.id`,
    values,
    readProject,
  );
}

/** From one class to the next in the index: not through all rows of each. */
const classes = `WITH RECURSIVE classes (label) AS (
    SELECT min(label) FROM image_labels WHERE project_id = p.id
    UNION ALL
    SELECT (SELECT min(label) FROM image_labels
            WHERE project_id = p.id AND label > classes.label)
    FROM classes WHERE classes.label IS NOT NULL
  ) SELECT coalesce(json_agg(label ORDER BY label), '[]') FROM classes WHERE label IS NOT NULL`;

function readProject(row: Row): CatalogProject {
  const project: PublicProject = readPublic(row);
  const hash = row.optionalText('hash');
  return {
    ...project,
    classes: readTexts(row, 'classes'),
    images: row.integer('images'),
    models: readTexts(row, 'models'),
    cover:
      hash === undefined ? undefined : { hash, name: row.text('image'), format: readFormat(row) },
  };
}
