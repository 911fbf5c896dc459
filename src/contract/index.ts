// Every operation by its id; the only list of them.

import { activity } from './activity.ts';
import { annotation, annotationExtensions, reviews } from './annotation.ts';
import { apiKeyExtensions, apiKeys } from './api-keys.ts';
import { deployment } from './deployment.ts';
import { evaluations } from './evaluations.ts';
import { events } from './events.ts';
import { folderExtensions, folders } from './folders.ts';
import { imageExtensions, images } from './images.ts';
import { inference } from './inference.ts';
import { monitoring } from './monitoring.ts';
import { pictures } from './pictures.ts';
import { previews } from './previews.ts';
import { projectExtensions, projects } from './projects.ts';
import { search } from './search.ts';
import { taskExtensions, tasks } from './tasks.ts';
import { trainingExtensions, trainings } from './trainings.ts';
import { trash } from './trash.ts';
import { versionExtensions, versions } from './versions.ts';
import { video, videoExtensions } from './video.ts';
import { visionEventExtensions, visionEvents } from './vision-events.ts';
import { workflows } from './workflows.ts';
import { workspace } from './workspace.ts';

/** The hosted management API. */
export const platformOperations = Object.freeze({
  ...workspace,
  ...projects,
  ...versions,
  ...trainings,
  ...apiKeys,
  ...folders,
  ...images,
  ...annotation,
  ...search,
  ...trash,
  ...tasks,
  ...deployment,
  ...monitoring,
  ...visionEvents,
  ...video,
});

/** Operations of the embedded platform that the hosted API does not document. */
const extensionOperations = Object.freeze({
  ...previews,
  ...pictures,
  ...projectExtensions,
  ...versionExtensions,
  ...trainingExtensions,
  ...evaluations,
  ...apiKeyExtensions,
  ...folderExtensions,
  ...annotationExtensions,
  ...reviews,
  ...imageExtensions,
  ...taskExtensions,
  ...activity,
  ...visionEventExtensions,
  ...inference,
  ...videoExtensions,
  ...workflows,
});

/** Served by the embedded platform: the management API and our extensions. */
export const embeddedOperations = Object.freeze({ ...platformOperations, ...extensionOperations });

/** The documented operations: management API and device Event Store. */
export const operations = Object.freeze({ ...platformOperations, ...events });
