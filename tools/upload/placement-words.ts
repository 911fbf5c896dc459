// How an upload speaks of the split, batch, tags and metadata that it gives to new images alone.

import { nameList, quoted } from '../format.ts';

export interface Placement {
  readonly split?: string | undefined;
  readonly batch?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly metadata?: object | undefined;
}

/** ` (split train, batch "first", tags "night", "wet")`; lists may say the split of each image. */
export function placedWords({ split, batch, tags = [] }: Placement, isListed: boolean): string {
  const words = [
    ...(isListed ? [] : [`split ${split ?? 'train'}`]),
    ...(batch === undefined ? [] : [`batch ${quoted(batch)}`]),
    ...(tags.length === 0 ? [] : [`tags ${nameList(tags)}`]),
  ];
  return words.length === 0 ? '' : ` (${words.join(', ')})`;
}

/** What a call gave that the images which were there did not take; empty where it gave nothing. */
export function keptWords(
  { split, batch, tags = [], metadata }: Placement,
  isListed: boolean,
  isOurs: boolean,
): string {
  const hasTags = tags.length > 0 || metadata !== undefined;
  const hasSplit = split !== undefined || isListed;
  if (!hasSplit && !hasTags && batch === undefined) return '';
  const calls = [
    ...(hasTags ? ['images_set_metadata_bulk with a query changes tags and metadata'] : []),
    ...(hasSplit && isOurs ? ['images_set_split the split'] : []),
  ];
  const how = calls.length > 0 ? ` (${calls.join(', ')})` : '';
  return ` Split, batch, tags and metadata of those there already stay as they are${how}.`;
}
