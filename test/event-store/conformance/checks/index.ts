// All checks, by the profile under which the service has to be started.

import type { Checks } from '../check.ts';
import { keyChecks, openChecks } from './access.ts';
import { attachmentChecks } from './attachments.ts';
import { creationChecks } from './creation.ts';
import { imageChecks } from './images.ts';
import { insideFilterChecks } from './inside-filters.ts';
import { brokenChecks, recordChecks, retentionChecks, sweepChecks } from './lifecycle.ts';
import { metadataFilterChecks } from './metadata-filter.ts';
import { multipartChecks } from './multipart.ts';
import { pagingChecks } from './paging.ts';
import { earlierChecks, queryChecks } from './queries.ts';
import { schemaChecks } from './schemas.ts';
import { sizeChecks } from './sizes.ts';
import { stateChecks } from './states.ts';
import { keyedSurroundingChecks, surroundingChecks } from './surroundings.ts';
import { capacityChecks, cloudChecks } from './uploads.ts';

export const checks: Checks = {
  default: [
    ...creationChecks,
    ...imageChecks,
    ...schemaChecks,
    ...stateChecks,
    ...queryChecks,
    ...metadataFilterChecks,
    ...insideFilterChecks,
    ...pagingChecks,
    ...attachmentChecks,
    ...multipartChecks,
    ...openChecks,
    ...surroundingChecks,
  ],
  key: [...keyChecks, ...keyedSurroundingChecks],
  small: sizeChecks,
  sweep: sweepChecks,
  retention: retentionChecks,
  records: recordChecks,
  cloud: cloudChecks,
  capacity: capacityChecks,
  broken: brokenChecks,
  earlier: earlierChecks,
};
