// Handler of evaluations_mend: labels of a project are mended by the mistakes that an evaluation
// found, and such mends are taken back.

import { revisionOf } from '../../annotations/annotation-revision.ts';
import { countMends, type MendCounts, type MendOutcome } from '../../annotations/mend-labels.ts';
import { writeAnnotation } from '../../annotations/serialized-annotation.ts';
import { type evaluations, mendedKinds } from '../../contract/evaluations.ts';
import type { Input } from '../../contract/operation.ts';
import { FoveaError, invalidArgument } from '../../errors.ts';
import type { Handlers } from '../../http-server/handlers.ts';
import { limits } from '../../limits.ts';
import { quotedNames } from '../../quoted-name.ts';
import { findProject } from '../access-control/accessible-projects.ts';
import type { Principal } from '../access-control/authorization.ts';
import type { PlatformDependencies } from '../dependencies.ts';
import type { KeptMistake, MendMark, MistakesPage } from '../store/evaluations.ts';
import type { Image } from '../store/images.ts';
import type { Project } from '../store/projects.ts';
import { evaluableTaskOf } from './evaluable-project-type.ts';
import { finishedEvaluation } from './finished-evaluation.ts';
import { imagesWithMistakes } from './image-panels.ts';
import { isAsJudged, mendAnnotation } from './mend-annotation.ts';
import { withImages } from './present-images.ts';

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
      checkKind(project, input);
      await checkImages(store, project, input, signal);
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
      const judged = await allMistakes(store, evaluation.id, results);
      const sum = { labels: 0, images: 0, left: noneLeft() };
      const changed: { image: string; imageId: string; labels: number }[] = [];
      const { images } = store;
      for await (const { one, image } of withImages(images, project.id, results, signal)) {
        const of = { ...one, image, all: judged.get(one.ordinal) ?? [] };
        const { mended, ...left } = await mendImage(dependencies, evaluation.id, of, input);
        sum.left.changed += left.changed;
        sum.left.reverted += left.reverted;
        sum.left.outlined += left.outlined;
        sum.left.already += left.already;
        if (mended === 0) continue;
        sum.labels += mended;
        sum.images += 1;
        changed.push({ image: one.name, imageId: one.imageId ?? '', labels: mended });
      }
      return { ...sum, total, changed: changed.slice(0, limits.evaluationMendImagesShownMax) };
    },
  };
}

function noneLeft() {
  const { mended: _, ...left } = countMends([]);
  return left;
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

/** Throws `invalid_input` for what people must mend. */
function checkKind({ type }: Project, { only }: MendInput): void {
  const task = evaluableTaskOf(type);
  if (mendedKinds[task].includes(only)) return;
  throw invalidArgument(
    'only',
    {
      classification: 'is swapped or overlooked: classes of whole images have no place',
      semantic: 'is of objects: where the class of each pixel is judged, people draw what is wrong',
    }[String(task)] ?? 'is swapped for outlines and keypoints: people must draw what else is wrong',
  );
}

/** Throws `invalid_input` naming images that the project does not have: a 0 would say nothing. */
async function checkImages(
  store: PlatformDependencies['store'],
  { id }: Project,
  { images = [] }: MendInput,
  signal: AbortSignal,
): Promise<void> {
  const unknown: string[] = [];
  const naming = images.map((imageId) => ({ imageId }));
  for await (const { one, image } of withImages(store.images, id, naming, signal)) {
    if (image === undefined) unknown.push(one.imageId);
  }
  if (unknown.length === 0) return;
  throw invalidArgument(
    'images',
    `the project has no image with the id ${quotedNames(unknown)}`,
    'The panel label_mistakes has the imageId of each image.',
  );
}

/** Mends of other kinds are known by these, so that they are no change of somebody else. */
async function allMistakes(
  store: PlatformDependencies['store'],
  id: string,
  images: readonly Result[],
): Promise<ReadonlyMap<number, readonly KeptMistake[]>> {
  const wanted = { label: undefined, kind: undefined, scoreMin: 0, offset: 0 };
  const imageIds = images.flatMap(({ imageId }) => imageId ?? []);
  if (imageIds.length === 0) return new Map();
  const limit = imageIds.length;
  const { results } = await store.evaluations.mistakes(id, { ...wanted, imageIds, limit });
  return new Map(results.map(({ ordinal, mistakes }) => [ordinal, mistakes]));
}

interface MendedImage extends Result {
  /** Undefined: it is gone. */
  readonly image: Image | undefined;
  /** Mistakes of every kind. */
  readonly all: readonly KeptMistake[];
}

/** Whoever changes the labels meanwhile keeps their change. */
async function mendImage(
  { store, clock }: PlatformDependencies,
  evaluationId: string,
  { ordinal, image, boxes, mistakes, all }: MendedImage,
  { undo = false }: MendInput,
): Promise<MendCounts> {
  const gone = countMends(mistakes.map(() => 'changed'));
  const before = image?.annotation;
  if (image === undefined || before === undefined) return gone;
  const { isPredicted, annotatedAt } = image;
  const replaces = revisionOf(JSON.stringify(before));
  const present = mistakes.map((one) => {
    const isAsMended = one.mendedRevision === replaces && one.mendedAt === annotatedAt;
    return { ...one, isAsMended };
  });
  const settings = { undo, isAsJudged: undo || isAsJudged(before, boxes, all) };
  const { annotation, outcomes } = mendAnnotation(before, present, settings);
  const counts = countMends(outcomes);
  const marks = marksOf(mistakes, outcomes, undo);
  if (counts.mended + marks.length === 0) return counts;
  const outcome = await store.evaluations.mend(
    { evaluationId, ordinal, imageId: image.id, isPredicted, annotatedAt },
    {
      annotation: counts.mended === 0 ? undefined : writeAnnotation(annotation),
      replaces,
      marks,
    },
    clock.now(),
  );
  return outcome === 'annotated' ? counts : gone;
}

/** What somebody put back is not mended any more. */
function marksOf(
  mistakes: readonly KeptMistake[],
  outcomes: readonly MendOutcome[],
  undo: boolean,
): readonly MendMark[] {
  return mistakes.flatMap(({ place, mendedPlace }, at) => {
    const outcome = outcomes[at];
    if (typeof outcome === 'number') return [{ place, mendedPlace: undo ? undefined : outcome }];
    const isBack = undo && outcome === 'already' && mendedPlace !== undefined;
    return isBack ? [{ place, mendedPlace: undefined }] : [];
  });
}
