// Pictures of which no two look alike, in any size.

import sharp from 'sharp';

/** Waves of light and colour, whose directions and lengths come from the number. */
export function scene(number: number, width = 64, height = 48): Promise<Buffer> {
  const pixels = new Uint8Array(width * height * 3);
  const [across, down, turn] = [1 + (number % 3), 1 + (number % 4), number * 0.7];
  for (let at = 0; at < width * height; at += 1) {
    const [x, y] = [(at % width) / width, Math.floor(at / width) / height];
    const wave = Math.cos(2 * Math.PI * (across * x + turn)) * Math.cos(Math.PI * down * y + turn);
    pixels[at * 3] = 128 + 100 * wave;
    pixels[at * 3 + 1] = 128 + 100 * Math.cos(Math.PI * x * (number % 5)) * y;
    pixels[at * 3 + 2] = 255 * ((x + y + number * 0.13) % 1);
  }
  const raw = { width, height, channels: 3 } as const;
  return sharp(pixels, { raw }).png().toBuffer();
}
