// Handlers of the projects family.

import type { projects } from '../contract/projects.ts';
import { notFound } from '../errors.ts';
import type { Handlers } from '../http-server/handlers.ts';
import { newId } from './ids.ts';
import type { NotYet } from './not-yet.ts';
import { findProject, type Parts, unixSeconds } from './parts.ts';
import type { Principal } from './principal.ts';
import type { Project, ProjectCounts, ProjectHealth, Workspace } from './store/store.ts';
import { describeVersion } from './versions.ts';

export function projectHandlers(parts: Parts): Handlers<Omit<typeof projects, NotYet>, Principal> {
  const { store, clock } = parts;
  return {
    projects_create: async ({ name, type, annotation, license }, { principal }) => {
      const project = await store.projects.add({
        id: newId(),
        workspaceId: principal.workspace.id,
        name,
        type,
        annotation,
        license,
        created: clock.now(),
      });
      const counts = await store.projects.counts(project.id);
      return describeProject(principal.workspace, project, counts);
    },
    projects_get: async ({ project: slug }, { principal }) => {
      const project = await findProject(parts, principal, slug);
      const counts = await store.projects.counts(project.id);
      const versions = await store.versions.list(project.id);
      const { name, slug: url } = principal.workspace;
      return {
        workspace: { name, url, members: 1 },
        project: describeProject(principal.workspace, project, counts),
        versions: versions.map((version) => describeVersion(principal.workspace, project, version)),
      };
    },
    projects_delete: async ({ project: slug }, { principal }) => {
      const project = await findProject(parts, principal, slug);
      const trashed = await store.projects.trash(project.id, clock.now());
      if (!trashed) throw notFound('project', slug);
      return { deleted: true, type: 'project', id: project.id };
    },
    projects_health: async ({ project: slug }, { principal }) => {
      const project = await findProject(parts, principal, slug);
      return describeHealth(await store.projects.health(project.id));
    },
  };
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
    public: false,
    created: unixSeconds(created),
    updated: unixSeconds(updated),
    images: counts.images,
    unannotated: counts.unannotated,
    splits: counts.splits,
    classes: counts.classes,
  };
}

function isClassification(type: Project['type']): boolean {
  return type === 'single-label-classification' || type === 'multi-label-classification';
}

function describeHealth(health: ProjectHealth) {
  return {
    health: true,
    stats: {
      numImages: health.images,
      numAnnotations: health.annotations,
      avgImageSize: [health.averageWidth, health.averageHeight],
      medianImageRatio: health.medianRatio,
      missingAnnotations: health.missing,
      nullAnnotations: health.empty,
      classDistribution: health.classes,
    },
  };
}
