// Forms of requests that clients of the hosted platform send.

import { type Call, get, is, type Known, type Observed, post } from './members.ts';

function accepted(
  operation: string,
  source: string,
  status: number,
  call: (things: Known) => Call,
  members: Observed['members'] = {},
): Observed {
  return { operation, source, status, call, members };
}

const key = 'a-key-for-tests';

export const credentialRows: readonly Observed[] = [
  accepted('api_key in the query', 'DOC', 200, () => ({
    ...get(`/acme?api_key=${key}`),
    isAnonymous: true,
  })),
  accepted('api_key in the body of a POST', 'DOC', 200, () => ({
    ...post('/acme/search/v1', { query: '*', api_key: key }),
    isAnonymous: true,
  })),
  accepted('no credential', 'DOC', 401, () => ({ ...get('/acme'), isAnonymous: true }), {
    'error.message': 'text',
    'error.hint': 'text',
  }),
];

export const signInRows: readonly Observed[] = [
  'openid-configuration',
  'oauth-authorization-server',
].map((name) =>
  accepted(
    `GET /.well-known/${name}`,
    'AE',
    200,
    ({ signIn }) => get(`${signIn}/.well-known/${name}`),
    {
      issuer: 'address',
      authorization_endpoint: 'address',
      token_endpoint: 'address',
      revocation_endpoint: 'address',
      userinfo_endpoint: 'address',
      jwks_uri: 'address',
      code_challenge_methods_supported: is(['S256']),
      id_token_signing_alg_values_supported: is(['RS256']),
      'token_endpoint_auth_methods_supported[]': 'text',
      'grant_types_supported[]': 'text',
      client_id_metadata_document_supported: is(true),
      authorization_response_iss_parameter_supported: is(true),
    },
  ),
);

export const imageRequestRows: readonly Observed[] = [
  accepted(
    'upload of base64 text',
    'DOC, INF',
    200,
    () => ({
      method: 'POST',
      path: '/dataset/incoming/upload?name=two.png&split=test',
      text: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
      contentType: 'application/x-www-form-urlencoded',
    }),
    { id: 'text', success: is(true) },
  ),
  accepted('annotation as plain text', 'SDK, DOC', 200, ({ taggedImageId }) => ({
    method: 'POST',
    path: `/dataset/cells/annotate/${taggedImageId}?name=a.xml&overwrite=true&prediction=true`,
    text: '<annotation><object><name>cell</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>9</xmax><ymax>9</ymax></bndbox></object></annotation>',
    contentType: 'text/plain',
  })),
  accepted('a class as text', 'SDK, DOC', 200, ({ oneLabelImageId }) =>
    post(`/dataset/one-label/annotate/${oneLabelImageId}?name=a.txt`, {
      annotationFile: 'ripe',
      labelmap: null,
    }),
  ),
  accepted('another class: no overwrite is needed', 'SDK, DOC', 200, ({ oneLabelImageId }) =>
    post(`/dataset/one-label/annotate/${oneLabelImageId}?name=a.txt`, { annotationFile: 'raw' }),
  ),
  accepted('classes as a JSON array', 'SDK, DOC', 200, ({ manyLabelsImageId }) =>
    post(`/dataset/many-labels/annotate/${manyLabelsImageId}?name=a.json`, {
      annotationFile: '["ripe", "red"]',
    }),
  ),
  accepted(
    'an outline, read back',
    'DOC',
    200,
    ({ outlinedImageId }) => get(`/acme/outlines/images/${outlinedImageId}`),
    {
      'image.annotation.boxes[].points': is([
        [8, 6],
        [56, 6],
        [56, 42],
      ]),
    },
  ),
  accepted(
    'more updates of metadata than one',
    'SDK',
    202,
    ({ imageId, otherImageId }) =>
      post('/acme/images/metadata', {
        updates: [
          { imageId, metadata: { place: 'left' } },
          { imageId: otherImageId, removeMetadata: ['place'] },
        ],
      }),
    { taskId: 'text', url: 'address' },
  ),
  accepted(
    'deletion of images that no project has',
    'SDK',
    200,
    ({ imageId }) => ({ method: 'DELETE', path: '/acme/images', json: { images: [imageId] } }),
    { deleted: is(0), skipped: is(1), deletedSources: is(0), skippedSources: is(1) },
  ),
  accepted('deletion of images', 'SDK', 204, ({ manyLabelsImageId }) => ({
    method: 'DELETE',
    path: '/acme/many-labels/images',
    json: { images: [manyLabelsImageId] },
  })),
];

export const jobRequestRows: readonly Observed[] = [
  accepted(
    'an annotation job',
    'DOC, SDK',
    201,
    ({ batchId }) =>
      post('/acme/cells/jobs', {
        name: 'Monday',
        batch: batchId,
        num_images: 1,
        labelerEmail: 'ada@example.com',
        reviewerEmail: 'bob@example.com',
      }),
    { id: 'text', numImages: is(1) },
  ),
  accepted(
    'Auto Label with every member',
    'DOC, MCPT',
    202,
    ({ batchId }) =>
      post('/acme/cells/autolabel', {
        batchId,
        modelType: 'custom_roboflow',
        modelOptions: { modelId: 'local', outputFormat: 'polygon' },
        ontology: { red: 'cell' },
        numImagesToLabel: 1,
        defaultConfidence: 0.5,
        confidenceThresholds: { cell: 0.6 },
        runNms: true,
        reviewerEmail: 'bob@example.com',
      }),
    { jobId: 'text', annotationJobId: 'text', message: 'text' },
  ),
];

export const searchRequestRows: readonly Observed[] = [
  ...[
    'class:cell,nucleus',
    'tag:night',
    'model:yolov8',
    'images>500',
    'stars>=5',
    'cells sort:stars',
    'updated:30d',
    'object detection cells',
  ].map((q) =>
    accepted(
      `catalogue: ${q}`,
      'SDK, SKILL',
      200,
      () => get(`/catalog/search?${new URLSearchParams({ q })}`),
      { results: 'list' },
    ),
  ),
  ...['object-detection', 'classification', 'dataset', 'model'].map((type) =>
    accepted(`catalogue: type ${type}`, 'SDK', 200, () => get(`/catalog/search?q=a&type=${type}`), {
      results: 'list',
    }),
  ),
  accepted('search by words', 'DOC', 200, () =>
    post('/acme/cells/search', { prompt: 'canary', batch: false, in_dataset: true }),
  ),
  accepted('search by an image', 'DOC', 200, ({ imageId }) =>
    post('/acme/cells/search', { like_image: imageId }),
  ),
  accepted('search in a batch and a job', 'DOC', 200, ({ batchId, jobId }) =>
    post('/acme/cells/search', {
      batch: true,
      batch_id: batchId,
      annotation_job: true,
      annotation_job_id: jobId,
    }),
  ),
  accepted('search by likeness in the query', 'SKILL', 200, ({ imageId }) =>
    post('/acme/search/v1', { query: `like-image:${imageId}` }),
  ),
];

const resizeFormats = [
  'Stretch to',
  'Fill (with center crop) in',
  'Fit within',
  'Fit (reflect edges) in',
  'Fit (black edges) in',
  'Fit (white edges) in',
  'Fit (grey edges) in',
];

function generated(operation: string, preprocessing: object, augmentation: object = {}) {
  return accepted(
    operation,
    'DOC, INF',
    200,
    () => post('/acme/shown/generate', { preprocessing, augmentation }),
    { version: 'integer', message: 'text' },
  );
}

export const versionRequestRows: readonly Observed[] = [
  ...resizeFormats.map((format) =>
    generated(`a version: ${format}`, { resize: { width: 32, height: 32, format } }),
  ),
  ...['Contrast Stretching', 'Histogram Equalization', 'Adaptive Equalization'].map((type) =>
    generated(`a version: ${type}`, { contrast: { type } }),
  ),
  generated(
    'a version with the figures of the documentation',
    { 'auto-orient': true },
    {
      blur: { pixels: 1.5 },
      noise: { percent: 50 },
      cutout: { count: 26, percent: 71 },
      hue: { degrees: 180 },
      rotate: { degrees: 45 },
      shear: { horizontal: 45, vertical: 45 },
      crop: { min: 12, max: 71 },
      image: { versions: 32 },
    },
  ),
  accepted(
    'a fork',
    'SDK, MCPT',
    202,
    () => post('/acme/projects/fork', { source_project: 'shown' }),
    { taskId: 'text', url: 'address' },
  ),
  accepted(
    'a rebalance',
    'MCPT',
    202,
    () =>
      post('/acme/cells/splits/rebalance', {
        splits: { train: 70, valid: 20, test: 10 },
        mode: 'shuffle',
        grouping: 'batch',
      }),
    { taskId: 'text', url: 'address' },
  ),
];

export const otherRequestRows: readonly Observed[] = [
  accepted('statistics between two times', 'DOC', 200, () =>
    get(
      `/acme/inference-stats?${new URLSearchParams({
        startTime: '2026-01-01 00:00:00',
        endTime: '2026-01-02 00:00:00',
        modelNames: 'cells/1,cells/2',
      })}`,
    ),
  ),
  accepted('metadata of inferences past the cache', 'SDK, INF', 200, ({ inferenceId }) =>
    post('/acme/inference-stats/metadata?nocache=true', {
      data: [{ inference_ids: [inferenceId], field_name: 'Place', field_value: 'right' }],
    }),
  ),
  accepted('the deployed model', 'MCPT', 200, () =>
    post('/acme/cells/deploy/model', { model: { type: 'model_id', modelId: 'local' } }),
  ),
  accepted('a folder without returnUpdated', 'DOC, SDK', 200, ({ folderId }) =>
    post(`/acme/groups/${folderId}`, { name: 'Dusk' }),
  ),
  accepted('video inference without the slash', 'SDK', 200, ({ videoLink: input_url }) =>
    post('/videoinfer', {
      input_url,
      models: [{ model_id: 'cells', model_version: '1', inference_type: 'object-detection' }],
    }),
  ),
  accepted('a key for folders', 'SDK', 201, ({ folderId }) =>
    post('/acme/api-keys', { folderIds: [folderId], scopes: ['project:read'], name: 'folder' }),
  ),
];
