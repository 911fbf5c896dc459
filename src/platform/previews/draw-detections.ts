// Draws what a model found in images on one contact sheet, beside the true boxes where they are
// known.

import type { inference } from '../../contract/inference.ts';
import type { Answer, Input } from '../../contract/operation.ts';
import { asFoveaError, FoveaError, invalidArgument } from '../../errors.ts';
import { contactSheet, type SheetCell } from '../../imaging/contact-sheet.ts';
import type { DrawnBox } from '../../imaging/draw-boxes.ts';
import { decodeSmall, encodeImage } from '../../imaging/image-thread-pool.ts';
import { quotedName } from '../../quoted-name.ts';
import { enlargementMax, sheetRows, sheetSide } from './sheet-layout.ts';

type DrawInput = Input<typeof inference.inference_draw>;
type Drawn = DrawInput['drawn'][number];

/** Throws `invalid_input` for an image that cannot be read, and the reason of the signal. */
export async function drawDetections(
  { images, drawn, title }: DrawInput,
  signal: AbortSignal,
): Promise<Answer<typeof inference.inference_draw>> {
  if (images.length !== drawn.length) {
    throw invalidArgument('drawn', `has ${drawn.length} entries for ${images.length} images`);
  }
  const hasTruth = drawn.some(({ labelled }) => labelled !== undefined);
  const side = sheetSide(images.length * (hasTruth ? 2 : 1));
  const groups: (readonly SheetCell[])[] = [];
  for (const [index, one] of drawn.entries()) {
    signal.throwIfAborted();
    const content = images[index]?.content;
    if (!(content instanceof Uint8Array)) throw invalidArgument(`images[${index}]`, 'has no bytes');
    groups.push(await cellsOf(content, one, side));
  }
  const sheet = await contactSheet({
    title,
    subtitle: hasTruth ? 'Left: the labels, which the legend counts. Right: what was found.' : '',
    note: '',
    rows: hasTruth ? groups : sheetRows(groups.flat()),
    counted: hasTruth ? 'first_of_row' : 'all',
    side,
  });
  const { bytes, contentType, width, height } = await encodeImage(sheet);
  return { sheet: Buffer.from(bytes).toString('base64'), contentType, width, height };
}

async function cellsOf(
  bytes: Uint8Array,
  { name, found, labelled }: Drawn,
  side: number,
): Promise<readonly SheetCell[]> {
  const { file, image } = await decodeSmall(bytes, side, enlargementMax).catch((thrown) => {
    const { code, message } = asFoveaError(thrown);
    throw new FoveaError(code, `Image ${quotedName(name)}: ${message}`, { cause: thrown });
  });
  const { width, height } = file;
  const size = `${width} × ${height}`;
  const boxesOf = (boxes: Drawn['found']) => boxes.map(toBox);
  const cell = { image, width, height };
  const figure = (boxes: Drawn['found']) =>
    `${boxes.length} ${boxes.length === 1 ? 'box' : 'boxes'}`;
  const words = [size, `${figure(found)} found`].join(', ');
  const seen = { ...cell, boxes: boxesOf(found), title: labelled ? 'found' : name, words };
  if (labelled === undefined) return [seen];
  const known = `${figure(labelled)} labelled`;
  return [{ ...cell, boxes: boxesOf(labelled), title: name, words: known }, seen];
}

function toBox(drawn: Drawn['found'][number]): DrawnBox {
  const { label, x, y, width, height, confidence, points, keypoints } = drawn;
  const tag = confidence === undefined ? label : `${label} ${confidence.toFixed(2)}`;
  const seen = keypoints?.map((one) => ({ label, x: one.x, y: one.y, visibility: 2 }) as const);
  return {
    label,
    tag,
    x,
    y,
    width,
    height,
    ...(points && { points }),
    ...(seen && { keypoints: seen }),
  };
}
