// The operations that the embedded platform does not offer yet: one list, one answer.

import { FoveaError } from '../errors.ts';

export const notYet = [
  'projects_fork',
  'projects_rebalance_splits',
  'models_list',
  'trainings_recipe',
  'trainings_cancel',
  'trainings_stop',
  'trainings_delete',
  'api_keys_list',
  'api_keys_create',
  'api_keys_get_publishable',
  'api_keys_get',
  'api_keys_update',
  'api_keys_revoke',
  'folders_list',
  'folders_create',
  'folders_update',
  'folders_delete',
  'folders_set_projects',
  'images_set_metadata_bulk',
  'images_upload_zip',
  'images_upload_zip_status',
  'annotation_jobs_list',
  'annotation_jobs_create',
  'annotation_jobs_get',
  'autolabel_start',
  'autolabel_get',
  'catalog_search',
  'catalog_search_by_image',
  'images_search',
  'workspace_search',
  'search_export_start',
  'search_export_get',
  'deployment_get',
  'deployment_set_model',
  'active_learning_get',
  'active_learning_enable',
  'active_learning_disable',
  'active_learning_configure',
  'active_learning_images',
  'inference_stats_get',
  'inference_stats_set_metadata',
  'video_upload_url_create',
  'video_inference_start',
  'video_inference_get',
] as const;

export type NotYet = (typeof notYet)[number];

/** A handler for each of them, which answers 501 and names the operation. */
export function notYetHandlers(): Record<NotYet, () => Promise<never>> {
  const entries = notYet.map((id): [NotYet, () => Promise<never>] => [
    id,
    async () => {
      throw new FoveaError('not_implemented', `The embedded platform has no ${id} yet.`, {
        hint: 'Set FOVEA_BASE_URL and FOVEA_API_KEY to use a hosted platform for it.',
      });
    },
  ]);
  return fromEntries(entries);
}

/** Object.fromEntries that keeps the names of a closed list. */
function fromEntries<Name extends string, Value>(
  entries: readonly (readonly [Name, Value])[],
): Record<Name, Value>;
function fromEntries(entries: readonly (readonly [string, unknown])[]): object {
  return Object.fromEntries(entries);
}
