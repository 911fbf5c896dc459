// Tools of the projects family.

import { projects } from '../src/contract/projects.ts';
import { fromOperation, type Tool } from '../src/mcp/tool.ts';
import { waitForTask } from './next-calls.ts';
import { count, lastPart, quoted, splitList, tally } from './words.ts';

export const projectTools: readonly Tool[] = [
  fromOperation(projects.projects_create, {
    title: 'Create project',
    description:
      'Use this to start a dataset. Returns the project with its id; the slug may get a suffix, so take it from the id.',
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
      'Use this to copy a public project, found with catalog_search, into the workspace. Runs in the background.',
    summarize: ({ taskId }) => `Forking started as task ${quoted(taskId)}.`,
    next: ({ taskId }, { workspace }) => [waitForTask(workspace, taskId)],
  }),
  fromOperation(projects.projects_get, {
    title: 'Get project',
    description: 'Use this to see classes, splits and versions of a project before working on it.',
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
    description:
      'Moves a project with its images and versions to the trash, where it stays 30 days; trash_restore brings it back.',
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
      'Use this to judge a dataset before a version: image and annotation counts, balance of classes, missing labels.',
    summarize: ({ stats }) =>
      `${count(stats.numImages, 'image')}, ${count(stats.numAnnotations, 'annotation')}` +
      ` (${tally(stats.classDistribution) || 'no classes'});` +
      ` ${stats.missingAnnotations} without annotation, ${stats.nullAnnotations} marked empty.`,
  }),
  fromOperation(projects.projects_rebalance_splits, {
    title: 'Rebalance splits',
    description:
      'Use this to change how images divide into train, valid and test; only versions made later show it. Runs in the background.',
    summarize: ({ taskId }, { splits }) =>
      `Rebalancing to ${splitList(splits)} started as task ${quoted(taskId)}.`,
    next: ({ taskId }, { workspace }) => [waitForTask(workspace, taskId)],
  }),
  fromOperation(projects.models_list, {
    title: 'List models',
    description: 'Use this to see the trained models of a project and their metrics.',
    summarize: ({ models }) => `${count(models.length, 'model')}.`,
  }),
];
