// The panels of an evaluation that list images: those with errors, and those whose labels are
// possibly wrong.

import type { Annotation } from '../../annotations/annotation.ts';
import type { ErrorKind, evaluations, LabelMistakeKind } from '../../contract/evaluations.ts';
import { labelMistakeKinds } from '../../contract/evaluations.ts';
import type { Answer } from '../../contract/operation.ts';
import { FoveaError, invalidArgument } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { conditionText } from '../../query-language/condition-text.ts';
import type { JudgedCondition } from '../../query-language/query-syntax-tree.ts';
import type { PlatformDependencies } from '../dependencies.ts';
import type { KeptMistake, MistakesPage, ResultsPage } from '../store/evaluations.ts';
import { type KeptFigures, namesOfMatrix, placeOf } from './describe-evaluation.ts';
import { drawResults } from './draw-judged-images.ts';
import { sinceFound } from './mend-annotation.ts';
import { withImages } from './present-images.ts';

type Panel = Partial<Answer<typeof evaluations.evaluations_get>>;

/** What is asked of an evaluation that is done. */
export interface ImagesQuestion {
  readonly id: string;
  readonly figures: KeptFigures;
  readonly class: string | undefined;
  readonly only: ErrorKind | undefined;
  /** In place of `only`: what was found in place of the class. */
  readonly found?: string | undefined;
  readonly scoreMin: number | undefined;
  /** Of these images alone; for mistakes of labels. */
  readonly imageIds: readonly string[] | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** Throws `invalid_input` for a class that is not judged, and errors that are of another panel. */
export async function imagesWithErrors(
  { store }: Pick<PlatformDependencies, 'store'>,
  question: ImagesQuestion,
): Promise<ResultsPage> {
  const { id, figures, only, found, limit, offset } = question;
  if (found !== undefined) {
    const confused = cellOf(figures, question.class ?? '', found);
    const wanted = { label: undefined, only: undefined, confused, limit, offset };
    return store.evaluations.results(id, wanted);
  }
  if (question.class !== undefined) placeOf(figures, question.class);
  if (only !== undefined && isMistake(only)) throw otherPanel('images', 'misses, false_positives');
  const confused = undefined;
  return store.evaluations.results(id, { label: question.class, only, confused, limit, offset });
}

/** By the names of the matrix, whose last one is the background. */
function cellOf(figures: KeptFigures, truth: string, found: string) {
  if (figures.hasConfusionsOfImages !== true) {
    throw new FoveaError('conflict', 'This evaluation did not keep which images are in a cell.', {
      hint: 'evaluations_create with the same arguments makes one that does.',
    });
  }
  const background = namesOfMatrix(figures).at(-1);
  const classOf = (name: string) => (name === background ? '' : name);
  for (const name of [classOf(truth), classOf(found)]) if (name !== '') placeOf(figures, name);
  return { truth: classOf(truth), found: classOf(found) };
}

/** Throws as `imagesWithErrors`, and `conflict` where no one looked for mistakes. */
export async function imagesWithMistakes(
  { store }: Pick<PlatformDependencies, 'store'>,
  question: ImagesQuestion,
): Promise<MistakesPage> {
  const { id, figures, only, scoreMin = 0, imageIds, limit, offset } = question;
  if (question.class !== undefined) placeOf(figures, question.class);
  if (only !== undefined && !isMistake(only)) {
    throw otherPanel('label_mistakes', labelMistakeKinds.join(', '));
  }
  if (figures.mistakes === undefined) {
    throw new FoveaError('conflict', 'This evaluation did not look for mistakes of labels yet.', {
      hint: 'evaluations_create with the same arguments makes one that does.',
    });
  }
  const wanted = { label: question.class, kind: only, scoreMin, imageIds, limit, offset };
  return store.evaluations.mistakes(id, wanted);
}

export async function imagesPanel(
  dependencies: PlatformDependencies,
  question: ImagesQuestion,
  title: string | undefined,
  signal: AbortSignal,
): Promise<Panel> {
  const { total, results } = await imagesWithErrors(dependencies, question);
  const drawn = results.map((result) => ({ ...result, drawn: JSON.parse(result.boxes) }));
  const sheet =
    title === undefined ? undefined : await drawResults(dependencies, title, drawn, signal);
  const search = searchForErrors(question);
  return {
    total,
    ...(search !== undefined && { search }),
    results: results.map(({ name, imageId, truePositives, falsePositives, misses }) => ({
      image: name,
      ...(imageId !== undefined && { imageId }),
      truePositives,
      falsePositives,
      misses,
    })),
    ...sheet,
  };
}

/**
 * With a picture, all labels stand at the left, and at the right what is wrong with them.
 * `labelsIn`: the project whose labels of now tell which mistakes are there still.
 */
export async function mistakesPanel(
  dependencies: PlatformDependencies,
  question: ImagesQuestion & { readonly labelsIn: string | undefined },
  title: string | undefined,
  signal: AbortSignal,
): Promise<Panel> {
  const { total, kinds, results } = await imagesWithMistakes(dependencies, question);
  const drawn = results.map((result) => ({
    ...result,
    drawn: { ...JSON.parse(result.boxes), found: result.mistakes.map(drawnMistake) },
  }));
  const sheet =
    title === undefined ? undefined : await drawResults(dependencies, title, drawn, signal);
  const since = await sinceJudged(dependencies, question.labelsIn, results, signal);
  return {
    total,
    search: searchFor(question, { only: question.only ?? 'mistakes' }),
    mistakes: kinds,
    mislabelled: results.map(({ name, imageId, mistakes }) => ({
      image: name,
      ...(imageId !== undefined && { imageId }),
      mistakes: mistakes.slice(0, limits.evaluationMistakesShownMax).map((mistake) => {
        const told = question.figures.classification
          ? describeClassMistake(mistake)
          : describeMistake(mistake);
        const now = since(imageId, mistake);
        return { ...told, ...(now !== undefined && { since: now }) };
      }),
      total: mistakes.length,
    })),
    ...sheet,
  };
}

/** What became of a mistake since: people may have corrected it, or images may be gone. */
async function sinceJudged(
  { store }: Pick<PlatformDependencies, 'store'>,
  projectId: string | undefined,
  results: MistakesPage['results'],
  signal: AbortSignal,
) {
  const present = new Map<string, Annotation | undefined>();
  if (projectId !== undefined) {
    for await (const { one, image } of withImages(store.images, projectId, results, signal)) {
      if (one.imageId !== undefined) present.set(one.imageId, image?.annotation);
    }
  }
  return (imageId: string | undefined, mistake: KeptMistake) =>
    imageId !== undefined && present.has(imageId)
      ? sinceFound(present.get(imageId), mistake)
      : undefined;
}

/** Undefined for images of a class, whether they have errors or not. */
function searchForErrors(question: ImagesQuestion): string | undefined {
  const { figures, class: truth = '', only, found } = question;
  if (found !== undefined) {
    return searchFor(question, { pair: cellOf(figures, truth, found), label: undefined });
  }
  return only && searchFor(question, { only });
}

function searchFor(
  { id, class: label, scoreMin }: ImagesQuestion,
  condition: Omit<JudgedCondition, 'evaluationId'>,
): string {
  const judged = { evaluationId: id, label, scoreMin, ...condition };
  return conditionText({ kind: 'evaluation', ...judged }) ?? '';
}

function isMistake(kind: ErrorKind): kind is LabelMistakeKind {
  return labelMistakeKinds.some((known) => known === kind);
}

function otherPanel(panel: string, kinds: string): FoveaError {
  return invalidArgument('only', `of the panel ${panel} is one of ${kinds}`);
}

function drawnMistake({ kind, score, found, boxes }: KeptMistake) {
  const { labelBox, box } = JSON.parse(boxes);
  const drawn = kind === 'duplicate' ? labelBox : box;
  const label = `${kind.replace('_', ' ')}: ${found}`;
  return { ...drawn, label, confidence: score };
}

/** Of a whole image. */
function describeClassMistake({ kind, score, label, found }: KeptMistake) {
  const share = Math.round(score * 100) / 100;
  return { kind, score: share, ...(label !== undefined && { label }), found };
}

/** One box is told where both are in the same place. */
function describeMistake({ kind, score, label, found, boxes }: KeptMistake) {
  const { labelBox, box } = JSON.parse(boxes);
  const isElsewhere = kind === 'overlooked' || kind === 'badly_placed';
  return {
    kind,
    score: Math.round(score * 100) / 100,
    ...(label !== undefined && { label, labelBox: wholePixels(labelBox) }),
    found,
    ...(isElsewhere && { box: wholePixels(box) }),
  };
}

function wholePixels(box: Readonly<Record<'x' | 'y' | 'width' | 'height', number>>) {
  const { x, y, width, height } = box;
  const [centreX, centreY] = [Math.round(x), Math.round(y)];
  return { x: centreX, y: centreY, width: Math.round(width), height: Math.round(height) };
}
