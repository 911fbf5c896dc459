// Observed of images, batches, annotation, search, the trash and tasks.

import { get, is, type Observed, post } from './members.ts';

const onePixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const batchMembers = {
  id: 'text',
  name: is('canary batch'),
  images: is(7),
  numJobs: 'integer',
  'uploaded._seconds': 'integer',
  'uploaded._nanoseconds': 'integer',
} as const;

function under(path: string, members: Observed['members']): Observed['members'] {
  return Object.fromEntries(Object.entries(members).map(([name, held]) => [path + name, held]));
}

export const imageRows: readonly Observed[] = [
  {
    operation: 'POST /dataset/{project}/upload, multipart',
    source: 'SDK, DOC',
    call: () => ({
      method: 'POST',
      path: '/dataset/incoming/upload?batch=one&tag=a&tag=b&sequence_number=1&sequence_size=100000',
      form: { name: 'one.png', split: 'valid', metadata: '{"line": 3}', file: onePixel },
    }),
    status: 200,
    members: { id: 'text', success: is(true) },
  },
  {
    operation: 'POST /dataset/{project}/upload, the same image again',
    source: 'SDK, DOC',
    call: () => ({
      method: 'POST',
      path: '/dataset/incoming/upload?name=again.png&inference_id=an-inference',
      form: { file: onePixel },
    }),
    status: 200,
    members: { id: 'text', success: is(true), duplicate: is(true) },
  },
  {
    operation: 'POST /dataset/{project}/upload, an address that cannot be fetched',
    source: 'DOC',
    call: () => ({
      method: 'POST',
      path: `/dataset/incoming/upload?image=${encodeURIComponent('http://127.0.0.1:1/a.png')}`,
    }),
    status: 400,
    members: { 'error.message': 'text' },
  },
  {
    operation: 'POST /dataset/{project}/annotate/{imageId}',
    source: 'SDK, DOC',
    call: ({ otherImageId }) =>
      post(`/dataset/cells/annotate/${otherImageId}?name=a.txt&jobName=ours&overwrite=true`, {
        annotationFile: '0 0.5 0.5 0.5 0.5',
        labelmap: { 0: 'canary-class' },
      }),
    status: 200,
    members: { success: is(true) },
  },
  {
    operation: 'POST /dataset/{project}/annotate/{imageId}, annotated before',
    source: 'SDK, DOC',
    call: ({ otherImageId }) =>
      post(`/dataset/cells/annotate/${otherImageId}?name=a.txt`, {
        annotationFile: '0 0.5 0.5 0.5 0.5',
        labelmap: { 0: 'canary-class' },
      }),
    status: 409,
    members: { 'error.message': 'text' },
  },
  {
    operation: 'GET /{workspace}/{project}/images/{imageId}',
    source: 'DOC',
    call: ({ imageId }) => get(`/acme/cells/images/${imageId}`),
    status: 200,
    members: {
      'image.id': 'text',
      'image.name': 'text',
      'image.annotation.width': is(64),
      'image.annotation.height': is(48),
      'image.annotation.boxes[].label': is('canary-class'),
      'image.annotation.boxes[].x': is(12),
      'image.annotation.boxes[].y': is(12),
      'image.annotation.boxes[].width': is(8),
      'image.annotation.boxes[].height': is(8),
      'image.labels[]': is('canary-class'),
      'image.split': is('train'),
      'image.tags[]': 'text',
      'image.metadata': 'object',
      'image.created': 'ISO time',
      'image.urls.original': 'address',
      'image.urls.thumb': 'address',
    },
  },
  ...(['add', 'remove', 'set'] as const).map(
    (operation): Observed => ({
      operation: `POST .../images/{imageId}/tags, ${operation}`,
      source: 'DOC',
      call: ({ taggedImageId }) =>
        post(`/acme/cells/images/${taggedImageId}/tags`, { operation, tags: ['a_tag'] }),
      status: 200,
      members: { success: is(true) },
    }),
  ),
  {
    operation: 'POST /{workspace}/images/{imageId}/metadata',
    source: 'SDK',
    call: ({ taggedImageId }) =>
      post(`/acme/images/${taggedImageId}/metadata`, {
        metadata: { text: 'a', number: 1, flag: true },
        removeMetadata: ['gone'],
        addTags: ['x'],
        removeTags: ['y'],
      }),
    status: 200,
    members: { success: is(true) },
  },
  {
    operation: 'POST /{workspace}/images/metadata',
    source: 'SDK',
    call: ({ taggedImageId }) =>
      post('/acme/images/metadata', { updates: [{ imageId: taggedImageId, addTags: ['z'] }] }),
    status: 202,
    members: { taskId: 'text', url: 'address' },
  },
  {
    operation: 'GET /{workspace}/asynctasks/{taskId}, of metadata',
    source: 'SDK',
    call: ({ bulkTaskId }) => get(`/acme/asynctasks/${bulkTaskId}`),
    status: 200,
    members: {
      taskId: 'text',
      status: is('completed'),
      'progress.current': is(2),
      'progress.total': is(2),
      'result.succeeded': is(1),
      'result.failed': is(1),
      'result.failedItems[].imageId': is('nobody'),
    },
  },
  {
    operation: 'GET /{workspace}/{project}/batches',
    source: 'DOC',
    call: () => get('/acme/cells/batches'),
    status: 200,
    members: under('batches[].', batchMembers),
  },
  {
    operation: 'GET /{workspace}/{project}/batches/{batchId}',
    source: 'DOC, SDK',
    call: ({ batchId }) => get(`/acme/cells/batches/${batchId}`),
    status: 200,
    members: { ...batchMembers, ...under('batch.', batchMembers) },
  },
  {
    operation: 'POST /{workspace}/{project}/upload/zip',
    source: 'DOC, MCPT, SDK',
    call: () => post('/acme/cells/upload/zip', { split: 'train', batchName: 'zip', tags: ['a'] }),
    status: 202,
    members: { taskId: 'text', signedUrl: 'address', url: 'address' },
  },
  {
    operation: 'GET /{workspace}/upload/zip/{taskId}',
    source: 'DOC',
    call: ({ zipTaskId }) => get(`/acme/upload/zip/${zipTaskId}`),
    status: 200,
    members: { status: is('created') },
  },
];

const jobMembers = {
  id: 'text',
  name: 'text',
  project: is('cells'),
  owner: is('acme'),
  createdBy: 'text',
  sourceBatch: 'text',
  status: 'text',
  numImages: is(1),
  unannotated: 'integer',
  annotated: 'integer',
  approved: 'integer',
  rejected: 'integer',
  instructionsText: 'text or null',
  'created._seconds': 'integer',
} as const;

const people = { labeler: is('ada@example.com'), reviewer: is('bob@example.com') };

export const annotationRows: readonly Observed[] = [
  {
    operation: 'GET /{workspace}/{project}/jobs/{jobId}',
    source: 'DOC',
    call: ({ jobId }) => get(`/acme/cells/jobs/${jobId}`),
    status: 200,
    members: { ...jobMembers, ...people },
  },
  {
    operation: 'GET /{workspace}/{project}/jobs',
    source: 'DOC',
    call: () => get('/acme/cells/jobs'),
    status: 200,
    members: under('jobs[].', { id: 'text', name: 'text', numImages: 'integer' }),
  },
  {
    operation: 'GET /{workspace}/autolabel/jobs/{jobId}',
    source: 'MCPT, DOC',
    call: ({ autolabelId }) => get(`/acme/autolabel/jobs/${autolabelId}`),
    status: 200,
    members: {
      status: 'text',
      modelType: is('local'),
      projectType: is('object-detection'),
      'images.total': is(1),
      'progress.current': 'integer',
      ontology: 'object',
      confidenceThresholds: 'object',
      annotationJobId: 'text',
    },
  },
];

export const searchRows: readonly Observed[] = [
  {
    operation: 'GET /catalog/search',
    source: 'SDK, DOC',
    call: () => get('/catalog/search?q=shown&limit=12&page=1'),
    status: 200,
    members: {
      'results[].workspace': is('acme'),
      'results[].project': is('shown'),
      'results[].name': is('Shown'),
      'results[].url': 'address',
      'results[].type': is('object-detection'),
      'results[].classes': 'list',
      'results[].images': is(1),
      'results[].thumbnail': 'address',
      'results[].annotationThumbnail': is(null),
      'results[].license': 'text or null',
      'results[].stars': is(0),
      'results[].views': is(0),
      'results[].downloads': is(0),
      'results[].modelCount': is(0),
      'results[].latestVersion': is(1),
    },
  },
  {
    operation: 'GET /universe/search',
    source: 'SDK, DOC',
    call: () => get('/universe/search?q=shown'),
    status: 200,
    members: { 'results[].project': is('shown') },
  },
  {
    operation: 'POST /{workspace}/{project}/search',
    source: 'DOC, MCPT',
    call: () => post('/acme/cells/search', { offset: 0, limit: 50 }),
    status: 200,
    members: {
      offset: is(0),
      total: is(7),
      'results[].id': 'text',
      'results[].created': 'ISO time',
    },
  },
  {
    operation: 'POST /{workspace}/{project}/search, every field',
    source: 'DOC, MCPT, INF',
    call: () =>
      post('/acme/cells/search', {
        class_name: 'canary-class',
        tag: 'canary-tag',
        limit: 250,
        fields:
          'id name filename url created annotations labels split tags owner embedding user_metadata width height aspectRatio'.split(
            ' ',
          ),
      }),
    status: 200,
    members: {
      'results[].id': 'text',
      'results[].name': 'text',
      'results[].filename': 'text',
      'results[].url': 'address',
      'results[].created': 'ISO time',
      'results[].annotations': 'object',
      'results[].labels': 'list',
      'results[].split': is('train'),
      'results[].tags': 'list',
      'results[].owner': is('acme'),
      'results[].embedding': 'list',
      'results[].user_metadata': 'object',
      'results[].width': is(64),
      'results[].height': is(48),
      'results[].aspectRatio': is(1.3333),
    },
  },
  {
    operation: 'POST /{workspace}/search/v1',
    source: 'SDK',
    call: () => post('/acme/search/v1', { query: '*', pageSize: 1, fields: ['name'] }),
    status: 200,
    members: { 'results[].name': 'text', total: 'integer', continuationToken: 'text' },
  },
  {
    operation: 'POST /{workspace}/search/v1, projects',
    source: 'SDK',
    call: () => post('/acme/search/v1', { query: 'project:cells', fields: ['projects'] }),
    status: 200,
    members: { 'results[].projects': is(['cells']) },
  },
  ...[
    'filename:*.png',
    'tag:canary',
    'split:train',
    'class:canary-class',
    'class:canary-class>=3',
    'metadata:place=here',
    'project:cells',
    'project:false',
    'job:ours',
    'sort:created',
    'min-width:10 max-height:900',
    'min-annotations:1',
    '(tag:a OR tag:b) AND NOT split:test -tag:c',
  ].map(
    (query): Observed => ({
      operation: `POST /{workspace}/search/v1, ${query}`,
      source: 'SKILL',
      call: () => post('/acme/search/v1', { query }),
      status: 200,
      members: { results: 'list', total: 'integer' },
    }),
  ),
  {
    operation: 'POST /{workspace}/search/export',
    source: 'SDK',
    call: () =>
      post('/acme/search/export', { query: '*', format: 'coco', annotationGroup: 'things' }),
    status: 202,
    members: { link: 'text', taskId: 'text' },
  },
  {
    operation: 'POST /{workspace}/search/export, of all that matches',
    source: 'SDK',
    call: () => post('/acme/search/export', { query: 'tag:canary-tag', format: 'coco' }),
    status: 202,
    members: { link: 'text' },
  },
  {
    operation: 'GET /{workspace}/search/export/{taskId}',
    source: 'SDK',
    call: ({ exportTaskId }) => get(`/acme/search/export/${exportTaskId}`),
    status: 200,
    members: { ready: is(true), link: 'address' },
  },
];

const trashed = {
  id: 'text',
  name: 'text',
  url: 'text',
  deletedAt: 'ISO time',
  scheduledCleanupAt: 'ISO time',
  deletedBy: 'text or null',
} as const;

export const trashRows: readonly Observed[] = [
  {
    operation: 'GET /{workspace}/trash',
    source: 'SDK, MCPT',
    call: () => get('/acme/trash'),
    status: 200,
    members: {
      ...under('items[].', { ...trashed, type: 'text' }),
      ...under('sections.projects[].', { ...trashed, url: 'slug' }),
      ...under('sections.versions[].', {
        ...trashed,
        parentId: 'text',
        parentName: is('cells'),
        parentUrl: is('cells'),
      }),
      'sections.workflows': 'list',
      'sections.trainings': 'list',
    },
  },
  {
    operation: 'POST /{workspace}/trash/restore',
    source: 'SDK',
    call: ({ trashedProjectId: id }) => post('/acme/trash/restore', { type: 'project', id }),
    status: 200,
    members: { restored: is(true), type: is('project'), id: 'text' },
  },
];
