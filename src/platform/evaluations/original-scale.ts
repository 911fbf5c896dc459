// By how much an original image is larger than the one that a version made of it.

import type { VersionSettings } from '../../contract/version-settings.ts';

interface Size {
  readonly width: number;
  readonly height: number;
}

/** 1 for a version that shows parts of images: how they were scaled depends on each part. */
export function originalScale(
  { preprocessing }: VersionSettings,
  original: Size,
  made: Size,
): number {
  const { resize, tile, isolate, 'static-crop': crop } = preprocessing;
  if (resize === undefined || tile || isolate || crop) return 1;
  const across = original.width / made.width;
  const down = original.height / made.height;
  if (resize.format === 'Stretch to') return Math.sqrt(across * down);
  return resize.format.startsWith('Fill') ? Math.min(across, down) : Math.max(across, down);
}
