// How far people labelled the images of a job alike: each independent job that has the same images,
// and the labels of the images themselves, are compared with it.

import { setImmediate } from 'node:timers/promises';
import type { ProjectType } from '../../annotations/annotation.ts';
import { type AgreementCounts, f1Of, LabelAgreement } from '../../annotations/label-agreement.ts';
import { limits } from '../../limits.ts';
import type { AnnotationJob } from '../store/annotation-jobs.ts';
import type { ComparedWith } from '../store/independent-labels.ts';
import type { Store } from '../store/store.ts';
import { shapeComparison } from './compared-shapes.ts';

/**
 * As the API tells it; without those of whom no image was labelled twice. In which images others
 * differ is not told as long as the labeler of an independent job has images to label.
 */
export async function agreementsOf(
  store: Store,
  type: ProjectType,
  job: AnnotationJob,
  disagreementsMax: number,
) {
  const isOpen = job.isIndependent && job.states.unannotated > 0;
  const toldMax = isOpen ? 0 : disagreementsMax;
  const agreements = [];
  for (const other of await store.independentLabels.comparedWith(job)) {
    const agreement = await agreementWith(store, type, { job, other, disagreementsMax: toldMax });
    if (agreement.images + (agreement.not_compared ?? 0) > 0) agreements.push(agreement);
  }
  return agreements;
}

interface ComparedImage extends AgreementCounts {
  readonly id: string;
  readonly name: string;
}

interface Wanted {
  readonly job: AnnotationJob;
  readonly other: ComparedWith;
  readonly disagreementsMax: number;
}

async function agreementWith(
  store: Store,
  type: ProjectType,
  { job, other, disagreementsMax }: Wanted,
) {
  const agreement = new LabelAgreement();
  const shapes = shapeComparison(type);
  const disagreements: ComparedImage[] = [];
  let [images, tooLarge, after] = [0, 0, ''];
  for (;;) {
    const page = { after, limit: limits.comparedImagesAtOnce };
    const found = await store.independentLabels.labelledTwice(job, other, page);
    for (const { imageId: id, name, labels } of found) {
      const compare = labels === 'tooLarge' ? undefined : shapes.ofImage(labels);
      const isLarge = labels === 'tooLarge' || compare === undefined;
      const counts = isLarge ? undefined : agreement.add(...labels, compare);
      if (counts === undefined) tooLarge += 1;
      else images += 1;
      if (counts !== undefined && f1Of(counts) < 1) disagreements.push({ id, name, ...counts });
      // Requests of others come in between.
      await setImmediate();
    }
    after = found.at(-1)?.imageId ?? '';
    if (found.length < page.limit) break;
  }
  disagreements.sort((one, others) => f1Of(one) - f1Of(others));
  const { meanIou, kappa } = agreement;
  const { comparedBy } = shapes;
  return {
    with: other?.id ?? 'labels',
    ...(other?.labeler !== undefined && { labeler: other.labeler }),
    images,
    ...(tooLarge > 0 && { not_compared: tooLarge }),
    ...(comparedBy !== undefined && { compared_by: comparedBy }),
    ...figuresOf(agreement.total),
    ...(meanIou !== undefined && { mean_iou: rounded(meanIou) }),
    ...(kappa !== undefined && { cohens_kappa: rounded(kappa) }),
    classes: agreement.byClass().map((found) => ({ class: found.class, ...figuresOf(found) })),
    disagreements: disagreements
      .slice(0, disagreementsMax)
      .map((found) => ({ id: found.id, name: found.name, ...figuresOf(found) })),
  };
}

function figuresOf(counts: AgreementCounts) {
  const { both, one, other } = counts;
  return { f1: rounded(f1Of(counts)), both, one, other };
}

/** To four decimals. */
function rounded(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}
