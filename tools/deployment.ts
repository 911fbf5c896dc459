// Tools of the deployment toolset.

import { deployment, learningConfiguration } from '../src/contract/deployment.ts';
import { inProject } from '../src/contract/fields.ts';
import { fromOperation } from '../src/mcp/operation-tool.ts';
import type { Tool } from '../src/mcp/tool.ts';
import { lastPart, quoted } from './format.ts';

/** By the member that names it; services may send others. */
function nameOfModel(model: Readonly<Record<string, unknown>>): string {
  const { modelId, name, kind, type } = { modelId: 0, name: 0, kind: 0, type: 0, ...model };
  const found = [modelId, name, kind, type].find((value) => typeof value === 'string');
  return typeof found === 'string' ? `the model ${quoted(found)}` : 'a model without a name';
}

export const deploymentTools: readonly Tool[] = [
  fromOperation(deployment.deployment_get, {
    title: 'Get deployment',
    description: 'Tells which model a project serves. deployment_set_model changes it.',
    summarize: ({ model }, { project }) =>
      model
        ? `${quoted(project)} serves ${nameOfModel(model)}.`
        : `${quoted(project)} has no deployed model.`,
  }),
  fromOperation(deployment.deployment_set_model, {
    title: 'Deploy model',
    description:
      'Makes another model the one that a project serves. models_list and trainings_list have the model ids; inference_run tries a model without deploying it.',
    summarize: (_answer, { project, model }) =>
      `${quoted(project)} now serves ${quoted(model.modelId ?? model.type)}.`,
    next: (_answer, { workspace, project, model: { modelId = '' } }) => {
      const [trainedOn, version] = modelId.split('/');
      if (trainedOn !== lastPart(project) || !/^\d+$/.test(version ?? '')) return [];
      return [
        {
          tool: 'evaluations_create',
          arguments: { workspace, project, version: Number(version) },
          why: 'Judges it by the test split of the version that it was trained on.',
        },
      ];
    },
  }),
  fromOperation(deployment.active_learning_get, {
    title: 'Get Active Learning',
    description: 'Tells whether Active Learning collects images, how many, and by which filters.',
    summarize: (_answer, { project }) => `Active Learning settings of ${quoted(project)}.`,
  }),
  fromOperation(deployment.active_learning_enable, {
    title: 'Enable Active Learning',
    description:
      'Starts to collect images that the deployed model sees, to be labelled. active_learning_configure says which.',
    summarize: (_answer, { project }) => `Active Learning of ${quoted(project)} is on.`,
  }),
  fromOperation(deployment.active_learning_disable, {
    title: 'Disable Active Learning',
    description: 'Stops collecting images; what was collected stays.',
    summarize: (_answer, { project }) => `Active Learning of ${quoted(project)} is off.`,
  }),
  fromOperation(deployment.active_learning_configure, {
    title: 'Configure Active Learning',
    offered: inProject.extend(learningConfiguration.shape),
    description:
      'Sets how many and which images Active Learning collects. What is left out stays; null resets a member to its default.',
    summarize: (_answer, { project }) => `Changed Active Learning of ${quoted(project)}.`,
  }),
  fromOperation(deployment.active_learning_images, {
    title: 'List Active Learning images',
    description: 'Lists what Active Learning collected and what waits for review, by page.',
    summarize: (_answer, { page = 1 }) => `Page ${page} of the collected images.`,
  }),
];
