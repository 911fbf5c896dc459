// Handlers of exports of search results, without a version.

import type { Input } from '../../contract/operation.ts';
import type { search } from '../../contract/search.ts';
import { invalidArgument, notFound } from '../../errors.ts';
import { checkExportFormat, exportFailed } from '../../export-formats/export-format.ts';
import type { Handlers } from '../../http-server/handlers.ts';
import { limits } from '../../limits.ts';
import type { ParsedQuery } from '../../query-language/parse-query.ts';
import { queryTextOf } from '../../query-language/query-lexer.ts';
import { quotedName } from '../../quoted-name.ts';
import {
  accessibleProjects,
  findProject,
  isAccessible,
} from '../access-control/accessible-projects.ts';
import type { Principal } from '../access-control/authorization.ts';
import type { PlatformDependencies } from '../dependencies.ts';
import { newId } from '../ids-and-slugs.ts';
import type { Project } from '../store/projects.ts';
import type { Store } from '../store/store.ts';
import { describeTaskStart } from '../tasks.ts';
import { readQuery } from './read-query.ts';

type Exports = Pick<typeof search, 'search_export_start' | 'search_export_get'>;

export function searchExportHandlers(
  dependencies: PlatformDependencies,
): Handlers<Exports, Principal> {
  return {
    search_export_start: async (input, { principal, origin }) => {
      const { store, tasks, clock } = dependencies;
      const { workspace } = principal;
      const named = await findProjects(dependencies, principal, input);
      const { query, like } = await readQuery(
        store,
        await accessibleProjects(store, principal),
        input.query,
      );
      if (like) {
        const message = 'there is no search by likeness in exports';
        throw queryTextOf(input.query, 'query').error(like.at, message);
      }
      const isNamed = input.dataset !== undefined || input.annotationGroup !== undefined;
      const projects = isNamed ? named : await withMatches(store, workspace.id, named, query);
      const format = readFormat(input.format, projects, isNamed ? 'annotationGroup' : 'query');
      const projectIds = projects.map(({ id }) => id);
      const images = await store.search.count({ workspaceId: workspace.id, projectIds }, query);
      checkCount(images);
      const taskId = newId();
      const name = input.name ?? `${projects[0]?.slug ?? 'search'}-search-${format}`;
      const [projectId] = projectIds;
      const payload = {
        workspaceId: workspace.id,
        projectId,
        projectIds,
        query: input.query,
        format,
        name,
      };
      const task = { id: taskId, kind: 'search-export', payload };
      await store.search.exports.add(workspace.id, name, task, clock.now());
      tasks.wake();
      return { link: taskId, ...describeTaskStart(origin, workspace, taskId) };
    },
    search_export_get: async ({ taskId }, { principal, origin }) => {
      const { store, links } = dependencies;
      const { workspace } = principal;
      const made = await store.search.exports.find(workspace.id, taskId);
      const item = made && (await dependencies.tasks.find(workspace.id, taskId));
      const accessible = await accessibleProjects(store, principal);
      const isVisible =
        item && exportedProjects(item.payload).every((id) => isAccessible(accessible, id));
      if (!made || !isVisible) throw notFound('search export', taskId);
      if (item.status === 'failed')
        throw exportFailed(item.error, item.errorCode, 'Start it again');
      if (made.hash === undefined) {
        return { ready: false, progress: await dependencies.tasks.progress(taskId) };
      }
      const link = links.make(origin, {
        hash: made.hash,
        name: `${made.name}.zip`,
        contentType: 'application/zip',
      });
      return { ready: true, link, size: made.bytes };
    },
  };
}

/** Those of the types of which the query finds images. */
async function withMatches(
  store: Store,
  workspaceId: string,
  projects: readonly Project[],
  query: ParsedQuery['query'],
): Promise<readonly Project[]> {
  const matching: Project[] = [];
  for (const ofType of Map.groupBy(projects, ({ type }) => type).values()) {
    const projectIds = ofType.map(({ id }) => id);
    if ((await store.search.count({ workspaceId, projectIds }, query)) > 0)
      matching.push(...ofType);
  }
  return matching;
}

/** The project of `dataset`, all of an annotation group, or else all. */
async function findProjects(
  dependencies: PlatformDependencies,
  principal: Principal,
  {
    dataset,
    annotationGroup,
  }: Pick<Input<typeof search.search_export_start>, 'dataset' | 'annotationGroup'>,
): Promise<readonly Project[]> {
  if (dataset !== undefined) return [await findProject(dependencies, principal, dataset)];
  const accessible = await accessibleProjects(dependencies.store, principal);
  const all = (await dependencies.store.projects.list(principal.workspace.id)).filter(({ id }) =>
    isAccessible(accessible, id),
  );
  if (annotationGroup === undefined) return all;
  const found = all.filter(({ annotation }) => annotation === annotationGroup);
  if (found.length === 0) {
    const known = [...new Set(all.map(({ annotation }) => quotedName(annotation)))].slice(0, 10);
    throw invalidArgument(
      'annotationGroup',
      `no project has the annotation group ${quotedName(annotationGroup)}`,
      known.length > 0 ? `Groups here: ${known.join(', ')}.` : 'There are no projects yet.',
    );
  }
  return found;
}

/** A file holds projects of one type; `argument` is what chose them. */
function readFormat(format: string, projects: readonly Project[], argument: string): string {
  const types = new Set(projects.map(({ type }) => type));
  if (types.size > 1) {
    throw invalidArgument(
      argument,
      `has images of projects of several types (${[...types].join(', ')}), which no format holds together`,
      'Export one project with dataset.',
    );
  }
  const [name] = projects.map(({ type }) => checkExportFormat(format, type).name);
  return name ?? format;
}

function checkCount(images: number): void {
  if (images === 0) {
    throw invalidArgument('query', 'finds no image there', 'Try it with workspace_search first.');
  }
  if (images > limits.searchExportImagesMax) {
    throw invalidArgument(
      'query',
      `finds ${images} images; at most ${limits.searchExportImagesMax} go into one export`,
      'Narrow the query down, for example by split.',
    );
  }
}

/** Ids of the projects whose images the work of an export takes. */
export function exportedProjects(payload: unknown): readonly string[] {
  if (typeof payload !== 'object' || payload === null || !('projectIds' in payload)) return [];
  const { projectIds } = payload;
  return Array.isArray(projectIds) ? projectIds.map(String) : [];
}
