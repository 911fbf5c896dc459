// Projects, as rows.

import { limits } from '../../limits.ts';
import type { AsyncDatabase, AsyncReader } from '../../storage/async-database.ts';
import type { Row } from '../../storage/database.ts';
import type { TaskQueue } from '../../storage/task-queue.ts';
import { projectSlug } from '../ids-and-slugs.ts';
import type {
  GroupsSummary,
  LabelCounts,
  Project,
  ProjectCounts,
  ProjectHealth,
  ProjectStore,
} from '../store/projects.ts';
import { unknownNames } from '../unknown-names.ts';
import { cancelVersions } from './cancel-and-resume-versions.ts';
import { readProjectType, splitCountsOf } from './column-readers.ts';
import { findConflicts } from './conflicting-labels.ts';
import type { LongReads } from './long-reads/long-reads.ts';
import {
  type ComparableImages,
  type ComparedGroup,
  groupImages,
  showGroups,
} from './near-duplicates.ts';
import { findOddBoxes } from './odd-boxes.ts';
import { listRefused } from './refused-files.ts';
import { listUnreadable } from './search-index/undescribed-images.ts';
import { cancelTrainingsOf } from './trainings.ts';

const live = 'deleted_at IS NULL';

export function projectStore(
  database: AsyncDatabase,
  queue: TaskQueue,
  reader: LongReads,
): ProjectStore {
  return {
    add: (project) => database.transaction(() => addProject(database, project)),
    find: (workspaceId, slug) =>
      database.get(
        `SELECT * FROM projects WHERE workspace_id = ? AND slug = ? AND ${live}`,
        [workspaceId, slug],
        readProject,
      ),
    get: (projectId) =>
      database.get('SELECT * FROM projects WHERE id = ?', [projectId], readProject),
    list: (workspaceId) =>
      database.all(
        `SELECT * FROM projects WHERE workspace_id = ? AND ${live} ORDER BY created, slug`,
        [workspaceId],
        readProject,
      ),
    counts: (workspaceId, projectIds) =>
      reader.read(workspaceId, { name: 'counts', asked: [projectIds] }),
    health: (workspaceId, projectId, watcher) =>
      reader.read(workspaceId, { name: 'health', asked: [projectId] }, watcher),
    nearDuplicates: (workspaceId, projectId, watcher) =>
      reader.read(workspaceId, { name: 'nearDuplicates', asked: [projectId] }, watcher),
    findings: (workspaceId, projectId, wanted, watcher) =>
      reader.read(workspaceId, { name: 'findings', asked: [projectId, wanted] }, watcher),
    isLive: (projectId) => isLive(database, projectId),
    trash: (projectId, now, deletedBy) =>
      database.transaction(async () => {
        const trashed = await database.run(
          `UPDATE projects SET deleted_at = ?, deleted_by = ? WHERE id = ? AND ${live}`,
          [now, deletedBy, projectId],
        );
        if (trashed === 0) return false;
        await cancelTrainingsOf(database, queue, projectId, undefined, now);
        await cancelVersions(database, queue, { projectId });
        return true;
      }),
  };
}

/** Adds a project, within a transaction; its slug comes from the name, with a suffix when taken. */
export async function addProject(
  database: AsyncDatabase,
  project: Omit<Project, 'slug' | 'updated'>,
): Promise<Project> {
  const slug = await freeSlug(database, project.workspaceId, projectSlug(project.name));
  const { id, workspaceId, name, type, annotation, license, isPublic, folderId, created } = project;
  await database.run(
    `INSERT INTO projects (id, workspace_id, slug, name, type, annotation, license, public,
       folder_id, created, updated) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [id, workspaceId, slug, name, type, annotation, license, isPublic, folderId, created, created],
  );
  return { ...project, slug, updated: created };
}

/** Whether a project is there, and not in the trash. */
export async function isLive(database: AsyncDatabase, projectId: string): Promise<boolean> {
  const sql = `SELECT 1 AS found FROM projects WHERE id = ? AND ${live}`;
  return (await database.get(sql, [projectId], (row) => row.integer('found'))) !== undefined;
}

/**
 * The live projects of these slugs, in their order. Throws `invalid_input`, naming each place of
 * `argument`, for slugs that no project has.
 */
export async function findProjects(
  database: AsyncDatabase,
  workspaceId: string,
  slugs: readonly string[],
  argument: string,
): Promise<readonly Project[]> {
  const known = await database.all(
    `SELECT * FROM projects WHERE workspace_id = ? AND ${live}`,
    [workspaceId],
    readProject,
  );
  const bySlug = new Map(known.map((project) => [project.slug, project]));
  const unknown = unknownNames(argument, slugs, new Set(bySlug.keys()), 'there is no project');
  if (unknown) throw unknown;
  return [...new Set(slugs)].flatMap((slug) => bySlug.get(slug) ?? []);
}

export function readProject(row: Row): Project {
  return {
    id: row.text('id'),
    workspaceId: row.text('workspace_id'),
    slug: row.text('slug'),
    name: row.text('name'),
    type: readProjectType(row),
    annotation: row.text('annotation'),
    license: row.optionalText('license'),
    isPublic: row.boolean('public'),
    folderId: row.optionalText('folder_id'),
    created: row.integer('created'),
    updated: row.integer('updated'),
  };
}

async function freeSlug(
  database: AsyncDatabase,
  workspaceId: string,
  wanted: string,
): Promise<string> {
  for (let suffix = 1; ; suffix += 1) {
    const slug = suffix === 1 ? wanted : `${wanted}-${suffix}`;
    const taken = await database.get(
      'SELECT 1 AS taken FROM projects WHERE workspace_id = ? AND slug = ?',
      [workspaceId, slug],
      (row) => row.integer('taken'),
    );
    if (taken === undefined) return slug;
  }
}

export async function countProjects(
  database: AsyncReader,
  projectIds: readonly string[],
): Promise<readonly ProjectCounts[]> {
  const counts: ProjectCounts[] = [];
  for (const id of projectIds) counts.push(await countProject(database, id));
  return counts;
}

async function countProject(database: AsyncReader, projectId: string): Promise<ProjectCounts> {
  const splits = await database.all(
    `SELECT split, count(*) AS n, count(*) FILTER (WHERE objects IS NULL) AS unannotated
     FROM images WHERE project_id = ? GROUP BY split`,
    [projectId],
    (row) => ({ split: row.text('split'), n: row.integer('n'), bare: row.integer('unannotated') }),
  );
  const versions = await database.get(
    `SELECT count(*) AS n FROM versions WHERE project_id = ? AND ${live}`,
    [projectId],
    (row) => row.integer('n'),
  );
  return {
    images: splits.reduce((sum, { n }) => sum + n, 0),
    unannotated: splits.reduce((sum, { bare }) => sum + bare, 0),
    splits: splitCountsOf(Object.fromEntries(splits.map(({ split, n }) => [split, n]))),
    classes: await countLabels(database, projectId),
    versions: versions ?? 0,
  };
}

async function countLabels(database: AsyncReader, projectId: string): Promise<LabelCounts> {
  const labels = await database.all(
    'SELECT label, sum(n) AS n FROM image_labels WHERE project_id = ? GROUP BY label ORDER BY label',
    [projectId],
    (row): [string, number] => [row.text('label'), row.integer('n')],
  );
  return Object.fromEntries(labels);
}

export async function measureProject(
  database: AsyncReader,
  index: ComparableImages,
  projectId: string,
): Promise<ProjectHealth> {
  const totals = (await database.get(
    `SELECT count(*) AS images, coalesce(avg(width), 0) AS width, coalesce(avg(height), 0) AS height,
       count(*) FILTER (WHERE objects IS NULL) AS missing,
       count(*) FILTER (WHERE objects = 0) AS empty, coalesce(sum(objects), 0) AS annotations
     FROM images WHERE project_id = ?`,
    [projectId],
    (row) => ({
      images: row.integer('images'),
      averageWidth: row.real('width'),
      averageHeight: row.real('height'),
      missing: row.integer('missing'),
      empty: row.integer('empty'),
      annotations: row.integer('annotations'),
    }),
  )) ?? { images: 0, averageWidth: 0, averageHeight: 0, missing: 0, empty: 0, annotations: 0 };
  const found = await groupImages(database, index, projectId);
  const { compared, plain, isComplete } = found;
  return {
    ...totals,
    boxes: await findOddBoxes(database, projectId),
    nearDuplicates: { ...(await summarise(database, found.groups)), compared, plain, isComplete },
    leaks: await summarise(database, found.leaks),
    conflicts: await summarise(database, await findConflicts(database, found.copies)),
    refused: await listRefused(database, projectId),
    unreadable: await listUnreadable(database, projectId),
    medianRatio: await medianRatio(database, projectId, totals.images),
    classes: await countLabels(database, projectId),
  };
}

async function summarise(
  database: AsyncReader,
  groups: readonly ComparedGroup[],
): Promise<GroupsSummary> {
  const shown = limits.healthImagesShownMax;
  return {
    groups: groups.length,
    images: groups.reduce((sum, { length }) => sum + length, 0),
    examples: await showGroups(database, groups.slice(0, shown), shown),
  };
}

/** The mean of the middle one or two ratios, so that the database sorts and we read two rows. */
async function medianRatio(
  database: AsyncReader,
  projectId: string,
  images: number,
): Promise<number> {
  if (images === 0) return 0;
  const middle = await database.all(
    `SELECT CAST(width AS DOUBLE PRECISION) / height AS ratio FROM images WHERE project_id = ?
     ORDER BY ratio LIMIT ? OFFSET ?`,
    [projectId, images % 2 === 0 ? 2 : 1, Math.floor((images - 1) / 2)],
    (row) => row.real('ratio'),
  );
  return middle.reduce((sum, ratio) => sum + ratio, 0) / middle.length;
}
