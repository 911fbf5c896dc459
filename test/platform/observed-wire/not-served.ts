// What has been observed of the hosted platform and is not served here, each with the words of
// decisions/observed-wire.md that say why.

import { type Call, get, type Known, post } from './members.ts';

export interface NotServed {
  readonly what: string;
  /** As in the table of what is served. */
  readonly source: string;
  /** Stands in the record in bold. */
  readonly decision: string;
  readonly call: (things: Known) => Call;
  /** Absent from the answer; undefined: the call is refused. */
  readonly member?: string;
  /** Where the member is there, the value that it does not have. */
  readonly value?: string;
}

const version = () => get('/acme/cells/1');
const image = ({ imageId }: Known) => get(`/acme/cells/images/${imageId}`);
const models = () => get('/acme/cells/models');

/** Members of answers. */
const members: readonly NotServed[] = [
  {
    what: 'versions within the project',
    source: 'DOC',
    decision: 'project.versions',
    call: () => get('/acme/cells'),
    member: 'project.versions',
  },
  ...['preprocessing.auto-orient.enabled', 'augmentation.flip.enabled'].map((path) => ({
    what: `GET version: ${path}`,
    source: 'DOC',
    decision: 'enabled: true',
    call: () => get('/acme/shown/1'),
    member: `version.${path}`,
  })),
  ...['tfjs', 'oak'].map((name) => ({
    what: `GET version: model.${name}`,
    source: 'DOC',
    decision: 'model.tfjs, model.oak',
    call: version,
    member: `version.model.${name}`,
  })),
  {
    what: 'GET version: train.results.class_map',
    source: 'DOC',
    decision: 'train.results.class_map',
    call: version,
    member: 'version.train.results.class_map',
  },
  {
    what: 'GET version: models of roboflow-train, with epochs',
    source: 'SDK',
    decision: 'models.roboflow-train.epochs',
    call: version,
    member: 'version.models',
  },
  ...['versionNotes', 'skeletons', 'ready'].map((name) => ({
    what: `GET version: ${name}`,
    source: name === 'ready' ? 'MCPT' : 'DOC',
    decision: 'versionNotes, skeletons, ready',
    call: version,
    member: `version.${name}`,
  })),
  ...['nasFamily', 'recommended'].map((name) => ({
    what: `GET models: ${name}`,
    source: 'SDK',
    decision: 'nasFamily, recommended, mining',
    call: models,
    member: `models[].${name}`,
  })),
  ...['annotation.key', 'urls.annotation', 'embedding'].map((path) => ({
    what: `GET image: ${path}`,
    source: 'DOC',
    decision: 'annotation.key, urls.annotation, embedding',
    call: image,
    member: `image.${path}`,
  })),
  {
    what: 'GET batches: status',
    source: 'DOC',
    decision: 'batch.status',
    call: () => get('/acme/cells/batches'),
    member: 'batches[].status',
  },
  {
    what: 'GET task: progress.percent',
    source: 'SDK',
    decision: 'progress.percent',
    call: ({ bulkTaskId }) => get(`/acme/asynctasks/${bulkTaskId}`),
    member: 'progress.percent',
  },
  {
    what: 'GET deploy: a workflow',
    source: 'DOC',
    decision: 'deploy.workflow',
    call: () => get('/acme/cells/deploy'),
    member: 'workflow.id',
  },
];

const metadata = ({ signIn }: Known) => get(`${signIn}/.well-known/openid-configuration`);

const signIn: readonly NotServed[] = ['registration_endpoint', 'introspection_endpoint'].map(
  (member) => ({
    what: `sign-in: ${member}`,
    source: 'AE',
    decision: 'registration, introspection',
    call: metadata,
    member,
  }),
);

const scopes: readonly NotServed[] = [
  'offline_access',
  'api-key:read',
  'datasource:bucket-mirror:read',
  'batch:create',
  'annotation-job:review',
].map((value) => ({
  what: `sign-in: the scope ${value}`,
  source: 'AE',
  decision: 'further scopes',
  call: metadata,
  member: 'scopes_supported[]',
  value,
}));

const notYet: readonly NotServed[] = [
  {
    what: 'POST /{workspace}/{project}/jobs, batchId and assignees',
    source: 'SDK',
    decision: 'jobs with batchId and assignees',
    call: ({ batchId }) => post('/acme/cells/jobs', { name: 'a', batchId, assignees: [] }),
  },
];

/** Requests in a form that is refused, and operations that are not there. */
const refused: readonly NotServed[] = [
  {
    what: 'POST .../images/{imageId}/tags, a bare string',
    source: 'DOC',
    decision: 'tags as a bare string',
    call: ({ taggedImageId }) =>
      post(`/acme/cells/images/${taggedImageId}/tags`, { operation: 'add', tags: 'a-tag' }),
  },
  ...['sam3', 'clip'].map((type) => ({
    what: `POST .../deploy/model: ${type}`,
    source: 'MCPT',
    decision: 'models sam3 and clip',
    call: () => post('/acme/cells/deploy/model', { model: { type, classes: ['cell'] } }),
  })),
  ...['classification', 'gaze-detection', 'clip-embed-image'].map((inference_type) => ({
    what: `POST /videoinfer: ${inference_type}`,
    source: 'DOC',
    decision: 'other inference types of videos',
    call: ({ videoLink: input_url }: Known) =>
      post('/videoinfer/', {
        input_url,
        models: [{ model_id: 'cells', model_version: '1', inference_type }],
      }),
  })),
  {
    what: 'POST /{workspace}/search/export by likeness',
    source: 'SDK',
    decision: 'exports by likeness',
    call: ({ imageId }) =>
      post('/acme/search/export', { query: `like-image:${imageId}`, format: 'coco' }),
  },
  ...[{ hasWarnings: true }, { feedbackStatus: 'correct' }].map((filter) => ({
    what: `POST /vision-events/query: ${Object.keys(filter)}`,
    source: 'DOC',
    decision: 'hasWarnings, feedbackStatus',
    call: () => post('/vision-events/query', { useCaseId: 'line-3', ...filter }),
  })),
  {
    what: 'GET /{workspace}/workflows/{workflow}/versions',
    source: 'SDK',
    decision: 'versions of a workflow',
    call: ({ workflow }) => get(`/acme/workflows/${workflow}/versions`),
  },
  {
    what: 'GET /{workspace}/{project}/active_learning',
    source: 'INF',
    decision: 'GET /active_learning',
    call: () => get('/acme/cells/active_learning'),
  },
];

export const notServed: readonly NotServed[] = [
  ...members,
  ...signIn,
  ...scopes,
  ...notYet,
  ...refused,
];
