// Exports the results of a search as a zip file in an export format.

import type { SplitName } from '../../contract/fields.ts';
import { FoveaError, notFound } from '../../errors.ts';
import { checkExportFormat } from '../../export-formats/export-format.ts';
import { writeExport } from '../../export-formats/write-zip.ts';
import { limits } from '../../limits.ts';
import { parseQuery } from '../../query-language/parse-query.ts';
import { projectFinder } from '../search/read-query.ts';
import { exportedProjects } from '../search/search-exports.ts';
import type { Store } from '../store/store.ts';
import { type BackgroundTask, payloadText } from './background-task.ts';
import { FoundImagesFile } from './found-images-file.ts';
import { reportInBackground } from './process-items.ts';
import { exportImage } from './to-export-dataset.ts';

/** The images are those that the search finds when an attempt starts. */
export const exportSearchResults: BackgroundTask = async (
  { store, blobs, temporaryFiles },
  claim,
  signal,
) => {
  const workspaceId = payloadText(claim, 'workspaceId');
  const projectIds = exportedProjects(claim.payload);
  const [firstId = ''] = projectIds;
  const project = await store.projects.get(firstId);
  if (!project) throw notFound('project', firstId);
  const format = checkExportFormat(payloadText(claim, 'format'), project.type);
  const accessible = { workspaceId, projectIds };
  const query = payloadText(claim, 'query');
  return temporaryFiles.withFile(async (folder) => {
    const found = new FoundImagesFile(folder);
    await findAll(store, accessible, query, found, signal);
    if (found.count === 0) {
      throw new FoveaError('invalid_input', 'The search finds no image any more.');
    }
    const dataset = {
      projectType: project.type,
      classes: found.classes,
      info: {
        project: project.name,
        annotation: project.annotation,
        version: 0,
        versionName: payloadText(claim, 'name'),
        license: project.license,
        created: found.newest,
      },
      images: async function* (split?: SplitName) {
        for await (const image of found.read(split)) yield exportImage(image, blobs);
      },
    };
    const onProgress = reportInBackground((done, total) => claim.progress(done, total));
    const { hash, bytes } = await temporaryFiles.withFile(async (path) => {
      const written = await writeExport(format, dataset, path, { signal, onProgress });
      return blobs.putFile(path, written);
    });
    await store.search.exports.finish(claim.id, hash, bytes, claim.fenced);
    return { format: format.name, bytes, images: found.count };
  });
};

async function findAll(
  store: Store,
  accessible: { readonly workspaceId: string; readonly projectIds: readonly string[] },
  text: string,
  found: FoundImagesFile,
  signal: AbortSignal,
): Promise<void> {
  const { query } = parseQuery(
    text,
    await projectFinder(store, { ...accessible, projectIds: undefined }),
  );
  let after = 0;
  for (;;) {
    signal.throwIfAborted();
    const page = await store.search.found(accessible, query, after, limits.searchPageMax);
    await found.add(page);
    const last = page.at(-1);
    if (last === undefined || found.count > limits.searchExportImagesMax) return;
    after = last.ordinal;
  }
}
