// Observed of API keys, folders, deployment, monitoring, vision events, video and workflows.

import { randomUUID } from 'node:crypto';
import { get, is, type Observed, post } from './members.ts';

const keyMembers = {
  keyId: 'text',
  name: 'text or null',
  prefix: 'text',
  scopes: is(null),
  folderIds: is(null),
  default: 'boolean',
  protected: 'boolean',
  disabled: 'boolean',
  created_on: 'ISO time',
  created_by: 'text',
  rotationDueAt: is(null),
  customMetadata: 'object',
} as const;

function under(path: string, members: Observed['members']): Observed['members'] {
  return Object.fromEntries(Object.entries(members).map(([name, held]) => [path + name, held]));
}

export const keyRows: readonly Observed[] = [
  {
    operation: 'GET /{workspace}/api-keys',
    source: 'SDK',
    call: () => get('/acme/api-keys?includeDisabled=true&includeFolders=true'),
    status: 200,
    members: { ...under('apiKeys[].', keyMembers), publishableKey: 'text' },
  },
  {
    operation: 'POST /{workspace}/api-keys',
    source: 'SDK',
    call: () => post('/acme/api-keys', { scopes: null, protected: false, customMetadata: {} }),
    status: 201,
    members: {
      keyId: 'text',
      key: 'text',
      name: is(null),
      scopes: is(null),
      folderIds: is(null),
      protected: is(false),
      publishableKey: 'text',
    },
  },
  {
    operation: 'POST /{workspace}/api-keys, without abilities',
    source: 'SDK',
    call: () => post('/acme/api-keys', { name: 'none', scopes: [] }),
    status: 201,
    members: { scopes: is([]) },
  },
  {
    operation: 'GET /{workspace}/api-keys/publishable',
    source: 'SDK',
    call: () => get('/acme/api-keys/publishable'),
    status: 200,
    members: { publishableKey: 'text' },
  },
  {
    operation: 'GET /{workspace}/api-keys/{keyId}',
    source: 'SDK',
    call: ({ keyId }) => get(`/acme/api-keys/${keyId}`),
    status: 200,
    members: under('apiKey.', keyMembers),
  },
  {
    operation: 'PATCH /{workspace}/api-keys/{keyId}',
    source: 'SDK',
    call: ({ keyId }) => ({
      method: 'PATCH',
      path: `/acme/api-keys/${keyId}`,
      json: { name: 'renamed', customMetadata: { team: 'a' }, disabled: true },
    }),
    status: 200,
    members: { 'apiKey.name': is('renamed'), 'apiKey.disabled': is(true) },
  },
  {
    operation: 'POST /{workspace}/api-keys/{keyId}/roll',
    source: 'SDK',
    call: ({ otherKeyId }) => post(`/acme/api-keys/${otherKeyId}/roll`),
    status: 201,
    members: { keyId: 'text', key: 'text', revokedKeyId: 'text' },
  },
  {
    operation: 'DELETE /{workspace}/api-keys/{keyId}',
    source: 'SDK',
    call: ({ keyId }) => ({ method: 'DELETE', path: `/acme/api-keys/${keyId}` }),
    status: 200,
    members: { status: is('revoked'), keyId: 'text' },
  },
];

export const folderRows: readonly Observed[] = [
  {
    operation: 'GET /{workspace}/groups',
    source: 'DOC, SDK',
    call: ({ folderId }) => get(`/acme/groups?groupId=${folderId}`),
    status: 200,
    members: { 'data[].id': 'text', 'data[].name': 'text', 'data[].projects': is(['cells']) },
  },
  {
    operation: 'GET /{workspace}/groups/{folderId}',
    source: 'DOC',
    call: ({ folderId }) => get(`/acme/groups/${folderId}`),
    status: 200,
    members: { 'data[].id': 'text', 'data[].name': 'text', 'data[].projects': is(['cells']) },
  },
  {
    operation: 'POST /{workspace}/groups',
    source: 'DOC, SDK',
    call: () =>
      post('/acme/groups', {
        name: 'Night',
        projects: [],
        external_id: 'ours',
        auth_groups: { read: [], write: [] },
        parent_id: null,
      }),
    status: 201,
    members: { id: 'text' },
  },
  {
    operation: 'POST /{workspace}/groups/{folderId}?returnUpdated=true',
    source: 'DOC',
    call: ({ folderId }) => post(`/acme/groups/${folderId}?returnUpdated=true`, { name: 'Day' }),
    status: 200,
    members: { 'data[].name': is('Day') },
  },
  {
    operation: 'PATCH /{workspace}/groups/{folderId}/projects',
    source: 'DOC',
    call: ({ folderId }) => ({
      method: 'PATCH',
      path: `/acme/groups/${folderId}/projects`,
      json: { projects: ['incoming'] },
    }),
    status: 204,
    members: {},
  },
  {
    operation: 'DELETE /{workspace}/groups/{folderId}/projects',
    source: 'DOC',
    call: ({ folderId }) => ({
      method: 'DELETE',
      path: `/acme/groups/${folderId}/projects`,
      json: { projects: ['incoming'] },
    }),
    status: 204,
    members: {},
  },
];

const learning = { enabled: 'boolean', collectionLimits: 'object', filters: 'list' } as const;

export const deploymentRows: readonly Observed[] = [
  {
    operation: 'GET .../deploy',
    source: 'DOC, MCPT',
    call: () => get('/acme/cells/deploy'),
    status: 200,
    members: {
      'project.id': is('acme/cells'),
      'project.url': 'address',
      'project.name': is('cells'),
      'project.owner': is('acme'),
      'project.type': is('object-detection'),
      'project.classes': 'list',
      'project.multilabel': is(false),
      workflow: is(null),
      'model.kind': 'text',
      'model.modelId': 'text',
      'deployability.status': 'text',
      'deployability.reason': 'text or null',
      activeLearning: 'object',
    },
  },
  ...(['enable', 'disable'] as const).map(
    (verb): Observed => ({
      operation: `POST .../deploy/active-learning/${verb}`,
      source: 'MCPT',
      call: () => post(`/acme/cells/deploy/active-learning/${verb}`, {}),
      status: 200,
      members: { ...learning, enabled: is(verb === 'enable') },
    }),
  ),
  {
    operation: 'POST .../deploy/active-learning/configuration',
    source: 'MCPT',
    call: () =>
      post('/acme/cells/deploy/active-learning/configuration', {
        collectionLimits: {},
        filters: [
          { type: 'classConfidence', min: 0.1 },
          { type: 'detectionSize', min: 0.1 },
        ],
      }),
    status: 200,
    members: learning,
  },
  {
    operation: 'GET .../deploy/active-learning/images',
    source: 'MCPT',
    call: () =>
      get(
        '/acme/cells/deploy/active-learning/images?page=1&pageSize=50&search=a&status=in_progress&sortBy=progress&sortDirection=desc&reviewer=unassigned',
      ),
    status: 200,
    members: { images: 'list' },
  },
];

const event = () => ({
  eventId: randomUUID(),
  useCaseId: 'line-3',
  timestamp: new Date().toISOString(),
  deviceId: 'camera',
  streamId: 'left',
  workflowId: 'count',
  displayImagePosition: 0,
  customMetadata: { 'shift no-1': 'night' },
});

const detection = { class: 'car', x: 5, y: 5, width: 4, height: 4, confidence: 0.9 };

const eventRow = (eventType: string, eventData: object): Observed => ({
  operation: `POST /vision-events, ${eventType}`,
  source: 'SDK, INF, DOC',
  call: ({ sourceId }) =>
    post('/vision-events', {
      ...event(),
      eventType,
      eventData,
      images: [
        {
          sourceId,
          inputSourceId: sourceId,
          label: 'front',
          objectDetections: [detection],
          classifications: [{ class: 'car', confidence: 0.9 }],
          instanceSegmentations: [
            {
              ...detection,
              points: [
                [1, 1],
                [2, 2],
                [1, 2],
              ],
            },
          ],
          keypoints: [{ ...detection, keypoints: [{ id: 0, x: 1, y: 1 }] }],
        },
      ],
    }),
  status: 201,
  members: { eventId: 'text', created: is(true) },
});

export const eventRows: readonly Observed[] = [
  eventRow('quality_check', { result: 'pass', externalId: 'a' }),
  eventRow('inventory_count', { location: 'a', itemCount: 3, itemType: 'b', externalId: 'c' }),
  eventRow('safety_alert', { alertType: 'a', severity: 'high', description: 'b' }),
  eventRow('custom', { value: 'a', externalId: 'b' }),
  eventRow('operator_feedback', { relatedEventId: 'a', feedback: 'inconclusive' }),
  {
    operation: 'POST /vision-events/batch',
    source: 'SDK, DOC',
    call: () => post('/vision-events/batch', { events: [{ ...event(), eventType: 'custom' }] }),
    status: 201,
    members: { created: is(1), 'eventIds[]': 'text' },
  },
  ...[
    {},
    { eventType: 'custom', startTime: '2026-01-01T00:00:00Z', endTime: '2126-01-01T00:00:00Z' },
    { eventTypes: ['quality_check', 'custom'], limit: 50 },
    { deviceId: { operator: 'eq', value: 'camera' }, streamId: { operator: 'neq', value: 'r' } },
    { workflowId: { operator: 'eq', value: 'count' }, imageCount: { operator: 'gte', value: 1 } },
    { detection: { operator: 'eq', value: 'car', confidence: 0.5 } },
    { externalId: { operator: 'eq', value: 'a' } },
    { eventFieldFilters: [{ column: 'result', operator: 'eq', value: 'pass' }] },
    {
      customMetadataFilters: [
        { field: 'shift no-1', operator: 'eq', value: 'night', type: 'string' },
      ],
    },
  ].map(
    (filters): Observed => ({
      operation: `POST /vision-events/query, ${Object.keys(filters).join(', ')}`,
      source: 'SDK, DOC',
      call: () => post('/vision-events/query', { useCaseId: 'line-3', ...filters }),
      status: 200,
      members: {
        'events[].eventId': 'text',
        'events[].eventType': 'text',
        'events[].timestamp': 'ISO time',
        nextCursor: is(null),
        hasMore: is(false),
        lookbackDays: 'integer',
      },
    }),
  ),
  {
    operation: 'GET /vision-events/use-cases',
    source: 'SDK, DOC',
    call: () => get('/vision-events/use-cases?status=active'),
    status: 200,
    members: {
      'useCases[].id': 'text',
      'useCases[].name': 'text',
      'useCases[].status': is('active'),
      'useCases[].eventCount': 'integer',
      lookbackDays: 'integer',
    },
  },
  {
    operation: 'POST /vision-events/use-cases',
    source: 'SDK',
    call: () => post('/vision-events/use-cases', { name: 'Line 4' }),
    status: 201,
    members: { id: is('line-4'), name: is('Line 4') },
  },
  {
    operation: 'PUT /vision-events/use-cases/{useCaseId}',
    source: 'SDK',
    call: () => ({
      method: 'PUT',
      path: '/vision-events/use-cases/line-4',
      json: { name: 'Line 5' },
    }),
    status: 200,
    members: { id: is('line-4'), name: is('Line 5') },
  },
  ...['archive', 'unarchive'].map(
    (verb): Observed => ({
      operation: `POST /vision-events/use-cases/{useCaseId}/${verb}`,
      source: 'SDK',
      call: () => ({ method: 'POST', path: `/vision-events/use-cases/line-4/${verb}` }),
      status: 200,
      members: { success: is(true) },
    }),
  ),
  {
    operation: 'GET /vision-events/custom-metadata-schema/{useCaseId}',
    source: 'SDK, DOC',
    call: () => get('/vision-events/custom-metadata-schema/line-3'),
    status: 200,
    members: { useCaseId: is('line-3'), 'fields.shift no-1.types': is(['string']) },
  },
];

export const monitoringRows: readonly Observed[] = [
  {
    operation: 'GET /{workspace}/inference-stats',
    source: 'DOC',
    call: () => get('/acme/inference-stats'),
    status: 200,
    members: {
      num_inferences: 'integer',
      num_errors: 'integer',
      avg_confidence: 'number or null',
      avg_response_time: 'number or null',
      prev_num_inferences: 'number or null',
      prev_num_errors: 'number or null',
      prev_avg_confidence: 'number or null',
      prev_avg_response_time: 'number or null',
      'inference_stats[].model_name': 'text',
      'inference_stats[].predicted_class': 'text',
      'inference_stats[].class_count': 'integer',
      'inference_stats[].median_confidence': 'number or null',
      'inference_stats[].model_num_inferences': 'integer',
      'inference_stats[].deployment_types': 'list',
      'inference_stats[].inference_server_versions': 'list',
    },
  },
  {
    operation: 'POST /{workspace}/inference-stats/metadata',
    source: 'DOC',
    call: ({ inferenceId }) =>
      post('/acme/inference-stats/metadata', {
        data: [{ inference_ids: [inferenceId], field_name: 'Place', field_value: 'left' }],
      }),
    status: 200,
    members: { status: is('ok') },
  },
  {
    operation: 'POST /video_upload_signed_url/',
    source: 'DOC, SDK',
    call: () => post('/video_upload_signed_url/', { file_name: 'a.mp4' }),
    status: 200,
    members: { signed_url: 'address' },
  },
  {
    operation: 'POST /video_upload_signed_url, without the slash',
    source: 'SDK',
    call: () => post('/video_upload_signed_url', { file_name: 'a.avi' }),
    status: 200,
    members: { signed_url: 'address' },
  },
  {
    operation: 'POST /videoinfer/',
    source: 'DOC, SDK',
    call: ({ videoLink: input_url }) =>
      post('/videoinfer/', {
        input_url,
        infer_fps: 5,
        models: [{ model_id: 'cells', model_version: '1', inference_type: 'object-detection' }],
      }),
    status: 200,
    members: { job_id: 'text' },
  },
  {
    operation: 'GET /videoinfer/?job_id=',
    source: 'DOC, SDK',
    call: ({ videoJobId }) => get(`/videoinfer/?job_id=${videoJobId}`),
    status: 200,
    members: { status: 'integer' },
  },
  {
    operation: 'GET /{workspace}/workflows',
    source: 'SDK',
    call: () => get('/acme/workflows'),
    status: 200,
    members: { 'workflows[].id': 'text', 'workflows[].name': 'text', 'workflows[].url': 'text' },
  },
  {
    operation: 'GET /{workspace}/workflows/{workflow}',
    source: 'SDK',
    call: ({ workflow }) => get(`/acme/workflows/${workflow}`),
    status: 200,
    members: { 'workflow.id': 'text', 'workflow.name': 'text', 'workflow.config': 'object' },
  },
  {
    operation: 'POST /{workspace}/createWorkflow',
    source: 'SDK',
    call: () => {
      const config = '{"specification":{"version":"1.0"}}';
      const query = new URLSearchParams({
        name: 'Sort cells',
        url: 'sort',
        template: '{}',
        config,
      });
      return { method: 'POST', path: `/acme/createWorkflow?${query}` };
    },
    status: 201,
    members: {
      'workflow.id': 'text',
      'workflow.name': is('Sort cells'),
      'workflow.url': is('sort'),
    },
  },
  {
    operation: 'GET /{workspace}/workflows/{workflow}, its config a text',
    source: 'SDK',
    call: () => get('/acme/workflows/sort'),
    status: 200,
    members: { 'workflow.config': is('{"specification":{"version":"1.0"}}') },
  },
  {
    operation: 'POST /{workspace}/updateWorkflow',
    source: 'SDK',
    call: ({ workflowId: id, workflow: url }) =>
      post('/acme/updateWorkflow', { id, name: 'Cells flow', url, config: '{"specification":{}}' }),
    status: 200,
    members: { 'workflow.id': 'text', 'workflow.name': is('Cells flow') },
  },
  {
    operation: 'POST /{workspace}/forkWorkflow',
    source: 'SDK',
    call: ({ workflow: source_workflow }) =>
      post('/acme/forkWorkflow', { source_workspace: 'acme', source_workflow, name: 'Fork' }),
    status: 201,
    members: { 'workflow.id': 'text', 'workflow.url': is('fork') },
  },
  {
    operation: 'DELETE /{workspace}/workflows/{workflow}',
    source: 'SDK',
    call: ({ workflow }) => ({ method: 'DELETE', path: `/acme/workflows/${workflow}` }),
    status: 200,
    members: { deleted: is(true), type: is('workflow') },
  },
];
