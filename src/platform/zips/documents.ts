// Annotation files about many images: COCO and CreateML JSON, read once.

import { limits } from '../../limits.ts';
import { isCoco, readCoco } from '../annotations/coco.ts';
import { readCreateMl } from '../annotations/createml.ts';
import type { AnnotationIndex } from '../annotations/image-name.ts';
import { isFields } from '../annotations/reading.ts';

/** What a text is, or why it cannot be used. */
export type ReadDocument = { readonly index: AnnotationIndex } | { readonly problem: string };

/** Reads COCO or CreateML. Throws `invalid_input` for one of these that is wrong in itself. */
export function readDocument(text: string): ReadDocument {
  if (elementsOf(text) > limits.zipDatasetElementsMax) {
    return { problem: `more than ${limits.zipDatasetElementsMax} objects and arrays` };
  }
  const document = parsed(text.replace(/^\uFEFF/, ''));
  if (isCoco(document)) return { index: readCoco(document) };
  if (Array.isArray(document) && document.length > 0 && document.every(isFields)) {
    if (document.every((entry) => 'annotations' in entry || 'annotation' in entry)) {
      return { index: readCreateMl(document) };
    }
  }
  return { problem: 'neither COCO nor CreateML JSON' };
}

/** Their number, at the least: each may take far more memory than it has characters. */
function elementsOf(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === openBrace || code === openBracket) count += 1;
  }
  return count;
}

const openBrace = 0x7b;
const openBracket = 0x5b;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
