// Writes a finished version as a zip file in an export format.

import { notFound } from '../../errors.ts';
import type { BlobStore } from '../../storage/blob-store.ts';
import type { ExportImage } from '../exports/dataset.ts';
import { checkExportFormat } from '../exports/export-format.ts';
import { writeExport } from '../exports/zip.ts';
import type { VersionImage } from '../store/store.ts';
import { type Job, payloadText } from './job.ts';

export const runExport: Job = async ({ store, blobs, scratch }, claim, signal) => {
  const exportId = payloadText(claim, 'exportId');
  const version = await store.versions.get(payloadText(claim, 'versionId'));
  if (!version) throw notFound('version', payloadText(claim, 'versionId'));
  const project = await store.projects.get(version.projectId);
  if (!project) throw notFound('project', version.projectId);
  const format = checkExportFormat(payloadText(claim, 'format'), project.type);
  const dataset = {
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
    images: exportImages(await store.versions.images(version.id), blobs),
  };
  const onProgress = inSteps((done, total) => claim.progress(done, total));
  const { hash, bytes } = await scratch.withFile(async (path) => {
    await writeExport(format, dataset, path, { signal, onProgress });
    return blobs.putFile(path);
  });
  await store.exports.finish(exportId, hash, bytes, claim.guard);
  return { format: format.name, bytes };
};

function exportImages(images: readonly VersionImage[], blobs: BlobStore): readonly ExportImage[] {
  return images.map(({ name, split, width, height, hash, annotation }) => ({
    ...{ split, width, height },
    fileName: name,
    boxes: annotation?.kind === 'detection' ? annotation.boxes : [],
    labels: annotation?.kind === 'classification' ? annotation.labels : [],
    open: () => blobs.open(hash),
  }));
}

/** Reports a hundred times at most: each report is a commit on the disk. */
function inSteps(report: (done: number, total: number) => void) {
  return ({ done, total }: { readonly done: number; readonly total: number }) => {
    if (done === total || done % Math.ceil(total / 100) === 0) report(done, total);
  };
}
