// A place in an image.

/** A box by its upper left corner, in pixels of the original image. */
export interface Region {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export function areaOfRegion({ width, height }: Region): number {
  return width * height;
}
