// Reads the rows of the images that a search found.

import { limits } from '../../limits.ts';
import type { Reader, Row } from '../../storage/database.ts';
import type { FoundImage } from '../store/search.ts';
import {
  readAnnotation,
  readFormat,
  readMetadata,
  readSplit,
  readTexts,
} from './column-readers.ts';

/**
 * The images of these numbers, in their order: the first ones, where annotations are read too and
 * all of them would be more than one answer holds; one at least.
 */
export function readFound(
  database: Reader,
  ordinals: readonly number[],
  withAnnotations: boolean,
): readonly FoundImage[] {
  const wanted = withAnnotations ? firstOnes(database, ordinals) : ordinals;
  return database.all(
    `SELECT o.ordinal, i.id, i.project_id, p.slug, i.name, i.hash, i.format, i.width, i.height,
       i.split, i.metadata, i.created, iif(?, i.annotation, NULL) AS annotation,
       (SELECT json_group_array(tag) FROM image_tags WHERE image_id = i.id) AS tags,
       (SELECT json_group_array(label) FROM image_labels WHERE image_id = i.id) AS labels
     FROM json_each(?) AS wanted JOIN image_ordinals o ON o.ordinal = wanted.value
     JOIN images i ON i.id = o.image_id JOIN projects p ON p.id = i.project_id
     ORDER BY wanted.key`,
    [withAnnotations, JSON.stringify(wanted)],
    readFoundImage,
  );
}

function firstOnes(database: Reader, ordinals: readonly number[]): readonly number[] {
  const lengths = database.all(
    `SELECT coalesce(length(i.annotation), 0) AS n
     FROM json_each(?) AS wanted JOIN image_ordinals o ON o.ordinal = wanted.value
     JOIN images i ON i.id = o.image_id ORDER BY wanted.key`,
    [JSON.stringify(ordinals)],
    (row) => row.integer('n'),
  );
  return ordinals.slice(0, countInOneAnswer(lengths));
}

/** How many of these annotations, by their lengths, one answer holds; one at least. */
export function countInOneAnswer(lengths: readonly number[]): number {
  let sum = 0;
  const end = lengths.findIndex((length, at) => {
    sum += length;
    return at > 0 && sum > limits.foundAnnotationsCharactersMax;
  });
  return end === -1 ? lengths.length : end;
}

export function readFoundImage(row: Row): FoundImage {
  return {
    ordinal: row.integer('ordinal'),
    id: row.text('id'),
    projectId: row.text('project_id'),
    project: row.text('slug'),
    name: row.text('name'),
    hash: row.text('hash'),
    format: readFormat(row),
    width: row.integer('width'),
    height: row.integer('height'),
    split: readSplit(row),
    tags: readTexts(row, 'tags'),
    labels: readTexts(row, 'labels'),
    metadata: readMetadata(row),
    annotation: readAnnotation(row),
    created: row.integer('created'),
  };
}
