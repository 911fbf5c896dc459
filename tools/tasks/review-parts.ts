// What a completed review says in words: what was decided, whose labels of how many images changed.

import { asRecord } from '../../src/json-object.ts';
import { count, quoted } from '../format.ts';

type Facts = Readonly<Record<string, unknown>>;

/** Nothing for other tasks. */
export function reviewParts(result: Facts): readonly string[] {
  return [...decisionsOf(result), ...goneOf(result)];
}

function decisionsOf(result: Facts): readonly string[] {
  const { approved, sentBack } = result;
  if (typeof approved !== 'number' || typeof sentBack !== 'number') return [];
  const images = [result.sentBackImages].flat().map(asRecord);
  const comments = images.some(({ comment }) => comment !== undefined) ? ', with comments' : '';
  const decided = `${sentBack} sent back${comments}${decidersIn(result)}`;
  return [`${approved} approved`, decided, ...changesOf(result)];
}

function decidersIn({ deciders, decidedByOthers = 0 }: Facts): string {
  const known = Array.isArray(deciders) ? deciders.map(asRecord) : [];
  if (known.length === 0) return '';
  const words = known.map(({ by, approved, sentBack }) => {
    const who = typeof by === 'string' ? quoted(by) : 'somebody unknown';
    return `${Number(approved) + Number(sentBack)} by ${who}`;
  });
  const others = Number(decidedByOthers) > 0 ? [`${Number(decidedByOthers)} by others`] : [];
  return ` (decided: ${[...words, ...others].join('; ')})`;
}

/** None where it is not known what the labels were before. */
function changesOf({ changedImages, notCompared, changes }: Facts): readonly string[] {
  if (typeof changedImages !== 'number') return [];
  const left = Number(notCompared ?? 0);
  const least = left > 0 ? 'at least ' : '';
  const changed = `labels of ${least}${count(changedImages, 'image')} changed`;
  const groups = Array.isArray(changes) ? changes.map(asRecord) : [];
  const whose = groups.length > 0 ? ` (${groups.map(wordsOfGroup).join('; ')})` : '';
  return [`${changed}${whose}`, ...(left > 0 ? [`${count(left, 'image')} not compared`] : [])];
}

/** `decidedBy` where it was somebody else: a change beside the review is not the reviewer's. */
function wordsOfGroup({ by, andOthers, images, decidedBy }: Facts): string {
  const names = Array.isArray(by) ? by.map(String) : [];
  const more = andOthers === true ? ['others'] : [];
  const whose = [...names.map(quoted), ...more].join(' and ') || 'somebody unknown';
  const isOther = typeof decidedBy === 'string' && names.length > 0 && !names.includes(decidedBy);
  return `${Number(images)} by ${whose}${isOther ? `, decided by ${quoted(decidedBy)}` : ''}`;
}

/** Images of a review that were deleted: a job without images is completed, but not reviewed. */
function goneOf({ goneUndecided, approved, sentBack, labelled }: Facts): readonly string[] {
  const gone = Number(goneUndecided ?? 0);
  if (gone > 0) return [`${count(gone, 'image')} deleted before anybody decided`];
  const left = labelled ?? (typeof approved === 'number' ? approved + Number(sentBack) : 1);
  return left === 0 ? ['none of its images is there any more'] : [];
}
