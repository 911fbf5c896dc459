// Boxes of a project that are worth a look: without area, tiny, at an edge of the image or over it,
// or there twice.

import { edgesOf } from '../../annotations/box-geometry.ts';
import { duplicateBoxes } from '../../annotations/duplicate-boxes.ts';
import type { Box } from '../../imaging/box.ts';
import { limits } from '../../limits.ts';
import type { AsyncReader } from '../../storage/async-database.ts';
import type { OddBox, OddBoxes, OddImage, OddKind, PlacedImage } from '../store/projects.ts';
import { readAnnotation, readSplit } from './column-readers.ts';

/** How many there are of each kind, with the names of the first images that have some. */
export async function findOddBoxes(database: AsyncReader, projectId: string): Promise<OddBoxes> {
  const found = {
    withoutArea: noneFound(),
    tiny: noneFound(),
    atEdge: noneFound(),
    overEdge: noneFound(),
    duplicate: noneFound(),
  };
  const seen = await eachBox(database, projectId, ({ name }, _box, kinds) => {
    for (const kind of kinds) note(found[kind], name);
  });
  return { ...seen, ...found };
}

/** A page of the images that have boxes of a kind, the oldest first, with some of these boxes. */
export async function listOddImages(
  database: AsyncReader,
  projectId: string,
  kind: OddKind,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<{ images: readonly OddImage[]; total: number; isComplete: boolean }> {
  const images: (PlacedImage & { boxes: OddBox[]; total: number })[] = [];
  let [total, last] = [0, ''];
  const { isComplete } = await eachBox(database, projectId, (image, box, kinds) => {
    if (!kinds.includes(kind)) return;
    if (image.id !== last) total += 1;
    const isNew = image.id !== last && total > offset && images.length < limit;
    if (isNew) images.push({ ...image, boxes: [], total: 0 });
    last = image.id;
    const shown = images.at(-1);
    if (shown?.id !== image.id) return;
    shown.total += 1;
    if (shown.boxes.length >= limits.findingMembersShownMax) return;
    const { label, x, y, width, height } = box;
    shown.boxes.push({ label, x, y, width, height });
  });
  return { images, total, isComplete };
}

type Visit = (image: PlacedImage, box: Box, kinds: readonly OddKind[]) => void;

/** Looks at annotations, oldest image first, until their text is more than one read may take. */
async function eachBox(
  database: AsyncReader,
  projectId: string,
  visit: Visit,
): Promise<Pick<OddBoxes, 'checked' | 'isComplete'>> {
  let [checked, characters, isComplete] = [0, 0, true];
  await database.each(
    `SELECT id, name, split, width, height, annotation FROM images
     WHERE project_id = ? AND objects > 0 ORDER BY created, id`,
    [projectId],
    (row) => {
      characters += row.text('annotation').length;
      isComplete = characters <= limits.healthCharactersMax;
      if (!isComplete) return false;
      const annotation = readAnnotation(row);
      if (annotation?.kind !== 'detection') return true;
      const image = { id: row.text('id'), name: row.text('name'), split: readSplit(row) };
      const [width, height] = [row.integer('width'), row.integer('height')];
      const repeated = duplicateBoxes(annotation.boxes);
      for (const [place, box] of annotation.boxes.entries()) {
        checked += 1;
        const kinds = oddities(box, width, height);
        visit(image, box, repeated.has(place) ? [...kinds, 'duplicate'] : kinds);
      }
      return true;
    },
  );
  return { checked, isComplete };
}

interface Found {
  count: number;
  images: string[];
}

function noneFound(): Found {
  return { count: 0, images: [] };
}

function note(found: Found, name: string): void {
  found.count += 1;
  if (found.images.length < limits.healthImagesShownMax && !found.images.includes(name)) {
    found.images.push(name);
  }
}

function oddities(box: Box, width: number, height: number): readonly OddKind[] {
  const side = Math.min(box.width, box.height);
  const size: readonly OddKind[] =
    side <= 0 ? ['withoutArea'] : side < limits.healthTinyPixels ? ['tiny'] : [];
  const { left, top, right, bottom } = edgesOf(box);
  const inside = Math.min(left, top, width - right, height - bottom);
  if (inside < -tolerance) return [...size, 'overEdge'];
  return inside <= tolerance ? [...size, 'atEdge'] : size;
}

/** In pixels; the same as for the warnings of an upload. */
const tolerance = 0.05;
