// The matrix: for every operation a call that is right for its owner, and what all others get.

import type { embeddedOperations } from '../../../src/contract/index.ts';
import type { Input } from './call.ts';
import { noResults, type Things, vocFile } from './owned-resources.ts';

export interface Row {
  /** A call about these things; `name` is another one each time. */
  readonly input: (at: Things, name: string) => Input;
  /** What their owner with all rights is answered: so the call is right. Default: a success. */
  readonly own?: readonly number[];
  /** For ids of another workspace, or of a project out of reach, in place of ours. Default: 404. */
  readonly foreign?: readonly number[];
  /** For a project out of reach. Default: 403 where the address has its slug, else as `foreign`. */
  readonly outside?: readonly number[];
  /** True: a key for folders is refused, wherever it points. */
  readonly isWhole?: true;
}

const notThere = [400, 404] as const;
/** A PNG of one pixel. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const inWorkspace = ({ workspace }: Things): Input => ({ path: { workspace } });
const inProject = ({ workspace, project }: Things): Input => ({ path: { workspace, project } });
const inVersion = ({ workspace, project }: Things): Input => ({
  path: { workspace, project, version: 1 },
});

/** A call in a place, with a body. */
function sends(place: (at: Things) => Input, body: (at: Things, name: string) => object) {
  return (at: Things, name: string): Input => ({ ...place(at), body: { ...body(at, name) } });
}

/** One for all events: a call that is made twice is the same call. */
const timestamp = new Date().toISOString();

const event = (name: string, sourceId: string) => ({
  eventId: name,
  eventType: 'custom',
  useCaseId: 'isolation',
  timestamp,
  images: [{ sourceId }],
});

const people = { labelerEmail: 'ada@example.com', reviewerEmail: 'bob@example.com' };
const keyAt = ({ workspace, keyId }: Things): Input => ({ path: { workspace, keyId } });
const otherKeyAt = ({ workspace, otherKeyId }: Things): Input => ({
  path: { workspace, keyId: otherKeyId },
});
const folderAt = ({ workspace, folderId }: Things): Input => ({ path: { workspace, folderId } });
const workflowAt = ({ workspace, workflow }: Things): Input => ({ path: { workspace, workflow } });
const imageAt = ({ workspace, project, imageId }: Things): Input => ({
  path: { workspace, project, imageId },
});
const jobAt = ({ workspace, project, jobId }: Things): Input => ({
  path: { workspace, project, jobId },
});

const useCaseAt = ({ useCaseId }: Things): Input => ({ path: { useCaseId } });

/** In the order in which the owner's calls are made: what takes away comes last. */
export const rows = {
  workspace_whoami: { input: () => ({}) },
  workspace_get: { input: inWorkspace },
  projects_create: {
    input: sends(inWorkspace, (_at, name) => ({
      name,
      type: 'object-detection',
      annotation: 'things',
    })),
    isWhole: true,
  },
  projects_fork: {
    input: sends(inWorkspace, ({ owner, project }) => ({ source_project: `${owner}/${project}` })),
    foreign: notThere,
    isWhole: true,
  },
  projects_get: { input: inProject },
  projects_health: { input: inProject },
  projects_rebalance_splits: {
    input: sends(inProject, () => ({ splits: { train: 70, valid: 20, test: 10 } })),
  },
  models_list: { input: inProject },
  versions_generate: {
    input: sends(inProject, () => ({ preprocessing: {}, augmentation: {} })),
  },
  versions_get: { input: inVersion },
  versions_export: {
    input: ({ workspace, project }) => ({
      path: { workspace, project, version: 1, format: 'coco' },
    }),
    own: [200, 202],
  },
  classes_renamed: { input: inProject },
  classes_change: {
    input: sends(inProject, () => ({ remove: ['none'] })),
    own: [400],
  },
  projects_findings: { input: (at) => ({ ...inProject(at), query: { finding: 'leaks' } }) },
  versions_diff: { input: (at) => ({ ...inProject(at), query: { from: '1', to: '1' } }) },
  versions_preview: { input: sends(inProject, () => ({ preprocessing: {}, augmentation: {} })) },
  versions_estimate: {
    input: sends(inProject, () => ({ preprocessing: {}, augmentation: {} })),
  },
  versions_preview_files: {
    input: () => ({ body: { images: [picture], preprocessing: {}, augmentation: {} } }),
  },
  inference_draw: {
    input: () => ({
      body: { images: [picture], title: 'x', drawn: [{ name: 'x', found: [] }] },
    }),
  },
  trainings_recipe: {
    input: (at) => ({ ...inVersion(at), query: { modelType: 'rfdetr-small' } }),
  },
  trainings_start: {
    input: sends(inVersion, ({ modelId }) => ({ modelType: 'yolov8n', checkpoint: modelId })),
    foreign: [400, 403, 404],
  },
  trainings_list: { input: inVersion },
  trainings_stop: {
    input: sends(inVersion, ({ trainingId }) => ({ trainingId })),
    // It waits behind another one, or is that one.
    own: [200, 409],
  },
  trainings_cancel: { input: sends(inVersion, ({ trainingId }) => ({ trainingId })) },
  evaluations_create: {
    input: sends(inProject, () => ({ version: 1, split: 'train', predictions: noResults })),
  },
  evaluations_list: { input: inProject },
  evaluations_get: {
    input: ({ workspace, project, evaluationId }) => ({
      path: { workspace, project, evaluationId },
      query: { panel: 'images' },
    }),
  },
  evaluations_compare: {
    input: ({ workspace, project, evaluationId }) => ({
      path: { workspace, project, evaluationId },
      query: { baseline: evaluationId },
    }),
  },
  evaluations_tag: {
    input: ({ workspace, project, evaluationId }) => ({
      path: { workspace, project, evaluationId },
      body: { only: 'misses', tag: 'odd' },
    }),
  },
  evaluations_mend: {
    input: ({ workspace, project, evaluationId }) => ({
      path: { workspace, project, evaluationId },
      body: { only: 'swapped' },
    }),
    own: [409],
  },
  api_keys_list: { input: inWorkspace, isWhole: true },
  api_keys_create: {
    input: sends(inWorkspace, ({ folderId }) => ({ folderIds: [folderId] })),
    foreign: [400],
    isWhole: true,
  },
  api_keys_get_publishable: { input: inWorkspace, isWhole: true },
  api_keys_get: { input: keyAt, isWhole: true },
  api_keys_update: { input: sends(keyAt, (_at, name) => ({ name })), isWhole: true },
  api_keys_roll: { input: keyAt, isWhole: true },
  folders_list: { input: inWorkspace },
  folders_create: {
    input: sends(inWorkspace, ({ folderId, project }, name) => ({
      name,
      parent_id: folderId,
      projects: [project],
    })),
    foreign: notThere,
    isWhole: true,
  },
  folders_update: { input: sends(folderAt, (_at, name) => ({ name })), isWhole: true },
  folders_set_projects: {
    input: sends(folderAt, ({ project }) => ({ projects: [project] })),
    foreign: notThere,
    isWhole: true,
  },
  folders_remove_projects: {
    input: sends(folderAt, ({ project }) => ({ projects: [project] })),
    foreign: notThere,
    isWhole: true,
  },
  images_upload: {
    input: ({ project }) => ({ path: { project }, body: { file: picture } }),
  },
  images_annotate: {
    input: ({ project, imageId }) => ({
      path: { project, imageId },
      query: { name: 'one.xml', overwrite: 'true' },
      body: { annotationFile: vocFile() },
    }),
  },
  images_predictions: { input: imageAt },
  images_picture: { input: imageAt },
  images_remove_annotation: {
    input: (things) => ({ ...imageAt(things), query: { revision: 'another' } }),
    own: [409],
    foreign: notThere,
  },
  images_refuse_predictions: {
    input: sends(imageAt, () => ({ refuse: [{ label: 'red', x: 8, y: 8, width: 4, height: 4 }] })),
  },
  images_get: { input: imageAt },
  images_tag: { input: sends(imageAt, () => ({ operation: 'add', tags: ['seen'] })) },
  images_set_metadata: {
    input: ({ workspace, imageId }) => ({
      path: { workspace, imageId },
      body: { metadata: { seen: true } },
    }),
  },
  images_set_metadata_bulk: {
    input: sends(inWorkspace, ({ imageId }) => ({
      updates: [{ imageId, metadata: { seen: true } }],
    })),
    // The whole call is taken; its task names the images that are not there.
    foreign: [202],
    outside: [202],
  },
  images_delete_orphans: {
    input: sends(inWorkspace, ({ imageId }) => ({ images: [imageId] })),
    foreign: notThere,
  },
  images_set_split: {
    input: sends(inProject, ({ imageId }) => ({ images: [imageId], split: 'valid' })),
    foreign: notThere,
  },
  batches_list: { input: inProject },
  batches_get: {
    input: ({ workspace, project, batchId }) => ({ path: { workspace, project, batchId } }),
  },
  images_upload_zip: { input: sends(inProject, () => ({})) },
  // Nothing may be read unless a setting names it.
  images_import_objects: {
    input: ({ project }) => ({ path: { project }, body: { from: 's3://none/of-them' } }),
    own: [403],
  },
  images_upload_zip_status: {
    input: ({ workspace, zipTaskId }) => ({ path: { workspace, taskId: zipTaskId } }),
  },
  annotation_jobs_list: { input: inProject },
  annotation_jobs_create_for_images: {
    input: sends(inProject, ({ imageId }, name) => ({ name, images: [imageId], ...people })),
    foreign: notThere,
  },
  annotation_jobs_create: {
    input: sends(inProject, ({ batchId }, name) => ({
      name,
      batch: batchId,
      num_images: 1,
      ...people,
    })),
    foreign: notThere,
  },
  annotation_jobs_get: { input: jobAt },
  annotation_jobs_review: {
    input: sends(jobAt, ({ otherImageId }) => ({ approve: [otherImageId] })),
    // It is in the job, and nobody has annotated it yet.
    own: [200, 409],
    foreign: notThere,
  },
  annotation_review: {
    input: sends(inProject, ({ imageId }) => ({ images: [imageId] })),
    // It may be in an open job.
    own: [201, 409],
    foreign: notThere,
  },
  annotation_jobs_images: { input: jobAt },
  annotation_jobs_decide: {
    input: sends(
      (things) => ({ path: { ...jobAt(things).path, imageId: things.otherImageId } }),
      () => ({ decision: 'approve', decisions: 0 }),
    ),
    // Nobody has annotated it yet.
    own: [200, 409],
    foreign: notThere,
  },
  annotation_jobs_label: {
    input: sends(
      (things) => ({
        path: { ...jobAt(things).path, imageId: things.otherImageId },
        query: { name: 'a.json' },
      }),
      () => ({ annotationFile: '[]' }),
    ),
    // The labels of this job are those of its images.
    own: [409],
    foreign: notThere,
  },
  annotation_jobs_agreement: { input: jobAt },
  autolabel_start: {
    input: sends(inProject, ({ batchId, modelId }) => ({
      numImagesToLabel: 1,
      batchId,
      ontology: { red: 'red' },
      modelType: 'custom_roboflow',
      modelOptions: { modelId },
    })),
    foreign: [400, 403, 404],
  },
  autolabel_get: {
    input: ({ workspace, autolabelId }) => ({ path: { workspace, jobId: autolabelId } }),
  },
  catalog_search: {
    input: ({ project }) => ({ query: { q: project } }),
    foreign: [200],
    outside: [200],
  },
  catalog_search_by_image: {
    input: () => ({ body: { image_base64: picture.toString('base64') } }),
  },
  images_search: {
    input: sends(inProject, ({ imageId }) => ({ like_image: imageId, fields: ['name', 'tags'] })),
  },
  workspace_search: {
    input: sends(inWorkspace, ({ continuationToken }) => ({
      query: '*',
      pageSize: 1,
      fields: ['name', 'tags', 'labels'],
      continuationToken,
    })),
    // A token of another workspace is refused. One of another key holds a place: what is found from
    // there on is in reach alone.
    foreign: [200, 400],
    outside: [200, 400],
  },
  search_export_start: {
    input: sends(inWorkspace, ({ project }) => ({ query: '*', format: 'coco', dataset: project })),
    foreign: notThere,
    outside: [403],
  },
  search_export_get: {
    input: ({ workspace, exportTaskId }) => ({ path: { workspace, taskId: exportTaskId } }),
  },
  trash_list: { input: inWorkspace },
  trash_restore: {
    input: sends(inWorkspace, ({ trashedProjectId }) => ({
      type: 'project',
      id: trashedProjectId,
    })),
    isWhole: true,
  },
  tasks_get: { input: ({ workspace, taskId }) => ({ path: { workspace, taskId } }) },
  tasks_list: { input: inWorkspace },
  activity_list: { input: inWorkspace },
  deployment_get: { input: inProject },
  deployment_set_model: {
    input: sends(inProject, ({ modelId }) => ({ model: { type: 'model_id', modelId } })),
    foreign: [400, 403, 404],
  },
  active_learning_get: { input: inProject },
  active_learning_enable: { input: sends(inProject, () => ({})) },
  active_learning_disable: { input: sends(inProject, () => ({})) },
  active_learning_configure: { input: sends(inProject, () => ({ filters: [] })) },
  active_learning_images: { input: inProject },
  inference_run: {
    input: ({ project }) => ({ path: { project, version: 'local' }, body: { file: picture } }),
  },
  inference_stats_get: { input: inWorkspace, isWhole: true },
  inference_stats_set_metadata: {
    input: sends(inWorkspace, ({ inferenceId }) => ({
      data: [{ inference_ids: [inferenceId], field_name: 'line', field_value: '4' }],
    })),
    foreign: notThere,
    isWhole: true,
  },
  vision_events_create: {
    input: ({ sourceId }, name) => ({ body: event(name, sourceId) }),
    foreign: notThere,
    isWhole: true,
  },
  vision_events_create_batch: {
    input: ({ sourceId }, name) => ({ body: { events: [event(name, sourceId)] } }),
    foreign: notThere,
    isWhole: true,
  },
  vision_events_upload_image: { input: () => ({ body: { file: picture } }), isWhole: true },
  vision_events_query: {
    input: ({ useCaseId }) => ({ body: { useCaseId } }),
    isWhole: true,
  },
  vision_events_get: {
    input: ({ useCaseId, eventId }) => ({ path: { useCaseId, eventId } }),
    isWhole: true,
  },
  vision_events_image: { input: ({ sourceId }) => ({ path: { sourceId } }), isWhole: true },
  use_cases_list: { input: () => ({}), isWhole: true },
  use_cases_create: { input: (_at, name) => ({ body: { name } }), isWhole: true },
  use_cases_rename: {
    input: ({ useCaseId }, name) => ({ path: { useCaseId }, body: { name } }),
    isWhole: true,
  },
  use_cases_archive: { input: useCaseAt, isWhole: true },
  use_cases_unarchive: { input: useCaseAt, isWhole: true },
  use_cases_metadata_schema: { input: useCaseAt, isWhole: true },
  video_upload_url_create: { input: () => ({ body: { file_name: 'one.mp4' } }) },
  video_inference_start: {
    input: ({ modelId }) => ({
      body: {
        input_url: 'https://video.invalid/one.mp4',
        models: [{ model_id: modelId, model_version: '1', inference_type: 'object-detection' }],
      },
    }),
    foreign: [400, 403, 404],
    outside: [403],
  },
  video_inference_get: { input: ({ videoJobId }) => ({ query: { job_id: videoJobId } }) },
  video_inference_sheet: { input: ({ videoJobId }) => ({ query: { job_id: videoJobId } }) },
  trainings_get: {
    input: ({ workspace, project, trainingId }) => ({
      path: { workspace, project, version: 1 },
      query: { trainingId },
    }),
  },
  workflows_create: {
    input: sends(inWorkspace, (_at, name) => ({ name, config: {} })),
    isWhole: true,
  },
  workflows_list: { input: inWorkspace, isWhole: true },
  workflows_get: { input: workflowAt, isWhole: true },
  workflows_fork: {
    input: sends(inWorkspace, ({ owner, workflow }) => ({
      source_workspace: owner,
      source_workflow: workflow,
    })),
    foreign: notThere,
    isWhole: true,
  },
  workflows_update: {
    input: sends(inWorkspace, ({ workflowId }, name) => ({ id: workflowId, name })),
    foreign: notThere,
    isWhole: true,
  },
  workflows_delete: { input: workflowAt, isWhole: true },
  trainings_delete: {
    input: ({ workspace, project, otherTrainingId }) => ({
      path: { workspace, project, version: 1, trainingId: otherTrainingId },
    }),
  },
  images_delete: {
    input: sends(inProject, ({ otherImageId }) => ({ images: [otherImageId] })),
    foreign: notThere,
  },
  evaluations_delete: {
    input: ({ workspace, project, evaluationId }) => ({
      path: { workspace, project, evaluationId },
    }),
  },
  api_keys_revoke: { input: otherKeyAt, isWhole: true },
  folders_delete: { input: folderAt, isWhole: true },
  versions_delete: { input: inVersion },
  projects_delete: { input: inProject },
} as const satisfies Record<keyof typeof embeddedOperations, Row>;
