// Handlers of the toolset "versions".

import { unixSeconds } from '../clock.ts';
import type { VersionSettings } from '../contract/version-settings.ts';
import { settingsWarnings } from '../contract/version-warnings.ts';
import type { versions } from '../contract/versions.ts';
import { imageFilter } from '../dataset-versions/filter-and-remap.ts';
import type { Preprocessing } from '../dataset-versions/preprocessing.ts';
import { FoveaError, invalidArgument, notFound } from '../errors.ts';
import { checkExportFormat, exportFailed } from '../export-formats/export-format.ts';
import { AnswerWithStatus, type Handlers } from '../http-server/handlers.ts';
import { findProject } from './access-control/accessible-projects.ts';
import type { Principal } from './access-control/authorization.ts';
import type { PlatformDependencies } from './dependencies.ts';
import { newId } from './ids-and-slugs.ts';
import type { Project } from './store/projects.ts';
import type { Version } from './store/versions.ts';
import type { Workspace } from './store/workspaces.ts';
import { describeTaskStart } from './tasks.ts';
import { describeModel } from './trainings/describe-training.ts';

export function versionHandlers(
  dependencies: PlatformDependencies,
): Handlers<typeof versions, Principal> {
  const { store, clock, links, tasks } = dependencies;
  return {
    versions_generate: async ({ project: slug, versionName, ...settings }, call) => {
      const project = await findProject(dependencies, call.principal, slug);
      const { preprocessing, augmentation } = settings;
      checkMultiplier(augmentation.image?.versions, dependencies.versionMultiplierMax);
      checkBoxSteps({ preprocessing, augmentation }, project);
      const version = await store.versions.add(
        {
          id: newId(),
          projectId: project.id,
          name: versionName,
          settings: { preprocessing, augmentation },
          taskId: newId(),
          created: clock.now(),
        },
        imageFilter(preprocessing),
      );
      if (version === undefined) throw noImages(preprocessing);
      tasks.wake();
      return {
        message: `Version ${version.number} is being generated.`,
        version: version.number,
        warnings: [...settingsWarnings({ preprocessing, augmentation })],
        ...describeTaskStart(call.origin, call.principal.workspace, version.taskId),
      };
    },
    versions_get: async (input, { principal, origin }) => {
      const { project, version } = await findVersion(dependencies, principal, input);
      const { name, slug: url } = principal.workspace;
      return {
        workspace: { name, url, members: 1 },
        version: {
          ...describeVersion(principal.workspace, project, version),
          exports: [...(await store.exports.ready(version.id))],
          ...describeModel(project, version, await store.trainings.list(version.id), origin),
        },
      };
    },
    versions_delete: async (input, { principal }) => {
      const { project, version } = await findVersion(dependencies, principal, input);
      const trashed = await store.versions.trash(version.id, clock.now(), principal.name);
      if (!trashed) throw notFound('version', input.version);
      return { deleted: true, type: 'version', id: String(version.number), parentId: project.id };
    },
    versions_export: async (input, { principal, origin }) => {
      const { project, version } = await findVersion(dependencies, principal, input);
      const { name: format } = checkExportFormat(input.format, project.type);
      checkReady(version);
      const wanted = await store.exports.ensure(version.id, format, clock.now());
      if (wanted.error !== undefined) {
        throw exportFailed(wanted.error, wanted.errorCode, 'Ask for it again');
      }
      if (wanted.hash === undefined) {
        tasks.wake();
        return new AnswerWithStatus(202, { progress: await tasks.progress(wanted.taskId) });
      }
      const link = links.make(origin, {
        hash: wanted.hash,
        name: `${project.slug}-v${version.number}-${format}.zip`,
        contentType: 'application/zip',
      });
      return { export: { link, format, size: wanted.bytes } };
    },
  };
}

/** A version as the API shows it; settings come back exactly as they were given. */
export function describeVersion(workspace: Workspace, project: Project, version: Version) {
  return {
    id: `${workspace.slug}/${project.slug}/${version.number}`,
    name: version.name,
    created: unixSeconds(version.created),
    images: version.images,
    splits: version.splits,
    classes: [...version.classes],
    preprocessing: version.settings.preprocessing,
    augmentation: version.settings.augmentation,
    generating: version.state === 'generating',
    progress: version.progress,
    taskId: version.taskId,
    ...(version.waitsFor !== undefined && { waitsFor: version.waitsFor }),
    ...(version.error !== undefined && { error: version.error }),
  };
}

/** A live version in a project that the caller reaches. Throws `not_found`. */
export async function findVersion(
  dependencies: Pick<PlatformDependencies, 'store'>,
  principal: Principal,
  input: { project: string; version: number },
): Promise<{ project: Project; version: Version }> {
  const project = await findProject(dependencies, principal, input.project);
  const version = await dependencies.store.versions.find(project.id, input.version);
  if (version) return { project, version };
  const known = (await dependencies.store.versions.list(project.id)).map(({ number }) => number);
  throw notFound(
    'version',
    input.version,
    known.length > 0 ? `Versions of this project: ${known.join(', ')}.` : 'There are none yet.',
  );
}

/** API 4.16: generation fails above the cap of the plan. */
export function checkMultiplier(versions: number | undefined, most: number): void {
  if (versions !== undefined && versions > most) {
    throw invalidArgument('augmentation.image.versions', `the plan allows ${most} at most`);
  }
}

/** A classification project has no boxes to isolate. */
export function checkBoxSteps(
  { preprocessing, augmentation }: VersionSettings,
  { type }: Project,
): void {
  if (!type.endsWith('classification')) return;
  if (preprocessing.isolate) {
    throw invalidArgument('preprocessing.isolate', `needs boxes; the project is ${type}`);
  }
  // Four images have four classes, of which the copy could not tell which is where.
  if (augmentation.mosaic) {
    throw invalidArgument('augmentation.mosaic', `needs boxes; the project is ${type}`);
  }
}

/** There is nothing to make a version of. */
export function noImages(preprocessing: Preprocessing): FoveaError {
  const filters = ['filter-tags', 'filter-null'].filter((key) => key in preprocessing);
  const left = filters.length > 0 ? `; ${filters.join(' and ')} may have left none` : '';
  return new FoveaError('invalid_input', `A version needs at least one image${left}.`, {
    hint:
      filters.length > 0
        ? 'Ask for other tags or a lower percent, or upload images that fit.'
        : 'Upload images to the project first.',
  });
}

/** Throws `conflict` for a version that has no images yet, or never will have. */
export function checkReady(version: Version): void {
  if (version.state === 'generating') {
    throw new FoveaError('conflict', `Version ${version.number} is still being generated.`, {
      hint: 'Wait for its task, then ask again.',
      retry: 'after',
    });
  }
  if (version.state === 'failed') {
    throw new FoveaError('conflict', `Version ${version.number} could not be generated.`, {
      hint: 'Generate a new version.',
    });
  }
}
