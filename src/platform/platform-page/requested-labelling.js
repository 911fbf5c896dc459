// Labelling by requests to the platform that serves this page.

import { ApiError, failureOf } from '../../http-server/page-assets/api-error.js';
import {
  annotateImage,
  createReview,
  decideImage,
  getClassesRenamed,
  getImage,
  getJobImages,
  getPredictions,
  getProject,
  labelInJob,
  refusePredictions,
  removeAnnotation,
  searchWorkspace,
} from './api.js';
import { knownKey } from './api-key-of-tab.js';
import { isMe, lastPersonAt, personName } from './people.js';

/** @import { LabellingService } from './types.ts' */

/** The key that may not see predictions, and where: asked again, each image would log a failure. */
let refused = { key: /** @type {string | null} */ (''), project: '' };

/** @type {LabellingService['getPredictions']} */
async function getAllowedPredictions(project, id, evaluation) {
  const key = knownKey();
  if (refused.key === key && refused.project === project) {
    throw new ApiError(403, 'The key may not see predictions of this project.');
  }
  try {
    return await getPredictions(project, id, evaluation);
  } catch (thrown) {
    if (failureOf(thrown).status === 403) refused = { key, project };
    throw thrown;
  }
}

/** @type {LabellingService} */
export const requestedLabelling = {
  annotateImage,
  createReview,
  decideImage,
  getClassesRenamed,
  getDrawnImage: getImage,
  getImage,
  getJobImages,
  getPredictions: getAllowedPredictions,
  getProject,
  labelInJob,
  refusePredictions,
  removeAnnotation,
  searchWorkspace,
  lastPersonAt,
  personName,
  isMe,
  goTo: (address) => {
    if (address === location.hash) return false;
    location.hash = address;
    return true;
  },
};
