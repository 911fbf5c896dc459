// An outline while it is drawn: points are added and taken back until it is closed.

import { svg } from '../../../http-server/page-assets/elements.js';
import { outlinePointAt, outlinePointsMin, pixelAt } from './outline-geometry.js';

/** @import { Outline, Point, Size } from '../boxes.ts' */

export class OutlineDraft {
  /** @type {Outline} */
  points = [];
  #size;

  /** @param {Size} size of the picture */
  constructor(size) {
    this.#size = size;
  }

  get isClosable() {
    return this.points.length >= outlinePointsMin;
  }

  /**
   * True: the first point is met, so the outline is to be closed. A point on the last one is none.
   * @param {Point} at
   * @param {number} reach in pixels of the picture
   */
  add(at, reach) {
    if (this.isClosable && outlinePointAt(this.points.slice(0, 1), at, reach) === 0) return true;
    const point = pixelAt(at, this.#size);
    const [x, y] = this.points.at(-1) ?? [];
    if (point[0] !== x || point[1] !== y) this.points = [...this.points, point];
    return false;
  }

  takeBack() {
    this.points = this.points.slice(0, -1);
  }

  /** With the line to where the next point would be. @param {Point} pointer */
  shape(pointer) {
    const [x, y] = pixelAt(pointer, this.#size);
    const drawn = this.points.map((point) => point.join(' '));
    const dots = this.points.map(([left, top], index) =>
      svg('path', { class: index === 0 ? 'point first' : 'point', d: `M${left} ${top}h0` }),
    );
    if (drawn.length === 0) return svg('g', { class: 'chosen draft' });
    const line = svg('path', { class: 'frame', d: `M${[...drawn, `${x} ${y}`].join('L')}` });
    return svg('g', { class: 'chosen draft' }, line, ...dots);
  }
}
