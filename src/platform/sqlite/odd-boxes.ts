// Boxes of a project that are worth a look: without area, tiny, at an edge of the image or over it.

import { edgesOf } from '../../annotations/box-geometry.ts';
import type { Box } from '../../imaging/box.ts';
import { limits } from '../../limits.ts';
import type { Database } from '../../storage/database.ts';
import type { OddBoxes, OddKind } from '../store/projects.ts';
import { readAnnotation } from './column-readers.ts';

/** Looks at annotations, oldest image first, until their text is more than one read may take. */
export function findOddBoxes(database: Database, projectId: string): OddBoxes {
  const found = {
    withoutArea: noneFound(),
    tiny: noneFound(),
    atEdge: noneFound(),
    overEdge: noneFound(),
  };
  let [checked, characters, isComplete] = [0, 0, true];
  database.each(
    `SELECT name, width, height, annotation FROM images
     WHERE project_id = ? AND objects > 0 ORDER BY created, id`,
    [projectId],
    (row) => {
      characters += row.text('annotation').length;
      isComplete = characters <= limits.healthCharactersMax;
      if (!isComplete) return false;
      const annotation = readAnnotation(row);
      if (annotation?.kind !== 'detection') return true;
      const [name, width, height] = [row.text('name'), row.integer('width'), row.integer('height')];
      for (const box of annotation.boxes) {
        checked += 1;
        for (const kind of oddities(box, width, height)) note(found[kind], name);
      }
      return true;
    },
  );
  return { checked, isComplete, ...found };
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
