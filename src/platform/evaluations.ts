// Handlers of the toolset "evaluations": how good a model is, or predictions in a file.

import type { evaluations } from '../contract/evaluations.ts';
import type { Input } from '../contract/operation.ts';
import { FoveaError, invalidArgument } from '../errors.ts';
import { bestOf, pointsOf } from '../evaluation/confidence-sweep.ts';
import { pixelClassesMax } from '../evaluation/pixels/confused-pixels.ts';
import type { Handlers } from '../http-server/handlers.ts';
import { encodeImage } from '../imaging/encode-image.ts';
import type { RawImage } from '../imaging/raw-image.ts';
import { limits } from '../limits.ts';
import { quotedNames } from '../quoted-name.ts';
import {
  findProject,
  onlyProject,
  requireModelAccess,
} from './access-control/accessible-projects.ts';
import type { Principal } from './access-control/authorization.ts';
import { checkModelShapes } from './annotation/annotation-of-model.ts';
import type { PlatformDependencies } from './dependencies.ts';
import { evaluationComparisonHandlers } from './evaluations/compare-evaluations.ts';
import {
  classesPanel,
  confusionPanel,
  describeFigures,
  type KeptFigures,
  summaryPanel,
  sweepFor,
  sweepPanel,
} from './evaluations/describe-evaluation.ts';
import { ofObjects } from './evaluations/describe-pixels.ts';
import { drawMatrix, drawSweep } from './evaluations/draw-charts.ts';
import { evaluableTaskOf } from './evaluations/evaluable-project-type.ts';
import { checkForm } from './evaluations/evaluation-thread.ts';
import { figuresOf, findEvaluation } from './evaluations/finished-evaluation.ts';
import { imagesPanel, mistakesPanel } from './evaluations/image-panels.ts';
import { namedImages } from './evaluations/judged-images.ts';
import { evaluationMendHandlers } from './evaluations/mend-labels.ts';
import { checkPanelArguments } from './evaluations/panel-arguments.ts';
import { recommendationsPanel } from './evaluations/recommendations-panel.ts';
import { evaluationTagHandlers } from './evaluations/tag-images.ts';
import { describeTrained } from './evaluations/trained-model.ts';
import { newId } from './ids-and-slugs.ts';
import { chooseModel } from './inference.ts';
import { countsOf } from './projects.ts';
import { readQuery } from './search/read-query.ts';
import type { Evaluation, EvaluationSettings } from './store/evaluations.ts';
import type { Project } from './store/projects.ts';
import { describeTaskStart } from './tasks.ts';
import { checkReady, findVersion } from './versions.ts';

type CreateInput = Input<typeof evaluations.evaluations_create>;
type GetInput = Input<typeof evaluations.evaluations_get>;

export function evaluationHandlers(
  dependencies: PlatformDependencies,
): Handlers<typeof evaluations, Principal> {
  const { store, blobs, tasks, clock } = dependencies;
  return {
    evaluations_create: async (input, { principal, origin, signal }) => {
      const project = await findProject(dependencies, principal, input.project);
      const { settings, classes } = await chooseSettings(dependencies, principal, project, input);
      const { workspace } = principal;
      const id = newId();
      const content = input.predictions?.content;
      if (content instanceof Uint8Array) {
        // It would fail, and stay among the evaluations.
        const isNumbered = settings.version !== undefined;
        const form = { text: new TextDecoder().decode(content), isNumbered };
        const modelTask = evaluableTaskOf(project.type);
        const images = await namedImages(store, project, settings, signal);
        await checkForm({ modelTask, classes, namedImages: images, form }, signal);
      }
      const kept = content instanceof Uint8Array ? await blobs.put(content) : undefined;
      const payload = { workspaceId: workspace.id, projectIds: [project.id] };
      await store.evaluations.add(
        { id, projectId: project.id, settings, predictionsHash: kept?.hash, created: clock.now() },
        { id, kind: 'evaluation', payload },
      );
      tasks.wake();
      const judged = await describeJudged(dependencies, settings);
      return { evaluationId: id, ...judged, ...describeTaskStart(origin, workspace, id) };
    },
    evaluations_list: async (input, { principal }) => {
      const project = await findProject(dependencies, principal, input.project);
      const kept = await store.evaluations.list(project.id);
      return {
        evaluations: await Promise.all(kept.map((one) => describe(dependencies, principal, one))),
      };
    },
    evaluations_get: async (input, { principal, signal }) => {
      const project = await findProject(dependencies, principal, input.project);
      const found = await findEvaluation(store, project, input.evaluationId);
      checkPanelArguments(input);
      const { panel = 'summary' } = input;
      const told = { ...(await describe(dependencies, principal, found)), panel };
      const figures = figuresOf(found);
      if (figures === undefined) return told;
      return { ...told, ...(await panelOf(dependencies, project, found, figures, input, signal)) };
    },
    evaluations_delete: async (input, { principal }) => {
      const project = await findProject(dependencies, principal, input.project);
      const { id } = await findEvaluation(store, project, input.evaluationId);
      const task = await tasks.find(principal.workspace.id, id);
      if (task?.status === 'created' || task?.status === 'running') {
        throw new FoveaError('conflict', 'This evaluation is still made.', {
          hint: 'tasks_wait waits for its end; then it can be deleted.',
        });
      }
      await store.evaluations.remove(id);
      return {};
    },
    ...evaluationComparisonHandlers(dependencies),
    ...evaluationTagHandlers(dependencies),
    ...evaluationMendHandlers(dependencies),
  };
}

/** Throws `invalid_input` for what cannot be judged, before anything begins. */
async function chooseSettings(
  dependencies: PlatformDependencies,
  principal: Principal,
  project: Project,
  input: CreateInput,
): Promise<{ readonly settings: EvaluationSettings; readonly classes: readonly string[] }> {
  // Throws for a type of which nothing is judged.
  evaluableTaskOf(project.type);
  const { version, split, query, confidence, predictions, model } = input;
  if ((version === undefined) === (query === undefined)) {
    throw invalidArgument('version', 'give either a version or a query');
  }
  if (split !== undefined && version === undefined) {
    throw invalidArgument('split', 'goes with a version; a query says split:test');
  }
  if (model !== undefined && predictions !== undefined) {
    throw invalidArgument('model', 'give either a model or a file of predictions');
  }
  const classes = await labelsOf(dependencies, principal, project, input);
  const classesMax =
    evaluableTaskOf(project.type) === 'semantic' ? pixelClassesMax : limits.evaluationClassesMax;
  if (classes.length > classesMax) {
    throw invalidArgument(
      version === undefined ? 'query' : 'version',
      `has ${classes.length} classes; at most ${classesMax} are judged`,
      'Judge a version in which classes are left out, or renamed to fewer.',
    );
  }
  const judged =
    predictions === undefined
      ? { modelId: await checkedModel(dependencies, principal, project, input, classes) }
      : { predictions: predictions.name };
  const settings = {
    ...(version === undefined ? { query } : { version, split: split ?? 'test' }),
    ...judged,
    ...(confidence !== undefined && { confidence: Math.round(confidence * 100) / 100 }),
  };
  return { settings, classes };
}

/** Throws for a version that is not ready, and a query that cannot be read. */
async function labelsOf(
  dependencies: PlatformDependencies,
  principal: Principal,
  project: Project,
  { version: number, query }: CreateInput,
): Promise<readonly string[]> {
  if (number !== undefined) {
    const wanted = { project: project.slug, version: number };
    const { version } = await findVersion(dependencies, principal, wanted);
    checkReady(version);
    return version.classes;
  }
  const { store } = dependencies;
  const accessible = onlyProject(project);
  const parsed = await readQuery(store, accessible, query ?? '');
  if (parsed.like) throw invalidArgument('query', 'no search by likeness is judged');
  if ((await store.search.count(accessible, parsed.query)) === 0) {
    throw invalidArgument('query', 'finds no image', 'Try it with workspace_search first.');
  }
  return Object.keys((await countsOf(dependencies, project)).classes);
}

/** The id of a model that is there, can be run and knows a class of the labels. */
async function checkedModel(
  dependencies: PlatformDependencies,
  principal: Principal,
  project: Project,
  { model: given, confidence }: CreateInput,
  classes: readonly string[],
): Promise<string> {
  const isDeployed = given === undefined || given === 'deployed';
  const modelId = isDeployed ? await chooseModel(dependencies, project, 'deployed') : given;
  await requireModelAccess(dependencies.store, principal, modelId);
  const labeller = await dependencies.models.resolve(principal.workspace.id, modelId);
  checkModelShapes('model', labeller.task, project.type);
  if (confidence !== undefined && labeller.task === 'semantic') {
    throw invalidArgument(
      'confidence',
      'is for models of objects, and this one gives the class of each pixel: leave it out',
    );
  }
  if (classes.length > 0 && !labeller.classes.some((name) => classes.includes(name))) {
    throw invalidArgument(
      'model',
      `knows ${quotedNames(labeller.classes)}, and the labels are ${quotedNames(classes)}`,
    );
  }
  return modelId;
}

/** Nothing of a file of predictions. */
async function describeJudged(
  { store }: PlatformDependencies,
  { modelId: model }: EvaluationSettings,
) {
  if (model === undefined) return {};
  const trained = await describeTrained(store, model);
  return { model, ...(trained && { trained }) };
}

async function describe(
  dependencies: PlatformDependencies,
  principal: Principal,
  evaluation: Evaluation,
) {
  const { tasks } = dependencies;
  const { id, created, settings } = evaluation;
  const { modelId: _, ...more } = settings;
  const task = await tasks.find(principal.workspace.id, id);
  const figures = figuresOf(evaluation);
  return {
    evaluationId: id,
    taskId: id,
    status: task?.status ?? (figures === undefined ? 'failed' : 'completed'),
    ...(task?.error !== undefined && { error: task.error }),
    created: created / 1000,
    ...(await describeJudged(dependencies, settings)),
    ...more,
    ...(figures && describeFigures(figures)),
  };
}

async function panelOf(
  dependencies: PlatformDependencies,
  project: Project,
  evaluation: Evaluation,
  figures: KeptFigures,
  input: GetInput,
  signal: AbortSignal,
) {
  const { panel = 'summary', limit = rowsDefault, offset = 0, picture = false } = input;
  const wanted = { class: input.class, limit, offset };
  const question = {
    id: evaluation.id,
    figures,
    ...wanted,
    only: input.only,
    found: input.found,
    scoreMin: input.scoreMin,
    imageIds: undefined,
  };
  switch (panel) {
    case 'summary':
      return summaryPanel(figures);
    case 'per_class':
      return classesPanel(figures, wanted, false);
    case 'by_size':
      return classesPanel(figures, wanted, true);
    case 'confusion_matrix': {
      const shown = confusionPanel(figures, wanted);
      const { matrix } = shown;
      if (!picture || matrix === undefined) return shown;
      return { ...shown, ...(await encoded(drawMatrix(matrix.labels, matrix.counts))) };
    }
    case 'confidence_sweep': {
      const shown = sweepPanel(figures, wanted);
      if (!picture) return shown;
      const sweep = sweepFor(figures, input.class);
      return { ...shown, ...(await encoded(drawSweep(pointsOf(sweep), bestOf(sweep)))) };
    }
    case 'images': {
      const title = picture ? `Evaluation of ${project.name}` : undefined;
      return imagesPanel(dependencies, question, title, signal);
    }
    case 'label_mistakes': {
      if (figures.modelTask === 'semantic') throw ofObjects(panel);
      const title = picture ? `Label mistakes of ${project.name}` : undefined;
      // Images of a version may be cut and scaled: what became of a label is not known there.
      const labelsIn = evaluation.settings.query === undefined ? undefined : project.id;
      return mistakesPanel(dependencies, { ...question, labelsIn }, title, signal);
    }
    case 'recommendations':
      return recommendationsPanel(dependencies, { project, evaluation, figures }, signal);
    default:
      throw new FoveaError('internal', `The panel ${panel satisfies never} is not known.`);
  }
}

async function encoded(canvas: RawImage) {
  const { bytes, contentType } = await encodeImage(canvas);
  return { sheet: Buffer.from(bytes).toString('base64'), contentType };
}

const rowsDefault = 20;
