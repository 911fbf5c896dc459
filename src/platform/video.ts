// Handlers of the toolset "video": upload of a video, inference jobs over it, and their state.

import { isoTime } from '../clock.ts';
import type { Input } from '../contract/operation.ts';
import type { video, videoExtensions } from '../contract/video.ts';
import { asFoveaError, FoveaError, invalidArgument, invalidInput, notFound } from '../errors.ts';
import type { Handlers } from '../http-server/handlers.ts';
import { localModel } from '../model-inference/detection-models.ts';
import { chooseThresholds } from '../model-inference/thresholds.ts';
import type { QueuedTask } from '../storage/task-queue.ts';
import { requireModelAccess } from './access-control/accessible-projects.ts';
import type { Principal } from './access-control/authorization.ts';
import type { PlatformDependencies } from './dependencies.ts';
import { newId } from './ids-and-slugs.ts';
import type { VideoInput, VideoModel } from './store/video-jobs.ts';
import { findTask } from './tasks.ts';

type StartInput = Input<typeof video.video_inference_start>;

export function videoHandlers(
  dependencies: PlatformDependencies,
): Handlers<typeof video & typeof videoExtensions, Principal> {
  const { store, blobs, uploads, tasks, links, clock } = dependencies;
  return {
    video_upload_url_create: async ({ file_name: name }, { principal, origin }) => {
      checkVideoName(name);
      const workspaceId = principal.workspace.id;
      const { link, expires } = await uploads.start(origin, { workspaceId, kind: 'video', name });
      return { signed_url: link, expires: isoTime(expires) };
    },
    video_inference_start: async (input, { principal, origin }) => {
      const { id: workspaceId } = principal.workspace;
      const asked = readModels(input);
      for (const { modelId } of asked) await requireModelAccess(store, principal, modelId);
      const source = await readInput(dependencies, workspaceId, input.input_url, origin);
      const models = await checkModels(dependencies, workspaceId, asked);
      const id = newId();
      const settings = { framesPerSecond: input.infer_fps ?? defaultFramesPerSecond, models };
      const payload = {
        workspaceId,
        ...(await seenBy(dependencies, principal, models)),
        ...(source.kind === 'upload' && { uploadId: source.uploadId }),
      };
      await store.videoJobs.add(
        { id, workspaceId, input: source, settings, created: clock.now() },
        { id, kind: 'video', payload },
      );
      tasks.wake();
      return { job_id: id };
    },
    video_inference_get: async ({ job_id: id }, { principal, origin }) => {
      const job = await store.videoJobs.find(principal.workspace.id, id);
      if (job === undefined) throw notFound('video job', id);
      const task = await findTask(dependencies, principal, id);
      await requireLook(dependencies, principal, id);
      const target = { name: `${id}.json`, contentType: 'application/json' };
      return {
        job_id: id,
        status: statusOf(task),
        progress: task.total === 0 ? null : { current: task.current, total: task.total },
        ...(task.status === 'failed' && { error: task.error }),
        ...(job.hash !== undefined && {
          output_signed_url: links.make(origin, { ...target, hash: job.hash }),
        }),
      };
    },
    video_inference_sheet: async ({ job_id: id }, { principal }) => {
      const job = await store.videoJobs.find(principal.workspace.id, id);
      if (job === undefined) throw notFound('video job', id);
      await findTask(dependencies, principal, id);
      if (job.sheetHash === undefined) {
        throw new FoveaError('not_found', `No picture is kept of the video job "${id}".`, {
          hint: 'It is made when the job is done; jobs of older releases have none.',
        });
      }
      const bytes = await blobs.get(job.sheetHash);
      return { sheet: Buffer.from(bytes).toString('base64'), contentType: 'image/jpeg' };
    },
  };
}

/** The default of the specification's reference client. */
const defaultFramesPerSecond = 5;
const modelsMax = 8;

const extensions = ['mp4', 'avi', 'webm', 'mov', 'mkv'];

function checkVideoName(name: string): void {
  const extension = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase();
  if (extension !== undefined && extensions.includes(extension)) return;
  throw invalidArgument('file_name', `must end in one of .${extensions.join(', .')}`);
}

/** API 8.5 to 8.7. */
function statusOf({ status }: QueuedTask): number {
  if (status === 'completed') return 0;
  return status === 'failed' ? 2 : 1;
}

/**
 * `model_id` is that of a model here: `local`, `PROJECT/VERSION`, or a project with the version in
 * `model_version`.
 */
function readModels({ models }: StartInput): readonly AskedModel[] {
  if (models.length > modelsMax) {
    throw invalidArgument('models', `has ${models.length} models; at most ${modelsMax} run`);
  }
  const read = models.map((model, index) => {
    const { model_id: id, model_version: version, inference_type: inferenceType } = model;
    const modelId = id === localModel || id.includes('/') ? id : `${id}/${version}`;
    if (inferenceType !== 'object-detection') {
      const path = `models[${index}].inference_type`;
      throw invalidArgument(path, 'is not run here: choose "object-detection"');
    }
    const confidence = model.inference_params?.confidence;
    const isShare = typeof confidence === 'number' && confidence >= 0 && confidence <= 1;
    if (confidence !== undefined && confidence !== null && !isShare) {
      const path = `models[${index}].inference_params.confidence`;
      throw invalidArgument(path, 'must be a number from 0 to 1');
    }
    return { modelId, inferenceType, confidence: isShare ? confidence : undefined };
  });
  const ids = read.map(({ modelId }) => modelId);
  const twice = ids.findIndex((id, index) => ids.indexOf(id) !== index);
  if (twice !== -1) throw invalidArgument(`models[${twice}].model_id`, 'is given twice');
  return read;
}

interface AskedModel extends Omit<VideoModel, 'confidence'> {
  readonly confidence: number | undefined;
}

/**
 * With the least score of each. Throws `invalid_input` for models that are not there, or of a form
 * that is not run here. Where there is no model or no runtime at all, the job fails, with the words
 * of what to set.
 */
async function checkModels(
  dependencies: PlatformDependencies,
  workspaceId: string,
  models: readonly AskedModel[],
): Promise<readonly VideoModel[]> {
  const checked: VideoModel[] = [];
  for (const [index, model] of models.entries()) {
    const { modelId } = model;
    const found = await dependencies.models.resolve(workspaceId, modelId).catch(asFoveaError);
    const isFailure = found instanceof FoveaError;
    const own = isFailure ? undefined : found.thresholds;
    const { confidence } = chooseThresholds(own, { confidence: model.confidence });
    checked.push({ ...model, confidence });
    if (!isFailure || found.code === 'not_implemented') continue;
    const isMissing = found.code === 'not_found';
    if (!isMissing && found.code !== 'invalid_input') throw found;
    if (isMissing && !(await hasModels(dependencies, workspaceId, modelId))) continue;
    throw invalidArgument(`models[${index}].model_id`, found.message, found.hint);
  }
  return checked;
}

/** Whether there is a model that could have been meant. */
async function hasModels(
  { store, models }: PlatformDependencies,
  workspaceId: string,
  modelId: string,
): Promise<boolean> {
  if (models.configured !== undefined) return true;
  const [slug = ''] = modelId.split('/');
  const project = await store.projects.find(workspaceId, slug);
  return project !== undefined && (await store.trainings.trained(project.id)).length > 0;
}

/**
 * Which restricted credentials see the job: those of the projects whose models it runs, or, where
 * it runs the local one, those of the folders for which it was started.
 */
async function seenBy(
  { store }: PlatformDependencies,
  { workspace, folderIds }: Principal,
  models: readonly VideoModel[],
) {
  const slugs = models.map(({ modelId }) => modelId.split('/')[0] ?? '');
  const projects = await Promise.all(slugs.map((slug) => store.projects.find(workspace.id, slug)));
  const projectIds = projects.flatMap((project) => (project ? [project.id] : []));
  if (projectIds.length === models.length) return { projectIds };
  return folderIds === undefined ? {} : { folderIds };
}

async function readInput(
  { uploads, clock }: PlatformDependencies,
  workspaceId: string,
  link: string,
  origin: string,
): Promise<VideoInput> {
  const upload = await uploads.ofLink(link);
  if (upload === 'gone') throw noVideoThere('whose video is not kept any more, or never came');
  if (upload?.kind === 'video' && upload.workspaceId === workspaceId) {
    if (upload.file !== undefined) return { kind: 'upload', uploadId: upload.id };
    const isOver = upload.expires <= clock.now();
    throw noVideoThere(
      isOver ? 'to which no video was sent in time' : 'to which no video was sent yet',
    );
  }
  // Do not reveal uploads of other workspaces.
  if (upload !== undefined) throw noVideoThere('for no video of this workspace');
  const url = URL.parse(link);
  if (url?.host === URL.parse(origin)?.host && url?.pathname.startsWith('/uploads/')) {
    throw noVideoThere('that was not given like this: its signature does not match');
  }
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return { kind: 'url', url: link };
  throw invalidInput([{ path: 'input_url', message: 'must be an http or https URL' }]);
}

function noVideoThere(why: string): FoveaError {
  return invalidArgument('input_url', `is an upload link ${why}`);
}

/** Throws `rate_limited` for a second look of a caller at the same job within the interval. */
async function requireLook(
  { store, clock, videoStatusIntervalMs: intervalMs }: PlatformDependencies,
  { name }: Principal,
  jobId: string,
): Promise<void> {
  const waitMs = await store.videoJobs.look(jobId, name, { now: clock.now(), intervalMs });
  if (waitMs === 0) return;
  const message = `The status of a video job may be asked for every ${intervalMs / 1000} s.`;
  throw new FoveaError('rate_limited', message, { retryAfterSeconds: Math.ceil(waitMs / 1000) });
}
