// Renders the images of a version from a few source images, in the memory of one kernel.

import type { SplitName } from '../contract/fields.ts';
import type { VersionSettings } from '../contract/version-settings.ts';
import type { Box } from '../imaging/box.ts';
import { type ImageFile, openPixels, readOut, readStoredHeader } from '../imaging/image-file.ts';
import type { RawImage } from '../imaging/raw-image.ts';
import { below, randomFrom } from '../seeded-random.ts';
import { applyAugmentations } from './apply-augmentations.ts';
import type { AugmentationChoice } from './augmentation-choice.ts';
import { chooseAugmentations } from './choose-augmentations.ts';
import type { Kernel, Pixels } from './kernel/operations.ts';
import type { LabelledImage } from './labelled-image.ts';
import {
  isUnchanged,
  makeUpright,
  type Preparation,
  planPreparation,
  preparePiece,
} from './preprocessing.ts';
import type { Piece } from './tiles-and-crops.ts';
import type { Size } from './transform-boxes.ts';

/** An image of a project, as it was frozen. */
export interface RenderSource {
  readonly bytes: Uint8Array;
  /** Names its content: random choices follow from it. */
  readonly hash: string;
  readonly split: SplitName;
  /** In pixels of the stored image. */
  readonly boxes: readonly Box[];
}

export interface RenderJob {
  /** In normal form for `renderSources`: a step that changes nothing would make copies. */
  readonly settings: VersionSettings;
  /** Other choices for another seed; a version has the empty one. */
  readonly seed: string;
  /** At most so many images from one piece: the preprocessed original and copies. */
  readonly imagesPerPiece: number;
  /** Only the first pieces of each source; undefined: all. */
  readonly piecesMax?: number;
  readonly sources: readonly RenderSource[];
  /** Pixels that are in memory at a time, as far as the caller knows; undefined: not many. */
  readonly pixels?: number;
  /** Image files; or raw pixels, to draw on. */
  readonly output: 'file' | 'pixels';
  /** Raw pixels of larger images are made smaller, so that this is their longer side. */
  readonly pixelsSideMax?: number;
}

/** An image of a version. */
export interface RenderedImage {
  /** The place of its source in the job. */
  readonly source: number;
  /** From 0: its place among the images of its source. */
  readonly number: number;
  /** Which part of the source; empty: all of it. */
  readonly piece: string;
  /** 0: the preprocessed original; from 1 on: augmented copies. */
  readonly copy: number;
  /** What was chosen for it, for example `rotate 12.3°`. */
  readonly words: readonly string[];
  /** A file; or RGB, three bytes a pixel, row by row. */
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly width: number;
  readonly height: number;
  /** Of `bytes`, where `pixelsSideMax` made them smaller than the image. */
  readonly shrunk?: Size;
  readonly boxes: readonly Box[];
}

/** An image of a version whose bytes are on the disk. */
export interface RenderedFile extends Omit<RenderedImage, 'bytes'> {
  /** A new file, synced; undefined: it is that of its source, unchanged. */
  readonly path: string | undefined;
  /** SHA-256. */
  readonly hash: string;
  /** Their count. */
  readonly bytes: number;
}

/** Takes one image; the next is made when it resolves. */
export type Emit = (image: RenderedImage) => Promise<void>;

/** What one source needs while it is in work. */
interface Opened {
  readonly place: number;
  readonly source: RenderSource;
  readonly file: ImageFile;
  readonly preparation: Preparation;
}

/**
 * Makes all images of the sources, in their order; the same job gives the same bytes. Mosaic takes
 * its partners from the train images among them. Errors as readImageFile and piecesOf; `at` of the
 * RenderFailure says which source.
 */
export async function renderSources(kernel: Kernel, job: RenderJob, emit: Emit): Promise<void> {
  const opened: Opened[] = [];
  for (const [place, source] of job.sources.entries()) {
    opened.push(await about(place, () => openSource(job, source, place)));
  }
  const mark = kernel.mark();
  try {
    const partners = await preparePartners(kernel, job, opened);
    for (const one of opened) {
      await about(one.place, () => renderSource(kernel, job, one, partners, emit));
    }
  } finally {
    kernel.release(mark);
  }
}

/** A source that could not be worked on. */
export class RenderFailure extends Error {
  readonly at: number;

  constructor(at: number, cause: unknown) {
    super(`source ${at} failed`, { cause });
    this.at = at;
  }
}

async function about<Result>(place: number, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    throw new RenderFailure(place, cause);
  }
}

async function openSource(
  { settings, piecesMax }: RenderJob,
  source: RenderSource,
  place: number,
): Promise<Opened> {
  const file = await readStoredHeader(source.bytes);
  const { upright, pieces } = planPreparation(settings.preprocessing, file, source.boxes);
  const preparation = { upright, pieces: pieces.slice(0, piecesMax) };
  return { place, source, file, preparation };
}

/** For each train source one of its pieces, ready, by the place of the source. */
type Partners = ReadonlyMap<number, { readonly piece: Piece; readonly image: LabelledImage }>;

async function preparePartners(
  kernel: Kernel,
  { settings, seed, imagesPerPiece }: RenderJob,
  opened: readonly Opened[],
): Promise<Partners> {
  const partners = new Map<number, { piece: Piece; image: LabelledImage }>();
  if (!settings.augmentation.mosaic || imagesPerPiece === 1) return partners;
  // In an order of their own: the order of uploads must not change an image.
  for (const one of opened.toSorted((a, b) => (a.source.hash < b.source.hash ? -1 : 1))) {
    const { pieces } = one.preparation;
    const random = randomFrom(`${seed}/${one.source.hash}/partner`);
    const piece = pieces[below(random, pieces.length)];
    if (one.source.split !== 'train' || piece === undefined) continue;
    const image = await about(one.place, async () => {
      const mark = kernel.mark();
      const upright = makeUpright(kernel, await decode(kernel, one), one.preparation);
      const { pixels, boxes } = preparePiece(kernel, upright, piece, settings.preprocessing);
      return { pixels: kernel.keep(mark, pixels), boxes };
    });
    partners.set(one.place, { piece, image });
  }
  return partners;
}

async function renderSource(
  kernel: Kernel,
  job: RenderJob,
  one: Opened,
  partners: Partners,
  emit: Emit,
): Promise<void> {
  const mark = kernel.mark();
  let pixels: Pixels | undefined;
  const upright = async () => {
    pixels ??= makeUpright(kernel, await decode(kernel, one), one.preparation);
    return pixels;
  };
  let number = 0;
  const emitNext: EmitNext = (image) => emit({ ...image, number: number++ });
  for (const piece of one.preparation.pieces) {
    await renderPiece(kernel, job, { one, piece, partners, upright }, emitNext);
  }
  kernel.release(mark);
}

type Unnumbered = Omit<RenderedImage, 'number'>;
type EmitNext = (image: Unnumbered) => Promise<void>;

interface PieceWork {
  readonly one: Opened;
  readonly piece: Piece;
  readonly partners: Partners;
  /** Decoded with the first piece that needs it. */
  readonly upright: () => Promise<Pixels>;
}

async function renderPiece(
  kernel: Kernel,
  job: RenderJob,
  { one, piece, partners, upright }: PieceWork,
  emit: EmitNext,
): Promise<void> {
  const { settings, output } = job;
  const isFile = output === 'file' && isUnchanged(settings.preprocessing, one.preparation);
  if (isFile) await emit(storedFile(one, piece));
  if (isFile && !mayHaveCopies(job, one)) return;
  const known = partners.get(one.place);
  const isKnown = known?.piece === piece;
  const whole = isKnown ? known.image.pixels : await upright();
  const mark = kernel.mark();
  const image = isKnown ? known.image : preparePiece(kernel, whole, piece, settings.preprocessing);
  if (!isFile) await emit(outputOf(kernel, job, { one, piece, copy: 0, choices: [] }, image));
  const pool = [...partners.values()].map((partner) => partner.image);
  for (const [index, choices] of copiesOf(job, one, piece, image).entries()) {
    const each = kernel.mark();
    const changed = applyAugmentations(kernel, image, choices, pool);
    const rendered = outputOf(kernel, job, { one, piece, copy: index + 1, choices }, changed);
    kernel.release(each);
    await emit(rendered);
  }
  kernel.release(mark);
}

/** Only train images get copies. */
function mayHaveCopies({ settings, imagesPerPiece }: RenderJob, { source }: Opened): boolean {
  const steps = Object.keys(settings.augmentation).filter((key) => key !== 'image');
  return source.split === 'train' && imagesPerPiece > 1 && steps.length > 0;
}

function copiesOf(
  job: RenderJob,
  one: Opened,
  piece: Piece,
  image: LabelledImage,
): readonly (readonly AugmentationChoice[])[] {
  if (!mayHaveCopies(job, one)) return [];
  const { settings, seed, imagesPerPiece } = job;
  const random = randomFrom(`${seed}/${one.source.hash}/${piece.name}`);
  return chooseAugmentations(settings.augmentation, imagesPerPiece - 1, random, image);
}

interface Origin {
  readonly one: Opened;
  readonly piece: Piece;
  readonly copy: number;
  readonly choices: readonly AugmentationChoice[];
}

function outputOf(
  kernel: Kernel,
  { output, pixelsSideMax = Number.POSITIVE_INFINITY }: RenderJob,
  { one, piece, copy, choices }: Origin,
  { pixels, boxes }: LabelledImage,
): Unnumbered {
  const { width, height } = pixels;
  const isFile = output === 'file';
  const shrunk = isFile ? pixels : shrink(kernel, pixels, pixelsSideMax);
  return {
    source: one.place,
    piece: piece.name,
    copy,
    width,
    height,
    boxes,
    words: choices.map(({ words }) => words),
    bytes: isFile ? kernel.encodeJpeg(pixels, jpegQuality) : kernel.read(shrunk).data,
    ...(shrunk !== pixels && { shrunk: { width: shrunk.width, height: shrunk.height } }),
    contentType: isFile ? 'image/jpeg' : 'application/octet-stream',
  };
}

function shrink(kernel: Kernel, pixels: Pixels, sideMax: number): Pixels {
  const ratio = sideMax / Math.max(pixels.width, pixels.height);
  if (ratio >= 1) return pixels;
  const side = (length: number) => Math.max(1, Math.round(length * ratio));
  return kernel.resample(pixels, { width: side(pixels.width), height: side(pixels.height) });
}

/** No pixel is changed, so the bytes and the boxes stay as they came. */
function storedFile({ place, source, file }: Opened, piece: Piece): Unnumbered {
  const { bytes, boxes } = source;
  const { contentType, width, height } = file;
  return {
    source: place,
    piece: piece.name,
    copy: 0,
    words: [],
    bytes,
    contentType,
    width,
    height,
    boxes,
  };
}

/** Most photos are of the one kind that the kernel reads itself. */
async function decode(kernel: Kernel, { source, file }: Opened): Promise<Pixels> {
  const pixels = file.format === 'jpeg' ? kernel.decodeJpeg(source.bytes) : undefined;
  return pixels ?? load(kernel, await readOut(file, await openPixels(source.bytes, file)));
}

/** What was decoded is freed at once: else every dozen of images calls for a garbage collection. */
function load(kernel: Kernel, decoded: RawImage): Pixels {
  const pixels = kernel.load(decoded);
  const { buffer, byteLength } = decoded.data;
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
  return pixels;
}

/** Near lossless; colours are kept at full resolution (decisions/augmented-copies.md). */
const jpegQuality = 95;
