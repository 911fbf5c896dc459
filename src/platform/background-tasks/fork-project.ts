// Copies the images of a forked project.

import { notFound } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { type BackgroundTask, payloadText } from './background-task.ts';
import { fencedProgress } from './fenced-progress.ts';
import { inChunks } from './process-items.ts';

/** Goes on behind the last image that an earlier attempt looked at. */
export const forkProject: BackgroundTask = async ({ store }, claim, signal) => {
  const project = await store.projects.get(payloadText(claim, 'projectId'));
  if (!project) throw notFound('project', payloadText(claim, 'projectId'));
  const missing = await store.forks.missing(claim.id);
  const copied = (await store.forks.find(claim.id))?.copied ?? 0;
  const total = copied + missing.length;
  let done = copied;
  await claim.progress(done, total);
  await inChunks(missing, limits.forkRowsAtOnceMax, signal, async (chunk) => {
    done += chunk.length;
    await store.forks.copy(claim.id, chunk, fencedProgress(claim, done, total));
  });
  const origin = payloadText(claim, 'origin');
  const workspace = payloadText(claim, 'workspace');
  return {
    forked: true,
    datasetUrl: project.slug,
    id: `${workspace}/${project.slug}`,
    name: project.name,
    url: `${origin}/${workspace}/${project.slug}`,
    images: (await store.forks.find(claim.id))?.copied ?? 0,
  };
};
