// What the body of a request may cost. It is counted before anything is built of it.

import type { JsonBounds } from '../json-text.ts';
import { limits } from '../limits.ts';

/** The bounds of a JSON body, and of JSON in the texts of any input. */
export interface BodyBounds extends JsonBounds {
  /** All of it. */
  readonly bytesMax: number;
  /** Without its long texts, which are images and files, and are not parsed with the rest. */
  readonly parsedBytesMax: number;
}

/** The bounds of a body; where nothing is said, those that nearly all operations have. */
export function bodyBounds(more: Partial<BodyBounds> = {}): BodyBounds {
  return Object.freeze({
    bytesMax: limits.bodyBytesMax,
    parsedBytesMax: limits.bodyParsedBytesMax,
    elementsMax: limits.bodyElementsMax,
    membersMax: limits.bodyMembersMax,
    depthMax: limits.bodyDepthMax,
    ...more,
  });
}
