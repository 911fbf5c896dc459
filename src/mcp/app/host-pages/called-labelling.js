// Labelling by calls of tools through the host: what the page of the platform asks over HTTP.

import { ApiError } from '../../../http-server/page-assets/api-error.js';
import { asRecord } from './host.js';
import { pictureTypes, textOf, withoutTags } from './result-elements.js';

/** @typedef {import('../../../platform/platform-page/types.ts').LabellingService} LabellingService */
/** @typedef {import('../../../platform/platform-page/types.ts').Image} Image */
/** @typedef {import('./types.ts').ToolResult} ToolResult */
/** @typedef {NonNullable<import('./types.ts').Host['callTool']>} CallTool */
/** @typedef {Readonly<Record<string, unknown>>} Arguments */

/** Pictures that are kept: the one that is shown, those beside it, and what was seen last. */
const picturesMax = 4;

/**
 * @param {CallTool} callTool
 * @param {LabellingService['goTo']} goTo
 * @returns {LabellingService}
 */
export function calledLabelling(callTool, goTo) {
  /** @param {string} operation @param {Arguments} args */
  const read = (operation, args) => ask(callTool, 'labelling_read', operation, args);
  /** @param {string} operation @param {Arguments} args */
  const save = (operation, args) => ask(callTool, 'labelling_save', operation, args);
  const pictureOf = rememberPictures((project, imageId) =>
    read('images_picture', { project, imageId }),
  );
  /** @type {LabellingService['getImage']} */
  const getImage = async (project, imageId) => {
    return (await read('images_get', { project, imageId })).image;
  };
  return {
    ...annotating(save),
    getClassesRenamed: (project, since) => read('classes_renamed', { project, since }),
    getProject: (project) => read('projects_get', { project }),
    getImage,
    getDrawnImage: async (project, id) => {
      const [image, original] = await Promise.all([getImage(project, id), pictureOf(project, id)]);
      return { ...image, urls: { original } };
    },
    getPredictions: (project, imageId, evaluation) =>
      read('images_predictions', { project, imageId, evaluation }),
    searchWorkspace: (query, pageSize, continuationToken) =>
      read('workspace_search', { query, pageSize, continuationToken }),
    getJobImages: (project, jobId, image) =>
      read('annotation_jobs_images', { project, jobId, image }),
    goTo,
  };
}

/** @param {(operation: string, args: Arguments) => Promise<any>} save */
function annotating(save) {
  /** @satisfies {Partial<LabellingService>} */
  const service = {
    annotateImage: async (project, imageId, annotationFile, seen, prediction) => {
      const { revision, classState } = seen;
      const file = { name: 'page.json', annotationFile };
      const how = { overwrite: true, revision, class_state: classState, prediction };
      return (await save('images_annotate', { project, imageId, ...file, ...how }))
        .annotation_revision;
    },
    labelInJob: async (project, jobId, imageId, annotationFile, revision) => {
      const file = { name: 'page.json', annotationFile, revision };
      return (await save('annotation_jobs_label', { project, jobId, imageId, ...file }))
        .annotation_revision;
    },
    removeAnnotation: (project, imageId, revision) =>
      save('images_remove_annotation', { project, imageId, revision }),
    refusePredictions: async (project, imageId, change) =>
      (await save('images_refuse_predictions', { project, imageId, ...change })).refused,
    decideImage: (project, jobId, imageId, decision) =>
      save('annotation_jobs_decide', { project, jobId, imageId, ...decision }),
    createReview: async (project, instructions, images, ordered) =>
      (await save('annotation_review', { project, instructions, images, ordered })).jobId,
  };
  return service;
}

/**
 * Gives what the platform answered. Throws an `ApiError`: of status 0 where the host passed nothing
 * on, which is tried again.
 * @param {CallTool} callTool
 * @param {string} tool
 * @param {string} operation
 * @param {Arguments} args
 * @returns {Promise<any>}
 */
async function ask(callTool, tool, operation, args) {
  const given = Object.entries(args).filter(([, value]) => value !== undefined);
  const call = { tool, arguments: { operation, arguments: Object.fromEntries(given) } };
  const result = await callTool(call).catch((thrown) => {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    throw new ApiError(0, why);
  });
  if (result.isError === true) throw failureIn(result);
  return asRecord(result._meta)['fovea/page'];
}

/** @param {ToolResult} result */
function failureIn(result) {
  const { status, message, hint, upstream } = asRecord(asRecord(result.structuredContent).error);
  // Not of our server: the host, or its user, did not want the call.
  if (typeof status !== 'number') return new ApiError(403, textOf(result));
  const said = asRecord(upstream);
  const words = said.message ? [said.message, said.hint] : [message, hint];
  return new ApiError(status, withoutTags(result, words.filter(Boolean).join(' ')));
}

/**
 * Pictures as addresses with their bytes inside, which alone a page in a host may draw.
 * @param {(project: string, id: string) => Promise<{ picture: string, contentType: string }>} read
 */
function rememberPictures(read) {
  /** The newest last. @type {Map<string, Promise<string>>} */
  const kept = new Map();
  return (/** @type {string} */ project, /** @type {string} */ id) => {
    const key = JSON.stringify([project, id]);
    const address = kept.get(key) ?? addressOf(read(project, id));
    address.catch(() => kept.delete(key));
    kept.delete(key);
    kept.set(key, address);
    for (const old of [...kept.keys()].slice(0, -picturesMax)) kept.delete(old);
    return address;
  };
}

/** @param {Promise<{ picture: string, contentType: string }>} reading */
async function addressOf(reading) {
  const { picture, contentType } = await reading;
  return pictureTypes.has(contentType) ? `data:${contentType};base64,${picture}` : '';
}
