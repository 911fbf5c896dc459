// Refuses predictions of which none is of a known image, or none of a known class: figures of them
// would say nothing of a model.

import { type FoveaError, invalidArgument } from '../errors.ts';
import { quotedName, quotedNames } from '../quoted-name.ts';
import { suggestSpellingOfFew } from '../spelling-suggestion.ts';
import type { NamedImage } from './find-images.ts';

export interface KnownNames {
  readonly classes: readonly string[];
  readonly images: readonly NamedImage[];
  /** Whether a number is that of a COCO export, which versions have. */
  readonly isNumbered: boolean;
}

export function noKnownImage(
  names: readonly string[],
  { images, isNumbered }: KnownNames,
): FoveaError {
  const known = images.map(({ name }) => name);
  const others = isNumbered ? 'the ids of the COCO export' : 'their ids';
  const some = known.slice(0, imagesShownMax).map((name) => quotedName(name));
  return refused(
    'image',
    names,
    known,
    `Judged are ${images.length} images, such as ${some.join(', ')}; they are known by their file ` +
      `names, or by ${others}.`,
  );
}

export function noKnownClass(
  names: readonly string[],
  { classes, isNumbered }: KnownNames,
): FoveaError {
  const number = isNumbered
    ? 'a number is that of the COCO export'
    : 'give the name of the class as category_id, or a COCO dataset whose categories say what numbers mean';
  return refused('class', names, classes, `The labels have ${quotedNames(classes)}; ${number}.`);
}

const imagesShownMax = 3;

function refused(
  what: string,
  names: readonly string[],
  known: readonly string[],
  right: string,
): FoveaError {
  const shown = names.slice(0, 5);
  const nearestTo = suggestSpellingOfFew(known);
  const nearest = [...new Set(shown.flatMap((name) => nearestTo(name) ?? []))];
  const suggestion = nearest.length === 0 ? '' : ` Did you mean ${quotedNames(nearest)}?`;
  const examples = JSON.stringify(shown);
  const message = `no prediction is of a known ${what}: ${examples}.${suggestion} ${right}`;
  return invalidArgument('predictions', message);
}
