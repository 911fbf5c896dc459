// The images that a list of paths names, which may have been written where they lay elsewhere.

import { limits } from '../limits.ts';

/** The paths of the images that a list names, each once. */
export type FindListed = (listPath: string, text: string) => readonly string[];

/**
 * `images`: paths in the dataset, with slashes. A line names the image at that place beside the
 * list; else the one that ends as the line does, as far as this is one alone.
 */
export function listedImageFinder(images: readonly string[]): FindListed {
  const whole = new Map(images.map((path) => [partsOf(path).join('/'), path]));
  const { known, shared } = endingsOf(images);
  const byEnding = (parts: readonly string[]) => {
    for (let count = 1; count <= parts.length; count += 1) {
      const ending = parts.slice(-count).join('/');
      const found = known.get(ending);
      if (found !== undefined || !shared.has(ending)) return found;
    }
    return undefined;
  };
  return (listPath, text) => {
    const folder = partsOf(listPath).slice(0, -1);
    const found = new Set<string>();
    for (const line of text.split(/\r?\n/)) {
      // No path is so long.
      if (line.length > limits.pathCharactersMax) continue;
      const parts = partsOf(line.trim());
      const image = whole.get([...folder, ...parts].join('/')) ?? byEnding(parts);
      if (image !== undefined) found.add(image);
    }
    return [...found];
  };
}

/** The shortest endings that one image alone has, and those that several share. */
function endingsOf(images: readonly string[]) {
  const known = new Map<string, string>();
  const shared = new Set<string>();
  let open = images.map((path) => ({ path, parts: partsOf(path) }));
  for (let count = 1; open.length > 0; count += 1) {
    const groups = Map.groupBy(open, ({ parts }) => parts.slice(-count).join('/'));
    open = [];
    for (const [ending, [first, ...others]] of groups) {
      if (first && others.length === 0) known.set(ending, first.path);
      else shared.add(ending);
      const longer = [first, ...others].filter((one) => one && one.parts.length > count);
      if (others.length > 0) open.push(...longer.filter((one) => one !== undefined));
    }
  }
  return { known, shared };
}

/** Accents as one character with their letter; without what leads up. */
function partsOf(path: string): readonly string[] {
  return path
    .normalize('NFC')
    .replaceAll('\\', '/')
    .split('/')
    .filter((part) => part !== '' && part !== '.' && part !== '..');
}
