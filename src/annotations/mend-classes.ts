// Mends the classes of a whole image by mistakes that were found, and takes such mends back: a
// class is replaced or added.

import type { LabelMistakeKind } from '../contract/evaluations.ts';
import { type Mend, type MendOutcome, type MendSettings, mendEach } from './mend-labels.ts';

/** A mistake as it is kept: the class of the label, and what is there instead. */
export interface ClassMend extends Pick<Mend, 'mendedPlace' | 'isAsMended'> {
  readonly kind: LabelMistakeKind;
  /** Undefined where a class is missing. */
  readonly label: string | undefined;
  readonly found: string;
}

export interface MendedClasses {
  readonly labels: readonly string[];
  /** In the order of the mends. */
  readonly outcomes: readonly MendOutcome[];
}

export function mendClasses(
  labels: readonly string[],
  mends: readonly ClassMend[],
  settings: MendSettings,
): MendedClasses {
  const { now, outcomes } = mendEach(labels, mends, settings, mendOne);
  return { labels: now, outcomes };
}

/** Changes `now`. */
function mendOne(
  now: string[],
  { label, found }: ClassMend,
  { undo, isAsJudged }: MendSettings,
): MendOutcome {
  const place = now.indexOf(found);
  if (label === undefined) {
    if (undo === place < 0) return 'already';
    if (undo) now.splice(place, 1);
    else if (isAsJudged) now.push(found);
    else return 'changed';
    return undo ? place : now.length - 1;
  }
  const [from, to] = undo ? [found, label] : [label, found];
  if (now.includes(to)) return now.includes(from) ? 'changed' : 'already';
  if (!now.includes(from)) return 'changed';
  const changed = now.indexOf(from);
  now[changed] = to;
  return changed;
}
