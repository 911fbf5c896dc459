// Tools of the projects toolset.

import { projects } from '../src/contract/projects.ts';
import { fromOperation } from '../src/mcp/operation-tool.ts';
import type { Tool } from '../src/mcp/tool.ts';
import { taskWork, waitForTask } from './follow-up-calls.ts';
import { count, lastPart, quoted, splitList } from './format.ts';
import { classesChange } from './projects/change-classes.ts';
import { projectsFindings } from './projects/findings.ts';
import { projectsHealth } from './projects/health.ts';
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

export const projectTools: readonly Tool[] = [
  fromOperation(projects.projects_create, {
    title: 'Create project',
    description:
      'Creates an empty project for one type of labels. The id in the answer is workspace/slug: other tools take the slug. Fill it with images_upload; to copy an existing dataset, use projects_fork.',
    summarize: ({ id, type, slug_taken: taken }) => {
      const made = `Created project ${quoted(lastPart(id))} (${quoted(type)}).`;
      if (taken === undefined) return made;
      return `${made} Another project, maybe in the trash, has the slug ${quoted(taken)} already: this is a second one.`;
    },
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
  projectsHealth,
  projectsFindings,
  classesChange,
  fromOperation(projects.projects_rebalance_splits, {
    title: 'Rebalance splits',
    description:
      'Moves images between train, valid and test until the shares are met; near-duplicates (embedded) come into one split. Versions stay as they are. Runs in the background: see tasks_wait.',
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
