// Handlers of Active Learning: its settings, and the batches that wait for review.

import { isoTime } from '../../clock.ts';
import { check } from '../../contract/check.ts';
import { type deployment, learningConfiguration } from '../../contract/deployment.ts';
import type { Input } from '../../contract/operation.ts';
import { invalidInput } from '../../errors.ts';
import type { Handlers } from '../../http-server/handlers.ts';
import { imageContentTypes } from '../../imaging/image-format.ts';
import { limits } from '../../limits.ts';
import { findProject } from '../access-control/accessible-projects.ts';
import type { Principal } from '../access-control/authorization.ts';
import type { PlatformDependencies } from '../dependencies.ts';
import type { ActiveLearning, ReviewQueue } from '../store/active-learning.ts';
import {
  batchesNamePrefix,
  changedSettings,
  filterProblems,
  type LearningSettings,
} from './collection-rules.ts';

type Names =
  | 'active_learning_get'
  | 'active_learning_enable'
  | 'active_learning_disable'
  | 'active_learning_configure'
  | 'active_learning_images';
type Own = Pick<typeof deployment, Names>;

export function activeLearningHandlers(
  dependencies: PlatformDependencies,
): Handlers<Own, Principal> {
  const { store, clock, links } = dependencies;
  const settingsOf = async (principal: Principal, slug: string) => {
    const project = await findProject(dependencies, principal, slug);
    return { project, settings: await store.activeLearning.get(project.id) };
  };
  return {
    active_learning_get: async (input, { principal }) => {
      const { settings } = await settingsOf(principal, input.project);
      return describeSettings(settings);
    },
    active_learning_enable: async (input, { principal }) => {
      const { project } = await settingsOf(principal, input.project);
      await store.activeLearning.enable(project.id, true, clock.now());
      const isDeployed = (await store.deployments.get(project.id)) !== undefined;
      const settings = describeSettings(await store.activeLearning.get(project.id));
      return isDeployed ? settings : { ...settings, notes: [nothingDeployed] };
    },
    active_learning_disable: async (input, { principal }) => {
      const { project } = await settingsOf(principal, input.project);
      await store.activeLearning.enable(project.id, false, clock.now());
      return describeSettings(await store.activeLearning.get(project.id));
    },
    active_learning_configure: async (input, { principal }) => {
      const { project, settings } = await settingsOf(principal, input.project);
      const next = changed(settings, input);
      await store.activeLearning.configure(project.id, next, clock.now());
      return describeSettings(await store.activeLearning.get(project.id));
    },
    active_learning_images: async (input, { principal, origin }) => {
      const { project } = await settingsOf(principal, input.project);
      const { page = 1, pageSize = limits.activeLearningQueueMax } = input;
      const { total, queues } = await store.activeLearning.queues(project.id, {
        page,
        pageSize,
        search: input.search,
        status: input.status ?? 'all',
        sortBy: input.sortBy ?? 'created',
        isAscending: input.sortDirection === 'asc',
        reviewer: input.reviewer === 'unassigned' ? null : input.reviewer,
      });
      const link = ({ hash, name, format }: ReviewQueue['samples'][number]) =>
        links.make(origin, { hash, name, contentType: contentTypeOf(format) });
      return { page, pageSize, total, images: queues.map((queue) => describeQueue(queue, link)) };
    },
  };
}

const nothingDeployed =
  'No model is deployed yet, so only events that name this project are collected: ' +
  'deploy one with deployment_set_model.';

function describeSettings({ isEnabled, collectionLimits, filters }: ActiveLearning) {
  return {
    enabled: isEnabled,
    collectionLimits: { ...collectionLimits },
    filters: filters.map((filter) => ({ ...filter })),
    batchesNamePrefix,
  };
}

function describeQueue(
  queue: ReviewQueue,
  link: (sample: ReviewQueue['samples'][number]) => string,
) {
  const { batchId, name, images, annotated, reviewer = null, created, samples } = queue;
  const isDone = annotated >= images;
  return {
    batchId,
    name,
    images,
    annotated,
    reviewer,
    status: annotated === 0 ? 'not_started' : isDone ? 'completed' : 'in_progress',
    progress: annotated / images,
    created: isoTime(created),
    samples: samples.map((sample) => ({ id: sample.id, name: sample.name, url: link(sample) })),
  };
}

function contentTypeOf(format: string): string {
  const types = new Map<string, string>(Object.entries(imageContentTypes));
  return types.get(format) ?? 'application/octet-stream';
}

/** Throws `invalid_input` naming each wrong member. */
function changed(
  settings: ActiveLearning,
  { collectionLimits, filters }: Input<typeof deployment.active_learning_configure>,
): LearningSettings {
  const change = check(learningConfiguration, {
    ...(collectionLimits !== undefined && { collectionLimits }),
    ...(filters !== undefined && { filters }),
  });
  const problems = filterProblems(change.filters ?? []);
  if (problems.length > 0) throw invalidInput(problems);
  return changedSettings(settings, change);
}
