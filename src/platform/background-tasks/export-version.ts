// Exports a finished version as a zip file in an export format.

import { notFound } from '../../errors.ts';
import { checkExportFormat } from '../../export-formats/export-format.ts';
import { writeExport } from '../../export-formats/write-zip.ts';
import { type BackgroundTask, payloadText } from './background-task.ts';
import { reportInBackground } from './process-items.ts';
import { versionDataset } from './to-export-dataset.ts';

export const exportVersion: BackgroundTask = async (
  { store, blobs, temporaryFiles },
  claim,
  signal,
) => {
  const exportId = payloadText(claim, 'exportId');
  const version = await store.versions.get(payloadText(claim, 'versionId'));
  if (!version) throw notFound('version', payloadText(claim, 'versionId'));
  const project = await store.projects.get(version.projectId);
  if (!project) throw notFound('project', version.projectId);
  const format = checkExportFormat(payloadText(claim, 'format'), project.type);
  const dataset = versionDataset(project, version, store.versions, blobs);
  const onProgress = reportInBackground((done, total) => claim.progress(done, total));
  const { hash, bytes } = await temporaryFiles.withFile(async (path) => {
    const written = await writeExport(format, dataset, path, { signal, onProgress });
    return blobs.putFile(path, written);
  });
  await store.exports.finish(exportId, hash, bytes, claim.fenced);
  return { format: format.name, bytes };
};
