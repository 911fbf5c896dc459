// A map of images: those that are alike lie near each other, as dots in the colours of their
// clusters, and some as small pictures.

import { classColours } from './class-colours.ts';
import { drawText, type TextStyle } from './draw-text.ts';
import {
  type Canvas,
  type Colour,
  createCanvas,
  fillArea,
  outlineArea,
  pasteImage,
} from './drawing-canvas.ts';
import type { RawImage } from './raw-image.ts';

/** A dot for each image. */
export interface MapDots {
  /** In any unit: the map is scaled to hold all of them. */
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly clusterOf: Uint8Array;
}

export interface MapPicture {
  /** Of its dot in the list. */
  readonly at: number;
  /** At most `mapPictureSide` pixels in each direction. */
  readonly image: RawImage;
}

/** Where a dot lies on the canvas, in pixels. */
interface Spot {
  readonly left: number;
  readonly top: number;
}

/** The longer side of the small pictures. */
export const mapPictureSide = 84;

/**
 * The places in the list of dots that are shown as pictures, in the order given, as far as each has
 * room beside those before it.
 */
export function picturesWithRoom(
  dots: MapDots,
  wanted: Iterable<number>,
  countMax: number,
): readonly number[] {
  const { spotOf } = placeDots(dots);
  const taken: Spot[] = [];
  const shown: number[] = [];
  for (const at of wanted) {
    if (shown.length === countMax) break;
    const spot = spotOf(at);
    const isFree = taken.every(
      ({ left, top }) =>
        Math.abs(left - spot.left) > mapPictureSide + 4 ||
        Math.abs(top - spot.top) > mapPictureSide + 4,
    );
    if (!isFree) continue;
    taken.push(spot);
    shown.push(at);
  }
  return shown;
}

/** `legend`: a line for each cluster, in its order. `pause` is awaited between parts of it. */
export async function drawImageMap({
  title,
  legend,
  dots,
  pictures,
  pause,
}: {
  readonly title: string;
  readonly legend: readonly string[];
  readonly dots: MapDots;
  readonly pictures: readonly MapPicture[];
  readonly pause: () => Promise<void>;
}): Promise<Canvas> {
  const { spotOf, bottom: legendTop } = placeDots(dots);
  const canvas = createCanvas(side, legendTop + legend.length * legendLine + margin, ground);
  drawText(canvas, title, margin, 40, titleStyle, ink);
  const colours = [...classColours(legend.map((_, cluster) => `cluster ${cluster}`)).values()];
  const colourOf = (cluster: number) => colours[cluster % colours.length] ?? ink;
  for (const [at, cluster] of dots.clusterOf.entries()) {
    if (at % dotsBetweenTurns === 0) await pause();
    const { left, top } = spotOf(at);
    fillArea(canvas, { left: left - 3, top: top - 3, width: 6, height: 6 }, colourOf(cluster), 0.8);
  }
  for (const { at, image } of pictures) {
    const { left, top } = spotOf(at);
    const corner = {
      left: Math.round(left - image.width / 2),
      top: Math.round(top - image.height / 2),
    };
    const size = { width: image.width, height: image.height };
    pasteImage(canvas, image, corner.left, corner.top);
    outlineArea(canvas, { ...corner, ...size }, 3, colourOf(dots.clusterOf[at] ?? 0));
  }
  for (const [cluster, line] of legend.entries()) {
    const top = legendTop + cluster * legendLine;
    fillArea(canvas, { left: margin, top, width: 14, height: 14 }, colourOf(cluster));
    drawText(canvas, line, margin + 24, top + 13, lineStyle, ink);
  }
  return canvas;
}

/** Some 5 ms. */
const dotsBetweenTurns = 5_000;
const side = 900;
const margin = 28;
const headHeight = 60;
const legendLine = 24;
const ground: Colour = [250, 250, 251];
const ink: Colour = [24, 27, 34];
const titleStyle: TextStyle = { scale: 1.8, lineWidth: 2.6 };
const lineStyle: TextStyle = { scale: 1.1, lineWidth: 1.3 };

/** Both axes with one scale, so that distances are what they are. */
function placeDots({ x, y }: MapDots) {
  const [across, down] = [rangeOf(x), rangeOf(y)];
  const room = side - mapPictureSide - 2 * margin;
  const scale = room / Math.max(across.width, down.width, Number.EPSILON);
  const height = Math.ceil(down.width * scale) + mapPictureSide + 2 * margin;
  const spotOf = (at: number): Spot => ({
    left: side / 2 + ((x[at] ?? 0) - across.middle) * scale,
    top: headHeight + height / 2 + ((y[at] ?? 0) - down.middle) * scale,
  });
  return { spotOf, bottom: headHeight + height };
}

function rangeOf(values: Float32Array) {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (value < least) least = value;
    if (value > most) most = value;
  }
  if (most < least) return { middle: 0, width: 0 };
  return { middle: (least + most) / 2, width: most - least };
}
