// What can be trained: the types of model, the dataset each reads, and what a recipe may set.

import type { ProjectType } from '../annotations/annotation.ts';
import { type ModelTask, taskOfType } from '../contract/projects.ts';
import { FoveaError, invalidArgument, invalidInput, notFound, type Problem } from '../errors.ts';
import { membersOf } from '../json-object.ts';
import { limits } from '../limits.ts';
import { suggestSpelling } from '../spelling-suggestion.ts';
import type { TrainerCommand } from './trainer-protocol.ts';

/** A type of model. */
export interface ModelType {
  readonly name: string;
  readonly task: ModelTask;
  /** Name of the export format that its trainers read. */
  readonly format: string;
  readonly hyperparameters: Readonly<Record<string, Hyperparameter>>;
}

interface Hyperparameter {
  /** The least and the most. */
  readonly valid: readonly [number, number];
  readonly advice: { readonly low: number; readonly high: number; readonly default: number };
  readonly isWhole?: boolean;
}

/** What a training is started with. */
export interface Recipe extends Readonly<Record<string, unknown>> {
  readonly hyperparameters: Readonly<Record<string, unknown>>;
  readonly augmentation: readonly unknown[];
}

/** Whatever the configured program makes. */
const customModelType = 'custom';

/** The types for a project, those first that the configured trainer is known to make. */
function modelTypesFor(
  projectType: ProjectType,
  trainer: TrainerCommand | undefined,
): readonly ModelType[] {
  const task = taskOfType[projectType];
  if (task === undefined) return [];
  const own = typesOfTrainers[trainer?.name ?? ''];
  if (own !== undefined) {
    const same = own.filter((type) => type.task === task);
    if (same.length > 0 || !readAsBoxes.includes(task)) return same;
    return own.filter((type) => type.task === 'detection');
  }
  const custom = { ...knownType(customModelType, task, customFormats[task], 100) };
  // Folders hold one class for each image.
  const isMultiLabel = projectType === 'multi-label-classification';
  const families = isMultiLabel ? [] : known.filter((family) => family.task === task);
  return [
    custom,
    ...families.flatMap(({ names, format, epochs }) =>
      names.map((name) => knownType(name, task, format, epochs)),
    ),
  ];
}

/**
 * The type of that name; the first where none is given. Throws `not_found` listing those that there
 * are, and `conflict` where nothing can be trained.
 */
export function findModelType(
  name: string | undefined,
  projectType: ProjectType,
  trainer: TrainerCommand | undefined,
): ModelType {
  const types = modelTypesFor(projectType, trainer);
  const [first] = types;
  if (first === undefined) throw nothingToTrain(projectType, trainer);
  const found = name === undefined ? first : types.find((type) => type.name === name);
  if (found !== undefined) return found;
  const names = types.map((type) => type.name);
  const guess = suggestSpelling(name ?? '', names);
  const meant = guess === undefined ? '' : `Did you mean "${guess}"? `;
  throw notFound('model type', name ?? '', `${meant}For this project: ${names.join(', ')}.`);
}

function nothingToTrain(projectType: ProjectType, trainer: TrainerCommand | undefined) {
  return new FoveaError(
    'conflict',
    trainer !== undefined && Object.hasOwn(typesOfTrainers, trainer.name)
      ? `The ${trainer.name} trainer does not learn what ${projectType} projects label.`
      : `No type of model is known for ${projectType} projects.`,
    { hint: 'Set FOVEA_TRAINER to a program that trains such models.' },
  );
}

/**
 * A recipe with our defaults for what it leaves out. `epochs` counts where the recipe says none.
 * Throws `invalid_input` with all problems at once.
 */
export function completeRecipe(
  { name, hyperparameters: known }: ModelType,
  given: Readonly<Record<string, unknown>>,
  epochs: number | undefined,
): Recipe {
  const { hyperparameters = {}, augmentation = [], ...others } = given;
  const set = membersOf(hyperparameters);
  const problems = [
    ...hyperparameterProblems(name, known, set),
    ...augmentationProblems(name, augmentation),
  ];
  if (problems.length > 0) throw invalidInput(problems);
  const defaults = Object.fromEntries(
    Object.entries(known).map(([key, { advice }]) => [key, advice.default]),
  );
  return {
    ...others,
    hyperparameters: { ...defaults, ...(epochs !== undefined && { epochs }), ...set },
    augmentation: Array.isArray(augmentation) ? augmentation : [],
  };
}

/** The epochs of a complete recipe. */
export function epochsOf({ hyperparameters }: Recipe): number {
  const { epochs } = hyperparameters;
  if (typeof epochs !== 'number') throw invalidArgument('epochs', 'is no number');
  return epochs;
}

/** What a recipe may say, and one to begin with. */
export function describeRecipe(type: ModelType, trainer: TrainerCommand | undefined) {
  const { hyperparameters, name, task, format } = type;
  const notes = trainer === undefined ? [noTrainer] : (notesOf[trainer.name] ?? []);
  return {
    schema: {
      hyperparameters: Object.fromEntries(
        Object.entries(hyperparameters).map(([key, { valid, advice }]) => [
          key,
          { valid: [...valid], advice: { ...advice } },
        ]),
      ),
      augmentation: trainerOf(name) ? [] : 'as the trainer has it: [{name, params}]',
      preprocessing: 'that of the version',
      input: { format, task },
    },
    template: { ...completeRecipe(type, {}, undefined) },
    modelType: name,
    trainer: trainer?.name ?? null,
    ...(notes.length > 0 && { notes }),
  };
}

export const noTrainer =
  'No trainer is configured. Set FOVEA_TRAINER to "torchvision" or, to try it, "example" (fovea ' +
  'trainer install NAME sets each up), or to a program.';

const publishedWeights =
  'trainRecipe.weights: "local" (default: published weights where they were fetched before) or ' +
  '"download", which fetches them once.';

const notesOf: Readonly<Record<string, readonly string[]>> = {
  example: [
    'An example: it learns colours on a coarse grid, not shapes. ' +
      'Judge it by its metrics, and take a real trainer for real work.',
  ],
  torchvision: [
    'trainRecipe.weights: "local" (default: published weights where torchvision has fetched them ' +
      'before, else a start from nothing), "random", or "download".',
    'It ends early where map50 (of classes: accuracy) does not rise for `patience` epochs. The first ' +
      'figures of a training have seconds_left.',
    'Two cores take some 80 seconds for an epoch of 200 images at imageSize 256.',
  ],
  ultralytics: [
    'AGPL-3.0: it reaches programs that contain Ultralytics and, as its makers say, trained models.',
    publishedWeights,
  ],
  'rf-detr': [`Apache-2.0. ${publishedWeights} It has no start from nothing.`],
};

/** The trainer that makes that type and takes no ONNX file to start from; undefined: none. */
export function startsAnew(modelType: string): string | undefined {
  const name = trainerOf(modelType);
  return name === 'torchvision' ? undefined : name;
}

/** The trainer that comes along and makes that type. */
function trainerOf(modelType: string): string | undefined {
  const all = Object.entries(typesOfTrainers);
  return all.find(([, types]) => types.some(({ name }) => name === modelType))?.[0];
}

function hyperparameterProblems(
  modelType: string,
  known: ModelType['hyperparameters'],
  set: Readonly<Record<string, unknown>>,
): readonly Problem[] {
  return Object.entries(set).flatMap(([key, value]): readonly Problem[] => {
    const path = `trainRecipe.hyperparameters.${key}`;
    const rule = Object.hasOwn(known, key) ? known[key] : undefined;
    if (rule === undefined) {
      // Its program may have others.
      if (modelType === customModelType) return [];
      const guess = suggestSpelling(key, Object.keys(known));
      const names = Object.keys(known).join(', ');
      const meant = guess === undefined ? `use ${names}` : `did you mean "${guess}"?`;
      return [{ path, message: `is not known; ${meant}` }];
    }
    const [least, most] = rule.valid;
    const isNumber = typeof value === 'number' && value >= least && value <= most;
    if (isNumber && (rule.isWhole !== true || Number.isInteger(value))) return [];
    const kind = rule.isWhole === true ? 'a whole number' : 'a number';
    return [{ path, message: `must be ${kind} from ${least} to ${most}` }];
  });
}

function augmentationProblems(modelType: string, steps: unknown): readonly Problem[] {
  const path = 'trainRecipe.augmentation';
  if (!Array.isArray(steps)) return [{ path, message: 'must be a list of steps' }];
  const trainer = trainerOf(modelType);
  if (trainer === undefined || steps.length === 0) return [];
  return [{ path, message: `the ${trainer} trainer has none: put it into the version` }];
}

const epochsFor = (advised: number): Hyperparameter => ({
  valid: [1, limits.epochsMax],
  advice: {
    low: Math.ceil(advised / 2),
    high: Math.min(limits.epochsMax, advised * 2),
    default: advised,
  },
  isWhole: true,
});

function knownType(name: string, task: ModelTask, format: string, epochs: number): ModelType {
  return {
    name,
    task,
    format,
    hyperparameters: {
      epochs: epochsFor(epochs),
      batchSize: { valid: [1, 512], advice: { low: 4, high: 32, default: 16 }, isWhole: true },
      learningRate: {
        valid: [1e-7, 1],
        advice: { low: 0.0001, high: 0.01, default: 0.001 },
      },
    },
  };
}

/** Those of a library that is tuned by its makers; `side` where the canvas may be chosen. */
function ofLibrary(
  epochs: number,
  { batch, rate, patience }: Readonly<Record<'batch' | 'rate' | 'patience', number>>,
  side?: number,
): ModelType['hyperparameters'] {
  const around = (value: number) => ({ low: value / 2, high: value * 2, default: value });
  const most = limits.epochsMax;
  return {
    epochs: epochsFor(epochs),
    batchSize: { valid: [1, 512], advice: around(batch), isWhole: true },
    learningRate: { valid: [1e-7, 1], advice: around(rate) },
    patience: { valid: [1, most], advice: around(patience), isWhole: true },
    ...(side !== undefined && {
      imageSize: { valid: [32, limits.modelSideMax], advice: around(side), isWhole: true },
      seed: { valid: [0, 1e6], advice: { low: 0, high: 100, default: 0 }, isWhole: true },
    }),
  };
}

const exampleType: ModelType = {
  name: 'fovea-example',
  task: 'detection',
  format: 'coco',
  hyperparameters: {
    epochs: epochsFor(60),
    learningRate: { valid: [1e-5, 0.1], advice: { low: 0.001, high: 0.01, default: 0.004 } },
    patience: {
      valid: [1, limits.epochsMax],
      advice: { low: 20, high: limits.epochsMax, default: limits.epochsMax },
      isWhole: true,
    },
  },
};

const torchvisionHyperparameters: ModelType['hyperparameters'] = {
  epochs: epochsFor(30),
  batchSize: { valid: [2, 512], advice: { low: 4, high: 16, default: 8 }, isWhole: true },
  learningRate: { valid: [1e-7, 1], advice: { low: 0.0003, high: 0.003, default: 0.001 } },
  patience: {
    valid: [1, limits.epochsMax],
    advice: { low: 5, high: 20, default: 10 },
    isWhole: true,
  },
  imageSize: {
    valid: [64, limits.modelSideMax],
    advice: { low: 256, high: 640, default: 320 },
    isWhole: true,
  },
  seed: { valid: [0, 1e6], advice: { low: 0, high: 100, default: 0 }, isWhole: true },
};

/** As trainers/torchvision has them; the first of each is what a processor alone can train. */
const torchvisionTypes: readonly ModelType[] = [
  ...['torchvision-fcos-resnet18', 'torchvision-fcos-resnet50', 'torchvision-ssdlite'].map(
    (name): ModelType => ({
      name,
      task: 'detection',
      format: 'coco',
      hyperparameters: torchvisionHyperparameters,
    }),
  ),
  ...['torchvision-resnet18', 'torchvision-resnet50'].map(
    (name): ModelType => ({
      name,
      task: 'classification',
      format: 'multiclass',
      hyperparameters: {
        ...torchvisionHyperparameters,
        imageSize: {
          valid: [32, limits.modelSideMax],
          advice: { low: 128, high: 384, default: 224 },
          isWhole: true,
        },
      },
    }),
  ),
];

/** As Ultralytics names its models: yolo26n, yolo26n-seg and so on. */
const ultralyticsTypes: readonly ModelType[] = (
  [
    ['detection', '', 'yolov8'],
    ['segmentation', '-seg', 'yolov8'],
    ['keypoints', '-pose', 'yolov8'],
    ['classification', '-cls', 'multiclass'],
  ] as const
).flatMap(([task, suffix, format]) =>
  ['yolo26', 'yolo11', 'yolov8'].flatMap((stem) =>
    ['n', 's', 'm', 'l', 'x'].map((size): ModelType => {
      const side = task === 'classification' ? 224 : 640;
      const hyperparameters = ofLibrary(100, { batch: 16, rate: 0.001, patience: 50 }, side);
      return { name: `ultralytics-${stem}${size}${suffix}`, task, format, hyperparameters };
    }),
  ),
);

/** The side of their canvas is fixed. */
const rfDetrTypes: readonly ModelType[] = ['nano', 'small', 'medium'].map((size) => ({
  name: `rf-detr-${size}`,
  task: 'detection',
  format: 'coco',
  hyperparameters: ofLibrary(50, { batch: 4, rate: 0.0001, patience: 10 }),
}));

/** Trainers that come along make these types and no others. */
const typesOfTrainers: Readonly<Record<string, readonly ModelType[]>> = {
  example: [exampleType],
  torchvision: torchvisionTypes,
  ultralytics: ultralyticsTypes,
  'rf-detr': rfDetrTypes,
};

/** Those that learn no outlines read them as the boxes around them. */
const readAsBoxes: readonly ModelTask[] = ['detection', 'segmentation'];

const customFormats: Readonly<Record<ModelTask, string>> = {
  detection: 'yolov8',
  segmentation: 'yolov8',
  semantic: 'png-mask-semantic',
  keypoints: 'yolov8',
  classification: 'multiclass',
};

interface Family {
  readonly task: ModelTask;
  readonly names: readonly string[];
  readonly format: string;
  /** What its authors advise. */
  readonly epochs: number;
}

const sizes = (stem: string, names: readonly string[], suffix = '') =>
  names.map((size) => `${stem}${size}${suffix}`);
const letters = ['n', 's', 'm', 'l', 'x'];

/** Facts of the hosted platform: the names under which people ask for them. */
const known: readonly Family[] = [
  {
    task: 'detection',
    names: sizes('rfdetr-', ['nano', 'small', 'medium', 'base', 'large', 'xlarge', '2xlarge']),
    format: 'coco',
    epochs: 50,
  },
  ...['yolo26', 'yolov12', 'yolov11', 'yolov8'].flatMap((stem): readonly Family[] => [
    { task: 'detection', names: sizes(stem, letters), format: 'yolov8', epochs: 100 },
    { task: 'segmentation', names: sizes(stem, letters, '-seg'), format: 'yolov8', epochs: 100 },
    { task: 'keypoints', names: sizes(stem, letters, '-pose'), format: 'yolov8', epochs: 100 },
  ]),
  {
    task: 'segmentation',
    names: sizes('rfdetr-seg-', ['nano', 'small', 'medium', 'large', 'xlarge', '2xlarge']),
    format: 'coco-segmentation',
    epochs: 50,
  },
  { task: 'semantic', names: ['deeplabv3plus'], format: 'png-mask-semantic', epochs: 100 },
  {
    task: 'classification',
    names: ['vit-base-patch16-224-in21k', ...sizes('resnet', ['18', '34', '50', '101'])],
    format: 'folder',
    epochs: 50,
  },
];
