// Generates a dataset version from its frozen snapshot.

import { extname } from 'node:path';
import type { VersionSettings } from '../../contract/version-settings.ts';
import { FoveaError, notFound } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { Claim } from '../../storage/work.ts';
import type { Annotation } from '../annotations/annotation.ts';
import type { Guard, VersionImage, VersionSource } from '../store/store.ts';
import { planCopies, planVersion, type VersionPlan } from '../versions/plan.ts';
import { randomFrom } from '../versions/random.ts';
import { openSource, type Rendered } from '../versions/render.ts';
import { type Job, type JobParts, payloadText } from './job.ts';

/**
 * Makes the images that are still missing, so that it goes on where a crash left off. The version
 * shows none of them before it is finished. The same settings on the same images give the same
 * bytes: the random choices follow from the bytes of each source.
 */
export const runVersion: Job = async ({ store, blobs }, claim, signal) => {
  const version = await store.versions.get(payloadText(claim, 'versionId'));
  if (!version) throw notFound('version', payloadText(claim, 'versionId'));
  const plan = planVersion(version.settings);
  const { done, total } = await store.versions.progress(version.id);
  claim.progress(done, total);
  for (let at = done; at < total; ) {
    const pending = await store.versions.pending(version.id, sourcesAtOnce);
    const sources = firstOf(pending, version.settings);
    const made = await Promise.all(
      sources.map((source) =>
        makeImages(blobs, plan, source, signal).catch((thrown) => {
          throw signal.aborted ? thrown : about(source, thrown);
        }),
      ),
    );
    at += sources.length;
    await store.versions.addImages(
      version.id,
      sources,
      made.flat(),
      withProgress(claim, at, total),
    );
  }
  await store.versions.finish(version.id, claim.guard);
  return { version: version.number };
};

/** The progress is true at any moment: it is one commit with the rows that it counts. */
function withProgress(claim: Claim, done: number, total: number): Guard {
  return (writes) =>
    claim.guard(() => {
      claim.progress(done, total);
      return writes();
    });
}

/** Sources in work at the same time: decoding and encoding run on threads of their own. */
const sourcesAtOnce = 4;

/**
 * As many of them as have no more pixels than one image may have, or the first alone: all that are
 * in work are in memory, raw.
 */
function firstOf(
  sources: readonly VersionSource[],
  { preprocessing: { resize } }: VersionSettings,
): readonly VersionSource[] {
  const resized = resize ? resize.width * resize.height : 0;
  let pixels = 0;
  return sources.filter(({ width, height }, index) => {
    pixels += Math.max(width * height, resized);
    return index === 0 || pixels <= limits.imagePixelsMax;
  });
}

async function makeImages(
  blobs: JobParts['blobs'],
  plan: VersionPlan,
  source: VersionSource,
  signal: AbortSignal,
): Promise<readonly VersionImage[]> {
  const opened = await openSource(await blobs.get(source.hash), plan.preprocessing);
  const copies = planCopies(plan, source.split, randomFrom(source.hash));
  const images: VersionImage[] = [];
  for (const [copy, steps] of copies.entries()) {
    signal.throwIfAborted();
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

function about({ name }: VersionSource, cause: unknown): FoveaError {
  const reason = cause instanceof FoveaError ? cause.message : 'its pixels cannot be worked on.';
  return new FoveaError('internal', `Image "${name}": ${reason}`, { cause });
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
