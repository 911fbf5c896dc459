// Which training made a model that is judged, in the words of trainings_list.

import type { Store } from '../store/store.ts';

/**
 * Of a model `project/version/training`; undefined for others, and for files of predictions: these
 * do not say what they learned from.
 */
export async function describeTrained(store: Store, modelId: string | undefined) {
  const [project, version, trainingId = ''] = modelId?.split('/') ?? [];
  if (trainingId === '') return undefined;
  const training = await store.trainings.get(trainingId);
  if (project === undefined || training === undefined) return undefined;
  const { modelType } = training;
  // Trainers get no other split to learn from: valid only tells them when to end.
  return { project, version: Number(version), trainingId, modelType, split: 'train' };
}
