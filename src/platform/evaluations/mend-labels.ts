// Handler of evaluations_mend: labels of a project are mended by the mistakes that an evaluation
// found, and such mends are taken back.

import { revisionOf } from '../../annotations/annotation-revision.ts';
import { type Mend, type Mended, mendLabels } from '../../annotations/mend-labels.ts';
import { writeAnnotation } from '../../annotations/serialized-annotation.ts';
import type { evaluations } from '../../contract/evaluations.ts';
import type { Input } from '../../contract/operation.ts';
import { FoveaError, invalidArgument } from '../../errors.ts';
import type { Handlers } from '../../http-server/handlers.ts';
import { limits } from '../../limits.ts';
import { findProject } from '../access-control/accessible-projects.ts';
import type { Principal } from '../access-control/authorization.ts';
import type { PlatformDependencies } from '../dependencies.ts';
import type { KeptMistake, MistakesPage } from '../store/evaluations.ts';
import type { Project } from '../store/projects.ts';
import { finishedEvaluation } from './finished-evaluation.ts';
import { imagesWithMistakes } from './image-panels.ts';

type MendInput = Input<typeof evaluations.evaluations_mend>;
type Result = MistakesPage['results'][number];

export function evaluationMendHandlers(
  dependencies: PlatformDependencies,
): Handlers<Pick<typeof evaluations, 'evaluations_mend'>, Principal> {
  return {
    evaluations_mend: async (input, { principal, signal }) => {
      const { store } = dependencies;
      const project = await findProject(dependencies, principal, input.project);
      const { evaluation, figures } = await finishedEvaluation(store, project, input.evaluationId);
      if (evaluation.settings.query === undefined) throw ofVersion();
      if (project.type !== 'object-detection' && input.only !== 'swapped') {
        throw invalidArgument(
          'only',
          'is swapped for outlines: people must draw what else is wrong',
        );
      }
      const { total, results } = await imagesWithMistakes(dependencies, {
        id: evaluation.id,
        figures,
        class: input.class,
        only: input.only,
        scoreMin: input.scoreMin,
        imageIds: input.images,
        limit: limits.evaluationMendImagesMax,
        offset: 0,
      });
      const sum = { labels: 0, images: 0, left: { changed: 0, outlined: 0 } };
      const changed: { image: string; imageId: string; labels: number }[] = [];
      for (const result of results) {
        signal.throwIfAborted();
        const { mended, ...left } = await mendImage(dependencies, project, result, input);
        sum.left.changed += left.changed;
        sum.left.outlined += left.outlined;
        if (mended === 0) continue;
        sum.labels += mended;
        sum.images += 1;
        changed.push({ image: result.name, imageId: result.imageId ?? '', labels: mended });
      }
      return { ...sum, total, changed: changed.slice(0, limits.evaluationMendImagesShownMax) };
    },
  };
}

/** Images of a version may be cut and scaled. */
function ofVersion(): FoveaError {
  return new FoveaError(
    'conflict',
    'This evaluation is of images of a version, not of a project.',
    {
      hint: 'Labels of the project are mended by an evaluation with a query, e.g. split:test.',
    },
  );
}

/** Whoever changes the labels meanwhile keeps their change. */
async function mendImage(
  { store, clock }: PlatformDependencies,
  project: Project,
  { imageId, mistakes }: Result,
  { undo = false }: MendInput,
): Promise<Omit<Mended, 'boxes'>> {
  const gone = { mended: 0, changed: mistakes.length, outlined: 0 };
  const image = imageId === undefined ? undefined : await store.images.find(project.id, imageId);
  if (image?.annotation?.kind !== 'detection') return gone;
  const { boxes, ...counts } = mendLabels(image.annotation.boxes, mistakes.map(mendOf), undo);
  if (counts.mended === 0) return counts;
  const outcome = await store.images.annotate(
    image.id,
    writeAnnotation({ kind: 'detection', boxes }),
    {
      overwrite: true,
      isPredicted: image.isPredicted,
      replaces: revisionOf(JSON.stringify(image.annotation)),
    },
    clock.now(),
  );
  return outcome === 'annotated' ? counts : gone;
}

function mendOf({ kind, boxes }: KeptMistake): Mend {
  const { labelBox, box } = JSON.parse(boxes);
  return { kind, label: labelBox, instead: box };
}
