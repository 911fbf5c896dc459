// Handler of evaluations_tag: images in which a model errs, or whose labels are possibly wrong,
// get a tag, so that searches, annotation jobs and versions can take them up.

import type { evaluations } from '../../contract/evaluations.ts';
import { FoveaError } from '../../errors.ts';
import type { Handlers } from '../../http-server/handlers.ts';
import { limits } from '../../limits.ts';
import { findProject } from '../access-control/accessible-projects.ts';
import type { Principal } from '../access-control/authorization.ts';
import type { PlatformDependencies } from '../dependencies.ts';
import { newId } from '../ids-and-slugs.ts';
import { describeTaskStart } from '../tasks.ts';
import { finishedEvaluation } from './finished-evaluation.ts';
import { type ImagesQuestion, imagesWithErrors, imagesWithMistakes } from './image-panels.ts';
import { checkTagArguments } from './panel-arguments.ts';

export function evaluationTagHandlers(
  dependencies: PlatformDependencies,
): Handlers<Pick<typeof evaluations, 'evaluations_tag'>, Principal> {
  const { store, tasks } = dependencies;
  return {
    evaluations_tag: async (input, { principal, origin }) => {
      const project = await findProject(dependencies, principal, input.project);
      checkTagArguments(input);
      const { workspace } = principal;
      const { evaluation, figures } = await finishedEvaluation(store, project, input.evaluationId);
      const { only, scoreMin, tag } = input;
      const { total, imageIds } = await idsBehind(dependencies, {
        id: evaluation.id,
        figures,
        class: input.class,
        only,
        scoreMin,
        imageIds: undefined,
        limit: limits.metadataUpdatesMax,
        offset: 0,
      });
      if (imageIds.length === 0) return { images: 0, total };
      const taskId = newId();
      const updates = imageIds.map((imageId) => ({ imageId, addTags: [tag] }));
      await store.metadata.start({
        taskId,
        workspaceId: workspace.id,
        projectIds: [project.id],
        input: JSON.stringify({ updates }),
      });
      tasks.wake();
      const images = imageIds.length;
      return { images, total, ...describeTaskStart(origin, workspace, taskId) };
    },
  };
}

/** Each once, though a version may show it in many pieces. */
async function idsBehind(dependencies: PlatformDependencies, question: ImagesQuestion) {
  const page =
    question.only === 'misses' || question.only === 'false_positives'
      ? await imagesWithErrors(dependencies, question)
      : await imagesWithMistakes(dependencies, question);
  const known = page.results.flatMap(({ imageId }) => imageId ?? []);
  if (known.length < page.results.length) {
    throw new FoveaError('conflict', 'This evaluation does not know the ids of its images.', {
      hint: 'evaluations_create with the same arguments makes one that does.',
    });
  }
  return { total: page.total, imageIds: [...new Set(known)] };
}
