// Lists of images in text files: one image a line, as VOC and Darknet have them.

/**
 * The name of the image of a line, without its folders; empty where it names none. VOC lists of one
 * class have 1, 0 or -1 behind the name, which is left out. The time is linear: lists come along
 * with datasets, and nobody has looked at them.
 */
export function imageNameIn(line: string): string {
  const path = line
    .trim()
    .replace(/\s(?:-?1|0)$/, '')
    .trim();
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}
