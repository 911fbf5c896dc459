// The image formats that are accepted, their content types, and how a file's first bytes tell the
// format, never its name.

export const imageContentTypes = {
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  bmp: 'image/bmp',
  tiff: 'image/tiff',
  avif: 'image/avif',
} as const;

export type ImageFormat = keyof typeof imageContentTypes;

/** The accepted format of the file, or what it is instead, in words. */
export function recogniseImage(
  bytes: Uint8Array,
): { readonly format: ImageFormat } | { readonly other: string } {
  const head = Buffer.from(bytes.subarray(0, 64)).toString('latin1');
  if (head.slice(4, 8) === 'ftyp') return recogniseContainer(head);
  const format = signatures.find(([, starts]) => starts.some((start) => head.startsWith(start)));
  if (format !== undefined) return { format: format[0] };
  if (head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP') return { format: 'webp' };
  const text = head.replace('\u00ef\u00bb\u00bf', '').trimStart().toLowerCase();
  const other = others.find(([, start]) => text.startsWith(start));
  return { other: other?.[0] ?? 'not an image' };
}

const signatures: readonly (readonly [ImageFormat, readonly string[]])[] = [
  ['jpeg', ['\u00ff\u00d8\u00ff']],
  ['png', ['\u0089PNG\r\n\u001a\n']],
  ['bmp', ['BM']],
  // Byte order, then 42, or 43 for files beyond 4 GB.
  ['tiff', ['II*\0', 'MM\0*', 'II+\0', 'MM\0+']],
];

const others: readonly (readonly [string, string])[] = [
  ['a GIF image', 'gif8'],
  ['a PDF document', '%pdf'],
  ['an SVG or XML document', '<svg'],
  ['an SVG or XML document', '<?xml'],
  ['a web page', '<!doctype html'],
  ['a web page', '<html'],
  ['a ZIP archive', 'pk\u0003\u0004'],
];

/** AVIF, HEIC and videos share a container; its brands tell them apart. */
function recogniseContainer(
  head: string,
): { readonly format: ImageFormat } | { readonly other: string } {
  const brands = head.slice(8).match(/.{4}/gs) ?? [];
  if (brands.some((brand) => brand === 'avif' || brand === 'avis')) return { format: 'avif' };
  const heic = /^(hei|hev|mif1|msf1)/.test(brands[0] ?? '');
  return { other: heic ? 'a HEIC image' : 'a video' };
}

export class Malformed extends Error {}
