// Turns decoded pixels as their EXIF orientation says.

import type { RawImage } from './raw-image.ts';

/** Whether the sides change places: from 5 on the image lies on its side. */
export function isOnItsSide(orientation: number): boolean {
  return orientation >= 5;
}

/** The image as a person sees it. Orientations are 1 to 8; 1 is upright already. */
export function uprightPixels(image: RawImage, orientation: number): RawImage {
  if (orientation <= 1 || orientation > 8) return image;
  const turned = isOnItsSide(orientation);
  const width = turned ? image.height : image.width;
  const height = turned ? image.width : image.height;
  const data = new Uint8Array(width * height * 3);
  const fromRight = [2, 3, 7, 8].includes(orientation);
  const fromBottom = [3, 4, 6, 7].includes(orientation);
  for (let y = 0, to = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1, to += 3) {
      const [across, down] = turned ? [y, x] : [x, y];
      const column = fromRight ? image.width - 1 - across : across;
      const row = fromBottom ? image.height - 1 - down : down;
      const from = (row * image.width + column) * 3;
      data.set(image.data.subarray(from, from + 3), to);
    }
  }
  return { data, width, height };
}
