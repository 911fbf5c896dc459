// Draws boxes, outlines and keypoints over an image, with the names of their classes.

import { setImmediate as othersTurn } from 'node:timers/promises';
import type { Box, Keypoint, Point } from './box.ts';
import { readableOn, white } from './class-colours.ts';
import { fillOutline, strokeLine } from './draw-lines.ts';
import { cutText, drawText, type TextStyle, textHeight, textWidth } from './draw-text.ts';
import { type Area, type Canvas, type Colour, fillArea, outlineArea } from './drawing-canvas.ts';

/** A box with words of its own beside it; without them, its label stands there. */
export interface DrawnBox extends Box {
  readonly tag?: string;
}

/** Pixels of the canvas for one pixel of the image that the boxes are in. */
export interface Scale {
  readonly x: number;
  readonly y: number;
}

/**
 * Draws what is labelled, in lines of the same breadth whatever the scale. Each of the largest 500
 * boxes has its name: whole where it hides nothing else, else cut short, else where it hides least;
 * on a small canvas, colours tell it alone. Small boxes come last, so that large ones do not hide
 * them. Others get their turn between a few.
 */
export async function drawBoxes(
  canvas: Canvas,
  boxes: readonly DrawnBox[],
  scale: Scale,
  colours: ReadonlyMap<string, Colour>,
): Promise<void> {
  const scaled = boxes
    .map((box) => scaleBox(box, scale))
    .sort((a, b) => b.width * b.height - a.width * a.height);
  const colourOf = ({ label }: Box) => colours.get(label) ?? white;
  let outlined = 0;
  for (const [index, box] of scaled.entries()) {
    if (index % shapesOfATurn === shapesOfATurn - 1) await othersTurn();
    const seen = Math.min(box.width, canvas.width) * Math.min(box.height, canvas.height);
    if (box.points) outlined += seen;
    const isCrowded = outlined > layersMax * canvas.width * canvas.height;
    drawShape(canvas, isCrowded ? { ...box, points: [] } : box, colourOf(box));
  }
  for (const box of scaled) drawKeypoints(canvas, box.keypoints ?? [], colourOf(box));
  if (isSmall(canvas)) return;
  const taken: Area[] = [];
  for (const [index, box] of scaled.slice(0, namesMax).entries()) {
    if (index % namesOfATurn === namesOfATurn - 1) await othersTurn();
    const tag = placeTag(canvas, box, scaled, taken);
    if (tag === undefined) continue;
    taken.push(tag);
    drawTag(canvas, tag, colourOf(box));
  }
}

const shapesOfATurn = 4;
const namesOfATurn = 16;
/** Outlines that may lie on one another before the rest are frames: more show no ground. */
const layersMax = 50;
/** Points of an outline that are drawn: a cell of the sheet has room for no more. */
const pointsMax = 400;

/** Of the largest boxes: more names find no room, and each is held against all boxes. */
const namesMax = 500;

const lineWidth = 2;
const thinLineWidth = 1;
/** Boxes smaller than this get thin lines, so that their inside can be seen. */
const smallSide = 14;
/** A darker or lighter seam keeps a line visible on any ground. */
const seamOpacity = 0.5;
const thinSeamOpacity = 0.25;
const insideOpacity = 0.22;

function wordsOf({ label, tag }: DrawnBox): string {
  return tag ?? label;
}

function scaleBox(box: DrawnBox, { x, y }: Scale): DrawnBox {
  const move = ([px, py]: Point): Point => [px * x, py * y];
  const keypoints = box.keypoints?.map((point) => ({ ...point, x: point.x * x, y: point.y * y }));
  return {
    label: box.label,
    ...(box.tag !== undefined && { tag: box.tag }),
    x: box.x * x,
    y: box.y * y,
    width: box.width * x,
    height: box.height * y,
    ...(box.points && { points: thinned(box.points).map(move) }),
    ...(keypoints && { keypoints }),
  };
}

function thinned(points: readonly Point[]): readonly Point[] {
  const every = Math.ceil(points.length / pointsMax);
  return every <= 1 ? points : points.filter((_, index) => index % every === 0);
}

function drawShape(canvas: Canvas, box: Box, colour: Colour): void {
  const seam = readableOn(colour);
  if (box.points !== undefined && box.points.length > 2) {
    fillOutline(canvas, box.points, colour, insideOpacity);
    strokeLine(canvas, box.points, true, lineWidth + 1.6, seam, seamOpacity);
    strokeLine(canvas, box.points, true, lineWidth, colour);
    return;
  }
  const isThin = isSmall(canvas) || Math.min(box.width, box.height) < smallSide;
  const thickness = isThin ? thinLineWidth : lineWidth;
  const area = edgeArea(canvas, box, thickness);
  const opacity = isThin ? thinSeamOpacity : seamOpacity;
  outlineArea(canvas, grown(area, 1), thickness + 2, seam, opacity);
  outlineArea(canvas, area, thickness, colour);
}

/** The frame lies on the edge of the box; at the border of the image it is moved inside. */
function edgeArea(canvas: Canvas, { x, y, width, height }: Box, thickness: number): Area {
  const reach = Math.floor(thickness / 2);
  const left = clamp(Math.round(x - width / 2) - reach, canvas.width - thickness);
  const top = clamp(Math.round(y - height / 2) - reach, canvas.height - thickness);
  const right = Math.min(canvas.width, Math.round(x + width / 2) + thickness - reach);
  const bottom = Math.min(canvas.height, Math.round(y + height / 2) + thickness - reach);
  return {
    left,
    top,
    width: Math.max(thickness, right - left),
    height: Math.max(thickness, bottom - top),
  };
}

/** Visible ones are filled, hidden ones are rings; those that are not labelled are not drawn. */
function drawKeypoints(canvas: Canvas, keypoints: readonly Keypoint[], colour: Colour): void {
  const seam = readableOn(colour);
  for (const { x, y, visibility } of keypoints) {
    if (visibility === 0) continue;
    const dot = [[x, y]] as const;
    strokeLine(canvas, dot, false, 8, seam, 0.75);
    strokeLine(canvas, dot, false, 6, colour);
    if (visibility === 1) strokeLine(canvas, dot, false, 3, seam);
  }
}

/** Of the longer side: thick lines and names would leave nothing to see of a smaller one. */
const namedSideMin = 200;

function isSmall({ width, height }: Canvas): boolean {
  return Math.max(width, height) < namedSideMin;
}

const tagStyle: TextStyle = { scale: 1, lineWidth: 1.2 };
const tagPadding = 3;
/** A name hides no more of any other box than this, where there is such a place. */
const hiddenShareMax = 0.3;
/** Of names that have no room: the colour, and the legend, tell the rest. */
const cutNameWidth = 30;

interface Tag extends Area {
  readonly words: string;
}

/** The whole name where it hides nothing; else a short one; else where it hides least. */
function placeTag(
  canvas: Canvas,
  box: DrawnBox,
  boxes: readonly Box[],
  taken: readonly Area[],
): Tag | undefined {
  const words = wordsOf(box);
  const whole = cutText(words, tagStyle, canvas.width - 2 * tagPadding);
  const short = cutText(words, tagStyle, Math.min(canvas.width, cutNameWidth) - 2 * tagPadding);
  const places = [whole, short]
    .filter((name) => name !== '')
    .flatMap((name) => placesOf(canvas, box, name));
  const free = places.find(
    (tag) =>
      taken.every((other) => overlap(tag, other) === 0) &&
      boxes.every((other) => overlap(tag, areaOf(other)) <= hiddenShareMax * extent(other)),
  );
  if (free) return free;
  const hidden = (tag: Tag) => taken.reduce((sum, other) => sum + overlap(tag, other), 0);
  const shortest = places.slice(-placesOf(canvas, box, short).length);
  return shortest.toSorted((a, b) => hidden(a) - hidden(b))[0];
}

/** Above the box, below it, inside it at the top and at the bottom; at its left, then its right. */
function placesOf(canvas: Canvas, box: DrawnBox, words: string): readonly Tag[] {
  const { above, below } = textHeight(tagStyle);
  const [width, height] = [textWidth(words, tagStyle) + 2 * tagPadding, above + below];
  if (width > canvas.width || height > canvas.height) return [];
  const [boxTop, boxBottom] = [box.y - box.height / 2, box.y + box.height / 2];
  const outside = [boxTop - height - 1, boxBottom + 1].map(Math.round);
  const inside = [boxTop - 1, boxBottom - height + 1].map(Math.round);
  // What lies beyond the image is not seen: names inside the box move to its seen part.
  const tops = [
    ...outside.filter((top) => top >= 0 && top + height <= canvas.height),
    ...inside.map((top) => clamp(top, canvas.height - height)),
  ];
  const lefts = [box.x - box.width / 2 - 1, box.x + box.width / 2 - width + 1].map((left) =>
    clamp(Math.round(left), canvas.width - width),
  );
  return lefts.flatMap((left) => tops.map((top) => ({ left, top, width, height, words })));
}

function drawTag(canvas: Canvas, tag: Tag, colour: Colour): void {
  fillArea(canvas, tag, colour);
  const baseline = tag.top + textHeight(tagStyle).above + 1;
  drawText(canvas, tag.words, tag.left + tagPadding, baseline, tagStyle, readableOn(colour));
}

/** Square pixels that two areas have in common. */
function overlap(a: Area, b: Area): number {
  const width = Math.min(a.left + a.width, b.left + b.width) - Math.max(a.left, b.left);
  const height = Math.min(a.top + a.height, b.top + b.height) - Math.max(a.top, b.top);
  return Math.max(0, width) * Math.max(0, height);
}

function areaOf({ x, y, width, height }: Box): Area {
  return { left: x - width / 2, top: y - height / 2, width, height };
}

function extent({ width, height }: Box): number {
  return width * height;
}

function grown({ left, top, width, height }: Area, by: number): Area {
  return { left: left - by, top: top - by, width: width + 2 * by, height: height + 2 * by };
}

function clamp(value: number, most: number): number {
  return Math.max(0, Math.min(value, most));
}
