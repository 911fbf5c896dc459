// The panel "recommendations": what an evaluation and its dataset suggest, each with a call that
// shows the images behind it and a call for the next step.

import type { evaluations } from '../../contract/evaluations.ts';
import type { Answer } from '../../contract/operation.ts';
import {
  type DatasetFacts,
  type Recommendation,
  type RecommendationName,
  recommend,
} from '../../evaluation/recommendations.ts';
import { chooseThresholds } from '../../model-inference/thresholds.ts';
import { onlyProject } from '../access-control/accessible-projects.ts';
import type { PlatformDependencies } from '../dependencies.ts';
import { compareImages } from '../projects/compare-images.ts';
import { countsOf } from '../projects.ts';
import type { Evaluation } from '../store/evaluations.ts';
import type { Project } from '../store/projects.ts';
import type { Version } from '../store/versions.ts';
import { type KeptFigures, warningOf } from './describe-evaluation.ts';
import { trainingOf } from './trained-model.ts';

type Panel = Partial<Answer<typeof evaluations.evaluations_get>>;

type Row = NonNullable<Panel['recommendations']>[number];
type Call = Row['next'];

interface Calls {
  readonly look?: Call;
  readonly next: Call;
  readonly why: string;
}

interface Question {
  readonly project: Project;
  readonly evaluation: Evaluation;
  readonly figures: KeptFigures;
}

export async function recommendationsPanel(
  dependencies: PlatformDependencies,
  question: Question,
  signal: AbortSignal,
): Promise<Panel> {
  const facts = await factsOf(dependencies, question, signal);
  const found = recommend(question.figures, facts);
  return {
    total: found.length,
    recommendations: found.map((one) => ({
      ...one,
      causes: [...one.causes],
      ...callsOf[one.name](one, question, facts),
    })),
  };
}

async function factsOf(
  dependencies: PlatformDependencies,
  { project, evaluation, figures }: Question,
  signal: AbortSignal,
): Promise<Facts> {
  const { store } = dependencies;
  const { settings } = evaluation;
  await dependencies.descriptors.areComplete(onlyProject(project), signal);
  const { leaks } = await compareImages(store.projects, project.workspaceId, project.id, signal);
  const { classes, splits } = await countsOf(dependencies, project);
  const judged =
    settings.version === undefined
      ? undefined
      : await store.versions.find(project.id, settings.version);
  const training = await trainingOf(store, settings.modelId ?? '');
  return {
    modelTask: figures.modelTask ?? 'detection',
    images: figures.images,
    trainedOn: await store.evaluations.countTrained(evaluation.id, training?.versionId),
    isTrainingKnown: training !== undefined,
    leaks,
    splits: judged === undefined ? splits : splitsOf(judged),
    projectSplits: splits,
    instances: classes,
    mistakes: figures.mistakes,
    confidenceInUse: settings.confidence ?? chooseThresholds(figures.modelThresholds).confidence,
    areFiguresDoubtful: warningOf(figures) !== undefined,
  };
}

/** Undefined where augmentation made more train images. */
function splitsOf({ settings, splits }: Version): DatasetFacts['splits'] {
  return (settings.augmentation.image?.versions ?? 1) > 1 ? undefined : splits;
}

/** With the images of each split of the project, whatever is judged. */
interface Facts extends DatasetFacts {
  readonly projectSplits: NonNullable<DatasetFacts['splits']>;
}

type CallsOf = (one: Recommendation, question: Question, facts: Facts) => Calls;

const callsOf: Readonly<Record<RecommendationName, CallsOf>> = {
  judged_on_training_images: (_one, { project, evaluation }) => {
    const { modelId: model, version } = evaluation.settings;
    const by = version === undefined ? { query: 'split:test' } : { version, split: 'test' };
    const create = {
      tool: 'evaluations_create',
      arguments: { project: project.slug, model, ...by },
    };
    const search = searchFor(project, 'split:test');
    return model === undefined
      ? { next: search, why: 'Let the model predict these, and evaluate that.' }
      : { next: create, why: 'Judges it by images that it has not seen.' };
  },
  leak_across_splits: (_one, { project }, { projectSplits }) => ({
    look: {
      tool: 'projects_findings',
      arguments: { project: project.slug, finding: 'leaks', picture: true },
    },
    // The numbers of images are the shares of now, which nobody asked to change.
    next: rebalance(project, projectSplits),
    why: 'Brings images of one scene into one split; then make a version and train anew.',
  }),
  dataset_health: (_one, { project }, { splits }) => {
    const { train = 0, valid = 0, test = 0 } = splits ?? {};
    // So many that 50 images are in test, where that is possible.
    const share = Math.max(10, Math.min(25, Math.ceil(5_000 / Math.max(1, train + valid + test))));
    return {
      next: rebalance(project, { train: 80 - share, valid: 20, test: share }),
      why: 'Gives test and valid their shares; with too few images in all, add some first.',
    };
  },
  label_mistakes: (_one, question) => ({
    next: panelCall(question, { panel: 'label_mistakes', picture: true }),
    why: 'Shows them; evaluations_tag then hands them to people who label.',
  }),
  all_low: (_one, { project }) => ({
    next: { tool: 'projects_health', arguments: { project: project.slug } },
    why: 'Labels and counts are mended before anything else.',
  }),
  class_imbalance: ({ class: name = '' }, { project }) => ({
    next: searchFor(project, `class:${quotedInQuery(name)}`),
    why: 'Shows which conditions are there; collect more images like the missing ones.',
  }),
  missed_detection: ({ class: name }, question) => ({
    look: panelCall(question, { panel: 'images', class: name, only: 'misses', picture: true }),
    next: {
      tool: 'evaluations_tag',
      arguments: { ...which(question), class: name, only: 'misses', tag: 'missed' },
    },
    why: 'Tags them: find out what they have in common, and add images with that.',
  }),
  wrong_class: ({ class: name = '', other = '', figures }, question) => ({
    look: panelCall(question, { panel: 'images', class: name, only: 'misses', picture: true }),
    next: figures.isSymmetric
      ? {
          tool: 'versions_generate',
          arguments: {
            project: question.project.slug,
            preprocessing: { remap: { [name]: other } },
            augmentation: {},
            dry_run: true,
          },
        }
      : panelCall(question, {
          panel: 'label_mistakes',
          class: name,
          only: 'swapped',
          picture: true,
        }),
    why: figures.isSymmetric
      ? 'One class in place of two, in a version: train on it and compare, if people agree.'
      : 'Shows whether the labels or the model are wrong.',
  }),
  overconfident_fp: ({ class: name }, question) => ({
    look: panelCall(question, {
      panel: 'images',
      class: name,
      only: 'false_positives',
      picture: true,
    }),
    next: panelCall(question, {
      panel: 'label_mistakes',
      class: name,
      // Of single labels each class that is found takes the place of another.
      only: isOfSingleLabels(question) ? 'swapped' : 'overlooked',
      picture: true,
    }),
    why: 'Objects that nobody labelled come first; else add images without the class.',
  }),
  loose_boxes: (_one, question) => ({
    next: panelCall(question, { panel: 'label_mistakes', only: 'badly_placed', picture: true }),
    why: 'Agree on a rule for extents, and relabel the weakest class by it.',
  }),
  small_objects: (_one, question) => ({
    look: panelCall(question, { panel: 'by_size' }),
    next: {
      tool: 'versions_preview',
      arguments: {
        project: question.project.slug,
        preprocessing: { tile: { rows: 2, columns: 2 } },
        augmentation: {},
      },
    },
    why: 'Tiles, or a larger input, give small objects more pixels.',
  }),
  threshold: (_one, question) => ({
    next: panelCall(question, { panel: 'confidence_sweep', picture: true }),
    why: 'Then give the best confidence to inference_run.',
  }),
};

function isOfSingleLabels({ project }: Question): boolean {
  return project.type === 'single-label-classification';
}

function which({ project, evaluation }: Question) {
  return { project: project.slug, evaluationId: evaluation.id };
}

function panelCall(question: Question, wanted: object): Call {
  return { tool: 'evaluations_get', arguments: { ...which(question), ...wanted } };
}

function searchFor(project: Project, wanted: string): Call {
  const query = `project:${project.slug} ${wanted}`;
  return { tool: 'workspace_search', arguments: { query } };
}

function rebalance(project: Project, splits: object): Call {
  return { tool: 'projects_rebalance_splits', arguments: { project: project.slug, splits } };
}

function quotedInQuery(name: string): string {
  return `"${name.replaceAll('"', '')}"`;
}
