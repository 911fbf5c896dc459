// The operations of the embedded platform that are in neither document.

import { ownAnnotation } from './annotation.ts';
import { ownApiKeys } from './api-keys.ts';
import { ownFolders } from './folders.ts';
import { inference } from './inference.ts';
import { previews } from './previews.ts';
import { ownTasks } from './tasks.ts';
import { ownTrainings } from './trainings.ts';
import { workflows } from './workflows.ts';

export const ownOperations = Object.freeze({
  ...previews,
  ...ownTrainings,
  ...ownApiKeys,
  ...ownFolders,
  ...ownAnnotation,
  ...ownTasks,
  ...inference,
  ...workflows,
});
