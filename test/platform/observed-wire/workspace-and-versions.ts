// Observed of the workspace, projects, versions and trainings.

import { get, is, type Observed, post } from './members.ts';

const counts = is({ train: 7, valid: 0, test: 0 });

/** A project in every answer that has one, under this path. */
function projectAt(path: string): Observed['members'] {
  const members = {
    id: 'text',
    type: 'text',
    name: 'text',
    created: 'Unix seconds',
    updated: 'Unix seconds',
    images: 'integer',
    unannotated: 'integer',
    annotation: 'text',
    public: 'boolean',
    'splits.train': 'integer',
    'splits.valid': 'integer',
    'splits.test': 'integer',
    classes: 'object',
    colors: 'object',
  } as const;
  return Object.fromEntries(
    Object.entries(members).map(([name, held]) => [`${path}${name}`, held]),
  );
}

export const workspaceRows: readonly Observed[] = [
  {
    operation: 'GET /',
    source: 'DOC',
    call: () => get('/'),
    status: 200,
    members: { welcome: 'text', instructions: 'text', docs: 'address', workspace: is('acme') },
  },
  {
    operation: 'POST /',
    source: 'SDK',
    call: () => post('/?api_key=a-key-for-tests'),
    status: 200,
    members: { welcome: 'text', workspace: is('acme') },
  },
  {
    operation: 'GET /{workspace}',
    source: 'SDK, DOC',
    call: () => get('/acme'),
    status: 200,
    members: {
      'workspace.name': 'text',
      'workspace.url': is('acme'),
      'workspace.members': 'integer',
      ...projectAt('workspace.projects[].'),
      'workspace.projects[].versions': 'integer',
    },
  },
  {
    operation: 'GET /{workspace}/{project}',
    source: 'SDK, DOC',
    call: () => get('/acme/cells'),
    status: 200,
    members: {
      'workspace.name': 'text',
      'workspace.url': is('acme'),
      'workspace.members': 'integer',
      ...projectAt('project.'),
      'project.id': is('acme/cells'),
      'project.type': is('object-detection'),
      'project.annotation': is('things'),
      'project.splits': counts,
      'project.colors.canary-class': 'colour',
      'versions[].id': 'text',
      'versions[].name': 'text',
      'versions[].created': 'Unix seconds',
      'versions[].images': 'integer',
      'versions[].splits': 'object',
      'versions[].preprocessing': 'object',
      'versions[].augmentation': 'object',
      'versions[].exports': 'list',
    },
  },
  ...(['single-label-classification', 'multi-label-classification'] as const).map(
    (type, index): Observed => ({
      operation: `POST /{workspace}/projects, ${type}`,
      source: 'SDK, MCPT',
      call: () => post('/acme/projects', { name: type, type, annotation: 'cells', license: 'MIT' }),
      status: 201,
      members: {
        ...projectAt(''),
        type: is('classification'),
        multilabel: is(index === 1),
        url: is(type),
      },
    }),
  ),
  ...[
    'object-detection',
    'instance-segmentation',
    'semantic-segmentation',
    'keypoint-detection',
    'text-image-pairs',
  ].map(
    (type): Observed => ({
      operation: `POST /{workspace}/projects, ${type}`,
      source: 'SDK, MCPT',
      call: () => post('/acme/projects', { name: `A ${type}`, type, annotation: 'cells' }),
      status: 201,
      members: { type: is(type), id: is(`acme/a-${type}`) },
    }),
  ),
  ...['', 'Private', 'Public Domain', 'MIT', 'CC BY 4.0', 'BY-NC-SA 4.0', 'ODbL v1.0'].map(
    (license): Observed => ({
      operation: `POST /{workspace}/projects, license "${license}"`,
      source: 'SDK, MCPT',
      call: () =>
        post('/acme/projects', { name: 'x', type: 'object-detection', annotation: 'x', license }),
      status: 201,
      members: { id: 'text', license: is(license) },
    }),
  ),
  {
    operation: 'DELETE /{workspace}/{project}',
    source: 'SDK',
    call: () => ({ method: 'DELETE', path: '/acme/a-semantic-segmentation' }),
    status: 200,
    members: { deleted: is(true), type: is('project'), id: 'text' },
  },
  {
    operation: 'DELETE /{workspace}/{project}, again',
    source: 'SDK',
    call: () => ({ method: 'DELETE', path: '/acme/a-semantic-segmentation' }),
    status: 404,
    members: { 'error.message': 'text' },
  },
  {
    operation: 'GET /{workspace}/{project}/health, regenerated',
    source: 'DOC',
    call: () => get('/acme/cells/health?regenerate=true'),
    status: 200,
    members: { health: is(true), 'stats.numImages': is(7) },
  },
];

export const versionRows: readonly Observed[] = [
  {
    operation: 'POST /{workspace}/{project}/generate',
    source: 'SDK',
    call: () => post('/acme/cells/generate', { preprocessing: {}, augmentation: {} }),
    status: 200,
    members: { message: 'text', version: 'integer' },
  },
  {
    operation: 'GET /{workspace}/{project}/{version}',
    source: 'DOC, SDK',
    call: () => get('/acme/cells/1?nocache=true'),
    status: 200,
    members: {
      'workspace.url': is('acme'),
      'version.id': is('acme/cells/1'),
      'version.name': is('canary version'),
      'version.created': 'Unix seconds',
      'version.images': is(7),
      'version.splits': counts,
      'version.classes[]': is('canary-class'),
      'version.preprocessing': 'object',
      'version.augmentation': 'object',
      'version.exports[]': is('coco'),
      'version.generating': is(false),
      'version.progress': 'number or null',
      'version.model.id': is('cells/1'),
      'version.model.endpoint': 'address',
      'version.model.start': 'Unix milliseconds',
      'version.model.end': 'Unix milliseconds',
      'version.model.fromScratch': is(true),
      'version.model.map': is('100.0'),
      'version.model.recall': 'figure as text',
      'version.model.precision': 'figure as text',
      'version.train.status': is('finished'),
      'version.train.results': 'object',
      'version.trainings[].trainingId': 'text',
      'version.trainings[].status': 'text',
    },
  },
  {
    operation: 'GET /{workspace}/{project}/{version}, its settings',
    source: 'SDK',
    call: () => get('/acme/shown/1'),
    status: 200,
    members: {
      'version.preprocessing': is({ 'auto-orient': true }),
      'version.augmentation': is({ flip: { horizontal: true, vertical: false } }),
    },
  },
  {
    operation: 'GET /{workspace}/{project}/{version}/{format}',
    source: 'SDK',
    call: () => get('/acme/cells/1/coco?nocache=true'),
    status: 200,
    members: { 'export.link': 'address', 'export.size': 'integer', 'export.format': is('coco') },
  },
  {
    operation: 'GET /{workspace}/{project}/{version}/{format}, being written',
    source: 'SDK',
    call: () => get('/acme/cells/1/voc'),
    status: 202,
    members: { progress: 'number' },
  },
  {
    operation: 'DELETE /{workspace}/{project}/{version}',
    source: 'SDK',
    call: () => ({ method: 'DELETE', path: '/acme/cells/2' }),
    status: 200,
    members: { deleted: is(true), type: is('version'), id: is('2'), parentId: 'text' },
  },
  {
    operation: 'GET /{workspace}/{project}/models',
    source: 'SDK',
    call: () => get('/acme/cells/models'),
    status: 200,
    members: {
      'models[].url': 'text',
      'models[].metrics.map50': 'number',
      'models[].metrics.precision': 'number',
      'models[].metrics.recall': 'number',
      'models[].group': 'text',
    },
  },
];

/** While one training runs and others wait. */
export const trainingRows: readonly Observed[] = [
  {
    operation: 'POST .../v2/trainings',
    source: 'SDK, MCPT',
    call: () => post('/acme/cells/1/v2/trainings', { epochs: 299 }),
    status: 200,
    members: { trainingId: 'text', status: is('queued'), jobId: 'text' },
  },
  {
    operation: 'POST .../{version}/train',
    source: 'SDK',
    call: () => post('/acme/cells/1/train?nocache=true', { epochs: 299 }),
    status: 200,
    members: { trainingId: 'text' },
  },
  {
    operation: 'GET .../v2/trainings/get',
    source: 'SDK',
    call: ({ trainingId }) => get(`/acme/cells/1/v2/trainings/get?trainingId=${trainingId}`),
    status: 200,
    members: {
      trainingId: 'text',
      status: 'text',
      modelType: 'text',
      modelGroup: 'text',
      modelCount: 'integer',
      models: 'list',
    },
  },
  {
    operation: 'GET .../v2/trainings/get, of several',
    source: 'SDK',
    call: () => get('/acme/cells/1/v2/trainings/get'),
    status: 409,
    members: { 'error.message': 'text' },
  },
  {
    operation: 'GET .../v2/trainings',
    source: 'SDK',
    call: () => get('/acme/cells/1/v2/trainings'),
    status: 200,
    members: {
      'trainings[].trainingId': 'text',
      'trainings[].status': 'text',
      'trainings[].modelType': 'text',
      'trainings[].modelGroup': 'text',
      'trainings[].modelIds': 'list',
      'trainings[].start': 'Unix milliseconds',
    },
  },
  {
    operation: 'GET .../v2/trainings/recipe',
    source: 'SDK, MCPT',
    call: () => get('/acme/cells/1/v2/trainings/recipe?modelType=yolov8n'),
    status: 200,
    members: {
      schema: 'object',
      'template.hyperparameters': 'object',
      'schema.hyperparameters.epochs.valid': 'list',
      'schema.hyperparameters.epochs.advice.low': 'number',
      'schema.hyperparameters.epochs.advice.high': 'number',
      'schema.hyperparameters.epochs.advice.default': 'number',
    },
  },
  {
    operation: 'GET .../v2/trainings/recipe, an unknown type',
    source: 'SDK, MCPT',
    call: () => get('/acme/cells/1/v2/trainings/recipe?modelType=nothing'),
    status: 404,
    members: { 'error.hint': 'text' },
  },
  {
    operation: 'POST .../v2/trainings/cancel',
    source: 'SDK, MCPT',
    call: ({ otherTrainingId: trainingId }) =>
      post('/acme/cells/1/v2/trainings/cancel', { trainingId, continueIfNoRefund: true }),
    status: 200,
    members: { refund: is(true), status: is('cancelled') },
  },
  {
    operation: 'DELETE .../v2/trainings/{trainingId}',
    source: 'SDK, MCPT',
    call: ({ otherTrainingId }) => ({
      method: 'DELETE',
      path: `/acme/cells/1/v2/trainings/${otherTrainingId}`,
    }),
    status: 200,
    members: { deleted: is(true), alias: is(null) },
  },
];
