// What the threads for images do. Each job is given the bytes of a file, or raw pixels.

import type { Size } from './bmp.ts';
import type { Descriptor } from './descriptor.ts';
import type { EncodedPicture } from './encode.ts';
import { encodePicture } from './encode.ts';
import {
  decodeSmall,
  fitImage,
  type ImageFile,
  openRaw,
  type RawImage,
  readImageHeader,
  readPicture,
  reencode,
} from './image-file.ts';
import { loadSharp } from './load-sharp.ts';

interface OfFile {
  readonly bytes: Uint8Array;
}

interface OfPixels {
  readonly pixels: RawImage;
}

/** The same names as the functions of image-threads.ts. */
export const imageJobs = {
  readImageHeader: ({ bytes }: OfFile): Promise<ImageFile> => readImageHeader(bytes),

  readPicture: ({
    bytes,
  }: OfFile): Promise<{ readonly file: ImageFile; readonly descriptor: Descriptor | undefined }> =>
    readPicture(bytes),

  decodeSmall: ({
    bytes,
    side,
    enlargementMax,
  }: OfFile & { readonly side: number; readonly enlargementMax: number }) =>
    decodeSmall(bytes, side, enlargementMax),

  fitImage: ({ bytes, size }: OfFile & { readonly size: Size }) => fitImage(bytes, size),

  reencode: ({
    bytes,
    scale,
    quality,
  }: OfFile & { readonly scale: number; readonly quality: number }) =>
    reencode(bytes, scale, quality),

  encodePicture: ({
    pixels,
    bytesMax,
  }: OfPixels & { readonly bytesMax: number | undefined }): Promise<EncodedPicture> =>
    encodePicture(pixels, bytesMax),

  scalePixels: async ({ pixels, size }: OfPixels & { readonly size: Size }): Promise<RawImage> => {
    const scaled = (await openRaw(pixels)).resize(size.width, size.height, { fit: 'fill' });
    return { data: await scaled.raw().toBuffer(), ...size };
  },

  /** Grey with 8 bits, one byte a pixel, as a PNG without a palette. */
  encodeMask: async ({ pixels }: OfPixels): Promise<Uint8Array> => {
    const { data, width, height } = pixels;
    const sharp = await loadSharp();
    return sharp(data, { raw: { width, height, channels: 1 }, limitInputPixels: false })
      .toColourspace('b-w')
      .png({ palette: false, adaptiveFiltering: false, compressionLevel: 6 })
      .toBuffer();
  },
} as const;

export type ImageJobs = typeof imageJobs;
export type JobName = keyof ImageJobs;
export type JobInput<Name extends JobName> = Parameters<ImageJobs[Name]>[0];
export type JobResult<Name extends JobName> = Awaited<ReturnType<ImageJobs[Name]>>;
