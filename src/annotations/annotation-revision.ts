// Names the state of an annotation, so that who changes it can say which one they saw.

import { createHash } from 'node:crypto';

/** `json`: as it is stored; undefined: not annotated, of which the revision is `none`. */
export function revisionOf(json: string | undefined): string {
  if (json === undefined) return 'none';
  return createHash('sha256').update(json).digest('hex').slice(0, 16);
}
