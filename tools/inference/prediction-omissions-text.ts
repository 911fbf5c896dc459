// What a model found and an answer does not have, in sentences.

import { count } from '../format.ts';

export interface Omissions {
  /** Images that were looked at. */
  ofImages: number;
  moreFound: number;
  withoutOutline: number;
  cutOutlines: number;
}

/** Each begins with a space; empty where nothing is lacking. */
export function omissionsText({
  ofImages,
  moreFound,
  withoutOutline,
  cutOutlines,
}: Readonly<Omissions>): string {
  const where = ofImages === 1 ? '' : ` in ${count(moreFound, 'image')}`;
  const more = ` More were found${where}: only the surest are kept.`;
  const coarse = ` ${count(withoutOutline, 'box', 'boxes')} without an outline: the masks are too coarse.`;
  const cut = ` ${count(cutOutlines, 'outline')} without the holes or other pieces of the mask.`;
  return [
    moreFound === 0 ? '' : more,
    withoutOutline === 0 ? '' : coarse,
    cutOutlines === 0 ? '' : cut,
  ].join('');
}

/** The same of the result of a task, as parts of a list. */
export function omissionsParts({
  moreFound,
  withoutOutline,
  cutOutlines,
}: Readonly<Record<string, unknown>>): readonly string[] {
  const [more, coarse, cut] = [moreFound, withoutOutline, cutOutlines].map((one) =>
    Number(one ?? 0),
  );
  return [
    ...(more ? [`only the surest kept in ${count(more, 'image')}`] : []),
    ...(coarse ? [`${count(coarse, 'box', 'boxes')} without an outline`] : []),
    ...(cut ? [`${count(cut, 'outline')} without holes or other pieces of the mask`] : []),
  ];
}
