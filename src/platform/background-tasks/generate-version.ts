// Generates a dataset version: its images, by one worker or in parts by many, and its end.

import { FoveaError, notFound } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { Version } from '../store/versions.ts';
import { type BackgroundTask, payloadText } from './background-task.ts';
import { makeImages } from './make-version-images.ts';
import { planVersion } from './plan-version.ts';
import { splitVersion } from './split-version.ts';

/**
 * Makes the images that are still missing, so that it goes on where a crash left off; many of them
 * in parts. The version shows none of them before it is finished. The same settings on the same
 * images give the same bytes: the random choices follow from the bytes of each source.
 */
export const generateVersion: BackgroundTask = async (dependencies, claim, signal) => {
  const { versions } = dependencies.store;
  const version = await versions.get(payloadText(claim, 'versionId'));
  if (!version) throw notFound('version', payloadText(claim, 'versionId'));
  refuseUnreadable(await versions.unreadable(version.id));
  if (!(await versions.isMade(version.id))) {
    const { count, done, batches } = await planVersion(versions, version);
    const missing = batches.reduce((sum, batch) => sum + batch.length, 0);
    // Parts count what is done in their batches.
    await claim.progress(count - missing, count);
    const split = await splitVersion(versions, claim, version, batches);
    if (split !== undefined) return split;
    await makeImages(dependencies, claim, { version, count, done, batches }, signal);
    // Some were looked at meanwhile.
    refuseUnreadable(await versions.unreadable(version.id));
  }
  const { images } = await versions.finish(version.id, claim.fenced);
  if (images === 0) throw nothingLeft(version);
  return { version: version.number, images };
};

/** Makes the images of a part that are still missing. */
export const generateVersionPart: BackgroundTask = async (dependencies, claim, signal) => {
  const { versions } = dependencies.store;
  const versionId = payloadText(claim, 'versionId');
  const version = await versions.get(versionId);
  const ordinals = await versions.part(claim.id);
  if (!version || !ordinals) throw notFound('version', versionId);
  refuseUnreadable(await versions.unreadable(version.id));
  const all = ordinals.flat();
  const made = new Set<number>();
  for await (const sources of versions.outlines(version.id, { ordinals: all })) {
    for (const { ordinal, isDone } of sources) if (isDone) made.add(ordinal);
  }
  const batches = ordinals.filter((batch) => batch.some((ordinal) => !made.has(ordinal)));
  const part = { version, count: all.length, done: made.size, batches };
  await makeImages(dependencies, claim, part, signal);
  return {};
};

/** Files are taken over unseen where nothing changes their pixels. */
function refuseUnreadable(names: readonly string[]): void {
  if (names.length === 0) return;
  const shown = names.slice(0, limits.healthImagesShownMax).map((name) => `"${name}"`);
  const more = names.length > shown.length ? ` and ${names.length - shown.length} more` : '';
  const message = `These images cannot be read: ${shown.join(', ')}${more}.`;
  const hint =
    'projects_findings lists them, with the reason. Upload a file again whose stored copy is ' +
    'damaged or lost; delete the others, or replace them by whole files.';
  throw new FoveaError('invalid_input', message, { hint });
}

function nothingLeft({ number, settings }: Version): FoveaError {
  const { isolate } = settings.preprocessing;
  const why = isolate ? ': isolate makes one of each box, and there are no boxes' : '';
  return new FoveaError('invalid_input', `Version ${number} would have no image${why}.`);
}
