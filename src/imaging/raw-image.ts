// A decoded image.

/** Pixels, three bytes each (red, green, blue in sRGB), row by row from the top. */
export interface RawImage {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
}
