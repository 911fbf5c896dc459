// How a person gets to the images of an annotation job: by a link to the page of the platform,
// where they sign in themselves, or by a command of this machine.

import { jobPage } from '../src/contract/page-addresses.ts';
import type { ToolContext } from '../src/mcp/tool.ts';
import { asGiven, lastPart } from './format.ts';

interface JobOfPerson {
  readonly project: string;
  readonly jobId: string;
  readonly assignedTo?: string | undefined;
}

export interface ReviewWay {
  /** Follows `tell them to`. */
  readonly words: string;
  readonly data: { readonly link?: string; readonly command?: string; readonly page?: string };
}

/** A decision has the name of whoever is signed in, so a link to sign in at is better. */
export async function reviewWay(
  job: JobOfPerson,
  { pagePlace }: Pick<ToolContext, 'pagePlace'>,
): Promise<ReviewWay> {
  const { jobId, assignedTo } = job;
  const project = lastPart(job.project);
  const place = (await pagePlace?.()) ?? { kind: 'command' };
  const page = jobPage(project, jobId);
  if (place.kind === 'address') {
    const link = `${place.url}/#${page}`;
    return { words: `open ${asGiven(link)} and sign in with their own account`, data: { link } };
  }
  if (place.kind === 'unknown') {
    const words = `open the page of the platform, at ${asGiven(`#${page}`)}; no fovea platform serves it now, so whoever runs this server starts one on the same data`;
    return { words, data: { page } };
  }
  const command = `fovea open ${project}/review/${jobId}`;
  const whose =
    assignedTo === undefined
      ? ', signed in'
      : '; decisions there are by "the page of fovea open", without their name: for that, run fovea platform and ask again';
  return { words: `run ${asGiven(command)}, which opens the first one${whose}`, data: { command } };
}
