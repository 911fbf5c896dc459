// The requests to image threads and their responses: each has the bytes of a file, or raw pixels.

import type { Size } from './bmp.ts';
import { decodeMask } from './decode-mask.ts';
import { type EncodedImage, encodeImage } from './encode-image.ts';
import {
  checkImageFile,
  decodeSmall,
  fitImage,
  type ImageFile,
  openRaw,
  readDescribedImage,
  readImageHeader,
  reencode,
  type ScalingKernel,
} from './image-file.ts';
import { loadSharp } from './load-sharp.ts';
import type { RawImage } from './raw-image.ts';
import type { Descriptor } from './similarity-descriptor.ts';

/** Bytes in a buffer of their own, which moves to the thread. */
type OwnBytes = Uint8Array<ArrayBuffer>;

/** The names of their functions in image-file.ts and decode-mask.ts. */
export type FileRequest = { readonly bytes: OwnBytes } & (
  | { readonly kind: 'readImageHeader' | 'checkImageFile' }
  | { readonly kind: 'readDescribedImage' | 'decodeMask' }
  | { readonly kind: 'decodeSmall'; readonly side: number; readonly enlargementMax: number }
  | { readonly kind: 'fitImage'; readonly size: Size; readonly kernel: ScalingKernel | undefined }
  | { readonly kind: 'reencode'; readonly scale: number; readonly quality: number }
);

export type PixelRequest = { readonly pixels: Size & { readonly data: OwnBytes } } & (
  | { readonly kind: 'encodeImage'; readonly bytesMax: number | undefined }
  | { readonly kind: 'scalePixels'; readonly size: Size }
  | { readonly kind: 'encodeMask' }
);

export type ImageRequest = FileRequest | PixelRequest;

export type ImageResponse =
  | { readonly kind: 'readImageHeader' | 'checkImageFile'; readonly file: ImageFile }
  | {
      readonly kind: 'readDescribedImage';
      readonly file: ImageFile;
      readonly descriptor: Descriptor | undefined;
    }
  | { readonly kind: 'decodeSmall'; readonly file: ImageFile; readonly image: RawImage }
  | { readonly kind: 'fitImage' | 'scalePixels' | 'decodeMask'; readonly image: RawImage }
  | { readonly kind: 'reencode' | 'encodeMask'; readonly bytes: Uint8Array }
  | { readonly kind: 'encodeImage'; readonly encoded: EncodedImage };

/** Errors as the functions have them. */
export async function handleImageRequest(job: ImageRequest): Promise<ImageResponse> {
  const { kind } = job;
  switch (kind) {
    case 'readImageHeader':
      return { kind, file: await readImageHeader(job.bytes) };
    case 'checkImageFile':
      return { kind, file: await checkImageFile(job.bytes) };
    case 'readDescribedImage':
      return { kind, ...(await readDescribedImage(job.bytes)) };
    case 'decodeSmall':
      return { kind, ...(await decodeSmall(job.bytes, job.side, job.enlargementMax)) };
    case 'decodeMask':
      return { kind, image: await decodeMask(job.bytes) };
    case 'fitImage':
      return { kind, image: await fitImage(job.bytes, job.size, job.kernel) };
    case 'reencode':
      return { kind, bytes: await reencode(job.bytes, job.scale, job.quality) };
    case 'encodeImage':
      return { kind, encoded: await encodeImage(job.pixels, job.bytesMax) };
    case 'scalePixels':
      return { kind, image: await scalePixels(job.pixels, job.size) };
    case 'encodeMask':
      return { kind, bytes: await encodeMask(job.pixels) };
  }
}

async function scalePixels(pixels: RawImage, { width, height }: Size): Promise<RawImage> {
  const scaled = (await openRaw(pixels)).resize(width, height, { fit: 'fill' });
  return { data: await scaled.raw().toBuffer(), width, height };
}

async function encodeMask({ data, width, height }: RawImage): Promise<Uint8Array> {
  const sharp = await loadSharp();
  return sharp(data, { raw: { width, height, channels: 1 }, limitInputPixels: false })
    .toColourspace('b-w')
    .png({ palette: false, adaptiveFiltering: false, compressionLevel: 6 })
    .toBuffer();
}
