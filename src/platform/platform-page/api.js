// Calls to the platform that serves this page, with the key of this tab.

import { ApiError } from '../../http-server/page-assets/api-error.js';
import { knownKey } from './api-key-of-tab.js';

/** @import { RefusedBox } from './boxes.ts' */
/** @import { Activity, ApiKeys, Batch, Comparison, Evaluation, EvaluationRow, EventPicture, Folders, Found, FoundInWorkspace, Health, Image, ImagePredictions, Job, JobAgreement, JobDecision, JobImages, NewApiKey, Preview, ProjectAnswer, RefusalChange, RenamedClasses, SeenLabels, TaskList, Training, TrainingAnswer, Trash, TrashItem, UseCases, VersionAnswer, VisionEvent, Workspace } from './types.ts' */

/** Slug of the key's workspace; known after `signIn`. */
let workspace = '';
let hasAccounts = false;
let calls = 0;
let isEntered = false;

/**
 * Whether it is known who has the key. Until then no other calls are made with it than those that find
 * that out: what somebody before left to be sent is not sent with it.
 * @param {boolean} is
 */
export function setEntered(is) {
  isEntered = is;
}

/** How many calls this page has made. */
export function callCount() {
  return calls;
}

/** Whether people sign in on this platform, and allow applications there. */
export function peopleSignIn() {
  return hasAccounts;
}

/** Finds out whose key it is. @returns {Promise<string>} slug of the workspace */
export async function signIn() {
  const known = await request('GET', '/');
  ({ workspace } = known);
  hasAccounts = typeof known.settings === 'string';
  return workspace;
}

/** @returns {Promise<Workspace>} */
export async function getWorkspace() {
  return (await call('GET', at())).workspace;
}

/** @param {string} project @returns {Promise<ProjectAnswer>} */
export function getProject(project) {
  return call('GET', at(project));
}

/** @param {string} project @returns {Promise<Health>} */
export function getHealth(project) {
  return call('GET', at(project, 'health'));
}

/**
 * @param {string} project
 * @param {Readonly<Record<string, unknown>>} wanted
 * @returns {Promise<Found>}
 */
export function searchImages(project, wanted) {
  return call('POST', at(project, 'search'), wanted);
}

/** @param {string} project @param {string} id @returns {Promise<Image>} */
export async function getImage(project, id) {
  return (await call('GET', at(project, 'images', id))).image;
}

/**
 * @param {string} project
 * @param {string} id
 * @param {string} [evaluation] whose predictions they rather are
 * @returns {Promise<ImagePredictions>}
 */
export function getPredictions(project, id, evaluation) {
  const query = evaluation === undefined ? '' : `?${new URLSearchParams({ evaluation })}`;
  return call('GET', at(project, 'images', id, 'predictions') + query);
}

/** @param {string} project @returns {Promise<readonly EvaluationRow[]>} the newest first */
export async function listEvaluations(project) {
  return (await call('GET', at(project, 'evaluations'))).evaluations;
}

/**
 * One panel of an evaluation.
 * @param {string} project
 * @param {string} id
 * @param {Readonly<Record<string, string>>} wanted
 * @returns {Promise<Evaluation>}
 */
export function getEvaluation(project, id, wanted) {
  return call('GET', `${at(project, 'evaluations', id)}?${new URLSearchParams(wanted)}`);
}

/**
 * @param {string} project
 * @param {string} id
 * @param {Readonly<Record<string, string>>} wanted `baseline`: id of the evaluation before
 * @returns {Promise<Comparison>}
 */
export function compareEvaluations(project, id, wanted) {
  const path = at(project, 'evaluations', id, 'comparison');
  return call('GET', `${path}?${new URLSearchParams(wanted)}`);
}

/**
 * @param {string} project
 * @param {string} id
 * @param {RefusalChange} change
 * @returns {Promise<readonly RefusedBox[]>} all that are refused then
 */
export async function refusePredictions(project, id, change) {
  return (await call('POST', at(project, 'images', id, 'predictions'), change)).refused;
}

/**
 * @param {string} query in the search language
 * @param {number} pageSize
 * @param {string} [continuationToken] of the page before
 * @returns {Promise<FoundInWorkspace>}
 */
export function searchWorkspace(query, pageSize, continuationToken) {
  return call('POST', at('search', 'v1'), { query, pageSize, continuationToken });
}

/**
 * Replaces the boxes of an image, whose annotation must have that revision still.
 * @param {string} project
 * @param {string} id
 * @param {string} annotationFile in one of the formats of the API
 * @param {SeenLabels} seen
 * @param {boolean} [prediction] no person has looked at them
 * @returns {Promise<string>} the new revision
 */
export async function annotateImage(project, id, annotationFile, seen, prediction = false) {
  const { revision, classState } = seen;
  const query = new URLSearchParams({ name: 'page.json', overwrite: 'true', revision });
  if (classState !== undefined) query.set('class_state', classState);
  if (prediction) query.set('prediction', 'true');
  const path = ['dataset', project, 'annotate', id].map(encodeURIComponent).join('/');
  return (await call('POST', `/${path}?${query}`, { annotationFile })).annotation_revision;
}

/** @param {string} project @param {string} [since] @returns {Promise<RenamedClasses>} */
export function getClassesRenamed(project, since) {
  const query = since === undefined ? '' : `?${new URLSearchParams({ since })}`;
  return call('GET', at(project, 'class-changes') + query);
}

/** Nobody has annotated it then. @param {string} project @param {string} id @param {string} revision */
export async function removeAnnotation(project, id, revision) {
  const query = new URLSearchParams({ revision });
  await call('DELETE', `${at(project, 'images', id, 'annotation')}?${query}`);
}

/**
 * The same apart from the image, in an independent job.
 * @param {string} project
 * @param {string} job
 * @param {string} id
 * @param {string} annotationFile
 * @param {string} revision
 * @returns {Promise<string>} the new revision
 */
export async function labelInJob(project, job, id, annotationFile, revision) {
  const query = new URLSearchParams({ name: 'page.json', revision });
  const path = at(project, 'jobs', job, 'images', id, 'labels');
  return (await call('POST', `${path}?${query}`, { annotationFile })).annotation_revision;
}

/** @param {string} project @returns {Promise<readonly Job[]>} annotation jobs, the oldest first */
export async function listJobs(project) {
  return (await call('GET', at(project, 'jobs'))).jobs;
}

/** @param {string} project @returns {Promise<readonly Batch[]>} uploads, the oldest first */
export async function listBatches(project) {
  return (await call('GET', at(project, 'batches'))).batches;
}

/**
 * An annotation job with its images by name, or with one of them.
 * @param {string} project
 * @param {string} job
 * @param {string} [image]
 * @returns {Promise<JobImages>}
 */
export function getJobImages(project, job, image) {
  const query = image === undefined ? '' : `?${new URLSearchParams({ image })}`;
  return call('GET', at(project, 'jobs', job, 'images') + query);
}

/**
 * @param {string} project
 * @param {string} job
 * @param {string} image
 * @param {Readonly<Record<string, unknown>>} decision
 * @returns {Promise<JobDecision>}
 */
export function decideImage(project, job, image, decision) {
  return call('POST', at(project, 'jobs', job, 'images', image), decision);
}

/**
 * Makes an annotation job of these images, to be reviewed.
 * @param {string} project
 * @param {string} instructions
 * @param {readonly string[]} images
 * @param {boolean} ordered in this order, not by name
 * @returns {Promise<string>} its id
 */
export async function createReview(project, instructions, images, ordered) {
  return (await call('POST', at(project, 'reviews'), { instructions, images, ordered })).jobId;
}

/** @param {string} project @param {string} job @returns {Promise<JobAgreement>} */
export function getAgreement(project, job) {
  return call('GET', at(project, 'jobs', job, 'agreement'));
}

/**
 * Gives images to a person whose labels are kept apart.
 * @param {string} project
 * @param {string} name
 * @param {readonly string[]} images
 * @param {string} email
 */
export async function createIndependentJob(project, name, images, email) {
  const people = { labelerEmail: email, reviewerEmail: email };
  await call('POST', at(project, 'jobs', 'images'), { name, images, independent: true, ...people });
}

/** @param {string} project @param {string} version @returns {Promise<VersionAnswer>} */
export async function getVersion(project, version) {
  return (await call('GET', at(project, version))).version;
}

/**
 * @param {string} project
 * @param {Readonly<Record<string, unknown>>} settings
 * @returns {Promise<Preview>}
 */
export function previewVersion(project, settings) {
  return call('POST', at(project, 'preview'), settings);
}

/** @param {string} project @param {string} version @returns {Promise<readonly Training[]>} the newest first */
export async function listTrainings(project, version) {
  return (await call('GET', at(project, version, 'v2', 'trainings'))).trainings;
}

/** @param {string} project @param {string} version @param {string} trainingId @returns {Promise<TrainingAnswer>} */
export function getTraining(project, version, trainingId) {
  const query = new URLSearchParams({ trainingId });
  return call('GET', `${at(project, version, 'v2', 'trainings', 'get')}?${query}`);
}

/** @param {Readonly<Record<string, string>>} wanted a status or a kind @returns {Promise<TaskList>} */
export function listTasks(wanted) {
  return call('GET', `${at('asynctasks')}?${new URLSearchParams(wanted)}`);
}

/** @param {'active' | 'inactive'} status @returns {Promise<UseCases>} */
export function listUseCases(status) {
  return call('GET', `/vision-events/use-cases?${new URLSearchParams({ status })}`);
}

/**
 * @param {Readonly<Record<string, unknown>>} wanted
 * @returns {Promise<{ events: readonly VisionEvent[], nextCursor: string | null }>}
 */
export function queryEvents(wanted) {
  return call('POST', '/vision-events/query', wanted);
}

/** @param {string} useCase @param {string} id @returns {Promise<VisionEvent>} */
export async function getEvent(useCase, id) {
  const path = ['vision-events', 'use-cases', useCase, 'events', id].map(encodeURIComponent);
  return (await call('GET', `/${path.join('/')}`)).event;
}

/** @param {string} sourceId @returns {Promise<EventPicture>} */
export function getEventPicture(sourceId) {
  return call('GET', `/vision-events/images/${encodeURIComponent(sourceId)}`);
}

/** @param {Readonly<Record<string, string>>} wanted @returns {Promise<Activity>} */
export function listActivity(wanted) {
  return call('GET', `${at('activity-log')}?${new URLSearchParams(wanted)}`);
}

/**
 * The people of the workspace by their credentials; `me`: the credential of this tab.
 * @returns {Promise<{ names: Readonly<Record<string, string>>, me: string }>}
 */
export function listPeople() {
  return request('GET', '/page/people');
}

/** Those that are disabled too, with their folders. @returns {Promise<ApiKeys>} */
export function listKeys() {
  const query = new URLSearchParams({ includeDisabled: 'true', includeFolders: 'true' });
  return call('GET', `${at('api-keys')}?${query}`);
}

/** @param {Readonly<Record<string, unknown>>} wanted @returns {Promise<NewApiKey>} */
export function createKey(wanted) {
  return call('POST', at('api-keys'), wanted);
}

/** @param {string} id @param {boolean} disabled */
export async function disableKey(id, disabled) {
  await call('PATCH', at('api-keys', id), { disabled });
}

/** @param {string} id */
export async function revokeKey(id) {
  await call('DELETE', at('api-keys', id));
}

/** @returns {Promise<Folders>} */
export function listFolders() {
  return call('GET', at('groups'));
}

/** @returns {Promise<Trash>} */
export function listTrash() {
  return call('GET', at('trash'));
}

/** @param {TrashItem} item */
export function restore({ type, id, parentId }) {
  const wanted = { type, id, ...(parentId !== undefined && { parentId }) };
  return call('POST', at('trash', 'restore'), wanted);
}

/** @param {readonly string[]} segments */
function at(...segments) {
  return `/${[workspace, ...segments].map(encodeURIComponent).join('/')}`;
}

/** @type {typeof request} */
async function call(method, path, body) {
  if (!isEntered) throw new ApiError(401, 'Nobody is signed in.');
  return request(method, path, body);
}

/**
 * @param {'GET' | 'POST' | 'PATCH' | 'DELETE'} method
 * @param {string} path
 * @param {unknown} [body]
 * @returns {Promise<any>}
 */
async function request(method, path, body) {
  calls += 1;
  // The address of the page may carry a name and password, which fetch refuses in a URL.
  const response = await fetch(location.origin + path, {
    method,
    headers: {
      accept: 'application/json',
      authorization: `Bearer ${knownKey() ?? ''}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(60_000),
  }).catch(() => {
    throw new ApiError(0, 'The platform does not answer.');
  });
  const answer = await response.json().catch(() => undefined);
  if (response.ok && answer !== undefined) return answer;
  const words = wordsOf(answer, response.status) ?? `The platform answered ${response.status}.`;
  throw new ApiError(response.status, words);
}

/**
 * What an error says: one text, or a message with a hint. Where something is not there the hint
 * names calls and tools; the page has links.
 * @param {any} body @param {number} status
 */
function wordsOf(body, status) {
  const { error } = body ?? {};
  if (typeof error === 'string') return error;
  if (status === 404 && error?.message) return error.message;
  return [error?.message, error?.hint].filter(Boolean).join(' ') || undefined;
}
