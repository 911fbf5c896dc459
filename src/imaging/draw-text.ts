// Draws one line of text in the built-in font, cut to fit if it is too long.

import type { Point } from './box.ts';
import { type Line, strokeMask } from './draw-lines.ts';
import { type Canvas, type Colour, type Mask, paintMask } from './drawing-canvas.ts';
import { glyphs, unknownGlyph } from './font-glyphs.ts';

export interface TextStyle {
  /** 1: capitals are 10 pixels high and stems fall on whole pixels. */
  readonly scale: number;
  /** Of the pen, in pixels. */
  readonly lineWidth: number;
}

/** Pixels from the left edge of the first letter to the right edge of the last. */
export function textWidth(text: string, style: TextStyle): number {
  const letters = lettersOf(text, style);
  const last = letters.at(-1);
  return last ? Math.ceil(last.left + last.width) : 0;
}

/** Pixels above and below the baseline that the letters of a style can take. */
export function textHeight({ scale, lineWidth }: TextStyle): { above: number; below: number } {
  return { above: Math.ceil(9 * scale + lineWidth), below: Math.ceil(3 * scale + lineWidth / 2) };
}

/** The text, or as much of its start as fits, with "…" after it. */
export function cutText(text: string, style: TextStyle, widthMax: number): string {
  const letters = [...text.slice(0, charactersMax)];
  if (letters.length === text.length && textWidth(text, style) <= widthMax) return text;
  const cutAt = (count: number) =>
    `${letters
      .slice(0, count)
      .join('')
      .replace(/[\s,·]+$/, '')}…`;
  const count = mostThatFit(letters.length, (count) => textWidth(cutAt(count), style) <= widthMax);
  return count === 0 ? '' : cutAt(count);
}

/** The same for names of files, whose ends tell them apart: what is left out is in the middle. */
export function cutName(name: string, style: TextStyle, widthMax: number): string {
  const letters = [...name.slice(0, charactersMax)];
  if (letters.length === name.length && textWidth(name, style) <= widthMax) return name;
  const cutAt = (count: number) => {
    const tail = Math.ceil(count * 0.6);
    return `${letters.slice(0, count - tail).join('')}…${letters.slice(-tail).join('')}`;
  };
  const count = mostThatFit(letters.length, (count) => textWidth(cutAt(count), style) <= widthMax);
  return count === 0 ? '' : cutAt(count);
}

/** The text in lines, broken at blanks; the last one is cut where there would be more of them. */
export function wrapText(
  text: string,
  style: TextStyle,
  widthMax: number,
  linesMax: number,
): readonly string[] {
  const lines: string[] = [];
  let words = text.slice(0, charactersMax).split(' ');
  const fits = (count: number) => textWidth(words.slice(0, count).join(' '), style) <= widthMax;
  while (lines.length < linesMax - 1 && !fits(words.length)) {
    const count = Math.max(1, mostThatFit(words.length, fits));
    lines.push(cutText(words.slice(0, count).join(' '), style, widthMax));
    words = words.slice(count);
  }
  const rest = words.join(' ');
  return rest === '' ? lines : [...lines, cutText(rest, style, widthMax)];
}

/** Draws one line of text; `left` and `baseline` in whole pixels. */
export function drawText(
  canvas: Canvas,
  text: string,
  left: number,
  baseline: number,
  style: TextStyle,
  colour: Colour,
): void {
  const { above } = textHeight(style);
  for (const letter of lettersOf(text, style)) {
    if (letter.mask === undefined) continue;
    const room = roomFor(style.lineWidth);
    paintMask(canvas, letter.mask, left + letter.left - room, baseline - above, colour);
  }
}

/** More than any line holds: what is beyond is not even measured. */
const charactersMax = 1_000;

/** The greatest count from 0 to `total` that fits, where less of what fits fits too. */
function mostThatFit(total: number, fits: (count: number) => boolean): number {
  let [least, most] = [0, total];
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (fits(middle)) least = middle;
    else most = middle - 1;
  }
  return least;
}

interface Letter {
  /** Undefined for a blank. */
  readonly mask: Mask | undefined;
  readonly left: number;
  readonly width: number;
}

/** Between two letters, and for a blank; at scale 1. */
const gap = 2;
const blankWidth = 3;

function lettersOf(text: string, style: TextStyle): readonly Letter[] {
  const letters: Letter[] = [];
  let left = 0;
  for (const character of plainOf(text)) {
    const mask = character === ' ' ? undefined : maskOf(character, style);
    const width = mask ? widthOf(mask, style) : Math.round(blankWidth * style.scale);
    letters.push({ mask, left, width });
    left += width + Math.max(1, Math.round(gap * style.scale));
  }
  return letters;
}

/** Accents are left out rather than a letter lost; all kinds of blanks are one. */
function plainOf(text: string): string {
  const known = [...text].map((character) =>
    Object.hasOwn(glyphs, character)
      ? character
      : character.normalize('NFD').replace(/\p{Mn}/gu, ''),
  );
  return known.join('').replace(/\s+/g, ' ');
}

const masks = new Map<string, Mask>();

function maskOf(character: string, style: TextStyle): Mask {
  const isKnown = Object.hasOwn(glyphs, character);
  const key = `${style.scale} ${style.lineWidth} ${isKnown ? character : ''}`;
  const strokes = (isKnown && glyphs[character]) || unknownGlyph;
  const made = masks.get(key) ?? drawGlyph(strokes, style);
  masks.set(key, made);
  return made;
}

/** A mask has room on both sides, where the pen is broader than a pixel. */
function widthOf(mask: Mask, { lineWidth }: TextStyle): number {
  return mask.width - 2 * roomFor(lineWidth);
}

function roomFor(lineWidth: number): number {
  return Math.max(0, Math.ceil((lineWidth - 1) / 2));
}

function drawGlyph(strokes: string, style: TextStyle): Mask {
  const { scale, lineWidth } = style;
  const { above, below } = textHeight(style);
  const room = roomFor(lineWidth);
  const place = ([x, y]: Point): Point => [room + 0.5 + x * scale, above - 0.5 - y * scale];
  const lines = strokes.split(';').map((stroke) => readStroke(stroke.trim()).map(place));
  const right = Math.max(...lines.flat().map(([x]) => x));
  return strokeMask(lines, lineWidth, Math.ceil(right + 0.5) + room, above + below);
}

/** The points of a stroke with its bends made of short straight lines. */
function readStroke(stroke: string): Line {
  const closed = stroke.endsWith('z');
  const bends = stroke
    .replace(/ z$/, '')
    .split(' ')
    .map((text) => ({ bend: text.startsWith('~'), point: readPoint(text.replace('~', '')) }));
  const marks = bends.flatMap((mark, index) => {
    const before = bends[index - 1] ?? (closed ? bends.at(-1) : undefined);
    const between = mark.bend && before?.bend;
    return between ? [{ bend: false, point: halfway(before.point, mark.point) }, mark] : [mark];
  });
  const [first] = marks;
  const ring = closed && first ? [...marks, first] : marks;
  return ring.flatMap(({ bend, point }, index) => {
    const [before, after] = [ring[index - 1]?.point, ring[index + 1]?.point];
    return bend && before && after ? curve(before, point, after) : [point];
  });
}

function readPoint(text: string): Point {
  const [x = 0, y = 0] = text.split(',').map(Number);
  return [x, y];
}

function halfway([x1, y1]: Point, [x2, y2]: Point): Point {
  return [(x1 + x2) / 2, (y1 + y2) / 2];
}

const curveParts = 6;

/** The inner points of a quadratic curve. */
function curve([x1, y1]: Point, [x2, y2]: Point, [x3, y3]: Point): Line {
  return Array.from({ length: curveParts - 1 }, (_, index): Point => {
    const t = (index + 1) / curveParts;
    const [a, b, c] = [(1 - t) * (1 - t), 2 * t * (1 - t), t * t];
    return [a * x1 + b * x2 + c * x3, a * y1 + b * y2 + c * y3];
  });
}
