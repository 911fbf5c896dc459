// One annotation file for many images, taken apart, so that each image is sent only its own part.

import * as z from 'zod';

/** The annotation of one image, as the platform takes it. */
export interface AnnotationFile {
  readonly name: string;
  readonly text: string;
}

/** The part of a file that is about the image of that file name; undefined: it names no such. */
export type SharedAnnotations = (imageName: string) => AnnotationFile | undefined;

const id = z.union([z.string(), z.number()]);

const Coco = z.looseObject({
  images: z.array(z.looseObject({ id, file_name: z.string() })),
  annotations: z.array(z.looseObject({ image_id: id })),
  categories: z.array(z.unknown()).default([]),
});

const CreateMl = z.array(z.looseObject({ image: z.string(), annotations: z.array(z.unknown()) }));

/** Reads COCO or CreateML JSON; undefined when it is neither. */
export function indexShared(name: string, text: string): SharedAnnotations | undefined {
  const value = parsed(text);
  const coco = Coco.safeParse(value);
  if (coco.success) return indexCoco(name, coco.data);
  const createMl = CreateMl.safeParse(value);
  return createMl.success ? indexCreateMl(name, createMl.data) : undefined;
}

function indexCoco(name: string, coco: z.output<typeof Coco>): SharedAnnotations {
  const { categories } = coco;
  const images = new Map(coco.images.map((image) => [lastName(image.file_name), image]));
  const annotations = Map.groupBy(coco.annotations, (annotation) => annotation.image_id);
  return (imageName) => {
    const image = images.get(imageName);
    if (!image) return undefined;
    const own = annotations.get(image.id) ?? [];
    const part = {
      images: [{ ...image, file_name: imageName }],
      annotations: own,
      categories,
    };
    return { name, text: JSON.stringify(part) };
  };
}

function indexCreateMl(name: string, entries: z.output<typeof CreateMl>): SharedAnnotations {
  const byName = new Map(entries.map((entry) => [lastName(entry.image), entry]));
  return (imageName) => {
    const entry = byName.get(imageName);
    return entry && { name, text: JSON.stringify([{ ...entry, image: imageName }]) };
  };
}

/** File names inside annotations may carry folders of either kind. */
function lastName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
