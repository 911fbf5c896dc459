// Makes images of one source as a version does, without its threads.

import { normalizeSettings } from '../../src/contract/version-no-op-steps.ts';
import type { VersionSettings } from '../../src/contract/version-settings.ts';
import { createKernel } from '../../src/dataset-versions/kernel/kernel.ts';
import {
  type RenderedImage,
  type RenderJob,
  renderSources,
} from '../../src/dataset-versions/render-images.ts';
import type { Box } from '../../src/imaging/box.ts';

/** Settings with the groups that a test does not care for left out. */
export type SomeSettings = Partial<VersionSettings>;

/** All images of one train image, the preprocessed original first. */
export async function render(
  bytes: Uint8Array,
  boxes: readonly Box[],
  settings: SomeSettings,
  job: Partial<RenderJob> = {},
): Promise<readonly RenderedImage[]> {
  const source = { bytes, hash: 'source', split: 'train', boxes } as const;
  return renderJob({ ...job, sources: job.sources ?? [source] }, settings);
}

/** All images of some sources. */
export async function renderJob(
  job: Partial<RenderJob> & Pick<RenderJob, 'sources'>,
  { preprocessing = {}, augmentation = {} }: SomeSettings,
): Promise<readonly RenderedImage[]> {
  const images: RenderedImage[] = [];
  const whole: RenderJob = {
    seed: '',
    output: 'file',
    imagesPerPiece: augmentation.image?.versions ?? 1,
    ...job,
    settings: normalizeSettings({ preprocessing, augmentation }),
  };
  await renderSources(createKernel(), whole, async (image) => {
    images.push(image);
  });
  return images;
}

/** The first of them, the preprocessed original. */
export async function prepare(
  bytes: Uint8Array,
  boxes: readonly Box[],
  preprocessing: VersionSettings['preprocessing'],
): Promise<RenderedImage> {
  const [first] = await render(bytes, boxes, { preprocessing });
  if (first === undefined) throw new Error('no image was made');
  return first;
}
