// The confusion matrix and the confidence sweep of an evaluation as pictures.

import type { SweepPoint } from '../../evaluation/confidence-sweep.ts';
import type { Point } from '../../imaging/box.ts';
import { black, white } from '../../imaging/class-colours.ts';
import { strokeLine } from '../../imaging/draw-lines.ts';
import { cutText, drawText, type TextStyle, textWidth } from '../../imaging/draw-text.ts';
import {
  type Canvas,
  type Colour,
  createCanvas,
  fillArea,
  outlineArea,
} from '../../imaging/drawing-canvas.ts';

const text: TextStyle = { scale: 1, lineWidth: 1.2 };
const grey: Colour = [205, 205, 205];
const blue: Colour = [32, 82, 160];

const margin = 20;
const labelWidth = 150;
const cell = { width: 96, height: 36 };
const headHeight = 60;

/** Rows are the labels; a cell is darker the more of its row it holds. */
export function drawMatrix(
  labels: readonly string[],
  counts: readonly (readonly number[])[],
): Canvas {
  const side = labels.length;
  const left = margin + labelWidth;
  const canvas = createCanvas(
    left + side * cell.width + margin,
    headHeight + side * cell.height + margin,
    white,
  );
  drawText(canvas, 'rows: labels, columns: found', margin, margin + 4, text, black);
  for (const [row, name] of labels.entries()) {
    const top = headHeight + row * cell.height;
    drawText(canvas, cutText(name, text, labelWidth - 10), margin, top + 23, text, black);
    const head = cutText(name, text, cell.width - 8);
    drawText(canvas, head, left + row * cell.width + 4, headHeight - 8, text, black);
    const all = (counts[row] ?? []).reduce((sum, count) => sum + count, 0);
    for (const [column, count] of (counts[row] ?? []).entries()) {
      const share = all === 0 ? 0 : count / all;
      const area = { left: left + column * cell.width, top, ...cell };
      fillArea(canvas, area, blue, share);
      outlineArea(canvas, area, row === column ? 2 : 1, row === column ? blue : grey);
      const figure = String(count);
      const at = area.left + Math.round((cell.width - textWidth(figure, text)) / 2);
      drawText(canvas, figure, at, top + 23, text, share > 0.5 ? white : black);
    }
  }
  return canvas;
}

const plot = { left: 60, top: 50, width: 600, height: 340 };

const curves = [
  { name: 'precision', colour: [200, 90, 0] },
  { name: 'recall', colour: [0, 130, 95] },
  { name: 'f1', colour: blue },
] as const satisfies readonly { name: keyof SweepPoint; colour: Colour }[];

/** Over the confidence, 0 to 1; the threshold of the best F1 is an upright line. */
export function drawSweep(points: readonly SweepPoint[], best: SweepPoint | undefined): Canvas {
  const { left, top, width, height } = plot;
  const canvas = createCanvas(left + width + margin, top + height + 50, white);
  const at = (confidence: number, share: number): Point => [
    left + confidence * width,
    top + (1 - share) * height,
  ];
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    strokeLine(canvas, [at(0, share), at(1, share)], false, 1, grey);
    strokeLine(canvas, [at(share, 0), at(share, 1)], false, 1, grey);
    const figure = share.toFixed(2);
    drawText(canvas, figure, margin, Math.round(top + (1 - share) * height + 5), text, black);
    drawText(canvas, figure, Math.round(left + share * width - 14), top + height + 18, text, black);
  }
  drawText(canvas, 'confidence', left + width / 2 - 40, top + height + 40, text, black);
  let legend = left;
  for (const { name, colour } of curves) {
    const line = points.flatMap((point) => {
      const share = point[name];
      return share === null ? [] : [at(point.confidence, share)];
    });
    strokeLine(canvas, line, false, 2.5, colour);
    drawText(canvas, name, legend, 25, text, colour);
    legend += textWidth(name, text) + 30;
  }
  if (best) {
    strokeLine(canvas, [at(best.confidence, 0), at(best.confidence, 1)], false, 1.5, black);
    drawText(canvas, `best F1 at ${best.confidence.toFixed(2)}`, legend, 25, text, black);
  }
  return canvas;
}
