// How large the picture is in its view. While a gesture lasts, the picture is scaled as it was drawn,
// which takes no layout and no painting of what lies on it; then it is laid out and drawn anew.

import { element } from '../../../http-server/page-assets/elements.js';

/** @import { Point, Size } from '../boxes.ts' */

const zoomMax = 40;
/** A gesture without an event for so long has ended. */
const gestureEndMs = 120;
/** Scaled by more than this, or by less than its inverse, what was drawn is too coarse. */
const scaleMax = 2;

/**
 * Where the picture is in its view, in pixels of the screen from the view's upper left corner.
 * @typedef {{ left: number, top: number, width: number, height: number }} Placed
 */

export class PictureZoom {
  #view;
  #extent;
  #stage;
  #size;
  /** As a multiple of what fits: what is laid out, and what is shown. */
  #laidOut = 1;
  #zoom = 1;
  /**
   * While one lasts: the view, where the picture is laid out in it, and where it is shown.
   * @type {{ view: Placed, from: Placed, placed: Placed } | undefined}
   */
  #gesture;
  #timer = 0;

  /**
   * @param {HTMLElement} view which scrolls; the picture goes into it
   * @param {HTMLElement} stage the picture and what lies on it
   * @param {Size} size of the picture, in its own pixels
   */
  constructor(view, stage, size) {
    this.#view = view;
    this.#stage = stage;
    this.#size = size;
    this.#extent = element('div', { class: 'extent' }, stage);
    view.append(this.#extent);
    this.#layOut();
    view.addEventListener('wheel', (event) => this.#turn(event), { passive: false });
  }

  /**
   * @param {number} zoom as a multiple of what fits
   * @param {Point} [screen] what stays where it is; else the middle
   */
  zoomTo(zoom, screen) {
    this.#scaleTo(zoom, screen);
    this.settle();
  }

  /** As a turn of the wheel, around the middle. @param {number} factor */
  zoomBy(factor) {
    this.#step(factor);
  }

  /** Lays the picture out as large as a gesture has made it. */
  settle() {
    clearTimeout(this.#timer);
    if (this.#gesture === undefined) return;
    const { left, top } = this.#gesture.placed;
    this.#gesture = undefined;
    this.#stage.style.transform = '';
    this.#layOut();
    this.#view.scrollTo(-left, -top);
  }

  /** @param {WheelEvent} event */
  #turn(event) {
    // Scrolling begins where the picture is to be.
    if (!(event.ctrlKey || event.metaKey)) return this.settle();
    event.preventDefault();
    this.#step(Math.exp(-event.deltaY / 200), { x: event.clientX, y: event.clientY });
  }

  /** @param {number} factor @param {Point} [screen] what stays where it is; else the middle */
  #step(factor, screen) {
    this.#scaleTo(this.#zoom * factor, screen);
    const scale = this.#zoom / this.#laidOut;
    if (scale > scaleMax || scale < 1 / scaleMax) return this.settle();
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.settle(), gestureEndMs);
  }

  /** @param {number} wanted @param {Point} [screen] */
  #scaleTo(wanted, screen) {
    const { view, from, placed } = this.#begun();
    const zoom = Math.max(1, Math.min(wanted, zoomMax));
    const factor = zoom / this.#zoom;
    const x = screen === undefined ? view.width / 2 : screen.x - view.left;
    const y = screen === undefined ? view.height / 2 : screen.y - view.top;
    const [width, height] = [placed.width * factor, placed.height * factor];
    const [right, down] = [view.width - width, view.height - height];
    // As it will be laid out: in the middle where it is narrower than the view, else to its edges.
    const left = right > 0 ? right / 2 : between(right, x - (x - placed.left) * factor, 0);
    const top = between(Math.min(0, down), y - (y - placed.top) * factor, 0);
    this.#gesture = { view, from, placed: { left, top, width, height } };
    this.#zoom = zoom;
    const move = `translate(${left - from.left}px, ${top - from.top}px)`;
    this.#stage.style.transform = `${move} scale(${zoom / this.#laidOut})`;
  }

  /** The gesture that lasts, or a new one. Reading where things are would lay them out each time. */
  #begun() {
    if (this.#gesture !== undefined) return this.#gesture;
    const { left, top } = this.#view.getBoundingClientRect();
    const view = { left, top, width: this.#view.clientWidth, height: this.#view.clientHeight };
    const { x, y, width, height } = this.#extent.getBoundingClientRect();
    const from = { left: x - left, top: y - top, width, height };
    return { view, from, placed: from };
  }

  #layOut() {
    const { width, height } = this.#size;
    this.#laidOut = this.#zoom;
    this.#extent.style.width = `calc(min(100cqw, 100cqh * ${width / height}) * ${this.#zoom})`;
  }
}

/** @param {number} min @param {number} value @param {number} max */
function between(min, value, max) {
  return Math.max(min, Math.min(value, max));
}
