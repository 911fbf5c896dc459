// Renders a contact sheet, and the data beside it, from images and version settings.

import type { Annotation } from '../../annotations/annotation.ts';
import { versionEffects } from '../../contract/version-effects.ts';
import type { VersionSettings } from '../../contract/version-settings.ts';
import { settingsWarnings } from '../../contract/version-warnings.ts';
import { remapAnnotation } from '../../dataset-versions/filter-and-remap.ts';
import { batchSources, pixelsInWork } from '../../dataset-versions/render-batches.ts';
import {
  type RenderedImage,
  RenderFailure,
  type RenderJob,
} from '../../dataset-versions/render-images.ts';
import type { Renderers } from '../../dataset-versions/render-threads.ts';
import { asFoveaError, FoveaError } from '../../errors.ts';
import type { Box } from '../../imaging/box.ts';
import { cellSide, contactSheet, scaleToCell } from '../../imaging/contact-sheet.ts';
import type { ImageFile } from '../../imaging/image-file.ts';
import { encodeImage, readImageHeader } from '../../imaging/image-thread-pool.ts';
import { limits } from '../../limits.ts';
import {
  describeRow,
  type Preview,
  pieceRows,
  type Row,
  type Shown,
  sheetRow,
} from './contact-sheet-rows.ts';
import { describeSettings } from './describe-settings.ts';
import { type PreviewSource, shrinkSource } from './shrink-large-images.ts';

export interface PreviewRequest {
  /** Of the sheet. */
  readonly title: string;
  readonly settings: VersionSettings;
  readonly seed: number;
  /** Augmented copies of each image. */
  readonly samples: number;
  /** Of tile and isolate: the first with copies, or all without. */
  readonly pieces: 'first' | 'all';
  readonly sources: readonly PreviewSource[];
  /** Further warnings. */
  readonly warnings: readonly string[];
}

/**
 * Renders in threads and draws. The same request gives the same bytes. Throws `invalid_input` for
 * an image that cannot be worked on, with its name, and the reason of the signal.
 */
export async function renderPreview(
  renderers: Renderers,
  given: PreviewRequest,
  signal: AbortSignal,
): Promise<Preview> {
  const request = await withinPixels(given);
  const { settings, seed, sources, pieces } = request;
  const rows = await renderRows(renderers, request, signal);
  const sheet = await contactSheet({
    title: request.title,
    subtitle: describeSettings(settings),
    note: `seed ${seed}`,
    rows:
      pieces === 'all'
        ? rows.flatMap((row) => pieceRows(row, columnsOf(request)))
        : rows.map((row) => sheetRow(row, settings)),
    counted: 'first_of_row',
    side: cellSide(columnsOf(request)),
  });
  const { bytes, contentType, width, height } = await encodeImage(sheet);
  const shown = rows.map(({ original }) => original);
  const { effects, warnings } = versionEffects(settings, shown);
  return {
    sheet: Buffer.from(bytes).toString('base64'),
    contentType,
    width,
    height,
    seed,
    classes: countClasses(sources),
    images: rows.map((row) => describeRow(row, settings, pieces)),
    effects,
    warnings: [
      ...new Set([
        ...settingsWarnings(settings),
        ...warnings,
        ...request.warnings,
        ...piecesLeftOut(request, rows),
        ...withoutImages(rows),
      ]),
    ],
  };
}

/** One after the other: each may be as large as images are. */
async function withinPixels(request: PreviewRequest): Promise<PreviewRequest> {
  const sources: PreviewSource[] = [];
  const warnings = [...request.warnings];
  for (const source of request.sources) {
    const shrunk = await shrinkSource(source).catch((thrown) => {
      throw about(source, thrown);
    });
    sources.push(shrunk.source);
    warnings.push(...shrunk.warnings);
  }
  return { ...request, sources, warnings };
}

async function renderRows(
  renderers: Renderers,
  request: PreviewRequest,
  signal: AbortSignal,
): Promise<readonly Row[]> {
  const { settings, seed, samples, sources, pieces } = request;
  const side = cellSide(columnsOf(request));
  const stored = { preprocessing: {}, augmentation: {} };
  const render = async (job: Omit<RenderJob, 'sources' | 'output'>, places: readonly number[]) => {
    const isStored = job.settings === stored;
    const names = isStored ? undefined : settings.preprocessing.remap;
    const taken = places.flatMap((place) => sources[place] ?? []);
    const toRender = taken.map(({ bytes, hash, annotation }) => {
      const boxes = boxesOf(annotation && remapAnnotation(annotation, names));
      return { bytes, hash, boxes, split: 'train' } as const;
    });
    const shown = places.map((): { number: number; image: Shown }[] => []);
    const emit = async (image: RenderedImage) => {
      shown[image.source]?.push({ number: image.number, image: await toShown(image, side) });
    };
    try {
      const output = { output: 'pixels', pixelsSideMax: side } as const;
      await renderers.render({ ...job, ...output, sources: toRender }, emit, signal);
    } catch (thrown) {
      throw thrown instanceof RenderFailure ? about(taken[thrown.at], thrown.cause) : thrown;
    }
    // Scaling them takes turns, so they may come in another order than they were made in.
    return shown.map((made) => made.sort((a, b) => a.number - b.number).map(({ image }) => image));
  };
  const renderStored = async (source: PreviewSource, place: number) => {
    const { width, height } = await readHeader(source);
    const pixels = width * height;
    return render({ settings: stored, seed: '', imagesPerPiece: 1, pixels }, [place]);
  };
  const originals = (await Promise.all(sources.map(renderStored))).flat();
  const outlines = sources.map(({ hash }, ordinal) => {
    const { width = 0, height = 0 } = originals[ordinal]?.[0] ?? {};
    return { ordinal, hash, split: 'train', width, height, isDone: false } as const;
  });
  const job = { settings, seed: seedText(seed), ...amountOf(pieces, samples) };
  const made = new Map<number, readonly Shown[]>();
  const work = batchSources(outlines, settings).map(async (batch) => {
    const places = batch.map(({ ordinal }) => ordinal);
    const images = await render({ ...job, pixels: pixelsInWork(batch, settings) }, places);
    for (const [index, place] of places.entries()) made.set(place, images[index] ?? []);
  });
  await Promise.all(work);
  return sources.flatMap(({ name, annotation }, place) => {
    const original = originals[place]?.[0];
    const labels = annotation?.kind === 'classification' ? annotation.labels : undefined;
    return original ? [{ name, labels, original, made: made.get(place) ?? [] }] : [];
  });
}

async function readHeader(source: PreviewSource): Promise<ImageFile> {
  try {
    return await readImageHeader(source.bytes);
  } catch (thrown) {
    throw about(source, thrown);
  }
}

/** A version has the empty seed: seed 0 shows the copies that it would have. */
function seedText(seed: number): string {
  return seed === 0 ? '' : String(seed);
}

async function toShown(image: RenderedImage, side: number): Promise<Shown> {
  const { bytes, width, height, boxes, piece, copy, words } = image;
  const scaled = await scaleToCell({ ...(image.shrunk ?? { width, height }), data: bytes }, side);
  return { image: scaled, width, height, boxes, piece, copy, words };
}

function boxesOf(annotation: Annotation | undefined): readonly Box[] {
  return annotation?.kind === 'detection' ? annotation.boxes : [];
}

function about(source: PreviewSource | undefined, cause: unknown): FoveaError {
  const { code, message, problems } = asFoveaError(cause);
  const reason = code === 'internal' ? 'its pixels cannot be worked on.' : message;
  const kind = code === 'internal' ? 'internal' : 'invalid_input';
  return new FoveaError(kind, `Image "${source?.name}": ${reason}`, { problems, cause });
}

function countClasses(sources: readonly PreviewSource[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const { annotation } of sources) {
    const labels =
      annotation?.kind === 'classification'
        ? annotation.labels
        : boxesOf(annotation).map(({ label }) => label);
    for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}

/** Only isolate drops images: those without boxes. */
function withoutImages(rows: readonly Row[]): readonly string[] {
  const count = rows.filter(({ made }) => made.length === 0).length;
  return count === 0
    ? []
    : [`isolate: ${count} of the ${rows.length} images shown give none, without a box to cut out`];
}

/** Cells in a row of the sheet. */
function columnsOf({ settings: { preprocessing }, samples, pieces }: PreviewRequest): number {
  if (pieces === 'first') return samples + 2;
  const { tile } = preprocessing;
  const columns = tile && 'rows' in tile ? tile.columns : pieceColumns;
  return Math.min(columns, pieceColumnsMax);
}

const pieceColumns = 6;
const pieceColumnsMax = 8;

function amountOf(pieces: PreviewRequest['pieces'], samples: number) {
  return pieces === 'all'
    ? { imagesPerPiece: 1, piecesMax: limits.previewPiecesMax }
    : { imagesPerPiece: samples + 1, piecesMax: 1 };
}

function piecesLeftOut(
  { settings: { preprocessing }, pieces }: PreviewRequest,
  rows: readonly Row[],
): readonly string[] {
  const { isolate, tile } = preprocessing;
  const cutting = [...(isolate ? ['isolate'] : []), ...(tile ? ['tile'] : [])].join(' and ');
  if (cutting === '') return [];
  if (pieces === 'first') return [`${cutting}: of each image, only the first piece is shown`];
  const most = limits.previewPiecesMax;
  const isCut = rows.some(({ made }) => made.length === most);
  return isCut ? [`${cutting}: of each image, at most ${most} pieces are shown`] : [];
}
