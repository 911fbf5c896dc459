// The class names for each annotation of an upload: those of the call, else the nearest found.

import type { ClassList } from '../../src/annotation-formats/class-lists.ts';
import type { FoundNames } from './class-names.ts';
import type { Labelmap } from './file-messages.ts';
import type { SentLabelmap, UploadPlan } from './upload-image.ts';

/** Each list is written as text once. */
export function labelmapFinder(
  given: Labelmap | undefined,
  found: FoundNames | undefined,
): UploadPlan['labelmapOf'] {
  const ofCall = given && sent(given);
  const known = new Map<ClassList, SentLabelmap>();
  return ({ foundAt }) => {
    if (ofCall !== undefined || foundAt === undefined) return ofCall;
    const list = found?.find(foundAt);
    if (list === undefined) return undefined;
    const before = known.get(list) ?? sent(list.labelmap);
    known.set(list, before);
    return before;
  };
}

function sent(labelmap: Labelmap): SentLabelmap {
  return { labelmap, text: JSON.stringify(labelmap) };
}
