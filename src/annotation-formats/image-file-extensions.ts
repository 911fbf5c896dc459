// By which extensions files of a dataset are taken for images.

/** In lower case, without the dot. */
export const imageFileExtensions: ReadonlySet<string> = new Set([
  'jpg',
  'jpeg',
  'jpe',
  'jfif',
  'png',
  'webp',
  'bmp',
  'tif',
  'tiff',
  'avif',
  // Not accepted: refused by what they are, rather than passed over.
  'gif',
  'heic',
  'heif',
]);
