// The size to which a version stretches its images, whatever their sides are to each other.

import type { VersionSettings } from './version-settings.ts';

/**
 * Undefined where the version keeps the sides of what it shows in proportion, or shows parts of
 * images alone: of these one cannot say how a whole image would look.
 */
export function stretchedSize({
  preprocessing,
}: VersionSettings): { readonly width: number; readonly height: number } | undefined {
  const { resize, tile, isolate, 'static-crop': crop } = preprocessing;
  if (resize?.format !== 'Stretch to' || tile || isolate || crop) return undefined;
  return { width: resize.width, height: resize.height };
}
