// A contact sheet: rows of captioned images with their boxes, and what the colours mean.

import { setImmediate as othersTurn } from 'node:timers/promises';
import { black, classColours } from './class-colours.ts';
import { type DrawnBox, drawBoxes } from './draw-boxes.ts';
import { cutName, cutText, drawText, type TextStyle, textWidth, wrapText } from './draw-text.ts';
import {
  type Canvas,
  type Colour,
  canvasOf,
  createCanvas,
  fillArea,
  outlineArea,
  pasteImage,
} from './drawing-canvas.ts';
import { scalePixels } from './image-thread-pool.ts';
import type { RawImage } from './raw-image.ts';

export interface SheetCell {
  /** As scaleToCell gives it. */
  readonly image: RawImage;
  /** Of the image that the boxes are in, in pixels. */
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly DrawnBox[];
  /** What it is, in a few words. */
  readonly title: string;
  /** What was done to it; cut where there are more of them than fit. */
  readonly words: string;
  /** False: the legend leaves its boxes out, also where it is the first of its row. */
  readonly isCounted?: boolean;
}

export interface Sheet {
  readonly title: string;
  /** Under the title: the settings, in words. */
  readonly subtitle: string;
  /** At the right of the title. */
  readonly note: string;
  readonly rows: readonly (readonly SheetCell[])[];
  /** Whose boxes the legend counts: where a row shows one image several times, the first one's. */
  readonly counted: 'first_of_row' | 'all';
  /** The longer side of the images, in pixels; left out: what the columns have room for. */
  readonly side?: number;
}

/** Draws the sheet, in slices of a few milliseconds each, between which others get their turn. */
export async function contactSheet(sheet: Sheet): Promise<Canvas> {
  const { rows } = sheet;
  const columns = Math.max(1, ...rows.map((row) => row.length));
  const { side = cellSide(columns) } = sheet;
  const colours = classColours(rows.flat().flatMap(({ boxes }) => boxes.map(({ label }) => label)));
  const drawn: (readonly Canvas[])[] = [];
  for (const row of rows) {
    const cells: Canvas[] = [];
    for (const cell of row) cells.push(await drawCell(cell, colours));
    drawn.push(cells);
    await othersTurn();
  }
  const width = 2 * margin + Math.max(columns * (side + gap) - gap, headWidthMin);
  const head = layOutHead(sheet, colours, width - 2 * margin);
  const captions = rows.map((row) => captionHeight(row, side));
  const rowHeights = drawn.map(
    (row, index) =>
      (captions[index] ?? 0) + Math.max(0, ...row.map(({ height }) => height)) + rowGap,
  );
  const total = head.height + rowHeights.reduce((sum, height) => sum + height, 0);
  const canvas = createCanvas(width, total - rowGap + margin, ground);
  head.draw(canvas);
  let top = head.height;
  for (const [index, row] of rows.entries()) {
    await othersTurn();
    for (const [column, cell] of row.entries()) {
      const left = margin + column * (side + gap);
      const title = (column === 0 ? cutName : cutText)(cell.title, nameStyle, side);
      drawText(canvas, title, left, top + 14, nameStyle, ink);
      drawWords(canvas, cell, left, top, side);
      const image = drawn[index]?.[column];
      if (image) placeImage(canvas, image, left, top + (captions[index] ?? 0));
    }
    top += rowHeights[index] ?? 0;
  }
  return canvas;
}

/** The widest that models and chats show without scaling it down. */
const sheetWidthMax = 1560;
const cellSideMax = 320;
const cellSideMin = 150;
const headWidthMin = 640;
const margin = 28;
const gap = 16;
const rowGap = 26;
/** Small images are enlarged at most so much. */
const enlargementMax = 4;

const ground: Colour = [250, 250, 251];
const ink: Colour = [24, 27, 34];
const greyInk: Colour = [96, 102, 115];
const rule: Colour = [222, 225, 230];

const titleStyle: TextStyle = { scale: 1.8, lineWidth: 2.6 };
const noteStyle: TextStyle = { scale: 1.2, lineWidth: 1.4 };
const nameStyle: TextStyle = { scale: 1.2, lineWidth: 1.9 };
const wordStyle: TextStyle = { scale: 1.1, lineWidth: 1.3 };
const wordLine = 18;
const wordLinesMax = 3;
const nameLine = 20;

/** The longer side of the images of a sheet with so many columns, in pixels. */
export function cellSide(columns: number): number {
  const room = sheetWidthMax - 2 * margin - (columns - 1) * gap;
  return Math.max(cellSideMin, Math.min(cellSideMax, Math.floor(room / columns)));
}

/** An image in the size in which a cell shows it. Runs on a thread of its own. */
export async function scaleToCell(image: RawImage, side: number): Promise<RawImage> {
  const fit = Math.min(side / Math.max(image.width, image.height), enlargementMax);
  const width = Math.max(1, Math.round(image.width * fit));
  const height = Math.max(1, Math.round(image.height * fit));
  if (image.width === width && image.height === height) return image;
  return scalePixels(image, { width, height });
}

async function drawCell(cell: SheetCell, colours: ReadonlyMap<string, Colour>): Promise<Canvas> {
  const canvas = canvasOf(cell.image);
  const scale = { x: canvas.width / cell.width, y: canvas.height / cell.height };
  await drawBoxes(canvas, cell.boxes, scale, colours);
  return canvas;
}

function placeImage(canvas: Canvas, image: Canvas, left: number, top: number): void {
  pasteImage(canvas, image, left, top);
  const { width, height } = image;
  outlineArea(canvas, { left, top, width, height }, 1, black, 0.2);
}

function drawWords(canvas: Canvas, cell: SheetCell, left: number, top: number, side: number) {
  for (const [index, line] of wordLines(cell, side).entries()) {
    const baseline = top + nameLine + 13 + index * wordLine;
    drawText(canvas, line, left, baseline, wordStyle, greyInk);
  }
}

/** The same for all of a row, so that its images and its titles stand in line. */
function captionHeight(row: readonly SheetCell[], side: number): number {
  const lines = Math.max(0, ...row.map((cell) => wordLines(cell, side).length));
  return nameLine + lines * wordLine + 5;
}

function wordLines({ words }: SheetCell, side: number): readonly string[] {
  return wrapText(words, wordStyle, side, wordLinesMax);
}

interface Head {
  readonly height: number;
  draw(canvas: Canvas): void;
}

function layOutHead(
  { title, subtitle, note, rows, counted }: Sheet,
  colours: ReadonlyMap<string, Colour>,
  width: number,
): Head {
  const noteWidth = textWidth(note, noteStyle);
  const name = cutText(title, titleStyle, width - noteWidth - 2 * gap);
  const lines = wrapText(subtitle, noteStyle, width, 2);
  const shown = counted === 'all' ? rows.flat() : rows.flatMap(([first]) => first ?? []);
  const legend = layOutLegend(
    shown.filter(({ isCounted = true }) => isCounted),
    colours,
    width,
  );
  const subtitleTop = margin + 34;
  const legendTop = subtitleTop + lines.length * 21 + 10;
  const ruleTop = legendTop + legend.height;
  return {
    height: ruleTop + 22,
    draw: (canvas) => {
      drawText(canvas, name, margin, margin + 18, titleStyle, ink);
      drawText(canvas, note, margin + width - noteWidth, margin + 18, noteStyle, greyInk);
      for (const [index, line] of lines.entries()) {
        drawText(canvas, line, margin, subtitleTop + 14 + index * 21, noteStyle, greyInk);
      }
      legend.draw(canvas, legendTop);
      fillArea(canvas, { left: margin, top: ruleTop + 2, width, height: 1 }, rule);
    },
  };
}

interface LegendEntry {
  readonly text: string;
  readonly colour: Colour | undefined;
  readonly left: number;
  readonly line: number;
}

const legendLine = 24;
const legendLinesMax = 3;
const swatch = 14;

function layOutLegend(
  cells: readonly SheetCell[],
  colours: ReadonlyMap<string, Colour>,
  width: number,
): { height: number; draw(canvas: Canvas, top: number): void } {
  const counts = countClasses(cells, colours);
  const entries: LegendEntry[] = [];
  let [left, line] = [0, 0];
  for (const [index, [label, count]] of counts.entries()) {
    // What other cells show alone is named for its colour: a figure of 0 would be taken for theirs.
    const words = count === 0 ? label : `${label} ${count}`;
    const text = cutText(words, noteStyle, width / 2);
    const entryWidth = swatch + 8 + textWidth(text, noteStyle) + 22;
    const more = `and ${counts.length - index} more classes`;
    const isLast = line === legendLinesMax - 1 && index < counts.length - 1;
    const room = width - (isLast ? textWidth(more, noteStyle) + 2 * gap : 0);
    if (left + entryWidth - 22 > room) {
      if (line === legendLinesMax - 1) {
        entries.push({ text: more, colour: undefined, left, line });
        break;
      }
      [left, line] = [0, line + 1];
    }
    entries.push({ text, colour: colours.get(label), left, line });
    left += entryWidth;
  }
  const height = entries.length === 0 ? 0 : (line + 1) * legendLine;
  return { height, draw: (canvas, top) => drawLegend(canvas, entries, top) };
}

/** The most frequent class first. */
function countClasses(
  cells: readonly SheetCell[],
  colours: ReadonlyMap<string, Colour>,
): readonly (readonly [string, number])[] {
  const counts = new Map([...colours.keys()].map((label) => [label, 0]));
  for (const { label } of cells.flatMap(({ boxes }) => boxes)) {
    counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a);
}

function drawLegend(canvas: Canvas, entries: readonly LegendEntry[], top: number): void {
  for (const { text, colour, left, line } of entries) {
    const at = { left: margin + left, top: top + line * legendLine + 3 };
    const square = { ...at, width: swatch, height: swatch };
    if (colour) {
      fillArea(canvas, square, colour);
      outlineArea(canvas, square, 1, black, 0.35);
    }
    const indent = colour ? swatch + 8 : 0;
    drawText(canvas, text, at.left + indent, at.top + 13, noteStyle, ink);
  }
}
