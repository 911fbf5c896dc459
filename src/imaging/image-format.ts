// The image formats that are accepted, and their content types.

export const imageContentTypes = {
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  bmp: 'image/bmp',
  tiff: 'image/tiff',
  avif: 'image/avif',
} as const;

export type ImageFormat = keyof typeof imageContentTypes;
