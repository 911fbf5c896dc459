// A day of labelling: the boxes of real labels are drawn in a tool by the fewest gestures that it
// offers, and what it has stored at the end is compared with them.

import { formatTable } from '../../bench/measure/text-table.ts';
import type { Effort, Hand, Point } from './hand.ts';
import type { LabelledBox } from './seed.ts';

export interface Rectangle {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** A tool on whose screen images come one after the other; the first one is there. */
export interface LabellingTool {
  readonly name: string;
  readonly hand: Hand;
  /** The name of the image that is shown. */
  readonly current: () => Promise<string>;
  /** Where the whole picture is on the screen. */
  readonly picture: () => Promise<Rectangle>;
  /** Keys before a box is drawn and after it, so that it gets its class. */
  readonly before: (box: LabelledBox) => Promise<void>;
  readonly after: (box: LabelledBox) => Promise<void>;
  /** What a drag from there would change in place of drawing; in pixels of the image. */
  readonly inTheWay: (drawn: readonly LabelledBox[]) => readonly Rectangle[];
  /** Where every corner is in the way: `held` is held down while drawing, or is pressed before. */
  readonly wayOut: { readonly held?: string; readonly pressed?: string };
  /** Stores the image, until the next picture is there; the last one, until it is stored. */
  readonly next: () => Promise<void>;
  /** What is stored, by the names of the images. */
  readonly stored: () => Promise<ReadonlyMap<string, readonly LabelledBox[]>>;
}

export interface OpenTool {
  readonly tool: LabellingTool;
  readonly close: () => Promise<void>;
}

export interface Day {
  readonly name: string;
  readonly images: number;
  readonly boxes: number;
  readonly effort: Effort;
  /** All of it, with the pauses of the recorded gestures. */
  readonly seconds: number;
  /** From the last gesture on an image until the next picture is there, or all is stored. */
  readonly waitedSeconds: number;
  readonly pictureWidth: number;
}

/** Throws if a tool stored anything but the boxes. */
export async function labelDay(
  tool: LabellingTool,
  wanted: ReadonlyMap<string, readonly LabelledBox[]>,
): Promise<Day> {
  const startMs = performance.now();
  let [boxes, waitedMs, pictureWidth] = [0, 0, 0];
  for (let image = 0; image < wanted.size; image += 1) {
    const labels = wanted.get(await tool.current()) ?? [];
    const picture = await tool.picture();
    pictureWidth = picture.width;
    for (const [at, box] of labels.entries()) {
      await tool.before(box);
      await draw(tool, picture, box, labels.slice(0, at));
      await tool.after(box);
      boxes += 1;
    }
    await tool.next();
    waitedMs += performance.now() - tool.hand.doneMs;
  }
  const seconds = (performance.now() - startMs) / 1000;
  compare(tool.name, await tool.stored(), wanted);
  const { effort } = tool.hand;
  const [{ name }, waitedSeconds, images] = [tool, waitedMs / 1000, wanted.size];
  return { name, images, boxes, effort, seconds, waitedSeconds, pictureWidth };
}

/** From a corner at which nothing else would be dragged, if there is one. */
async function draw(
  tool: LabellingTool,
  picture: Rectangle,
  box: LabelledBox,
  drawn: readonly LabelledBox[],
): Promise<void> {
  const [left, top, right, bottom] = [
    box.left,
    box.top,
    box.left + box.width,
    box.top + box.height,
  ];
  const diagonals: readonly (readonly [Point, Point])[] = [
    [
      { x: left, y: top },
      { x: right, y: bottom },
    ],
    [
      { x: right, y: bottom },
      { x: left, y: top },
    ],
    [
      { x: right, y: top },
      { x: left, y: bottom },
    ],
    [
      { x: left, y: bottom },
      { x: right, y: top },
    ],
  ];
  const others = tool.inTheWay(drawn);
  const free = diagonals.find(([from]) => !others.some((other) => meets(other, from)));
  const [from, to] = free ?? diagonals[0] ?? [];
  if (from === undefined || to === undefined) return;
  const { pressed, held } = free === undefined ? tool.wayOut : {};
  if (pressed !== undefined) await tool.hand.press(pressed);
  await tool.hand.drag(onScreen(picture, from), onScreen(picture, to), held);
}

/** Handles reach a little beyond a box. */
const reach = 12;

function meets({ left, top, width, height }: Rectangle, { x, y }: Point): boolean {
  const isBeside = x < left - reach || x > left + width + reach;
  return !isBeside && y >= top - reach && y <= top + height + reach;
}

/** The pictures of the sample have 640 x 480 pixels. */
function onScreen({ left, top, width, height }: Rectangle, { x, y }: Point): Point {
  return { x: left + (x / 640) * width, y: top + (y / 480) * height };
}

/** Tools round to their own pixels. */
const pixelsMax = 2;

function compare(
  name: string,
  stored: ReadonlyMap<string, readonly LabelledBox[]>,
  wanted: ReadonlyMap<string, readonly LabelledBox[]>,
): void {
  for (const [image, labels] of wanted) {
    const found = stored.get(image) ?? [];
    const isSame =
      found.length === labels.length &&
      labels.every((label) => found.some((other) => isOne(label, other)));
    if (isSame) continue;
    const words = JSON.stringify({ found, wanted: labels });
    throw new Error(`${name} has stored other boxes of ${image}: ${words}`);
  }
}

function isOne(one: LabelledBox, other: LabelledBox): boolean {
  const isNear = (some: number, others: number) => Math.abs(some - others) <= pixelsMax;
  return (
    one.class === other.class &&
    isNear(one.left, other.left) &&
    isNear(one.top, other.top) &&
    isNear(one.left + one.width, other.left + other.width) &&
    isNear(one.top + one.height, other.top + other.height)
  );
}

/** A table, for the same boxes in each tool. */
export function wordsOf(days: readonly Day[]): string {
  const [{ boxes, images } = { boxes: 0, images: 0 }] = days;
  const rows = days.map(({ name, effort, seconds, waitedSeconds, pictureWidth }) => {
    const each = (sum: number, digits = 2) => (sum / boxes).toFixed(digits);
    const { clicks, keys, path, handSeconds } = effort;
    return [
      name,
      each(clicks),
      each(keys),
      `${each(path, 0)} of ${pictureWidth.toFixed(0)}`,
      each(handSeconds),
      `${((waitedSeconds / images) * 1000).toFixed(0)} ms`,
      each(seconds),
    ];
  });
  const header = ['', 'clicks', 'keys', 'pixels', 'hand s', 'next picture', 'run s'];
  const table = formatTable([header, ...rows]);
  return `${boxes} boxes on ${images} images, all stored as drawn; per box\n${table}`;
}
