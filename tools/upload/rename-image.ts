// Makes an annotation fit an image that is there already under another name.

import { stemOf } from '../../src/annotation-formats/path-hints.ts';

/**
 * The text of an annotation file about the image `image`, made to be about `kept`, which has the
 * same bytes under another name. What is about others stays, and is refused as such.
 */
export function renameImage(text: string, image: string, kept: string): string {
  if (stemOf(image) === stemOf(kept)) return text;
  const isMeant = (named: string) => stemOf(named.trim().replaceAll('\\', '/')) === stemOf(image);
  if (/^\s*\uFEFF?\s*</.test(text)) {
    // Pascal VOC without a name is about whatever image it comes with.
    return text.replace(/<filename>([^<]*)<\/filename>/, (found, named: string) =>
      isMeant(named) ? '<filename></filename>' : found,
    );
  }
  return text.replace(
    /("(?:file_name|image|imagefilename)"\s*:\s*)"([^"\\]*)"/g,
    (found, member: string, named: string) =>
      isMeant(named) ? `${member}${JSON.stringify(kept)}` : found,
  );
}
