// Handlers of the toolset "projects".

import { isClassification } from '../annotations/annotation.ts';
import { unixSeconds } from '../clock.ts';
import type { projects } from '../contract/projects.ts';
import { FoveaError, notFound } from '../errors.ts';
import type { Handlers } from '../http-server/handlers.ts';
import { hexClassColours } from '../imaging/class-colours.ts';
import {
  findProject,
  onlyProject,
  requireWholeWorkspace,
} from './access-control/accessible-projects.ts';
import type { Principal } from './access-control/authorization.ts';
import type { PlatformDependencies } from './dependencies.ts';
import { newId, projectSlug } from './ids-and-slugs.ts';
import { describeHealth } from './projects/describe-health.ts';
import type { Project, ProjectCounts } from './store/projects.ts';
import type { Workspace } from './store/workspaces.ts';
import { describeVersionModel } from './trainings/describe-training.ts';
import { describeVersion } from './versions.ts';

/** The others are in projects/ and trainings.ts. */
type OfProjects = 'projects_create' | 'projects_get' | 'projects_delete' | 'projects_health';

export function projectHandlers(
  dependencies: PlatformDependencies,
): Handlers<Pick<typeof projects, OfProjects>, Principal> {
  const { store, clock, descriptors } = dependencies;
  return {
    projects_create: async (input, { principal }) => {
      requireWholeWorkspace(principal, 'Creating a project');
      const { name, type, annotation, license } = input;
      const project = await store.projects.add({
        id: newId(),
        workspaceId: principal.workspace.id,
        name,
        type,
        annotation,
        license,
        isPublic: input.public === true,
        folderId: undefined,
        created: clock.now(),
      });
      const counts = await countsOf(dependencies, project);
      const wanted = projectSlug(name);
      return {
        ...describeProject(principal.workspace, project, counts),
        url: project.slug,
        ...(project.slug !== wanted && { slug_taken: wanted }),
      };
    },
    projects_get: async ({ project: slug }, { principal }) => {
      const project = await findProject(dependencies, principal, slug);
      const counts = await countsOf(dependencies, project);
      const versions = await store.versions.list(project.id);
      const trained = await store.trainings.trained(project.id);
      const exports = await store.exports.readyIn(project.id);
      const { name, slug: url } = principal.workspace;
      return {
        workspace: { name, url, members: 1 },
        project: describeProject(principal.workspace, project, counts),
        versions: versions.map((version) => {
          const model = trained.find(({ versionNumber }) => versionNumber === version.number);
          return {
            ...describeVersion(principal.workspace, project, version),
            exports: [...(exports.get(version.id) ?? [])],
            ...(model && { model: describeVersionModel(project, version, model) }),
          };
        }),
      };
    },
    projects_delete: async ({ project: slug }, { principal }) => {
      const project = await findProject(dependencies, principal, slug);
      const trashed = await store.projects.trash(project.id, clock.now(), principal.name);
      if (!trashed) throw notFound('project', slug);
      return { deleted: true, type: 'project', id: project.id };
    },
    projects_health: async ({ project: slug }, { principal, signal, onShare }) => {
      const project = await findProject(dependencies, principal, slug);
      await descriptors.areComplete(onlyProject(project), signal);
      const { splits } = await countsOf(dependencies, project);
      const health = await store.projects.health(project.workspaceId, project.id, {
        signal,
        onShare,
      });
      return { ...describeHealth(health, principal.guestOf !== undefined), splits };
    },
  };
}

export async function countsOf(
  { store }: Pick<PlatformDependencies, 'store'>,
  { id, workspaceId }: Pick<Project, 'id' | 'workspaceId'>,
): Promise<ProjectCounts> {
  const [counts] = await store.projects.counts(workspaceId, [id]);
  if (counts === undefined) throw new FoveaError('internal', 'A project was not counted.');
  return counts;
}

/** A project as the API shows it (facts: id is `workspace/slug`, times are Unix seconds). */
export function describeProject(workspace: Workspace, project: Project, counts: ProjectCounts) {
  const { name, type, annotation, license, created, updated } = project;
  return {
    id: `${workspace.slug}/${project.slug}`,
    name,
    type: isClassification(type) ? 'classification' : type,
    ...(isClassification(type) && { multilabel: type === 'multi-label-classification' }),
    annotation,
    ...(license !== undefined && { license }),
    public: project.isPublic,
    created: unixSeconds(created),
    updated: unixSeconds(updated),
    images: counts.images,
    unannotated: counts.unannotated,
    splits: counts.splits,
    classes: counts.classes,
    colors: hexClassColours(Object.keys(counts.classes)),
  };
}
