// Handlers of the toolset "previews": contact sheets of what version settings do, never stored.

import { previewDefaults, type previews } from '../contract/previews.ts';
import type { Handlers } from '../http-server/handlers.ts';
import { findProject } from './access-control/accessible-projects.ts';
import type { Principal } from './access-control/authorization.ts';
import type { PlatformDependencies } from './dependencies.ts';
import { readSentImages } from './previews/read-sent-images.ts';
import { renderPreview } from './previews/render-preview.ts';
import { chooseProjectImages, namedProjectImages } from './previews/select-project-images.ts';
import { estimateTime } from './versions/estimate-time.ts';
import { checkBoxSteps, checkMultiplier } from './versions.ts';

export function previewHandlers(
  dependencies: PlatformDependencies,
): Handlers<typeof previews, Principal> {
  const { renderers, annotationReader, versionMultiplierMax } = dependencies;
  return {
    versions_preview: async (input, { principal, signal }) => {
      const project = await findProject(dependencies, principal, input.project);
      const { preprocessing, augmentation } = input;
      checkMultiplier(augmentation.image?.versions, versionMultiplierMax);
      const settings = { preprocessing, augmentation };
      checkBoxSteps(settings, project);
      const { seed, samples, pieces } = withDefaults(input);
      const count = input.sources ?? previewDefaults.sources;
      const chosen =
        input.images === undefined
          ? await chooseProjectImages(dependencies, project, settings, { seed, count })
          : await namedProjectImages(dependencies, project, input.images);
      const request = {
        title: `Preview of ${project.name}`,
        settings,
        seed,
        samples,
        pieces,
        ...chosen,
      };
      return renderPreview(renderers, request, signal);
    },
    versions_estimate: async (input, { principal, signal }) => {
      const project = await findProject(dependencies, principal, input.project);
      const { preprocessing, augmentation } = input;
      checkMultiplier(augmentation.image?.versions, versionMultiplierMax);
      const settings = { preprocessing, augmentation };
      checkBoxSteps(settings, project);
      return estimateTime(dependencies, project, settings, signal);
    },
    versions_preview_files: async (input, { principal, signal }) => {
      const { preprocessing, augmentation } = input;
      checkMultiplier(augmentation.image?.versions, versionMultiplierMax);
      const settings = { preprocessing, augmentation };
      const { seed, samples, pieces } = withDefaults(input);
      const { sources, warnings } = await readSentImages(input, (file) =>
        annotationReader.read(file, principal.workspace.id, signal),
      );
      const title = `Preview of ${sources.length === 1 ? 'an image' : 'local images'}`;
      const more = [...warnings, ...withoutProject(settings)];
      const request = { title, settings, seed, samples, pieces, sources, warnings: more };
      return renderPreview(renderers, request, signal);
    },
  };
}

interface Choices {
  readonly seed?: number | undefined;
  readonly samples?: number | undefined;
  readonly pieces?: 'first' | 'all' | undefined;
}

function withDefaults({
  seed = previewDefaults.seed,
  samples = previewDefaults.samples,
  pieces = 'first',
}: Choices) {
  return { seed, samples, pieces };
}

function withoutProject({ preprocessing }: Parameters<typeof renderPreview>[1]['settings']) {
  return (['filter-null', 'filter-tags'] as const)
    .filter((key) => preprocessing[key] !== undefined)
    .map((key) => `preprocessing.${key} chooses images of a project: all images are shown here`);
}
