// The index of images on SQLite: rows of bits for terms, rows of names, and rows of descriptors.

import type { Descriptor } from '../../../imaging/similarity-descriptor.ts';
import { fold, termsOf } from '../../../query-language/search-terms.ts';
import type { AsyncDatabase } from '../../../storage/async-database.ts';
import type { ImageIndex, IndexChange } from '../../store/image-index.ts';
import { keepNames } from './name-index.ts';
import {
  addDescriptors,
  descriptorsFrom,
  findDescriptors,
  readDescriptor,
  removeDescriptors,
} from './similarity-index.ts';
import { noteChange, type TermChanges, writeChanges } from './term-bitmaps.ts';
import { ensureWorkspaceTerms } from './workspace-terms.ts';

export const bitSlicedImageIndex: ImageIndex = {
  vectors: 'likeness_vectors',
  update,
  changeTerms: async (database, changed) => {
    const changes: TermChanges = new Map();
    for (const { term, ordinal, isSet } of changed) noteChange(changes, term, ordinal, isSet);
    await writeChanges(database, changes);
  },
  addDescriptors,
  descriptorOf: readDescriptor,
  descriptorsFrom,
  findDescriptors,
};

async function update(database: AsyncDatabase, changed: readonly IndexChange[]): Promise<void> {
  const changes: TermChanges = new Map();
  const names = new Map<number, string | undefined>();
  const descriptors = new Map<number, Descriptor>();
  const gone: number[] = [];
  const workspaces = new Set<string>();
  for (const { ordinal, before, after, descriptor } of changed) {
    for (const image of [before, after]) if (image) workspaces.add(image.workspaceId);
    const had = before ? termsOf(before) : noTerms;
    const has = after ? termsOf(after) : noTerms;
    for (const name of had) if (!has.has(name)) noteChange(changes, name, ordinal, false);
    for (const name of has) if (!had.has(name)) noteChange(changes, name, ordinal, true);
    names.set(ordinal, after && fold(after.name));
    if (descriptor) descriptors.set(ordinal, descriptor);
    if (after === undefined) gone.push(ordinal);
  }
  await addDescriptors(database, descriptors);
  await ensureWorkspaceTerms(database, [...workspaces]);
  await writeChanges(database, changes);
  await keepNames(database, names);
  await removeDescriptors(database, gone);
}

const noTerms: ReadonlySet<string> = new Set();
