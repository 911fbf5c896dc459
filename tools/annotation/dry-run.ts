// What would hinder a job for the images that a query finds: told before it is asked for.

import { annotation } from '../../src/contract/annotation.ts';
import { limits } from '../../src/limits.ts';
import type { ToolContext, ToolResult } from '../../src/mcp/tool.ts';
import { bare, count } from '../format.ts';
import { describeSelection, type ImageSelection, selectImages } from '../images/image-selection.ts';

interface WantedJob {
  readonly workspace: string;
  readonly project: string;
  readonly num_images?: number | undefined;
  readonly independent?: boolean | undefined;
}

/** The images of a selection, with the bound of a job and those of them in open jobs. */
export async function dryRunOfJob(
  selection: ImageSelection,
  job: WantedJob,
  context: ToolContext,
): Promise<ToolResult> {
  const described = describeSelection(selection);
  const ids = selection.ids.slice(0, job.num_images);
  const most = limits.annotationJobImagesMax;
  const isTooMany = ids.length > most;
  // Labels that are kept apart hinder no other job.
  const isFree = ids.length === 0 || job.independent === true;
  const taken = isFree ? undefined : await takenImages(ids, job, context);
  const words = [
    described.summary,
    ...(isTooMany
      ? [`A job takes at most ${most}: narrow the query, or take the first by num_images.`]
      : []),
    ...(taken && taken.images > 0 ? [takenWords(taken)] : []),
  ];
  const inOpenJobs = taken && taken.images > 0 ? { inOpenJobs: taken.images } : {};
  return { ...described, summary: words.join(' '), data: { ...described.data, ...inOpenJobs } };
}

interface Taken {
  readonly images: number;
  /** Ids of open jobs of the project. */
  readonly jobs: readonly string[];
}

/** Undefined where no job is open, or more images are in open jobs than one query gives. */
async function takenImages(
  ids: readonly string[],
  { workspace, project }: WantedJob,
  context: ToolContext,
): Promise<Taken | undefined> {
  const { client, signal } = context;
  const where = { workspace, project };
  const { body } = await client.call(annotation.annotation_jobs_list, where, { signal });
  const jobs = body.jobs
    .filter(({ unannotated = 0, annotated = 0 }) => unannotated + annotated > 0)
    .flatMap(({ id }) => id ?? [])
    .slice(0, limits.openJobsAskedMax);
  if (jobs.length === 0) return undefined;
  const query = jobs.map((id) => `job:${id}`).join(' OR ');
  const found = await selectImages({ ...where, query }, context).catch(() => undefined);
  signal.throwIfAborted();
  if (found === undefined) return undefined;
  const open = new Set(found.ids);
  return { images: ids.filter((id) => open.has(id)).length, jobs };
}

function takenWords({ images, jobs }: Taken): string {
  const are = `${count(images, 'image')} of them ${images === 1 ? 'is' : 'are'} in an open job`;
  const [first = ''] = jobs;
  const how =
    jobs.length === 1
      ? `-job:${bare(first)} in the query leaves them out`
      : '-job:ID leaves out those of one; annotation_jobs_list names the jobs';
  return `${are}, and no job is made with such: ${how}.`;
}
