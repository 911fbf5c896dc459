// Refuses predictions of which none is of a known image, or none of a known class: figures of them
// would say nothing of a model.

import { FoveaError } from '../errors.ts';

export interface KnownNames {
  readonly classes: readonly string[];
  /** Whether a number is that of a COCO export, which versions have. */
  readonly isNumbered: boolean;
}

const shownMax = 20;

export function noKnownImage(names: readonly string[], { isNumbered }: KnownNames): FoveaError {
  const others = isNumbered ? 'the ids of the COCO export' : 'their ids';
  return refused('image', names, `Images are known by their file names, or by ${others}.`);
}

export function noKnownClass(names: readonly string[], known: KnownNames): FoveaError {
  const some = known.classes.slice(0, shownMax).join(', ');
  const number = known.isNumbered
    ? 'a number is that of the COCO export'
    : 'give the name of the class as category_id, or a COCO dataset whose categories say what numbers mean';
  return refused('class', names, `The labels have ${some}; ${number}.`);
}

function refused(what: string, names: readonly string[], known: string): FoveaError {
  const examples = JSON.stringify(names.slice(0, 5));
  const message = `No prediction is of a known ${what}: ${examples}. ${known}`;
  return new FoveaError('invalid_input', message);
}
