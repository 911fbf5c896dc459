// Tools of the projects toolset.

import type { Answer, Input } from '../src/contract/operation.ts';
import { projects } from '../src/contract/projects.ts';
import { fromOperation } from '../src/mcp/operation-tool.ts';
import type { NextCall, Tool } from '../src/mcp/tool.ts';
import { taskWork, waitForTask } from './follow-up-calls.ts';
import { count, lastPart, nameList, quoted, splitList, tally } from './format.ts';
import { projectsList } from './projects/list-projects.ts';

const versionsShown = 20;

/** The newest versions: old projects have hundreds. */
function newest<Version extends { readonly created?: number | undefined }>(
  versions: readonly Version[],
): readonly Version[] {
  return versions
    .toSorted(({ created: one = 0 }, { created: other = 0 }) => other - one)
    .slice(0, versionsShown);
}

/** Calls that show or fix the problems in the figures. */
function healthCalls(
  { stats, splits, boxes }: Answer<typeof projects.projects_health>,
  { workspace, project }: Input<typeof projects.projects_health>,
): readonly NextCall[] {
  const query = `project:${lastPart(project)} annotated:false`;
  const { train = 0, valid = 0, test = 0 } = splits ?? {};
  const shares = { train: 70, valid: 20, test: 10 };
  const [odd] = boxes
    ? [...boxes.withoutArea.images, ...boxes.overEdge.images, ...boxes.tiny.images]
    : [];
  return [
    ...(odd === undefined
      ? []
      : [
          {
            tool: 'workspace_search',
            arguments: {
              workspace,
              query: `project:${lastPart(project)} filename:${JSON.stringify(odd)}`,
            },
            why: 'Finds the first image with an odd box.',
          },
        ]),
    ...(stats.missingAnnotations > 0
      ? [
          {
            tool: 'workspace_search',
            arguments: { workspace, query },
            why: 'Finds the images without annotation.',
          },
        ]
      : []),
    ...(train > 0 && valid + test === 0
      ? [
          {
            tool: 'projects_rebalance_splits',
            arguments: { workspace, project, splits: shares },
            why: 'Gives the project images to judge a model by.',
          },
        ]
      : []),
  ];
}

/** Classes that are written in two ways: in case, in doubled letters, in the plural. */
function doubleWords(classes: Readonly<Record<string, unknown>>): string {
  const groups = Map.groupBy(Object.keys(classes), spelling);
  const doubles = [...groups.values()].filter(({ length }) => length > 1);
  if (doubles.length === 0) return '';
  return ` Probably one class each: ${doubles.map(nameList).join('; ')}.`;
}

type Health = Answer<typeof projects.projects_health>;

function emptySplits(splits: Health['splits']): string {
  const { train = 0, valid = 0, test = 0 } = splits ?? {};
  const empty = Object.entries({ train, valid, test }).filter(([, images]) => images === 0);
  if (empty.length === 0 || empty.length === 3) return '';
  return ` No images in ${empty.map(([name]) => name).join(' and ')}.`;
}

function oddBoxes(boxes: Health['boxes']): string {
  if (!boxes) return '';
  const { withoutArea, tiny, atEdge, overEdge, checked, complete } = boxes;
  const kinds = [
    { ...withoutArea, what: 'without area' },
    { ...tiny, what: 'tiny' },
    { ...overEdge, what: 'over the edge' },
    { ...atEdge, what: 'at the edge' },
  ].filter(({ count: boxesOdd }) => boxesOdd > 0);
  const said = kinds.map(({ count: n, what, images }) => `${n} ${what} (in ${nameList(images)})`);
  const rest = complete ? '' : ` Only the first ${count(checked, 'box', 'boxes')} were checked.`;
  return `${said.length > 0 ? ` Boxes: ${said.join(', ')}.` : ''}${rest}`;
}

function spelling(label: string): string {
  const letters = label.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
  return letters.replaceAll(/(\p{L})\1+/gu, '$1').replace(/s$/, '');
}

export const projectTools: readonly Tool[] = [
  fromOperation(projects.projects_create, {
    title: 'Create project',
    description:
      'Creates an empty project for one type of labels. The id in the answer is workspace/slug: other tools take the slug. Fill it with images_upload; to copy an existing dataset, use projects_fork.',
    summarize: ({ id, type }) => `Created project ${quoted(lastPart(id))} (${quoted(type)}).`,
    next: ({ id }) => [
      {
        tool: 'images_upload',
        arguments: { project: lastPart(id) },
        why: 'Fills the project; add the files.',
      },
    ],
  }),
  fromOperation(projects.projects_fork, {
    title: 'Fork public project',
    description:
      'Copies a public project, or one of this workspace, with images and labels. Give url or source_project; catalog_search finds public ones. Runs in the background: see tasks_wait.',
    summarize: ({ taskId }) => `Forking started as task ${quoted(taskId)}.`,
    next: ({ taskId }, { workspace }) => [waitForTask(workspace, taskId)],
    work: ({ taskId }, { workspace }) => taskWork(workspace, taskId),
  }),
  projectsList,
  fromOperation(projects.projects_get, {
    title: 'Get project',
    description:
      'Describes a project: type, classes with counts, images per split, and its versions, newest first. For missing labels and class balance use projects_health; for single images workspace_search.',
    summarize: ({ project, versions }) => {
      const { images = 0, unannotated = 0, classes = {} } = project;
      const figures = [
        `${count(images, 'image')} (${unannotated} unannotated)`,
        `${count(Object.keys(classes).length, 'class', 'classes')}`,
        count(versions.length, 'version'),
      ];
      return `Project ${quoted(lastPart(project.id))}: ${figures.join(', ')}.`;
    },
    page: ({ versions }, _input, isBrief) => {
      const shown = isBrief ? newest(versions).length : versions.length;
      const truncated = shown < versions.length;
      const next = truncated && { next: { detail: 'full' } };
      return { total: versions.length, rows: 'versions', shown, truncated, ...next };
    },
    brief: ({ project, versions }) => ({ project, versions: newest(versions) }),
  }),
  fromOperation(projects.projects_delete, {
    title: 'Delete project',
    description:
      'Moves a project with its images and versions to the trash for 30 days. trash_restore undoes it.',
    summarize: (_answer, { project }) => `Project ${quoted(project)} is in the trash.`,
    next: ({ id }, { workspace }) =>
      id === undefined
        ? []
        : [
            {
              tool: 'trash_restore',
              arguments: { workspace, type: 'project', id },
              why: 'Undoes this.',
            },
          ],
  }),
  fromOperation(projects.projects_health, {
    title: 'Check dataset health',
    description:
      'Counts images, boxes per class, splits, images without annotation and images marked empty. Use it after an upload and before versions_generate. It names odd boxes, empty splits and classes spelled in two ways.',
    summarize: ({ stats, splits, boxes }) =>
      `${count(stats.numImages, 'image')}, ${count(stats.numAnnotations, 'annotation')}` +
      ` (${tally(stats.classDistribution) || 'no classes'});` +
      ` ${stats.missingAnnotations} without annotation, ${stats.nullAnnotations} marked empty` +
      `${splits ? `; ${splitList(splits)}` : ''}.${doubleWords(stats.classDistribution)}` +
      `${emptySplits(splits)}${oddBoxes(boxes)}`,
    next: healthCalls,
  }),
  fromOperation(projects.projects_rebalance_splits, {
    title: 'Rebalance splits',
    description:
      'Moves images between train, valid and test until the shares are met. Versions stay as they are. Runs in the background: see tasks_wait.',
    summarize: ({ taskId }, { splits }) =>
      `Rebalancing to ${splitList(splits)} started as task ${quoted(taskId)}.`,
    next: ({ taskId }, { workspace }) => [waitForTask(workspace, taskId)],
    work: ({ taskId }, { workspace }) => taskWork(workspace, taskId),
  }),
  fromOperation(projects.models_list, {
    title: 'List models',
    description:
      'Lists the trained models of a project with their metrics, for deployment_set_model and inference_run. trainings_list shows the runs.',
    summarize: ({ models }) => `${count(models.length, 'model')}.`,
  }),
];
