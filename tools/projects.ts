// Tools of the projects family.

import { projects } from '../src/contract/projects.ts';
import { fromOperation, type Tool } from '../src/mcp/tool.ts';
import { waitForTask } from './next-calls.ts';
import { count, lastPart, quoted, splitList, tally } from './words.ts';

export const projectTools: readonly Tool[] = [
  fromOperation(projects.projects_create, {
    title: 'Create project',
    description: 'Starts a dataset. The slug may get a suffix: take it from the id.',
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
    description: 'Copies a public project of catalog_search, or an own one, in the background.',
    summarize: ({ taskId }) => `Forking started as task ${quoted(taskId)}.`,
    next: ({ taskId }, { workspace }) => [waitForTask(workspace, taskId)],
  }),
  fromOperation(projects.projects_get, {
    title: 'Get project',
    description: 'Classes, splits and versions of a project.',
    summarize: ({ project, versions }) => {
      const { images = 0, unannotated = 0, classes = {} } = project;
      const figures = [
        `${count(images, 'image')} (${unannotated} unannotated)`,
        `${count(Object.keys(classes).length, 'class', 'classes')}`,
        count(versions.length, 'version'),
      ];
      return `Project ${quoted(lastPart(project.id))}: ${figures.join(', ')}.`;
    },
  }),
  fromOperation(projects.projects_delete, {
    title: 'Delete project',
    description: 'Moves a project to the trash for 30 days (trash_restore).',
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
    description: 'Counts, class balance and missing labels: look before a version.',
    summarize: ({ stats }) =>
      `${count(stats.numImages, 'image')}, ${count(stats.numAnnotations, 'annotation')}` +
      ` (${tally(stats.classDistribution) || 'no classes'});` +
      ` ${stats.missingAnnotations} without annotation, ${stats.nullAnnotations} marked empty.`,
  }),
  fromOperation(projects.projects_rebalance_splits, {
    title: 'Rebalance splits',
    description: 'Moves images between splits, in the background; only later versions show it.',
    summarize: ({ taskId }, { splits }) =>
      `Rebalancing to ${splitList(splits)} started as task ${quoted(taskId)}.`,
    next: ({ taskId }, { workspace }) => [waitForTask(workspace, taskId)],
  }),
  fromOperation(projects.models_list, {
    title: 'List models',
    description: 'Trained models of a project with their metrics.',
    summarize: ({ models }) => `${count(models.length, 'model')}.`,
  }),
];
