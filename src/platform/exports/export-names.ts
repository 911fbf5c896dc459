// File names within an export: safe to unpack anywhere, and unique in their split.

import type { ExportImage } from './export-format.ts';

/**
 * The same images with the file names that they have in the export. Folders are cut off, characters
 * that some systems refuse become `_`, and a name that is taken gets `-2`, `-3`, … before its
 * extension. Names count as taken whatever their case and extension, since label files share them.
 */
export function nameForExport<Image extends ExportImage>(images: readonly Image[]): Image[] {
  // Each taken name with the number to try next.
  const taken = new Map<string, number>();
  return images.map((image) => {
    const { stem, extension } = splitName(image.fileName);
    let unique = stem;
    let next = taken.get(key(image, stem)) ?? 2;
    while (taken.has(key(image, unique))) unique = `${stem}-${next++}`;
    taken.set(key(image, stem), next);
    taken.set(key(image, unique), taken.get(key(image, unique)) ?? 2);
    return { ...image, fileName: `${unique}${extension}` };
  });
}

/** The name of a label file beside an image. */
export function withExtension(fileName: string, extension: string): string {
  return `${splitName(fileName).stem}${extension}`;
}

function key({ split }: ExportImage, stem: string): string {
  return `${split}/${stem.normalize('NFC').toLowerCase()}`;
}

function splitName(fileName: string): { readonly stem: string; readonly extension: string } {
  const base = fileName.split(/[\\/]/).at(-1) ?? '';
  const safe = base.replaceAll(/[\p{C}<>:"|?*]/gu, '_');
  const extension = /\.[a-z0-9]{1,5}$/i.exec(safe)?.[0] ?? '';
  const stem = safe.slice(0, safe.length - extension.length).replace(/^[. ]+|[. ]+$/g, '');
  return { stem: shortened(stem) || 'image', extension };
}

/** File systems stop at 255 bytes; a number and an extension are still to come. */
function shortened(stem: string): string {
  const bytes = Buffer.from(stem);
  return bytes.length <= 200
    ? stem
    : bytes
        .subarray(0, 200)
        .toString()
        .replace(/\ufffd+$/, '');
}
