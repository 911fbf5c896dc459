// A contact sheet of the images behind a finding of the health of a project.

import { contactSheet, type SheetCell } from '../../imaging/contact-sheet.ts';
import { decodeSmall, encodeImage } from '../../imaging/image-thread-pool.ts';
import { limits } from '../../limits.ts';
import type { PlatformDependencies } from '../dependencies.ts';
import type { FindingsPage, OddBox, PlacedImage, Project } from '../store/projects.ts';
import { enlargementMax, sheetRows, sheetSide } from './sheet-layout.ts';

/** Clusters have a map of their own. */
type Drawable = Exclude<FindingsPage, { readonly kind: 'clusters' }>;

type Stores = Pick<PlatformDependencies, 'store' | 'blobs'>;

/**
 * The first images of a page: a group in a row, odd boxes drawn alone. Images that are gone or
 * cannot be read are left out; undefined where none is left. Throws the reason of the signal.
 */
export async function drawFindings(
  dependencies: Stores,
  project: Project,
  { title, page }: { readonly title: string; readonly page: Drawable },
  signal: AbortSignal,
): Promise<{ readonly sheet: string; readonly contentType: string } | undefined> {
  const groups = firstImages(groupsOf(page));
  const side = sheetSide(groups.flat().length);
  const rows: (readonly SheetCell[])[] = [];
  for (const group of groups) {
    const cells: SheetCell[] = [];
    for (const image of group) {
      signal.throwIfAborted();
      cells.push(...(await cellOf(dependencies, project, image, side)));
    }
    if (cells.length > 0) rows.push(cells);
  }
  if (rows.length === 0) return undefined;
  const sheet = await contactSheet({
    title: `${project.name}: ${title}`,
    subtitle: '',
    note: '',
    rows: page.kind === 'groups' ? rows : sheetRows(rows.flat()),
    counted: 'all',
    side,
  });
  const { bytes, contentType } = await encodeImage(sheet);
  return { sheet: Buffer.from(bytes).toString('base64'), contentType };
}

interface Drawn extends PlacedImage {
  readonly boxes: readonly OddBox[];
}

function groupsOf(page: Drawable): readonly (readonly Drawn[])[] {
  if (page.kind === 'files') return [];
  if (page.kind === 'images') return page.images.map((image) => [image]);
  return page.groups.map(({ images }) =>
    images.slice(0, limits.findingImagesDrawnMax).map((image) => ({ ...image, boxes: [] })),
  );
}

/** Whole groups, as far as the sheet has room; the first in any case. */
function firstImages(groups: readonly (readonly Drawn[])[]): readonly (readonly Drawn[])[] {
  let images = 0;
  return groups.filter((group) => {
    images += group.length;
    return images <= limits.previewSourcesMax;
  });
}

async function cellOf(
  { store, blobs }: Stores,
  project: Project,
  { id, name, split, boxes }: Drawn,
  side: number,
): Promise<readonly SheetCell[]> {
  const found = await store.images.find(project.id, id);
  if (found === undefined) return [];
  const { hash, width, height } = found;
  const read = async () => decodeSmall(await blobs.get(hash), side, enlargementMax);
  const small = await read().catch(() => undefined);
  if (small === undefined) return [];
  const odd = boxes.length > 0 ? [`${boxes.length} ${boxes.length === 1 ? 'box' : 'boxes'}`] : [];
  const words = [split, `${width} × ${height}`, ...odd].join(', ');
  return [{ image: small.image, width, height, boxes, title: name, words }];
}
