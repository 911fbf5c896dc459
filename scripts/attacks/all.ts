// Every attack, in the order in which they run.

import { annotationAttacks } from './annotations.ts';
import type { Attack } from './attack.ts';
import { credentialAttacks } from './credentials.ts';
import { imageAttacks } from './images.ts';
import { jsonAttacks } from './json.ts';
import { multipartAttacks } from './multipart.ts';
import { operationAttacks } from './operations.ts';
import { queryAttacks } from './queries.ts';
import { zipAttacks } from './zips.ts';

export const allAttacks: readonly Attack[] = [
  ...jsonAttacks,
  ...annotationAttacks,
  ...queryAttacks,
  ...multipartAttacks,
  ...credentialAttacks,
  ...operationAttacks(),
  ...imageAttacks,
  ...zipAttacks,
];
