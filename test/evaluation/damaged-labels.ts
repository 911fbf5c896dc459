// True labels damaged in known ways, and what a model that is right about most of them would find:
// so that the mistakes that are found can be held against those that were made.

import { type LabelMistakeKind, labelMistakeKinds } from '../../src/contract/evaluations.ts';
import type {
  Detection,
  EvaluatedImage,
  GroundTruth,
} from '../../src/evaluation/evaluated-image.ts';
import type { LabelMistake } from '../../src/evaluation/label-mistakes.ts';
import { overlapOf } from '../../src/evaluation/match-detections.ts';
import { below, between, eitherWay, type Random } from '../../src/seeded-random.ts';

/** What is wrong with a label: with a removed one, the label that was there. */
export interface Damage {
  readonly kind: LabelMistakeKind;
  readonly labels: readonly GroundTruth[];
  /** The label as it was. */
  readonly truth: GroundTruth;
}

export interface DamagedLabels {
  readonly groundTruths: readonly GroundTruth[];
  readonly damages: readonly Damage[];
}

export interface DamagedImage extends EvaluatedImage, DamagedLabels {}

/** Labels of images, some of them damaged, and what a made model finds. */
export function damage(
  truth: readonly (readonly GroundTruth[])[],
  classCount: number,
  share: number,
  random: Random,
): readonly DamagedImage[] {
  return truth.map((objects) => {
    const labels = damageLabels(objects, classCount, share, random);
    return { ...labels, detections: detect(objects, classCount, random) };
  });
}

/** Each label of an image is damaged with this probability, in one of four ways. */
export function damageLabels(
  objects: readonly GroundTruth[],
  classCount: number,
  share: number,
  random: Random,
): DamagedLabels {
  const damages: Damage[] = [];
  const groundTruths: GroundTruth[] = [];
  for (const truth of objects) {
    const isDamaged = random() < share;
    const kind = isDamaged ? labelMistakeKinds[below(random, labelMistakeKinds.length)] : undefined;
    const labels = kind === undefined ? [truth] : damaged(kind, truth, classCount, random);
    groundTruths.push(...labels);
    if (kind !== undefined)
      damages.push({ kind, labels: kind === 'overlooked' ? [truth] : labels, truth });
  }
  return { groundTruths, damages };
}

function damaged(
  kind: LabelMistakeKind,
  object: GroundTruth,
  classCount: number,
  random: Random,
): readonly GroundTruth[] {
  switch (kind) {
    case 'overlooked':
      return [];
    case 'swapped':
      return [{ ...object, classIndex: anotherClass(object, classCount, random) }];
    case 'badly_placed': {
      const away = () => (random() < 0.5 ? 1 : -1) * between(random, 0.25, 0.45);
      return [
        {
          ...object,
          left: object.left + away() * object.width,
          top: object.top + away() * object.height,
        },
      ];
    }
    case 'duplicate':
      return [object, jittered(object, 0.03, random)];
  }
}

/** Nine of ten objects, a few of them as another class, and a few that are none. */
function detect(
  objects: readonly GroundTruth[],
  classCount: number,
  random: Random,
): readonly Detection[] {
  const found = objects.flatMap((object): readonly Detection[] => {
    if (random() < 0.1) return [];
    const isWrong = random() < 0.02;
    const classIndex = isWrong ? anotherClass(object, classCount, random) : object.classIndex;
    const score = isWrong ? between(random, 0.3, 0.7) : between(random, 0.5, 1);
    return [{ ...jittered(object, 0.06, random), classIndex, score }];
  });
  const strays = objects.flatMap((object): readonly Detection[] => {
    if (random() >= 0.05) return [];
    const away = { left: object.left + between(random, 20, 90), top: object.top + 70 };
    const classIndex = below(random, classCount);
    return [{ ...object, ...away, classIndex, score: between(random, 0.05, 0.7) }];
  });
  return [...found, ...strays];
}

function anotherClass(object: GroundTruth, classCount: number, random: Random): number {
  return (object.classIndex + 1 + below(random, classCount - 1)) % classCount;
}

function jittered(object: GroundTruth, share: number, random: Random): GroundTruth {
  const { left, top, width, height } = object;
  return {
    ...object,
    left: left + width * eitherWay(random, share),
    top: top + height * eitherWay(random, share),
    width: width * (1 + eitherWay(random, share)),
    height: height * (1 + eitherWay(random, share)),
  };
}

export interface Found {
  readonly made: number;
  readonly told: number;
  /** Damages that are told, by their kind and place. */
  readonly right: number;
}

/** Those of a kind, or all, from a score on. */
export function compare(
  images: readonly Pick<DamagedImage, 'damages'>[],
  mistakes: readonly (readonly LabelMistake[])[],
  wanted: { readonly kind?: LabelMistakeKind; readonly scoreMin: number },
): Found {
  let [made, told, right] = [0, 0, 0];
  for (const [place, { damages }] of images.entries()) {
    const ofKind = ({ kind }: { readonly kind: LabelMistakeKind }) =>
      wanted.kind === undefined || kind === wanted.kind;
    const shown = (mistakes[place] ?? []).filter(
      (one) => ofKind(one) && one.score >= wanted.scoreMin,
    );
    const meant = damages.filter(ofKind);
    made += meant.length;
    told += shown.length;
    right += meant.filter((one) => shown.some((mistake) => tells(mistake, one))).length;
  }
  return { made, told, right };
}

/** Whether a mistake that was found is this damage: labels are known by class and place. */
export function tells({ kind, label, instead }: LabelMistake, damage: Damage): boolean {
  if (kind !== damage.kind) return false;
  const region = kind === 'overlooked' ? instead : label;
  const overlapLeast = kind === 'overlooked' ? 0.5 : sameLabel;
  return damage.labels.some(
    (one) =>
      region !== undefined &&
      one.classIndex === region.classIndex &&
      overlapOf(one, region) >= overlapLeast,
  );
}

/** Places are told in whole pixels. */
const sameLabel = 0.85;
