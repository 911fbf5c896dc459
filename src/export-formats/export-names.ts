// File names within an export: safe to unpack anywhere, and unique in their folder.

import type { ExportImage } from './export-dataset.ts';

/**
 * Gives each image, called in their order, the file name that it has in the export. Folders are cut
 * off, characters that some systems refuse become `_`, and a name that is taken gets `-2`, `-3`, …
 * before its extension. Names count as taken whatever their case and extension, since label files
 * share them; so do reserved ones.
 */
export function exportNames(
  isReserved: (stem: string) => boolean = () => false,
): (image: Pick<ExportImage, 'split' | 'fileName'>) => string {
  const namers = new Map<string, (stem: string) => string>();
  return (image) => {
    const unique = namers.get(image.split) ?? uniqueNames(isReserved);
    namers.set(image.split, unique);
    const { stem, extension } = splitName(image.fileName);
    return `${unique(stem)}${extension}`;
  };
}

/** Gives each name out once, whatever its case: a name that is taken comes back with a number. */
export function uniqueNames(isReserved: (name: string) => boolean): (name: string) => string {
  // Each taken name with the number to try next.
  const taken = new Map<string, number>();
  return (name) => {
    let unique = name;
    let next = taken.get(key(name)) ?? 2;
    while (taken.has(key(unique)) || isReserved(unique)) unique = `${name}-${next++}`;
    taken.set(key(name), next);
    taken.set(key(unique), taken.get(key(unique)) ?? 2);
    return unique;
  };
}

/** The name of a label file beside an image that was named for the export. */
export function withExtension(fileName: string, extension: string): string {
  return `${fileName.replace(imageExtension, '')}${extension}`;
}

/** Any text as the name of a file or a folder; empty where nothing of it can stay. */
export function safeName(text: string): string {
  const safe = text.replaceAll(/[\p{C}<>:"|?*/\\]/gu, '_').replace(/^[. ]+|[. ]+$/g, '');
  // A table that opens in a spreadsheet must not begin a cell like a formula.
  return shortened(safe.replace(/^[=+@-]/, '_').replace(deviceName, '_$&'));
}

/** Windows opens a device under these names, whatever extension follows. */
const deviceName = /^(con|prn|aux|nul|(com|lpt)\d) *(?=\.|$)/i;

function key(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

function splitName(fileName: string): { readonly stem: string; readonly extension: string } {
  const base = (fileName.split(/[\\/]/).at(-1) ?? '').replace(/[. ]+$/, '');
  // An image that is called like a label file would be in the way of one.
  const renamed = base.replace(/\.(txt|xml|json|jsonl|csv|yaml|labels)$/i, '_$1');
  const extension = imageExtension.exec(renamed)?.[0] ?? '';
  const stem = safeName(renamed.slice(0, renamed.length - extension.length));
  return { stem: stem || 'image', extension };
}

const imageExtension = /\.[a-z0-9]{1,5}$/i;

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
