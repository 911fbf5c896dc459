// Which judged image is meant by the names and numbers in a file of predictions.

/** An image that is judged, as a file of predictions may call it. */
export interface NamedImage {
  readonly name: string;
  readonly id?: string | undefined;
  /** In the COCO export of its version, where no two images of a split are called the same. */
  readonly exportName?: string | undefined;
  /** Its id in that export, which has images without labels too; default: its place, from 1. */
  readonly exportNumber?: number | undefined;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
}

export interface ImagesOfFile {
  readonly images: readonly NamedImage[];
  /** Whether a number stands for the place of an image from 1, as in a COCO export. */
  readonly isNumbered: boolean;
}

/** The place of an image; undefined: none is called so. */
export type FoundImage = number | 'ambiguous' | undefined;

/**
 * `names`: all of the file, since what one means depends on the others: a name that several images
 * have says nothing, unless the file has the names of the export, which differ.
 */
export function findImages(
  judged: ImagesOfFile,
  names: readonly (string | number)[],
): ReadonlyMap<string | number, FoundImage> {
  const distinct = [...new Set(names)];
  const texts = distinct.filter((name) => typeof name === 'string');
  const numbers = distinct.filter((name) => typeof name === 'number');
  return new Map<string | number, FoundImage>([
    ...findByName(judged.images, texts),
    ...findByNumber(judged, numbers, texts.length === 0),
  ]);
}

function findByName(images: readonly NamedImage[], names: readonly string[]) {
  const own = placesBy(images, ({ name, id }) => (id === undefined ? [name] : [name, id]));
  const ownStems = placesBy(images, ({ name }) => [nameWithoutExtension(name)]);
  const exported = placesBy(images, ({ exportName }) => exportName ?? []);
  const exportedStems = placesBy(images, ({ exportName }) =>
    exportName === undefined ? [] : nameWithoutExtension(exportName),
  );
  const inOwn = (key: string) => own.get(key) ?? ownStems.get(key);
  const inExport = (key: string) => exported.get(key) ?? exportedStems.get(key);
  const areExported = names.some((name) => {
    const keys = keysOf(name);
    return !keys.some(inOwn) && keys.some(inExport);
  });
  const placesOf = (name: string) => {
    for (const key of keysOf(name)) {
      const byExport = inExport(key) ?? [];
      if (areExported && byExport.length > 0) return byExport;
      const places = [...new Set([...(inOwn(key) ?? []), ...byExport])];
      if (places.length > 0) return places;
    }
    return [];
  };
  const found = names.map((name): readonly [string, FoundImage] => {
    const [place, ...others] = placesOf(name);
    return [name, others.length > 0 ? 'ambiguous' : place];
  });
  return withoutCollisions(found);
}

/** Files of one name in several folders are several images, of which only some are judged. */
function withoutCollisions(found: readonly (readonly [string, FoundImage])[]) {
  const paths = new Map<FoundImage, Set<string>>();
  for (const [name, place] of found) {
    if (baseOf(name) === name) continue;
    const known = paths.get(place) ?? new Set();
    paths.set(place, known.add(name.replaceAll('\\', '/')));
  }
  return found.map(([name, place]): readonly [string, FoundImage] => {
    const isOneOfSeveral = baseOf(name) !== name && (paths.get(place)?.size ?? 0) > 1;
    return [name, place !== undefined && isOneOfSeveral ? 'ambiguous' : place];
  });
}

/** Files that are called by numbers are meant by them, where all numbers are such. */
function findByNumber(
  { images, isNumbered }: ImagesOfFile,
  numbers: readonly number[],
  areAllNumbers: boolean,
) {
  const stems = placesBy(images, ({ name }) => {
    const stem = nameWithoutExtension(name);
    return /^\d+$/.test(stem) ? [String(Number(stem))] : [];
  });
  const placesOf = (number: number) => stems.get(String(number)) ?? [];
  const exported = new Map(images.map(({ exportNumber }, at) => [exportNumber ?? at + 1, at]));
  const areStems = areAllNumbers && numbers.every((number) => placesOf(number).length === 1);
  return numbers.map((number): readonly [number, FoundImage] => {
    if (areStems || !isNumbered) {
      const [place, ...others] = placesOf(number);
      return [number, others.length > 0 ? 'ambiguous' : place];
    }
    return [number, exported.get(number)];
  });
}

function placesBy(
  images: readonly NamedImage[],
  keysOfImage: (image: NamedImage) => string | readonly string[],
): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  for (const [place, image] of images.entries()) {
    for (const key of [keysOfImage(image)].flat()) {
      const known = places.get(key);
      if (known === undefined) places.set(key, [place]);
      else known.push(place);
    }
  }
  return places;
}

/** A name with its folder and extension, or without. */
function keysOf(name: string): readonly string[] {
  const base = baseOf(name);
  return [name, base, nameWithoutExtension(base)];
}

function baseOf(path: string): string {
  return path.split(/[\\/]/).at(-1) ?? path;
}

export function nameWithoutExtension(name: string): string {
  return name.replace(/\.\w+$/, '');
}
