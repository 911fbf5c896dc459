// How long a version will take where it is made, as measured on some of its images.

import type { Answer, Input } from '../../src/contract/operation.ts';
import { previews } from '../../src/contract/previews.ts';
import type { versions } from '../../src/contract/versions.ts';
import { FoveaError } from '../../src/errors.ts';
import { isOwnPlatform, type ToolContext } from '../../src/mcp/tool.ts';
import { count } from '../format.ts';

const { versions_estimate } = previews;

export interface TimeEstimate {
  /** ` It takes 2 to 5 s here: 32 of 364 images took 0.3 s on 2 threads.` */
  readonly words: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Says nothing where nothing was measured, as beside another platform. */
export async function estimateTime(
  { workspace, project, preprocessing, augmentation }: Input<typeof versions.versions_generate>,
  { client, settings, signal }: ToolContext,
): Promise<TimeEstimate> {
  if (!isOwnPlatform(settings)) return unknown;
  const input = { workspace, project, preprocessing, augmentation };
  try {
    const { body } = await client.call(versions_estimate, input, { signal });
    return told(body, settings.baseUrl === undefined ? 'here' : 'there');
  } catch (thrown) {
    // What is only said beside the counts must not keep them back.
    if (thrown instanceof FoveaError && thrown.code !== 'cancelled') return unknown;
    throw thrown;
  }
}

const unknown: TimeEstimate = { words: '', data: {} };

const notMeasured: TimeEstimate = {
  words: ' How long it takes is not known yet.',
  data: {},
};

function told(measured: Answer<typeof versions_estimate>, where: 'here' | 'there'): TimeEstimate {
  const { seconds, images, threads, measuredSeconds } = measured;
  if (seconds === undefined) return images === 0 ? unknown : notMeasured;
  // One image may have been worked on in part.
  const figure = Math.max(1, Math.round(measured.measured)).toLocaleString('en');
  const some = `${figure} of ${images.toLocaleString('en')} ${images === 1 ? 'image' : 'images'}`;
  const took = measuredSeconds < 0.1 ? 'under 0.1' : measuredSeconds.toFixed(1);
  const basis = `${some} took ${took} s on ${count(threads, 'thread')}`;
  return {
    words: ` It takes ${span(seconds)} ${where}: ${basis}.`,
    data: { time: { seconds_least: seconds.least, seconds_most: seconds.most, basis } },
  };
}

/** `2 to 5 s`, in the unit that has few digits. */
function span({ least, most }: { readonly least: number; readonly most: number }): string {
  const [divisor, unit] = most < 120 ? [1, 's'] : most < 7_200 ? [60, 'min'] : [3_600, 'h'];
  const from = Math.floor(least / divisor);
  const to = Math.ceil(most / divisor);
  return from === 0 ? `up to ${to} ${unit}` : `${from} to ${to} ${unit}`;
}
