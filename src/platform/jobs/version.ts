// Generates a dataset version from its frozen snapshot.

import { extname } from 'node:path';
import { FoveaError, notFound } from '../../errors.ts';
import type { Annotation } from '../annotations/annotation.ts';
import type { VersionImage, VersionSource } from '../store/store.ts';
import { planCopies, planVersion, type VersionPlan } from '../versions/plan.ts';
import { randomFrom } from '../versions/random.ts';
import { openSource, type Rendered } from '../versions/render.ts';
import { type Job, type JobParts, payloadText } from './job.ts';

/** Sources in work at the same time: decoding and encoding run on threads of their own. */
const sourcesAtOnce = 4;

/**
 * Makes the images that are still missing, so that it goes on where a crash left off. The version
 * shows none of them before it is finished. The same settings on the same images give the same
 * bytes: the random choices follow from the bytes of each source.
 */
export const runVersion: Job = async ({ store, blobs }, claim, signal) => {
  const version = await store.versions.get(payloadText(claim, 'versionId'));
  if (!version) throw notFound('version', payloadText(claim, 'versionId'));
  const plan = planVersion(version.settings);
  const total = await store.versions.countSources(version.id);
  const pending = await store.versions.pending(version.id);
  for (let at = 0; at < pending.length; at += sourcesAtOnce) {
    signal.throwIfAborted();
    const made = await Promise.all(
      pending.slice(at, at + sourcesAtOnce).map((source) => makeImages(blobs, plan, source)),
    );
    await store.versions.addImages(version.id, made.flat(), claim.guard);
    claim.progress(total - pending.length + at + made.length, total);
  }
  await store.versions.finish(version.id, claim.guard);
  return { version: version.number };
};

async function makeImages(
  blobs: JobParts['blobs'],
  plan: VersionPlan,
  source: VersionSource,
): Promise<readonly VersionImage[]> {
  const opened = await openSource(await readBlob(blobs, source), plan.preprocessing);
  const copies = planCopies(plan, source.split, randomFrom(source.hash));
  const images: VersionImage[] = [];
  for (const [copy, steps] of copies.entries()) {
    const { annotation, split, ordinal } = source;
    const boxes = annotation?.kind === 'detection' ? annotation.boxes : [];
    const rendered = await opened.render(boxes, steps);
    const { hash } = await blobs.put(rendered.bytes);
    images.push({
      ...{ ordinal, copy, split, hash },
      name: nameOf(source.name, copy, rendered.contentType),
      width: rendered.width,
      height: rendered.height,
      annotation: movedAnnotation(annotation, rendered),
    });
  }
  return images;
}

async function readBlob(blobs: JobParts['blobs'], source: VersionSource): Promise<Uint8Array> {
  try {
    return await blobs.get(source.hash);
  } catch (thrown) {
    throw new FoveaError('internal', `The stored file of "${source.name}" cannot be read.`, {
      cause: thrown,
    });
  }
}

function movedAnnotation(
  annotation: Annotation | undefined,
  { boxes }: Rendered,
): Annotation | undefined {
  return annotation?.kind === 'detection' ? { kind: 'detection', boxes } : annotation;
}

/** `cell.png` becomes `cell.jpg` when it was encoded anew, and `cell_copy1.jpg` for a copy. */
function nameOf(name: string, copy: number, contentType: string): string {
  const extension = extname(name);
  const stem = extension === '' ? name : name.slice(0, -extension.length);
  const encoded = contentType === 'image/jpeg' && !/^\.jpe?g$/i.test(extension);
  return `${stem}${copy === 0 ? '' : `_copy${copy}`}${encoded ? '.jpg' : extension}`;
}
