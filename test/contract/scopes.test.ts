// The scope of every operation, as a table of its own: a changed scope is a change for everybody
// who has registered an application.

import { expect, test } from 'vitest';
import { deviceOperations } from '../../src/contract/device-operations.ts';
import { embeddedOperations, operations, platformOperations } from '../../src/contract/index.ts';
import { openApi, type ServiceDescription } from '../../src/contract/openapi.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { scopes } from '../../src/contract/scopes.ts';
import { reservedWorkspaces } from '../../src/contract/workspace.ts';

const table: Readonly<Record<string, readonly string[]>> = {
  'workspace:read': [
    'workspace_whoami',
    'workspace_get',
    'trash_list',
    'tasks_get',
    'tasks_list',
    'activity_list',
  ],
  'project:create': ['projects_create', 'projects_fork'],
  'project:read': [
    'projects_get',
    'classes_renamed',
    'projects_health',
    'models_list',
    'catalog_search',
    'catalog_search_by_image',
    'deployment_get',
    'active_learning_get',
  ],
  'project:update': [
    'projects_delete',
    'projects_rebalance_splits',
    'classes_change',
    'images_delete',
    'images_delete_orphans',
    'images_set_split',
    'trash_restore',
    'active_learning_enable',
    'active_learning_disable',
    'active_learning_configure',
  ],
  'image:create': ['images_upload', 'images_upload_zip', 'images_import_objects'],
  'image:read': [
    'images_get',
    'images_picture',
    'images_upload_zip_status',
    'images_search',
    'projects_findings',
    'workspace_search',
    'search_export_start',
    'search_export_get',
    'active_learning_images',
  ],
  'image:tag': ['images_tag', 'evaluations_tag', 'images_set_metadata', 'images_set_metadata_bulk'],
  'image:annotate': [
    'images_annotate',
    'annotation_jobs_label',
    'images_remove_annotation',
    'evaluations_mend',
    'images_refuse_predictions',
  ],
  'model:infer': [
    'inference_stats_set_metadata',
    'inference_run',
    'inference_draw',
    'images_predictions',
  ],
  'model:deploy': ['deployment_set_model'],
  'model-eval:read': ['evaluations_list', 'evaluations_get', 'evaluations_compare'],
  'workflow:create': ['workflows_create', 'workflows_fork'],
  'workflow:read': ['workflows_list', 'workflows_get'],
  'workflow:update': ['workflows_update', 'workflows_delete'],
  'version:create': ['versions_generate'],
  'version:read': [
    'versions_get',
    'versions_export',
    'versions_diff',
    'trainings_recipe',
    'versions_preview',
    'versions_estimate',
    'versions_preview_files',
    'trainings_get',
    'trainings_list',
  ],
  'version:update': ['versions_delete'],
  'training-job:create': [
    'trainings_start',
    'trainings_cancel',
    'trainings_stop',
    'trainings_delete',
    'evaluations_create',
    'evaluations_delete',
  ],
  'folder:create': ['folders_create'],
  'folder:read': ['folders_list'],
  'folder:update': ['folders_update', 'folders_set_projects', 'folders_remove_projects'],
  'folder:delete': ['folders_delete'],
  'vision-events:read': [
    'events_list',
    'events_get',
    'events_latest',
    'events_count',
    'events_stats',
    'events_ledger',
    'events_preview',
    'event_schemas_list',
    'vision_events_query',
    'vision_events_get',
    'vision_events_image',
    'use_cases_list',
    'use_cases_metadata_schema',
  ],
  'vision-events:write': [
    'vision_events_create',
    'vision_events_create_batch',
    'vision_events_upload_image',
    'events_create',
    'events_attach_video',
    'events_attach_file',
    'events_finalize',
  ],
  'vision-events:manage': [
    'events_hold',
    'events_release',
    'events_retry_upload',
    'use_cases_create',
    'use_cases_rename',
    'use_cases_archive',
    'use_cases_unarchive',
  ],
  'annotation-job:create': [
    'annotation_jobs_create',
    'annotation_jobs_create_for_images',
    'annotation_jobs_review',
    'annotation_jobs_decide',
    'annotation_review',
    'autolabel_start',
  ],
  'annotation-job:read': [
    'annotation_jobs_list',
    'annotation_jobs_get',
    'annotation_jobs_images',
    'annotation_jobs_agreement',
    'autolabel_get',
  ],
  'video-inference-job:create': ['video_upload_url_create', 'video_inference_start'],
  'video-inference-job:read': ['video_inference_get', 'video_inference_sheet'],
  'credentials:create': ['api_keys_create'],
  'credentials:read': ['api_keys_list', 'api_keys_get', 'api_keys_get_publishable'],
  'credentials:update': ['api_keys_update', 'api_keys_roll'],
  'credentials:delete': ['api_keys_revoke'],
  'batch:read': ['batches_list', 'batches_get'],
  'workspace-stats:read': ['inference_stats_get'],
};

const all = Object.values({ ...operations, ...embeddedOperations, ...deviceOperations });

test('every operation has the scope of the table, and the table no other operation', () => {
  const expected = Object.entries(table).flatMap(([scope, ids]) =>
    ids.map((id): [string, string] => [id, scope]),
  );
  expect(Object.fromEntries(all.map(({ id, scope }) => [id, scope]))).toEqual(
    Object.fromEntries(expected),
  );
  expect(expected).toHaveLength(all.length);
});

test('the list of scopes is that of the specification, group by group', () => {
  expect(scopes).toEqual([
    'openid',
    'profile',
    'email',
    'workspace:read',
    'project:create',
    'project:read',
    'project:update',
    'image:create',
    'image:read',
    'image:tag',
    'image:annotate',
    'model:infer',
    'model:deploy',
    'model:manage',
    'model-eval:read',
    'workflow:create',
    'workflow:read',
    'workflow:update',
    'version:create',
    'version:read',
    'version:update',
    'training-job:create',
    'folder:create',
    'folder:read',
    'folder:update',
    'folder:delete',
    'device:read',
    'device:update',
    'vision-events:read',
    'vision-events:write',
    'vision-events:manage',
    'annotation-job:create',
    'annotation-job:read',
    'video-inference-job:create',
    'video-inference-job:read',
    'integration:create',
    'integration:delete',
    'credentials:create',
    'credentials:read',
    'credentials:update',
    'credentials:delete',
    'data-staging:read',
    'data-staging:write',
    'data-staging:delete',
    'batch-processing:read',
    'batch-processing:trigger',
    'batch:read',
    'workspace-stats:read',
  ]);
});

test('no operation is open to a token that may only tell who somebody is', () => {
  const identity = ['openid', 'profile', 'email'];
  expect(all.filter(({ scope }) => identity.includes(scope))).toEqual([]);
});

test('reading scopes only read, and what reads needs no other', () => {
  const reading = /:read$/;
  // The specification speaks of one export of a search; it changes nothing in the workspace.
  // Whoever may run a model may see what it found, on images of their own or of a project.
  const excepted = ['search_export_start', 'images_predictions', 'inference_draw'];
  const wrong = all.filter(({ scope, effect }) => reading.test(scope) !== (effect === 'reads'));
  expect(wrong.map(({ id }) => id)).toEqual(excepted);
});

test('no workspace can hide another address of the platform', () => {
  const paths = Object.values<Operation>(embeddedOperations).flatMap(({ path, alsoAt }) => [
    path,
    ...alsoAt.map((address) => address.path),
  ]);
  const first = paths.map((path) => path.split('/')[1] ?? '');
  const texts = first.filter((segment) => segment !== '' && !segment.startsWith('{'));
  const addresses = [
    '.well-known',
    'blobs',
    'health',
    'oauth',
    'settings',
    'docs',
    'openapi.json',
    'page',
    'thumbs',
    'uploads',
    'favicon.ico',
  ];
  expect([...reservedWorkspaces].sort()).toEqual([...new Set([...texts, ...addresses])].sort());
});

test('the documents of the services: scopes for tokens, none for the device key', () => {
  const service: ServiceDescription = {
    title: 'A service',
    version: '1',
    description: 'For tests.',
    security: { device_key: { type: 'apiKey' }, bearer: { type: 'http' } },
    errors: () => [],
    errorAnswer: () => ({ description: '', schema: {} }),
  };
  expect(openApi(platformOperations, service)).toHaveProperty(
    ['paths', '/{workspace}/{project}/splits/rebalance', 'post', 'security'],
    [{ bearer: ['project:update'] }],
  );
  expect(openApi(deviceOperations, service)).toHaveProperty(
    ['paths', '/v2/events', 'post', 'security'],
    [{ device_key: [] }],
  );
});
