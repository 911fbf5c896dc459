// Converts stored versions and images to the datasets that the export formats write.

import type { Annotation } from '../../annotations/annotation.ts';
import type { SplitName } from '../../contract/fields.ts';
import type { ExportDataset, ExportImage } from '../../export-formats/export-dataset.ts';
import type { BlobStore } from '../../storage/blob-store.ts';
import type { Project } from '../store/projects.ts';
import type { Store } from '../store/store.ts';
import type { Version } from '../store/versions.ts';

/** Its images are read from the store with each pass over them. */
export function versionDataset(
  project: Project,
  version: Version,
  versions: Store['versions'],
  blobs: BlobStore,
): ExportDataset {
  return {
    projectType: project.type,
    classes: version.classes,
    info: {
      project: project.name,
      annotation: project.annotation,
      version: version.number,
      versionName: version.name,
      license: project.license,
      created: version.created,
    },
    images: async function* (split) {
      for await (const row of versions.images(version.id, split)) yield exportImage(row, blobs);
    },
  };
}

interface ImageRow {
  readonly name: string;
  readonly split: SplitName;
  readonly width: number;
  readonly height: number;
  /** SHA-256 of its bytes, hex: the name of the blob. */
  readonly hash: string;
  readonly annotation: Annotation | undefined;
}

export function exportImage(
  { name, split, width, height, hash, annotation }: ImageRow,
  blobs: BlobStore,
): ExportImage {
  return {
    split,
    width,
    height,
    fileName: name,
    boxes: annotation?.kind === 'detection' ? annotation.boxes : [],
    labels: annotation?.kind === 'classification' ? annotation.labels : [],
    open: () => blobs.open(hash),
    file: blobs.file(hash),
  };
}
