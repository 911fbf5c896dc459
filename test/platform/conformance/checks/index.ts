// All checks, by the profile that they need.

import type { Check } from '../check.ts';
import type { ProfileName } from '../profiles.ts';
import { accessChecks } from './access.ts';
import { annotationChecks } from './annotation.ts';
import { apiKeyChecks } from './api-keys.ts';
import { applicationChecks } from './applications.ts';
import { deploymentChecks } from './deployment.ts';
import { findingChecks } from './findings.ts';
import { folderChecks } from './folders.ts';
import { imageChecks } from './images.ts';
import { monitoringChecks } from './monitoring.ts';
import { projectChecks } from './projects.ts';
import { searchChecks } from './search.ts';
import { serviceChecks } from './service.ts';
import { signInChecks } from './sign-in.ts';
import { taskChecks } from './tasks.ts';
import { trainingChecks } from './trainings.ts';
import { trashChecks } from './trash.ts';
import { versionChecks } from './versions.ts';
import { videoChecks } from './video.ts';
import { visionEventChecks } from './vision-events.ts';

const families = [
  serviceChecks,
  findingChecks,
  taskChecks,
  projectChecks,
  versionChecks,
  trainingChecks,
  apiKeyChecks,
  folderChecks,
  imageChecks,
  annotationChecks,
  searchChecks,
  trashChecks,
  deploymentChecks,
  monitoringChecks,
  visionEventChecks,
  videoChecks,
  accessChecks,
  signInChecks,
  applicationChecks,
];

export const checks: Readonly<Record<ProfileName, readonly Check[]>> = {
  default: families.flatMap((family) => family.default ?? []),
  other: families.flatMap((family) => family.other ?? []),
  model: families.flatMap((family) => family.model ?? []),
  video: families.flatMap((family) => family.video ?? []),
  trainer: families.flatMap((family) => family.trainer ?? []),
  limited: families.flatMap((family) => family.limited ?? []),
  tokens: families.flatMap((family) => family.tokens ?? []),
  'sign-in': families.flatMap((family) => family['sign-in'] ?? []),
  expired: families.flatMap((family) => family.expired ?? []),
  applications: families.flatMap((family) => family.applications ?? []),
};
