// What a whole generation takes at most, through the platform: a process is started for it alone,
// on images that another one has uploaded.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeCopies } from './images.ts';
import {
  createProject,
  generateVersion,
  untilLookedAt,
  uploadFolder,
  withPlatform,
} from './platform-process.ts';
import { settings } from './request.ts';

export interface Peak {
  /** Of the version. */
  readonly images: number;
  readonly peakBytes: number;
  /** The peak when half of the time was over. */
  readonly halfwayBytes: number;
  /** Before the generation. */
  readonly startBytes: number;
  readonly wallMs: number;
}

/** Generates a version of that many images, from train images alone, each with a file. */
export async function measurePeak(
  entry: string,
  folder: string,
  photographs: readonly string[],
  images: number,
): Promise<Peak> {
  const project = `peak-${images}`;
  const own = join(folder, project);
  const count = Math.ceil(images / settings.augmentation.image.versions);
  const files = join(own, 'files');
  const repeated = (_: unknown, at: number) => photographs[at % photographs.length] ?? '';
  writeCopies(Array.from({ length: count }, repeated), files);
  await withPlatform(entry, own, async (platform) => {
    await createProject(platform, project);
    await uploadFolder(platform, project, files, 'train');
    await untilLookedAt(own);
  });
  const peak = await withPlatform(entry, own, async (platform) => {
    await platform.call('projects_get', { project });
    const startBytes = platform.usage().peakBytes;
    const peaks = [startBytes];
    const clock = setInterval(() => peaks.push(platform.usage().peakBytes), samplingMs);
    const { wallMs } = await generateVersion(platform, project, images);
    clearInterval(clock);
    const halfwayBytes = peaks[Math.floor(peaks.length / 2)] ?? startBytes;
    const { peakBytes } = platform.usage();
    return { images, startBytes, halfwayBytes, peakBytes, wallMs };
  });
  rmSync(own, { recursive: true });
  return peak;
}

const samplingMs = 100;
