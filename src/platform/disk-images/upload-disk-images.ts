// The handler that adds many images of the disk in one transaction. What it does not take is left
// to images_upload, which does the same with one image, and says what is wrong with it.

import type { diskImages } from '../../contract/disk-images.ts';
import { images } from '../../contract/images.ts';
import type { Answer, Input } from '../../contract/operation.ts';
import { currentWork, runFor } from '../../current-caller.ts';
import type { Call, Handlers } from '../../http-server/handlers.ts';
import { findProject } from '../access-control/accessible-projects.ts';
import type { Principal } from '../access-control/authorization.ts';
import type { PlatformDependencies } from '../dependencies.ts';
import { newId } from '../ids-and-slugs.ts';
import { batchNameAt, describeUpload, labelOf, readMetadata } from '../images/upload-image.ts';
import type { AnnotatedNewImage } from '../store/images.ts';

type UploadFiles = typeof diskImages.images_upload_files;

export function diskImageHandlers(
  dependencies: PlatformDependencies,
): Handlers<typeof diskImages, Principal> {
  return {
    images_upload_files: (input, call) => {
      const work = currentWork() ?? { name: call.principal.name };
      // In the log of changes it is what it stands for.
      const uploading = { ...work, action: images.images_upload.id };
      return runFor(uploading, () => uploadFiles(dependencies, input, call));
    },
  };
}

async function uploadFiles(
  dependencies: PlatformDependencies,
  input: Input<UploadFiles>,
  { principal, signal }: Call<Principal>,
): Promise<Answer<UploadFiles>> {
  const { store, clock, diskImages } = dependencies;
  const { files, annotations = [], batch, tag = [], labelmap } = input;
  const project = await findProject(dependencies, principal, input.project);
  const metadata = readMetadata(input.metadata);
  const named = files.map(({ path, name }, place) => ({
    path,
    name: labelOf(name),
    annotation: annotations[place] ?? undefined,
  }));
  const question = {
    images: named,
    labelmap: labelmap ?? undefined,
    projectType: project.type,
    now: clock.now(),
  };
  const caller = { name: principal.workspace.id };
  const taken = (await diskImages?.take(question, caller, signal)) ?? [];
  const created = clock.now();
  const toAdd = taken.flatMap((one, place): AnnotatedNewImage[] => {
    if (one === undefined) return [];
    const { hash, bytes, file, labels } = one;
    const image = {
      id: newId(),
      projectId: project.id,
      name: named[place]?.name ?? '',
      hash,
      bytes,
      format: file.format,
      width: file.width,
      height: file.height,
      split: files[place]?.split ?? 'train',
      batchName: batch ?? batchNameAt(created),
      tags: tag,
      metadata,
      sequenceNumber: undefined,
      sequenceSize: undefined,
      inferenceId: undefined,
      created,
    } as const;
    return [{ image, annotation: labels?.annotation }];
  });
  const added = toAdd.length === 0 ? [] : await store.images.addAll(project.id, toAdd);
  const again = added.filter(({ duplicate }) => duplicate).map(({ id }) => id);
  if (again.length > 0) await store.search.lookAgain(again);
  let next = 0;
  const answers = files.map((_file, place) => {
    const one = taken[place];
    const image = one && added[next++];
    if (one === undefined || image === undefined) return null;
    const labels = image.duplicate ? undefined : one.labels;
    return describeUpload({ image, labels }, named[place]?.annotation !== undefined);
  });
  return { images: answers };
}
