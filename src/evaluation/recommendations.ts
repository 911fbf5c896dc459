// What an evaluation and its dataset suggest to do next, what makes its figures doubtful first.

import { type EvaluableTask, judgedThings } from '../contract/evaluations.ts';
import { rounded } from './average-precision.ts';
import { bestOf, pointAt } from './confidence-sweep.ts';
import type { EvaluationFigures } from './evaluation.ts';

export type RecommendationName =
  | 'judged_on_training_images'
  | 'leak_across_splits'
  | 'dataset_health'
  | 'label_mistakes'
  | 'all_low'
  | 'class_imbalance'
  | 'missed_detection'
  | 'wrong_class'
  | 'overconfident_fp'
  | 'loose_boxes'
  | 'small_objects'
  | 'threshold';

export interface Recommendation {
  readonly name: RecommendationName;
  /** A warning says that the figures are not to be trusted as they are. */
  readonly level: 'warning' | 'advice';
  /** The class that it is about; of a pair, that of the labels. */
  readonly class?: string;
  /** The class that is found in its place. */
  readonly other?: string;
  /** What it is concluded from. */
  readonly figures: Readonly<Record<string, number | boolean | null>>;
  /** The likely first. */
  readonly causes: readonly string[];
}

/** What is known beside the figures. */
export interface DatasetFacts {
  readonly modelTask: EvaluableTask;
  /** Images that were judged. */
  readonly images: number;
  /** Those that the model was trained on, as far as is known. */
  readonly trainedOn: number;
  /** Whether that is known from its training, or guessed from the split of the images. */
  readonly isTrainingKnown: boolean;
  /** Groups of near-duplicates that lie in several splits. */
  readonly leaks: number;
  /** Images of each; undefined for an augmented version, whose shares say nothing. */
  readonly splits: Readonly<Record<'train' | 'valid' | 'test', number>> | undefined;
  /** Boxes of each class, in the project. */
  readonly instances: Readonly<Record<string, number>>;
  /** Labels that are possibly wrong; undefined: no one looked. */
  readonly mistakes: number | undefined;
  /** The confidence that the model is run with. */
  readonly confidenceInUse: number;
  /** Whether predictions may be of other images, or are missing. */
  readonly areFiguresDoubtful: boolean;
}

export function recommend(
  figures: EvaluationFigures,
  facts: DatasetFacts,
): readonly Recommendation[] {
  const isOfObjects = facts.modelTask !== 'classification';
  const ofDataset = [...trainedOn(facts), ...leaks(facts), ...datasetHealth(facts)];
  if (facts.areFiguresDoubtful) return ofDataset;
  // What else is concluded is of objects.
  if (facts.modelTask === 'semantic') return [...ofDataset, ...classImbalance(facts)];
  return [
    ...ofDataset,
    ...labelMistakes(figures, facts),
    ...(isOfObjects ? allLow(figures) : []),
    ...classImbalance(facts),
    ...missedDetection(figures, facts),
    ...wrongClass(figures, facts),
    ...overconfident(figures),
    ...(isOfObjects ? looseBoxes(figures, facts) : []),
    ...(isOfObjects ? smallObjects(figures) : []),
    ...(isOfObjects ? threshold(figures, facts) : []),
  ];
}

function trainedOn(facts: DatasetFacts): readonly Recommendation[] {
  const { images, trainedOn: trained, isTrainingKnown } = facts;
  if (trained === 0) return [];
  const causes = isTrainingKnown
    ? ['these images were in the train split of the version that the model was trained on']
    : ['these images are in the split train, and the model probably learned from them'];
  return [
    {
      name: 'judged_on_training_images',
      level: 'warning',
      figures: { trainedOn: trained, images, isTrainingKnown },
      causes: [...causes, 'a model knows what it was trained on: its figures are too good'],
    },
  ];
}

function leaks({ leaks: groups }: DatasetFacts): readonly Recommendation[] {
  if (groups === 0) return [];
  return [
    {
      name: 'leak_across_splits',
      level: 'warning',
      figures: { groups },
      causes: [
        'frames of one video, or one scene, are in several splits: figures are too good',
        'copies of an image in another size or format were uploaded',
      ],
    },
  ];
}

/** Fewer say little of a model. */
const testLeast = { images: 50, share: 0.05 };
const validShareLeast = 0.1;

function datasetHealth({ splits }: DatasetFacts): readonly Recommendation[] {
  if (splits === undefined) return [];
  const { train, valid, test } = splits;
  const all = train + valid + test;
  const isSmall =
    test < testLeast.images || test < testLeast.share * all || valid < validShareLeast * all;
  if (!isSmall) return [];
  return [
    {
      name: 'dataset_health',
      level: 'warning',
      figures: { train, valid, test, testLeast: testLeast.images },
      causes: [
        'the split test has fewer than 50 images, or fewer than 5 % of all, or valid fewer than 10 %',
        'with so few images, chance decides about differences between models',
      ],
    },
  ];
}

/** Fewer disagreements than one in fifty labels are usual for any model. */
const mistakesShareMin = 0.02;

/** Below, what has no label is mostly the error of the model itself. */
const mistakesPrecisionMin = 0.8;

function labelMistakes(
  { all, confidence }: EvaluationFigures,
  { mistakes = 0 }: DatasetFacts,
): readonly Recommendation[] {
  const { groundTruths } = all.figures;
  if (mistakes === 0 || mistakes < mistakesShareMin * groundTruths) return [];
  if ((pointAt(all.sweep, confidence).precision ?? 0) < mistakesPrecisionMin) return [];
  return [
    {
      name: 'label_mistakes',
      level: 'advice',
      figures: { mistakes, labels: groundTruths },
      causes: [
        'labels are missing, swapped, badly placed or there twice',
        'or the model is wrong there: look at the pictures before you change a label',
      ],
    },
  ];
}

const lowAp50 = 0.3;

function allLow({ all }: EvaluationFigures): readonly Recommendation[] {
  const { ap, ap50, groundTruths } = all.figures;
  if (groundTruths === 0 || ap50 === null || ap50 >= lowAp50) return [];
  return [
    {
      name: 'all_low',
      level: 'advice',
      figures: { ap50: rounded(ap50), ap: rounded(ap) },
      causes: [
        'there is too little data, or the training was too short',
        'labels are wrong or missing',
        'resizing makes objects too small to be seen',
      ],
    },
  ];
}

function classImbalance({ instances }: DatasetFacts): readonly Recommendation[] {
  const counts = Object.entries(instances).toSorted(([, one], [, other]) => one - other);
  const all = counts.reduce((sum, [, count]) => sum + count, 0);
  const median = counts[Math.floor(counts.length / 2)]?.[1] ?? 0;
  const least = Math.max(30, 0.05 * Math.sqrt(all));
  return counts
    .filter(([, count]) => count < least || (counts.length > 1 && count < median / 4))
    .slice(0, classesMax)
    .map(([name, count]) => ({
      name: 'class_imbalance',
      level: 'advice',
      class: name,
      figures: { instances: count, least: Math.round(least), median },
      causes: ['images that show this class are rare, and the model has seen few of them'],
    }));
}

/** The rarest alone: an answer with all of a hundred classes would be read by nobody. */
const classesMax = 3;

/** The class with most false negatives; and one that is found far less often, if there is one. */
function missedDetection(
  figures: EvaluationFigures,
  facts: DatasetFacts,
): readonly Recommendation[] {
  const { each, confidence } = figures;
  const most = greatest(each, (one) => pointAt(one.sweep, confidence).misses);
  if (most === undefined) return [];
  /** From 0 to 1; 0 where there is nothing to find. */
  const missedShare = (one: OfClass) => 1 - (pointAt(one.sweep, confidence).recall ?? 1);
  const weakest = greatest(each, (one) => {
    const { misses } = pointAt(one.sweep, confidence);
    return misses >= missesLeast ? missedShare(one) : 0;
  });
  const isFarBelow =
    weakest !== undefined && missedShare(weakest.one) > missedShare(most.one) + missedShareGap;
  return [most, ...(isFarBelow ? [weakest] : [])].map((one) => missedOf(one, figures, facts));
}

/** Fewer are chance. */
const missesLeast = 5;
const missedShareGap = 0.1;

type OfClass = EvaluationFigures['each'][number];

function missedOf(
  most: { readonly one: OfClass; readonly place: number },
  { classes, confidence, all, confusions }: EvaluationFigures,
  { instances, modelTask }: DatasetFacts,
): Recommendation {
  const { misses, recall } = pointAt(most.one.sweep, confidence);
  const name = classes[most.place] ?? '';
  const { small, groundTruths, ap50 } = most.one.figures;
  const isMostlySmall = small.groundTruths > groundTruths / 2;
  const isRare = (instances[name] ?? 0) < Math.max(...Object.values(instances)) / 4;
  const confused = confusions
    .filter(([truth, found]) => truth === most.place && found !== truth && found < classes.length)
    .reduce((sum, [, , count]) => sum + count, 0);
  const sure = bestOf(most.one.sweep)?.confidence ?? confidence;
  return {
    name: 'missed_detection',
    level: 'advice',
    class: name,
    figures: {
      misses,
      labels: groundTruths,
      recall: rounded(recall),
      ...(modelTask !== 'classification' && { ap50: rounded(ap50) }),
      shareOfAllMisses: rounded(misses / Math.max(1, pointAt(all.sweep, confidence).misses)),
    },
    causes: [
      ...(confused > misses / 2 ? ['most are found, as another class: see wrong_class'] : []),
      ...(isRare ? ['there are few examples of this class'] : []),
      ...(isMostlySmall ? ['most of its objects are small: below 32 x 32 pixels'] : []),
      ...(sure < confidence - 0.1
        ? [`the model is less sure of this class: its best threshold is ${sure}`]
        : []),
      'the conditions of the missed ones (light, overlap, edge) are rare in training',
      'labels are where no object is',
    ],
  };
}

/** Fewer, and a smaller share of the labels of their class, are chance. */
const confusedLeast = { count: 5, share: 0.02 };

/** The most common pair of classes that are taken for each other. */
function wrongClass(
  { classes, confusions, each }: EvaluationFigures,
  { instances }: DatasetFacts,
): readonly Recommendation[] {
  const isPair = ([truth, found]: readonly number[]) =>
    truth !== found && (truth ?? 0) < classes.length && (found ?? 0) < classes.length;
  const most = greatest(confusions.filter(isPair), ([, , count]) => count);
  if (most === undefined) return [];
  const [truth, found, count] = most.one;
  const labels = each[truth]?.figures.groundTruths ?? 0;
  if (count < confusedLeast.count && count < confusedLeast.share * labels) return [];
  const [ofTruth = 0, ofFound = 0] = [truth, found].map((one) => instances[classes[one] ?? '']);
  const back = confusions.find(([one, other]) => one === found && other === truth)?.[2] ?? 0;
  const isSymmetric = back >= count / 2;
  return [
    {
      name: 'wrong_class',
      level: 'advice',
      class: classes[truth] ?? '',
      other: classes[found] ?? '',
      figures: { count, back, isSymmetric, labels },
      causes: isSymmetric
        ? [
            'the two classes are not told apart by what can be seen: the taxonomy',
            'people label them by different rules',
          ]
        : [
            'labels of the one class are of the other in truth',
            ...(ofFound > 2 * ofTruth
              ? ['the class that is found is far more frequent in training']
              : []),
          ],
    },
  ];
}

const overconfidentLeast = { predictions: 30, falsePositives: 30, precision: 0.65 };

/** Classes with many false positives, the most first. */
function overconfident({
  classes,
  each,
  confidence,
}: EvaluationFigures): readonly Recommendation[] {
  return each
    .map((one, place) => ({ place, ...pointAt(one.sweep, confidence) }))
    .filter(
      ({ truePositives, falsePositives, precision }) =>
        truePositives + falsePositives >= overconfidentLeast.predictions &&
        falsePositives >= overconfidentLeast.falsePositives &&
        (precision ?? 1) < overconfidentLeast.precision,
    )
    .toSorted((one, other) => other.falsePositives - one.falsePositives)
    .slice(0, classesMax)
    .map(({ place, truePositives, falsePositives, precision }) => ({
      name: 'overconfident_fp',
      level: 'advice',
      class: classes[place] ?? '',
      figures: {
        predictions: truePositives + falsePositives,
        falsePositives,
        precision: rounded(precision),
      },
      causes: [
        'objects that nobody labelled: what is found may be right',
        'the background looks like the class, and no images show that it is none',
        'the threshold is too low',
      ],
    }));
}

/** Boxes that are found, and then do not fit. */
function looseBoxes(
  { all }: EvaluationFigures,
  { modelTask }: DatasetFacts,
): readonly Recommendation[] {
  const { ap, ap50, ap75 } = all.figures;
  if (ap === null || ap50 === null || ap50 < 0.7 || ap >= 0.6 * ap50) return [];
  return [
    {
      name: 'loose_boxes',
      level: 'advice',
      figures: { ap50: rounded(ap50), ap75: rounded(ap75), ap: rounded(ap) },
      causes: [
        `people draw ${judgedThings[modelTask]} by different rules: tight, loose, with or without shadows`,
        'the resolution of training is too low for exact edges',
      ],
    },
  ];
}

/** Enough to say something of small objects. */
const smallLeast = 10;

function smallObjects({ all }: EvaluationFigures): readonly Recommendation[] {
  const { small, medium, large } = all.figures;
  const others = Math.max(medium.ap ?? 0, large.ap ?? 0);
  if (small.ap === null || small.groundTruths < smallLeast || small.ap >= others / 2) return [];
  return [
    {
      name: 'small_objects',
      level: 'advice',
      figures: {
        small: rounded(small.ap),
        medium: rounded(medium.ap),
        large: rounded(large.ap),
        labels: small.groundTruths,
      },
      causes: [
        'at the size of training, small objects have too few pixels',
        'small objects are labelled less carefully',
      ],
    },
  ];
}

/** Less of a difference is noise. */
const f1Least = 0.02;

function threshold(
  { all }: EvaluationFigures,
  { confidenceInUse }: DatasetFacts,
): readonly Recommendation[] {
  const best = bestOf(all.sweep);
  const now = pointAt(all.sweep, confidenceInUse);
  if (best === undefined || (best.f1 ?? 0) - (now.f1 ?? 0) < f1Least) return [];
  return [
    {
      name: 'threshold',
      level: 'advice',
      figures: {
        confidence: confidenceInUse,
        f1: rounded(now.f1),
        bestConfidence: best.confidence,
        bestF1: rounded(best.f1),
      },
      causes: [
        best.confidence < confidenceInUse
          ? 'the threshold in use is too high: objects that the model sees are dropped'
          : 'the threshold in use is too low: what the model is unsure of is kept',
      ],
    },
  ];
}

/** The one with the greatest value above 0. */
function greatest<Item>(
  items: readonly Item[],
  sizeOf: (item: Item) => number,
): { readonly one: Item; readonly place: number } | undefined {
  let [best, most]: [{ readonly one: Item; readonly place: number } | undefined, number] = [
    undefined,
    0,
  ];
  for (const [place, one] of items.entries()) {
    const value = sizeOf(one);
    if (value > most) [best, most] = [{ one, place }, value];
  }
  return best;
}
