// A finished version as the writers of the export formats read it.

import type { BlobStore } from '../../storage/blob-store.ts';
import type { Project, Version, VersionImage } from '../store/store.ts';
import type { ExportDataset } from './dataset.ts';
import { exportImages } from './from-rows.ts';

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
