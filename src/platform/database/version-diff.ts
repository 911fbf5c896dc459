// Compares the source images of two frozen versions.

import type { Annotation } from '../../annotations/annotation.ts';
import { writeAnnotation } from '../../annotations/serialized-annotation.ts';
import type { AsyncReader } from '../../storage/async-database.ts';
import type { Row } from '../../storage/database.ts';
import type { LabelCounts } from '../store/projects.ts';
import type {
  ChangedImages,
  DiffImage,
  DiffPage,
  MovedImage,
  RelabelledImage,
  VersionDiff,
} from '../store/version-diff.ts';
import { readAnnotation, readSplit } from './column-readers.ts';

export async function diffVersions(
  database: AsyncReader,
  fromId: string,
  toId: string,
  page: DiffPage,
): Promise<VersionDiff> {
  const added = new Changes<DiffImage>(page);
  const moved = new Changes<MovedImage>(page);
  const relabelled = new Changes<RelabelledImage>(page);
  let changed = 0;
  await database.each(inBoth, [fromId, toId], (row) => {
    const isMoved = row.text('split_before') !== row.text('split');
    const labels = relabelledImage(row);
    if (isMoved) moved.add(() => movedImage(row));
    if (labels) relabelled.add(() => labels);
    if (isMoved || labels) changed += 1;
    return true;
  });
  await database.each(onlyIn, [toId, fromId], (row) => added.add(() => diffImage(row)));
  const removed = new Changes<DiffImage>(page);
  await database.each(onlyIn, [fromId, toId], (row) => removed.add(() => diffImage(row)));
  return {
    unchanged: (await countSources(database, toId)) - added.found.count - changed,
    added: added.found,
    removed: removed.found,
    moved: moved.found,
    relabelled: relabelled.found,
  };
}

/** The changes of one kind: all are counted, those of the page kept. */
class Changes<Image> {
  readonly #page: DiffPage;
  readonly #images: Image[] = [];
  #count = 0;

  constructor(page: DiffPage) {
    this.#page = page;
  }

  /** Gives true: reading goes on. */
  add(make: () => Image): true {
    const { limit, offset } = this.#page;
    if (this.#count >= offset && this.#images.length < limit) this.#images.push(make());
    this.#count += 1;
    return true;
  }

  get found(): ChangedImages<Image> {
    return { count: this.#count, images: this.#images };
  }
}

// A project has a picture once, so a hash stands once in a version.
const inBoth = `
  SELECT later.image_id, later.name, later.split, later.annotation,
    earlier.split AS split_before, earlier.annotation AS annotation_before
  FROM version_sources AS earlier
  JOIN version_sources AS later ON later.hash = earlier.hash
  WHERE earlier.version_id = ? AND later.version_id = ?
    AND (earlier.split <> later.split OR earlier.annotation IS DISTINCT FROM later.annotation)
  ORDER BY later.ordinal`;

const onlyIn = `
  SELECT image_id, name, split FROM version_sources AS here
  WHERE version_id = ? AND NOT EXISTS (
    SELECT 1 FROM version_sources AS there
    WHERE there.hash = here.hash AND there.version_id = ?)
  ORDER BY ordinal`;

async function countSources(database: AsyncReader, versionId: string): Promise<number> {
  const sql = 'SELECT count(*) AS n FROM version_sources WHERE version_id = ?';
  return (await database.get(sql, [versionId], (row) => row.integer('n'))) ?? 0;
}

function diffImage(row: Row): DiffImage {
  return { imageId: row.text('image_id'), name: row.text('name'), split: readSplit(row) };
}

function movedImage(row: Row): MovedImage {
  const { split: to, ...image } = diffImage(row);
  return { ...image, from: readSplit({ text: () => row.text('split_before') }), to };
}

/** Undefined: the labels say the same, perhaps in another order. */
function relabelledImage(row: Row): RelabelledImage | undefined {
  const to = readAnnotation(row);
  const from = readAnnotation({ optionalText: () => row.optionalText('annotation_before') });
  if (inOneOrder(from) === inOneOrder(to)) return undefined;
  return { ...diffImage(row), from: countLabels(from), to: countLabels(to) };
}

function inOneOrder(annotation: Annotation | undefined): string {
  if (annotation === undefined) return 'none';
  const { kind } = annotation;
  const parts = kind === 'detection' ? annotation.boxes.map(boxText) : annotation.labels;
  return JSON.stringify([kind, parts.toSorted()]);
}

/** Members may stand in another order, too. */
function boxText(box: object): string {
  return JSON.stringify(Object.entries(box).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

function countLabels(annotation: Annotation | undefined): LabelCounts {
  return annotation === undefined ? {} : Object.fromEntries(writeAnnotation(annotation).labels);
}
