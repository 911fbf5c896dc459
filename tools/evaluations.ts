// Tools of the evaluations toolset: how good a model is, judged by labels.

import * as z from 'zod';
import { evaluations, mendedKinds } from '../src/contract/evaluations.ts';
import type { Answer } from '../src/contract/operation.ts';
import { fromOperation, toolFor } from '../src/mcp/operation-tool.ts';
import type { NextCall, Tool, ToolContext, ToolResult } from '../src/mcp/tool.ts';
import { confirmEvaluationDeletion } from './confirmation-prompts.ts';
import { predictionsPart } from './evaluations/predictions-part.ts';
import { taskWork, waitForTask } from './follow-up-calls.ts';
import { asGiven, bare, count, lastPart, quoted } from './format.ts';
import { omissionsText } from './inference/prediction-omissions-text.ts';
import { pageAt } from './list-page.ts';

const {
  evaluations_create: create,
  evaluations_list: list,
  evaluations_get: get,
  evaluations_compare: compare,
  evaluations_tag: tag,
  evaluations_mend: mend,
  evaluations_delete: remove,
} = evaluations;

const { predictions: _, ...judged } = create.body.shape;

const createInput = z.strictObject({
  ...create.pathParameters.shape,
  ...judged,
  predictions: z
    .string()
    .min(1)
    .optional()
    .describe('Or: path of COCO results (ids: file and class names), YOLO, VOC or mask files.'),
});

const getInput = z.strictObject({ ...get.pathParameters.shape, ...get.query.shape });

type CreateInput = z.output<typeof createInput>;
type GetInput = z.output<typeof getInput>;
type Evaluation = Answer<typeof get>;

export const evaluationTools: readonly Tool[] = [
  {
    ...toolFor(create, {
      title: 'Evaluate model',
      description:
        'Judges a model, or predictions in a file, by the labels of a version or query: COCO figures, confusions. evaluations_get shows them.',
      fileArguments: ['predictions'],
      repeated: 'made',
      input: createInput,
      run: createEvaluation,
    }),
    embeddedOnly: true,
  },
  {
    ...fromOperation(list, {
      title: 'List evaluations',
      description: 'Lists the evaluations of a project, newest first.',
      summarize: ({ evaluations: all }) =>
        all.length === 0 ? 'No evaluation yet.' : `${count(all.length, 'evaluation')}.`,
    }),
    embeddedOnly: true,
  },
  {
    ...toolFor(get, {
      title: 'Get evaluation',
      description:
        'Shows one panel of an evaluation: figures, confusions (rows are labels), images with most errors, labels that may be wrong, or what to do first.',
      app: 'evaluation',
      input: getInput,
      run: getEvaluation,
    }),
    embeddedOnly: true,
  },
  {
    ...fromOperation(compare, {
      title: 'Compare evaluations',
      description:
        'Tells what is better and worse than in an earlier evaluation of the same images: figures, classes, images.',
      summarize: ({ baseline, compared, images, labelsDiffer, classes }) =>
        `${changeOf(baseline, compared)}; ${count(images.better, 'image')} better, ${images.worse} worse, ` +
        `${images.same} with as many errors.${worseClasses(classes)}` +
        (labelsDiffer ? ' Labels were changed between the two: that changes figures too.' : ''),
      page: ({ total, changed }, { offset = 0 }) =>
        pageAt({ total, rows: 'changed', shown: changed.length, offset }),
    }),
    embeddedOnly: true,
  },
  {
    ...fromOperation(tag, {
      title: 'Tag images of evaluation',
      description:
        'Tags the images of an evaluation in which the model errs or labels may be wrong, the worst 1000.',
      summarize: ({ images, total }, { tag: name }) =>
        `${count(images, 'image')} of ${total} get the tag ${asGiven(name)}.`,
      next: ({ taskId }, { workspace, project, tag: name }) => [
        ...(taskId === undefined ? [] : [waitForTask(workspace, taskId)]),
        {
          tool: 'workspace_search',
          arguments: { workspace, query: `project:${lastPart(project)} tag:${name}` },
          why: 'Then finds them.',
        },
      ],
      work: ({ taskId }, { workspace }) =>
        taskId === undefined ? undefined : taskWork(workspace, taskId),
    }),
    embeddedOnly: true,
  },
  {
    ...fromOperation(mend, {
      title: 'Mend labels',
      description:
        'Corrects labels as an evaluation of a query suggests: class, place, missing and double ones. Look at its panel label_mistakes first.',
      summarize: ({ labels, images, left }, { undo, only }) =>
        `${count(labels, 'label')} in ${count(images, 'image')} ` +
        `${labels === 1 ? 'is' : 'are'} ${undo ? 'as before' : 'mended'}` +
        `${leftWords(left, { undo, only })}.`,
      next: ({ labels }, { undo, ...what }) => {
        if (labels === 0) return [];
        const back = undo === true ? what : { ...what, undo: true };
        return [{ tool: mend.id, arguments: back, why: 'Takes this back.' }];
      },
    }),
    embeddedOnly: true,
  },
  {
    ...fromOperation(remove, {
      title: 'Delete evaluation',
      description: 'Deletes an evaluation. Model and labels stay. Cannot be undone.',
      confirmation: {
        description: 'Repeat the evaluationId here.',
        expected: ({ evaluationId }) => evaluationId,
        prompt: confirmEvaluationDeletion,
      },
      summarize: (_answer, { evaluationId }) => `Deleted evaluation ${quoted(evaluationId)}.`,
    }),
    embeddedOnly: true,
  },
];

function leftWords(
  { changed, reverted, outlined, already }: Answer<typeof mend>['left'],
  { undo = false, only }: { readonly undo?: boolean | undefined; readonly only: string },
): string {
  // An object without label is known by the others of its image, and so is what a mend has left.
  const what = undo || only === 'overlooked' ? 'images whose labels' : 'labels that';
  return [
    ...(already > 0
      ? [`${already} ${undo ? 'are not mended by it (any more)' : 'were so already'}`]
      : []),
    ...(reverted > 0
      ? [
          `${reverted} were mended before and put back since (undo, then mend again, if it is meant)`,
        ]
      : []),
    ...(changed > 0
      ? [`${count(changed, 'mistake')} ${changed === 1 ? 'is' : 'are'} of ${what} changed since`]
      : []),
    ...(outlined > 0 ? [`${outlined} are of outlines, which people must draw`] : []),
  ]
    .map((words) => `; ${words}`)
    .join('');
}

async function createEvaluation(given: CreateInput, context: ToolContext): Promise<ToolResult> {
  const { predictions, ...rest } = given;
  const part = predictions === undefined ? undefined : await predictionsPart(predictions, context);
  const sent = { ...rest, ...(part && { predictions: part }) };
  const { body } = await context.client.call(create, sent, { signal: context.signal });
  const { evaluationId, taskId } = body;
  const { workspace, project, version, split = 'test', query } = given;
  const what = predictions === undefined ? modelWords(body) : asGiven(predictions);
  const by =
    version === undefined ? `query ${quoted(query ?? '')}` : `split ${split} of version ${version}`;
  return {
    summary: `Evaluation ${quoted(evaluationId)} of ${what} by ${by} is queued.`,
    data: body,
    next: [
      waitForTask(workspace, taskId),
      {
        tool: get.id,
        arguments: { workspace, project, evaluationId },
        why: 'Then shows its figures.',
      },
    ],
    work: taskWork(workspace, taskId),
  };
}

/** Who reads figures must know of what: a deployed model may be another one by now. */
function modelWords({ model, trained }: Pick<Evaluation, 'model' | 'trained'>): string {
  if (model === undefined) return 'a model';
  if (trained === undefined) return `model ${quoted(model)} (what it was trained on is not known)`;
  const { project, version, trainingId, modelType, split } = trained;
  const from = `split ${bare(split)} of version ${version} of ${quoted(project)}`;
  return `model ${quoted(model)} (training ${quoted(trainingId)}, ${quoted(modelType)}, by ${from})`;
}

async function getEvaluation(given: GetInput, context: ToolContext): Promise<ToolResult> {
  const { client, signal } = context;
  const { body } = await client.call(get, given, { signal });
  const { sheet, contentType = 'image/jpeg', ...data } = body;
  const { project, offset = 0 } = given;
  const rows =
    body.classes ?? body.confusions ?? body.results ?? body.mislabelled ?? body.recommendations;
  return {
    summary: summaryOf(body, project),
    data,
    ...(rows && { page: pageAt({ total: body.total ?? 0, shown: rows.length, offset }) }),
    ...(sheet !== undefined && {
      images: [{ data: Buffer.from(sheet, 'base64'), mimeType: contentType }],
    }),
    next: body.status === 'completed' ? nextCalls(body, given) : [],
    forPage: { project, evaluationId: given.evaluationId },
  };
}

function nextCalls(evaluation: Evaluation, given: GetInput): readonly NextCall[] {
  const { panel, recommendations = [] } = evaluation;
  const { workspace, project, evaluationId } = given;
  if (panel === 'summary') {
    const wanted = { workspace, project, evaluationId, panel: 'recommendations' };
    return [{ tool: get.id, arguments: wanted, why: 'Says what to do first, and why.' }];
  }
  if (panel === 'label_mistakes') {
    return [...mendingCalls(evaluation, given), ...reviewCalls(evaluation, given)];
  }
  if (panel === 'images') return reviewCalls(evaluation, given);
  if (panel !== 'recommendations') return [];
  return recommendations.slice(0, 1).map(({ next: { tool, arguments: args }, why }) => ({
    tool,
    arguments: { workspace, ...args },
    why,
  }));
}

/** People may see more than the model and the labels. */
function reviewCalls({ search, total }: Evaluation, given: GetInput): readonly NextCall[] {
  if (search === undefined || total === 0) return [];
  const { workspace, project } = given;
  const why = 'A person looks at all of them, and corrects labels.';
  return [{ tool: 'annotation_review', arguments: { workspace, project, query: search }, why }];
}

/** What was looked at is mended; labels of versions are not those of the project any more. */
function mendingCalls(evaluation: Evaluation, given: GetInput): readonly NextCall[] {
  const { query, split, model, modelTask, mislabelled = [] } = evaluation;
  if (mislabelled.length === 0) return [];
  const { workspace, project, evaluationId, class: ofClass, scoreMin } = given;
  const tagged = { workspace, project, evaluationId, tag: 'label-mistake' };
  const tagging = { tool: tag.id, arguments: tagged, why: 'Tags them, for people to mend.' };
  if (query === undefined) {
    if (model === undefined) return [tagging];
    const judged = { workspace, project, model, query: `split:${split}` };
    const why = 'Judges images of the project by it, whose labels evaluations_mend can mend.';
    return [tagging, { tool: create.id, arguments: judged, why }];
  }
  const mended = Object.entries(mendedKinds).find(([task]) => task === modelTask)?.[1] ?? [];
  const open = mislabelled.flatMap(({ mistakes }) =>
    mistakes.filter(({ since }) => since === undefined),
  );
  const shownKinds = open.map(({ kind }) => kind);
  const only = shownKinds.find((kind) => mended.some((one) => one === kind));
  if (only === undefined) return [tagging];
  const images = mislabelled.flatMap(({ imageId }) => imageId ?? []);
  const shownOnes = { workspace, project, evaluationId, only, class: ofClass, scoreMin, images };
  const why = `Mends the ${only} ones of this page; leave out images in which the label is right.`;
  return [{ tool: mend.id, arguments: shownOnes, why }, tagging];
}

function summaryOf(evaluation: Evaluation, project: string): string {
  const { status, error, panel, ap, ap50, f1, confidence, best, mistakes } = evaluation;
  const { accuracy, recommendations, notJudged, warning, judgedBy } = evaluation;
  const of = `Evaluation of ${quoted(lastPart(project))}`;
  const judged = evaluation.model === undefined ? '' : ` Of ${modelWords(evaluation)}.`;
  if (status === 'failed') return `${of} failed: ${quoted(error ?? 'no reason is known')}.`;
  if (status !== 'completed') return `${of}: ${status}; tasks_wait waits for it.`;
  const main =
    accuracy === undefined ? `AP ${shown(ap)}, AP50 ${shown(ap50)}` : `accuracy ${shown(accuracy)}`;
  const figures =
    evaluation.meanIou === undefined
      ? `${main}, F1 ${shown(f1)} at confidence ${confidence}`
      : `mean IoU ${shown(evaluation.meanIou)}, pixel accuracy ${shown(evaluation.pixelAccuracy)}`;
  const threshold =
    panel === 'summary' && best !== undefined
      ? ` The best threshold is ${best.confidence} (F1 ${shown(best.f1)}).`
      : '';
  const wrong = mistakes === undefined ? '' : suspicionOf(mistakes, evaluation.total ?? 0);
  const advice = recommendations === undefined ? '' : ` ${adviceOf(recommendations)}`;
  const left = notJudged === undefined ? '' : notJudgedWords(notJudged);
  const doubt = warning === undefined ? '' : ` Warning: ${quoted(warning)}.`;
  const by = judgedBy?.startsWith('OKS') ? ` (${quoted(judgedBy)})` : '';
  const boxes = evaluation.withoutOutline ?? 0;
  const plain = evaluation.withoutKeypoints ?? 0;
  const bare =
    boxes === 0 ? '' : ` ${count(boxes, 'label')} without outline: the box is taken for the mask.`;
  const lacks = evaluation.modelLacks
    ? ` Of the model:${omissionsText(evaluation.modelLacks)}`
    : '';
  const posed = plain === 0 ? '' : ` ${count(plain, 'label')} without keypoints: left out.`;
  return `${of}, ${panel}: ${figures}${by}.${judged}${doubt}${bare}${posed}${lacks}${left}${threshold}${wrong}${advice}`;
}

function notJudgedWords({
  ofUnknownImages,
  ofUnknownClasses,
}: NonNullable<Evaluation['notJudged']>): string {
  const images = ofUnknownImages?.count ?? 0;
  const classes = Object.values(ofUnknownClasses).reduce((sum, figure) => sum + figure, 0);
  return ` Not judged: ${images} predictions of other images, ${classes} of other classes.`;
}

/** `Not to be trusted yet: leak_across_splits. To do: missed_detection.` */
function adviceOf(recommendations: NonNullable<Evaluation['recommendations']>): string {
  const of = (level: string) =>
    recommendations.filter((one) => one.level === level).map(({ name }) => bare(name));
  const [warnings, advice] = [of('warning'), of('advice')];
  const first = warnings.length === 0 ? '' : `Figures not to be trusted: ${warnings.join(', ')}. `;
  return `${first}To do: ${advice.length === 0 ? 'nothing is seen' : advice.join(', ')}.`;
}

/** What a model misses, and what it invents, look alike to it. */
function suspicionOf(mistakes: Readonly<Record<string, number>>, images: number): string {
  const { overlooked = 0, badly_placed: placed = 0 } = mistakes;
  const doubt =
    overlooked + placed === 0
      ? ''
      : ' Of the overlooked and badly_placed ones most are errors of the model, unless it is very good: look at each.';
  return ` Labels that may be wrong, in ${count(images, 'image')}: ${kindsOf(mistakes)}.${doubt}`;
}

function kindsOf(mistakes: Readonly<Record<string, number>>): string {
  const kinds = Object.entries(mistakes).map(([kind, figure]) => `${figure} ${bare(kind)}`);
  return kinds.length === 0 ? 'none' : kinds.join(', ');
}

function changeOf(before: Answer<typeof compare>['baseline'], after: typeof before): string {
  if (before.meanIou !== undefined) {
    const pixels = `${shown(before.pixelAccuracy)} to ${shown(after.pixelAccuracy)}`;
    return `mean IoU ${shown(before.meanIou)} to ${shown(after.meanIou)}, pixel accuracy ${pixels}`;
  }
  const f1 = `F1 ${shown(before.f1)} to ${shown(after.f1)}`;
  return before.accuracy === undefined
    ? `AP ${shown(before.ap)} to ${shown(after.ap)}, ${f1}`
    : `accuracy ${shown(before.accuracy)} to ${shown(after.accuracy)}, ${f1}`;
}

/** ` Worse: "WBC" (precision 0.972 to 0.958).`, where a mean that rose hides it. */
function worseClasses(classes: Answer<typeof compare>['classes']): string {
  const words = classes.flatMap(({ class: name, before, after }) => {
    const fell = comparedFigures.flatMap((figure) => {
      const [from, to] = [before[figure], after[figure]];
      const isLower = typeof from === 'number' && typeof to === 'number' && to < from - noise;
      return isLower ? [`${figure} ${shown(from)} to ${shown(to)}`] : [];
    });
    return fell.length === 0 ? [] : [`${quoted(name)} (${fell.join(', ')})`];
  });
  const named = words.slice(0, classesNamedMax);
  const more = words.length > named.length ? ` and ${words.length - named.length} more` : '';
  return words.length === 0 ? ' No class is worse.' : ` Worse: ${named.join(', ')}${more}.`;
}

const comparedFigures = ['ap', 'ap50', 'iou', 'f1', 'precision', 'recall'] as const;
/** A smaller difference is none in figures as they are shown. */
const noise = 0.0005;
const classesNamedMax = 3;

function shown(figure: number | null | undefined): string {
  return typeof figure === 'number' ? figure.toFixed(3) : 'unknown';
}
