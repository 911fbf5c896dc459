// Labelling by requests to the platform that serves this page.

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

import { isMe, lastPersonAt, personName } from './people.js';

/** @import { LabellingService } from './types.ts' */

/** @type {LabellingService} */
export const requestedLabelling = {
  annotateImage,
  createReview,
  decideImage,
  getClassesRenamed,
  getDrawnImage: getImage,
  getImage,
  getJobImages,
  getPredictions,
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
