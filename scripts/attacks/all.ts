// Every attack, in the order in which they run.

import { annotationAttacks } from './annotations.ts';
import type { Attack } from './attack.ts';
import { credentialAttacks } from './credentials.ts';
import { jsonAttacks } from './json.ts';
import { multipartAttacks } from './multipart.ts';
import { queryAttacks } from './queries.ts';

export const allAttacks: readonly Attack[] = [
  ...jsonAttacks,
  ...annotationAttacks,
  ...queryAttacks,
  ...multipartAttacks,
  ...credentialAttacks,
];
