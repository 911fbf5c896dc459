// Tools of the deployment toolset.

import { deployment } from '../src/contract/deployment.ts';
import { fromOperation } from '../src/mcp/operation-tool.ts';
import type { Tool } from '../src/mcp/tool.ts';
import { quoted } from './format.ts';

export const deploymentTools: readonly Tool[] = [
  fromOperation(deployment.deployment_get, {
    title: 'Get deployment',
    description: 'Which model a project serves.',
    summarize: ({ model }, { project }) =>
      `${quoted(project)} has ${model ? 'a deployed model' : 'no deployed model'}.`,
  }),
  fromOperation(deployment.deployment_set_model, {
    title: 'Deploy model',
    description: 'Replaces the model that a project serves.',
    shortDescriptions: { model: '{type: model_id, modelId} or {type: sam3 | clip, classes}.' },
    summarize: (_answer, { project, model }) =>
      `${quoted(project)} now serves ${quoted(model.modelId ?? model.type)}.`,
  }),
  fromOperation(deployment.active_learning_get, {
    title: 'Get Active Learning',
    description: 'Whether and what Active Learning collects.',
    summarize: (_answer, { project }) => `Active Learning settings of ${quoted(project)}.`,
  }),
  fromOperation(deployment.active_learning_enable, {
    title: 'Enable Active Learning',
    description: 'Collects what the deployed model sees, for labeling.',
    summarize: (_answer, { project }) => `Active Learning of ${quoted(project)} is on.`,
  }),
  fromOperation(deployment.active_learning_disable, {
    title: 'Disable Active Learning',
    description: 'Stops collecting; what was collected stays.',
    summarize: (_answer, { project }) => `Active Learning of ${quoted(project)} is off.`,
  }),
  fromOperation(deployment.active_learning_configure, {
    title: 'Configure Active Learning',
    description: 'How many and which images are collected.',
    summarize: (_answer, { project }) => `Changed Active Learning of ${quoted(project)}.`,
  }),
  fromOperation(deployment.active_learning_images, {
    title: 'List Active Learning images',
    description: 'What was collected and waits for review.',
    hiddenArguments: ['pageSize', 'sortBy', 'sortDirection', 'reviewer'],
    summarize: (_answer, { page = 1 }) => `Page ${page} of the collected images.`,
  }),
];
