// Which training made a model that is judged, in the words of trainings_list.

import type { Store } from '../store/store.ts';

/**
 * Of a model `project/version/training`; undefined for others: these do not say what they learned
 * from.
 */
export function trainingOf(store: Store, modelId: string) {
  return store.trainings.get(modelId.split('/')[2] ?? '');
}

/** As `trainingOf`. */
export async function describeTrained(store: Store, modelId: string) {
  const training = await trainingOf(store, modelId);
  if (training === undefined) return undefined;
  const [project = '', version, trainingId = ''] = modelId.split('/');
  const { modelType } = training;
  // Trainers get no other split to learn from: valid only tells them when to end.
  return { project, version: Number(version), trainingId, modelType, split: 'train' };
}
