// Converts stored versions and images to the datasets that the export formats write.

import type { Annotation } from '../../annotations/annotation.ts';
import type { SplitName } from '../../contract/fields.ts';
import type { ExportDataset, ExportImage } from '../../export-formats/export-dataset.ts';
import type { BlobStore } from '../../storage/blob-store.ts';
import type { Project } from '../store/projects.ts';
import type { Version, VersionImage } from '../store/versions.ts';

export function versionDataset(
  project: Project,
  version: Version,
  images: readonly VersionImage[],
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
    images: exportImages(images, blobs),
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

export function exportImages(
  images: readonly ImageRow[],
  blobs: BlobStore,
): readonly ExportImage[] {
  return images.map(({ name, split, width, height, hash, annotation }) => ({
    split,
    width,
    height,
    fileName: name,
    boxes: annotation?.kind === 'detection' ? annotation.boxes : [],
    labels: annotation?.kind === 'classification' ? annotation.labels : [],
    open: () => blobs.open(hash),
  }));
}
